import type { FileConfig } from '../schema.js';

/** What a keyword of the JSON Schema found. */
export interface KeywordError {
  readonly keyword: string;
  /** A JSON pointer into the data. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Fills in the defaults, and checks data against the table of keys. Made from it by
 * `write-validator.ts`.
 */
export const validate: {
  (data: unknown): data is FileConfig;
  /** The errors of the last call that answered false. */
  errors: readonly KeywordError[] | null;
};
