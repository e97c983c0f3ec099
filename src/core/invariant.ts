/** The code of an error of Node or of the system (`ENOENT`); null for other errors. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Throws an `Error` where a condition of a correct program does not hold: always a bug here. */
export function invariant(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(`invariant broken: ${what}`);
}
