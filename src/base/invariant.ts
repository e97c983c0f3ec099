/** States what must hold if the program is right. Throws an `Error`, which is always a bug of ours. */
export function invariant(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(`invariant broken: ${what}`);
}

/** Closes a `switch` over a union: the compiler refuses a forgotten case. */
export function never(value: never): never {
  throw new Error(`a case is missing: ${String(value)}`);
}
