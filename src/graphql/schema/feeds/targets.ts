import type { Report } from './entry-error.js';

/**
 * The operations that entries of the configuration may name, by `service.operation`, and the names
 * of all.
 */
export interface Targets<T> {
  readonly targets: ReadonlyMap<string, T>;
  readonly operations: readonly string[];
}

/** How an entry uses an operation. */
export interface TargetUse {
  readonly verb: 'called' | 'used';
  /** The kind of an entry that only reads, for messages; null for one that may call mutations. */
  readonly reader: 'a link' | 'a subscription' | 'a key' | null;
}

/** The operation of this name; null, and an error, for an unknown or unsuitable one. */
export function linkTargetOf<T extends { readonly isMutation: boolean }>(
  name: string,
  path: readonly string[],
  { verb, reader }: TargetUse,
  { targets, operations }: Targets<T>,
  report: Report,
): T | null {
  const target = targets.get(name);
  if (target === undefined) {
    if (operations.includes(name)) {
      report(
        path,
        `The operation \`${name}\` cannot be ${verb} from GraphQL.`,
        '`soapstone check` has the reason.',
      );
    } else {
      report(path, `There is no operation \`${name}\`.`, 'Write service.operation.', {
        name,
        known: operations,
      });
    }
    return null;
  }
  if (reader !== null && target.isMutation) {
    const remedy = 'If it only reads, map it to a field of Query, or to `false`.';
    return report(
      path,
      `The operation \`${name}\` is a field of Mutation: ${reader} only reads.`,
      remedy,
    );
  }
  return target;
}
