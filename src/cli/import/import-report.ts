import { type Diagnostic, diagnosis } from '../../core/index.js';
import { graphqlSchema } from '../../graphql/index.js';
import type { DialectName } from '../../soap/index.js';
import {
  distinctName,
  type Operation,
  type Payload,
  type Port,
  report,
  typeKey,
  type WsdlModel,
} from '../../wsdl/index.js';
import { type OfferedField, withXmlContent } from '../xml-content.js';
import { withoutReported } from './causes.js';
import type { PlannedService } from './import-plan.js';

/** An operation as a port, a binding or a port type of the WSDL has it. */
export interface ReportedOperation {
  /** As the configuration calls it. */
  readonly operation: string;
  /** The service of the configuration; null where none offers it. */
  readonly service: string | null;
  /** `port P`, `binding B` or `port type T`. */
  readonly at: string;
  /** `otherPort`: it is the operation of the port `sameAs`, which the configuration has. */
  readonly status: Operation['status'] | 'otherPort';
  /** `Query.order`; null where GraphQL does not offer it. */
  readonly field: string | null;
  readonly sameAs: string | null;
  /** Why it is not ok, or null. */
  readonly reason: string | null;
  /** `file:line` of the reason, or null. */
  readonly place: string | null;
}

interface ReportedPort {
  readonly port: string;
  readonly service: string | null;
  readonly version: DialectName;
  readonly address: string | null;
  readonly ok: number;
  readonly partial: number;
  readonly disabled: number;
}

/** The result of an import, as `import-report.json` has it. */
export interface ImportReport {
  readonly location: string;
  readonly configuration: string;
  readonly summary: Summary;
  readonly services: readonly { readonly name: string; readonly ports: readonly string[] }[];
  /** Every operation of the WSDL. */
  readonly operations: readonly ReportedOperation[];
  readonly ports: readonly ReportedPort[];
  /** Operations of Mutation whose names do not say what they do: some may read. */
  readonly doubtful: readonly string[];
  readonly warnings: readonly Diagnostic[];
}

/** Counts of operations. */
interface Summary {
  readonly offered: number;
  readonly reading: number;
  readonly writing: number;
  /** The offered operations whose status is `partial`; `offered` counts them too. */
  readonly partial: number;
  readonly disabled: number;
  /** Operations of the configuration at further ports. */
  readonly otherPorts: number;
}

/** The source and the target of an import. */
export interface ImportFrame extends Pick<ImportReport, 'location' | 'configuration'> {
  /** Fields that other services of the configuration have: `Query.order`. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Reports every operation of the WSDL, with the field that the schema of the planned services gives
 * it.
 */
export function reportImport(
  model: WsdlModel,
  planned: readonly PlannedService[],
  { location, configuration, taken }: ImportFrame,
): ImportReport {
  const [owner] = planned;
  const { fields, findings } = graphqlSchema.buildSchema(
    planned.map(({ name, ports }) => ({
      name,
      operations: ports.flatMap(({ operations }) => operations),
      mapping: new Map(),
      naming: 'camel',
      typesOf: owner?.name ?? name,
    })),
  );
  const scope = new graphqlSchema.NameScope([...taken, ...fields.keys()]);
  const fieldOf = new Map(
    [...fields].map(([name, bound]): [string, OfferedField] => [
      keyOf(bound.service, bound.operation.name),
      { name: taken.has(name) ? scope.take(withServiceName(name, bound.service)) : name, bound },
    ]),
  );
  const offered = new OfferedOperations(model, planned, fieldOf);
  const operations = [
    ...model.services.flatMap(({ ports }) => ports.flatMap((port) => offered.report(port))),
    ...(model.uncallable ?? []).map((each) => offered.reportUncallable(each)),
  ];
  const services = planned.map(({ name, ports }) => ({
    name,
    ports: ports.map((port) => port.name),
  }));
  const serviceOf = new Map(
    services.flatMap(({ name, ports }) => ports.map((port) => [port, name] as const)),
  );
  const partial = new Set(
    operations.flatMap((each) => (each.status === 'partial' ? `${each.at} ${each.operation}` : [])),
  );
  const ports = model.services.flatMap((service) =>
    service.ports.map((port) => reportPort(port, serviceOf.get(port.name) ?? null, partial)),
  );
  const found = findings.map(({ what, remedy }) => diagnosis.unplaced(what, remedy));
  const warnings = [
    ...withoutReported(
      model,
      planned.flatMap((each) => each.ports),
    ),
    ...found,
  ];
  const doubtful = [...fields.values()].flatMap(({ parent, operation }) =>
    parent === 'Mutation' && graphqlSchema.isDoubtful(distinctName(operation))
      ? [operation.name]
      : [],
  );
  return {
    location,
    configuration,
    summary: summaryOf(operations),
    services,
    operations,
    ports,
    doubtful,
    warnings,
  };
}

/**
 * `Query.crmGetOrder` for the field `Query.getOrder` of the service `crm`, as colliding fields of a
 * schema are named.
 */
function withServiceName(field: string, service: string): string {
  const [parent = '', name = ''] = field.split('.');
  return `${parent}.${graphqlSchema.fieldName(service, 'camel')}${graphqlSchema.pascalName(name)}`;
}

const keyOf = (service: string, operation: string): string => `${service} ${operation}`;

/** Finds the operations of all ports among those of the planned services. */
class OfferedOperations {
  readonly #planned = new Map<
    string,
    { readonly service: string; readonly own: ReadonlyMap<Payload, Operation> }
  >();
  /**
   * The first port of the configuration that has an operation, by what another port may share with
   * it.
   */
  readonly #ports = new Map<string, string>();
  readonly #fieldOf: ReadonlyMap<string, OfferedField>;

  constructor(
    model: WsdlModel,
    planned: readonly PlannedService[],
    fieldOf: ReadonlyMap<string, OfferedField>,
  ) {
    this.#fieldOf = fieldOf;
    for (const { name: service, ports } of planned) {
      for (const { name, operations } of ports) {
        this.#planned.set(name, {
          service,
          own: new Map(operations.map((each) => [each.input, each])),
        });
      }
    }
    for (const port of model.services.flatMap(({ ports }) => ports)) {
      const known = this.#planned.get(port.name);
      if (known === undefined) continue;
      for (const operation of port.operations) {
        if (!known.own.has(operation.input)) continue;
        for (const key of sharedKeys(operation, port, known.service)) {
          if (!this.#ports.has(key)) {
            this.#ports.set(key, port.name);
          }
        }
      }
    }
  }

  report(port: Port): readonly ReportedOperation[] {
    const known = this.#planned.get(port.name);
    const at = `port ${port.name}`;
    return port.operations.map((operation) => {
      const own = known?.own.get(operation.input);
      const { name } = own ?? operation;
      if (known !== undefined && own !== undefined) {
        const field = this.#fieldOf.get(keyOf(known.service, name)) ?? null;
        const shown = field === null ? own : withXmlContent(own, field.bound);
        return {
          operation: name,
          service: known.service,
          at,
          status: shown.status,
          field: field?.name ?? null,
          ...NOT_SHARED,
          ...report.reasonOf(shown),
        };
      }
      const sameAs = this.#find(sharedKeys(operation, port, known?.service ?? null));
      const row = { operation: name, service: null, at, field: null };
      if (sameAs !== null) {
        return { ...row, status: 'otherPort', sameAs, reason: null, place: null };
      }
      const why = operation.status === 'disabled' ? report.reasonOf(operation) : NOT_CHOSEN;
      return { ...row, status: 'disabled', ...NOT_SHARED, ...why };
    });
  }

  /** One that no SOAP port has may be offered under its name. */
  reportUncallable({ name, place: at, reason }: report.UncallableOperation): ReportedOperation {
    const sameAs = this.#find([nameKey(name)]);
    const status = sameAs === null ? 'disabled' : 'otherPort';
    return {
      operation: name,
      service: null,
      at,
      status,
      field: null,
      sameAs,
      ...report.reasonOf({ reasons: [reason] }),
    };
  }

  #find(keys: readonly string[]): string | null {
    for (const key of keys) {
      const port = this.#ports.get(key);
      if (port !== undefined) return port;
    }
    return null;
  }
}

const NOT_SHARED = { sameAs: null } as const;
const NOT_CHOSEN = {
  reason: 'Its port is not among those named with --port.',
  place: null,
} as const;

const nameKey = (name: string): string => JSON.stringify(['name', name]);

/**
 * Ports of one port type share their operations, ports of one service their messages. `service`: of
 * this port.
 */
function sharedKeys(
  { name, writtenName = name, input }: Operation,
  port: Port,
  service: string | null,
): readonly string[] {
  const message = [service, name, input.body === null ? null : typeKey(input.body.name)];
  return [
    ...(port.portType === undefined ? [] : [JSON.stringify(['type', port.portType, name])]),
    ...(service === null ? [] : [JSON.stringify(['message', ...message])]),
    ...(service === null ? [] : [nameKey(writtenName)]),
  ];
}

function reportPort(
  { name: port, dialect: version, address, operations }: Port,
  service: string | null,
  partial: ReadonlySet<string>,
): ReportedPort {
  const statusOf = ({ name, status }: Operation): string =>
    partial.has(`port ${port} ${name}`) ? 'partial' : status;
  const count = (wanted: string): number =>
    operations.filter((each) => statusOf(each) === wanted).length;
  return {
    port,
    service,
    version,
    address,
    ok: count('ok'),
    partial: count('partial'),
    disabled: count('disabled'),
  };
}

function summaryOf(operations: readonly ReportedOperation[]): Summary {
  const count = (isCounted: (operation: ReportedOperation) => boolean): number =>
    operations.filter(isCounted).length;
  return {
    offered: count(({ status }) => status === 'ok' || status === 'partial'),
    reading: count(({ field }) => field?.startsWith('Query.') === true),
    writing: count(({ field }) => field?.startsWith('Mutation.') === true),
    partial: count(({ status }) => status === 'partial'),
    disabled: count(({ status }) => status === 'disabled'),
    otherPorts: count(({ status }) => status === 'otherPort'),
  };
}
