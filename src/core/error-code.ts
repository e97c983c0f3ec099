/** The code of an error of Node or of the system (`ENOENT`); null for other errors. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
