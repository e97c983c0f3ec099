/** Throws an `Error` where a condition of a correct program does not hold: always a bug here. */
export function invariant(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(`invariant broken: ${what}`);
}

/** Closes a `switch` over a union: the compiler refuses a forgotten case. */
export function never(value: never): never {
  throw new Error(`a case is missing: ${String(value)}`);
}
