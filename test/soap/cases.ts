import type { DialectName } from '../../src/soap/dialect.js';
import { fill, readCaseFiles } from '../perimeter/case-file.js';

/**
 * The rules of the envelope as cases, each in every dialect it speaks of: what is sent and what
 * must come of it. Read by the tests of the validator, of the gate and of the whole path.
 */
export interface EnvelopeCase {
  readonly name: string;
  readonly dialect: DialectName;
  readonly message: string;
  /**
   * What becomes of it on its way; the message itself unless blocks for the gateway are taken out.
   */
  readonly forwarded: string;
  /** Null: accepted. Else the code of the refusal. */
  readonly refusal: string | null;
}

export const ENVELOPE_CASES: readonly EnvelopeCase[] = readCaseFiles('envelope').flatMap(
  ({ cases }) =>
    cases.flatMap(({ name, dialects, message, forwarded, answer }) =>
      dialects.map((dialect) => ({
        name,
        dialect,
        message: fill(message, dialect),
        forwarded: fill(forwarded, dialect),
        refusal: answer === 'pass' ? null : answer,
      })),
    ),
);
