import type { ExecutionResult, GraphQLResolveInfo } from 'graphql';
import { isRecord } from '../../../core/index.js';

/**
 * The value of a root field as its service has sent it. It is the root value that a wrapped schema
 * is executed with.
 */
export class SentValue {
  /** Undefined: the service has not answered. */
  value: unknown = undefined;
}

/**
 * Keeps the answer to a root field before it is read with the schema. The response key of the
 * service does not tell for which field of the client it is: aliases and other names are not sent.
 */
export function keepSentValue<Result extends ExecutionResult>(
  result: Result,
  { info }: { readonly info?: GraphQLResolveInfo },
): Result {
  const root = sentValueOf(info);
  if (root !== null) {
    const [value = null]: unknown[] = isRecord(result.data) ? Object.values(result.data) : [];
    // Reading changes the items of the list itself.
    root.value = Array.isArray(value) ? [...value] : value;
  }
  return result;
}

/**
 * Takes a null, which is for a client that may not have the value, for what the service has sent.
 */
export function withholdSentValue(info: GraphQLResolveInfo): void {
  const root = sentValueOf(info);
  if (root !== null) {
    root.value = null;
  }
}

/** Null for fields below the root. */
function sentValueOf(info: GraphQLResolveInfo | undefined): SentValue | null {
  const root: unknown = info?.rootValue;
  return root instanceof SentValue && info?.path.prev === undefined ? root : null;
}
