import type { Compiled } from '../compile.js';
import { REFUSAL_CODES } from '../config/refusal-tables.js';
import type { Config } from '../config/schema.js';
import { diagnosis, getOrMake, inputFiles, refusals, type Steps } from '../core/index.js';
import { type BoundField, schemaDocs } from '../graphql/index.js';
import type { Listener } from '../listen/listeners.js';
import type { Dialect } from '../soap/index.js';
import type {
  ClassDescription,
  ConsoleDescription,
  ListenerEnd,
  OperationDescription,
  ServiceDescription,
} from './answers.js';
import { describeContracts } from './contracts.js';
import { sampleOf } from './sample.js';

/** What is worked out for a generation. */
export interface Described {
  readonly description: Omit<ConsoleDescription, 'listenerEnds'>;
  readonly fields: OperationFields;
}

/** Describes what lasts as long as its generation: a large WSDL has thousands of operations. */
export function* describing(compiled: Compiled): Steps<Described> {
  const { config, services, graphqlUpstreams, graph, warnings } = compiled;
  const fields = yield* fieldsByOperation(compiled);
  const described: ServiceDescription[] = [];
  for (const service of services) {
    described.push(describeService(service, fields));
    yield;
  }
  const apiKeys = config.clients?.apiKeys;
  const description = {
    version: inputFiles.packageVersion(),
    services: [
      ...described,
      ...graphqlUpstreams.map(
        ({ name, config: { urls } }): ServiceDescription => ({
          name,
          kind: 'graphql',
          mode: null,
          dialects: [],
          message: null,
          path: null,
          addresses: urls.map(addressOf),
          operations: [],
        }),
      ),
    ],
    classes: Object.entries(config.clients?.classes ?? {}).map(([name, { budget }]) =>
      describeClass(name, budget),
    ),
    warnings: diagnosis.firstWarnings(warnings).map(diagnosis.printDiagnostic),
    contracts: describeContracts(compiled),
    graphqlPath: graph.path,
    codes: Object.fromEntries(
      REFUSAL_CODES.map((code) => [
        code,
        { text: refusals.kindOf(code).text, ...refusals.refusalGuides()[code] },
      ]),
    ),
    credentialFields: [
      'authorization',
      ...(apiKeys === undefined ? [] : [apiKeys.header.toLowerCase()]),
    ],
    inspects: config.console.inspect !== undefined,
    tryOut: config.console.tryOut,
  };
  return { description, fields };
}

const describeService = (
  { name, mode, dialects, path, config: { urls }, operations }: Compiled['services'][number],
  fields: OperationFields,
): ServiceDescription => ({
  name,
  kind: 'soap',
  mode,
  dialects: dialects.map((dialect) => dialect.name),
  message: messageOf(dialects),
  path,
  addresses: urls.map(addressOf),
  operations: operations.map((operation) => ({
    name: operation.name,
    status: operation.status,
    field: coordinateOf(fields.get(name)?.get(operation.name)),
  })),
});

function messageOf([first]: readonly Dialect[]): ServiceDescription['message'] {
  if (first === undefined) return null;
  return { mediaType: first.mediaType, hasActionField: first.actionHeader };
}

/** The ends of what listeners with TLS rely on, as their files have it now. */
export const describeListenerEnds = ({
  listeners: { traffic, admin },
}: Compiled): readonly ListenerEnd[] =>
  [...traffic.map(endsOf('listen')), ...admin.map(endsOf('admin'))].flat();

const endsOf =
  (key: ListenerEnd['key']) =>
  ({ text, tls }: Listener): readonly ListenerEnd[] =>
    (tls?.ends ?? []).map((end) => ({ key, address: text, ...end }));

/** Null where there is no such operation. */
export function describeOperation(
  compiled: Compiled,
  fields: OperationFields,
  service: string,
  name: string,
): OperationDescription | null {
  const owner = compiled.services.find((each) => each.name === service);
  const operation = owner?.operations.find((each) => each.name === name);
  if (owner === undefined || operation === undefined) return null;
  const bound = fields.get(service)?.get(name);
  const { documentation, soapAction, reasons } = operation;
  return {
    documentation,
    soapAction,
    reasons: reasons.map(diagnosis.printDiagnostic),
    docs: bound === undefined ? [] : schemaDocs.entriesOf(compiled.graph.schema, bound),
    ...sampleOf(compiled, owner, operation, bound ?? null),
  };
}

type Classes = NonNullable<NonNullable<Config['clients']>['classes']>;

const describeClass = (name: string, budget: Classes[string]['budget']): ClassDescription => ({
  name,
  maximum: budget?.maximum ?? null,
  restoreRate: budget?.restoreRate ?? null,
});

const coordinateOf = (bound: BoundField | undefined): string | null =>
  bound === undefined ? null : `${bound.parent}.${bound.name}`;

/** Host and path: a query may hold what is secret. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

/** The fields of the root, by service and operation. */
type OperationFields = ReadonlyMap<string, ReadonlyMap<string, BoundField>>;

function* fieldsByOperation({ graph }: Compiled): Steps<OperationFields> {
  const found = new Map<string, Map<string, BoundField>>();
  for (const bound of graph.fields.values()) {
    yield;
    if (bound.name === '' || bound.parent === 'Subscription') continue;
    const ofService = getOrMake(found, bound.service, () => new Map<string, BoundField>());
    if (!ofService.has(bound.operation.name)) {
      ofService.set(bound.operation.name, bound);
    }
  }
  return found;
}
