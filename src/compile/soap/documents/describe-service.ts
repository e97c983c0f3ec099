import type { Problem } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import type { Config, ServiceConfig } from '../../../config/schema.js';
import type { Pace } from '../../../core/index.js';
import type { Operation, Port, WsdlModel } from '../../../wsdl/index.js';
import { type Keeping, Kept } from '../../keep.js';
import { OperationTable } from '../operations/operation-table.js';
import type { KnownModel, WsdlReader } from './named-wsdl.js';
import { openedOperations } from './opened-operations.js';
import { choosePorts } from './ports.js';
import { sdlOperationsOf } from './sdl-operations.js';
import { type Versions, versionsOf, versionWarnings } from './versions.js';
import { warningsOfWsdl } from './wsdl-warnings.js';

/** The operations of a service, by its WSDL, or by SDL types where it has none. */
export interface ServiceOperations {
  /** Null for a service with SDL types. */
  readonly wsdl: WsdlModel | null;
  /** What that was read from; null where `wsdl` is. */
  readonly source: KnownModel | null;
  /**
   * Those of the WSDL that are offered, with the names that their operations have in this service.
   */
  readonly ports: readonly Port[];
  /** Those of the chosen ports, or of the SDL types. */
  readonly operations: readonly Operation[];
  /** The operations of requests, whichever port offers them. */
  readonly requests: OperationTable;
}

type KeptDescription = Omit<ServiceOperations, 'source'>;

/**
 * Descriptions are the same objects for the same operations: the schema of the generation before
 * may then be kept.
 */
export const DESCRIPTIONS = new Kept<KeptDescription>(
  'of a service: its operations, as compiled',
  'if its configuration and WSDL are the same',
);

interface DescriptionParts {
  readonly gateway: Pick<Config, 'clients'>;
  readonly wsdls: WsdlReader;
  readonly pace: Pace;
  readonly keeping: Keeping;
}

/** Describes a service. Throws `FindingsError`, `ConfigurationError` for what is in its WSDL. */
export async function describeService(
  plan: ServicePlan,
  { gateway, wsdls, pace, keeping }: DescriptionParts,
): Promise<{
  readonly description: ServiceOperations;
  readonly versions: Versions;
  readonly warnings: readonly Problem[];
}> {
  await pace.pause();
  const { name, config } = plan;
  const source = await wsdls.read(plan);
  const opened = source === null ? null : openedOperations(plan, gateway.clients, source);
  const all = opened?.model.services.flatMap((described) => described.ports) ?? [];
  const versions = versionsOf(config, all);
  const chosen = opened === null ? null : choosePorts(plan, opened.model, versions);
  const wsdl = chosen?.wsdl ?? null;
  await pace.pause();
  const before = DESCRIPTIONS.find(keeping, name, config);
  const made =
    before !== null && before.wsdl === wsdl
      ? before
      : describedBy(config, wsdl, chosen?.ports ?? null);
  const { ports, operations, requests } = made;
  return {
    description: { wsdl, source, ports, operations, requests },
    versions,
    warnings: [
      ...(opened?.warnings ?? []),
      ...warningsOfWsdl(wsdl, ports, config),
      ...versionWarnings(plan, wsdl, ports),
    ],
  };
}

/** Without ports: by its SDL types. */
function describedBy(
  config: ServiceConfig,
  wsdl: WsdlModel | null,
  chosen: readonly Port[] | null,
): KeptDescription {
  const configured = (described: readonly Operation[]): readonly Operation[] =>
    described.map((operation) => withConfiguredKeys(operation, config));
  const ports = (chosen ?? []).map((port) => ({
    ...port,
    operations: configured(port.operations),
  }));
  const operations =
    chosen === null
      ? configured(sdlOperationsOf(config))
      : ports.flatMap((port) => port.operations);
  const requests = new OperationTable(operations, wsdl, (operation) =>
    configuredAction(operation, config),
  );
  return { wsdl, ports, operations, requests };
}

/** The action the configuration gives an operation, or null. */
function configuredAction({ name }: Operation, config: ServiceConfig): string | null {
  const mapping = config.operations[name];
  return typeof mapping === 'object' ? (mapping.soapAction ?? null) : null;
}

/** The operation with the configured keys of its messages in place of the WSDL. */
function withConfiguredKeys(operation: Operation, config: ServiceConfig): Operation {
  const mapping = config.operations[operation.name];
  const { soapAction = operation.soapAction, oneWay = false } =
    typeof mapping === 'object' ? mapping : {};
  if (soapAction === operation.soapAction && !oneWay) return operation;
  return Object.freeze({ ...operation, soapAction, ...(oneWay ? { output: null } : {}) });
}

/**
 * The addresses that the WSDL of the operator gives its ports. They are never called: clients may
 * send them in `To`.
 */
export const portAddresses = (wsdl: WsdlModel | null): readonly string[] =>
  (wsdl?.services ?? []).flatMap(({ ports }) =>
    ports.flatMap(({ address }) => (address === null ? [] : [address])),
  );
