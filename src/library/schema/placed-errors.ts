import type { GraphQLError } from 'graphql';
import { isRecord } from '../../core/index.js';

type Step = string | number;

/** An error below a root field. */
export interface PlacedError {
  /** The path from the value of the root field on. */
  readonly path: readonly Step[];
  /** Makes the error; `at` is where it is put, which is above the path where that is null. */
  error(at: readonly Step[]): GraphQLError;
}

/**
 * Puts errors into a value where it is null for them, for a copy of `graphql` to find: a value that
 * is an error is null in the answer, with that error. A value that is there and has an error of its
 * own is replaced too: a part is not taken for the whole. The value itself stays as it is.
 */
export function withErrors(value: unknown, errors: readonly PlacedError[]): unknown {
  const copies = new Set<object>();
  let root = value;
  for (const placed of errors) {
    root = put(root, placed, 0, copies);
  }
  return root;
}

/** Recursion is as deep as the path, which is as deep as a document may be. */
function put(value: unknown, placed: PlacedError, depth: number, copies: Set<object>): unknown {
  if (value instanceof Error) return value;
  const step = placed.path[depth];
  const holds = Array.isArray(value) || isRecord(value);
  if (step === undefined || !holds) return placed.error(placed.path.slice(0, depth));
  const copy = ownCopy(value, copies);
  if (Array.isArray(copy)) {
    const index = Number(step);
    copy[index] = put(copy[index], placed, depth + 1, copies);
  } else {
    copy[step] = put(copy[step], placed, depth + 1, copies);
  }
  return copy;
}

/** Answers may be shared: each object on a path is copied, once. */
function ownCopy(
  value: unknown[] | Record<string, unknown>,
  copies: Set<object>,
): unknown[] | Record<string, unknown> {
  if (copies.has(value)) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copies.add(copy);
  return copy;
}
