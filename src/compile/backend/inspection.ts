import { FindingsError, finding } from '../../config/keys/finding.js';
import type { ServicePlan } from '../../config/plans/service-plan.js';
import type { Config } from '../../config/schema.js';
import { spelling } from '../../core/index.js';
import { maskedNames } from './recording.js';

type InspectKeys = NonNullable<Config['console']['inspect']>;

/** The exchanges of a service that the console shows. */
export interface InspectRules {
  /** Those of all services: one object for a configuration. */
  readonly keys: InspectKeys;
  readonly limits: Config['limits']['inspect'];
  /** Null: all operations of the service. */
  readonly operations: ReadonlySet<string> | null;
  /** Local names of elements and attributes whose values are replaced whatever the rest is. */
  readonly masked: ReadonlySet<string>;
  /** Header fields that hold the credentials of `clients`, in lower case. */
  readonly credentialFields: ReadonlySet<string>;
}

/** Null for a service none of whose exchanges are shown. */
export function compileInspection(
  { name: service, config }: ServicePlan,
  { console: { inspect: keys }, limits, clients }: Pick<Config, 'console' | 'limits' | 'clients'>,
): InspectRules | null {
  if (keys === undefined) return null;
  const named = keys.operations.flatMap((name) => {
    const [owner, operation] = partsOf(name);
    return owner === service ? [operation] : [];
  });
  if (keys.operations.length > 0 && named.length === 0) return null;
  const isWhole = keys.operations.length === 0 || named.includes('*');
  return {
    keys,
    limits: limits.inspect,
    operations: isWhole ? null : new Set(named),
    masked: maskedNames(config),
    credentialFields: credentialFieldsOf(clients),
  };
}

const credentialFieldsOf = (clients: Config['clients']): ReadonlySet<string> =>
  new Set(
    [clients?.apiKeys?.header, clients?.certificate?.header].flatMap((name) =>
      name === undefined ? [] : [name.toLowerCase()],
    ),
  );

/** A service and its operations by their names. */
interface NamedService {
  readonly name: string;
  readonly operations: readonly { readonly name: string }[];
}

/** Throws `FindingsError` for names of services and operations that are not there. */
export function checkInspected(
  { console: { inspect } }: Config,
  services: readonly NamedService[],
): void {
  const known = services.flatMap(({ name, operations }) => [
    `${name}.*`,
    ...operations.map((operation) => `${name}.${operation.name}`),
  ]);
  const names = new Set(known);
  const findings = (inspect?.operations ?? []).flatMap((name, at) => {
    if (names.has(name)) return [];
    return [
      finding(
        ['console', 'inspect', 'operations', at],
        `\`console.inspect\` names \`${name}\`, which no service has.`,
        spelling.didYouMean(name, known) ?? 'Write the service, a dot and the operation.',
      ),
    ];
  });
  if (findings.length > 0) throw new FindingsError(findings);
}

/** Names of services have no dot. */
function partsOf(name: string): readonly [service: string, operation: string] {
  const dot = name.indexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}
