import { FindingsError, finding } from '../../config/keys/finding.js';
import type { ServicePlan } from '../../config/plans/service-plan.js';
import type { Config, ServiceConfig } from '../../config/schema.js';
import { spelling } from '../../core/index.js';
import { graphqlSchema } from '../../graphql/index.js';
import type { Operation } from '../../wsdl/index.js';

/** The exchanges of a service that are recorded, and how. */
export interface RecordRules {
  readonly service: string;
  readonly folder: string;
  readonly share: number;
  /** Null: all operations. */
  readonly operations: ReadonlySet<string> | null;
  readonly replacesValues: boolean;
  /** Local names of elements and attributes whose values are replaced whatever the rest is. */
  readonly masked: ReadonlySet<string>;
  readonly limits: Config['limits']['record'];
  /** Whether an operation reads, so that it may be replayed. */
  reads(operation: Operation): boolean;
}

/** Throws `FindingsError` for an operation that the service does not have. */
export function compileRecording(
  { name, config, recordFolder }: ServicePlan,
  operations: readonly Operation[],
  limits: Config['limits']['record'],
): RecordRules | null {
  const { record } = config;
  if (record === undefined || recordFolder === null) return null;
  const known = new Set(operations.map((operation) => operation.name));
  const unknown = record.operations.filter((operation) => !known.has(operation));
  if (unknown.length > 0) {
    throw new FindingsError(
      unknown.map((operation) =>
        finding(
          ['record', 'operations'],
          `\`record\` names \`${operation}\`, an operation that the service does not have.`,
          spelling.didYouMean(operation, [...known]) ?? 'Write the name of an operation.',
        ),
      ),
    );
  }
  return {
    service: name,
    folder: recordFolder,
    share: record.share,
    operations: record.operations.length === 0 ? null : new Set(record.operations),
    replacesValues: record.values === 'replace',
    masked: maskedNames(config),
    limits,
    reads: (operation) => reads(config, operation),
  };
}

/** As configured, else by its name. */
function reads({ operations, reads: patterns }: ServiceConfig, { name }: Operation): boolean {
  const mapping = operations[name];
  if (typeof mapping === 'object') {
    if (mapping.read !== undefined || mapping.idempotent === true) return true;
    if (mapping.write !== undefined) return false;
    if (mapping.field !== undefined) return mapping.field.startsWith('Query.');
  }
  const isNamed = patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  );
  return isNamed || graphqlSchema.isReading(name);
}

/**
 * Names of fields that not all callers see, the last step of those that are lifted; and those of
 * the credentials and the token of a login.
 */
export function maskedNames({ schema, auth }: ServiceConfig): ReadonlySet<string> {
  const names = new Set(loginNames(auth?.login));
  for (const { fields } of Object.values(schema.types)) {
    for (const [name, rules] of Object.entries(fields ?? {})) {
      if (typeof rules !== 'object') continue;
      const { mask, scopes, authenticated, path } = rules;
      if (mask !== undefined || scopes !== undefined || authenticated !== undefined) {
        names.add(lastStep(path ?? name, '/'));
      }
    }
  }
  return names;
}

function loginNames(login: NonNullable<ServiceConfig['auth']>['login']): readonly string[] {
  if (login === undefined) return [];
  const { token, arguments: sent } = login;
  const names = Object.keys(sent).map((path) => lastStep(path, '/'));
  return token === undefined ? names : [...names, lastStep(token, '.')];
}

/** Without the mark of an attribute. */
const lastStep = (path: string, separator: string): string =>
  path.slice(path.lastIndexOf(separator) + 1).replace(/^@/, '');
