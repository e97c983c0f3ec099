import { createHash } from 'node:crypto';

/** Enough to find the log lines of one client, too little to identify it. */
const DIGEST_CHARS = 12;

/**
 * The label of a client in the log, without its subject: the subject of a token may be a person.
 */
export const labelOf = (by: string, subject: string): string =>
  `${by}:${createHash('sha256').update(subject).digest('hex').slice(0, DIGEST_CHARS)}`;

/** Characters of a subject that a label shows. */
const SUBJECT_CHARS_MAX = 256;

/**
 * The label of a client with its subject, which is one line without characters that could pass for
 * others. A subject that is too long, or had such characters, ends with the digest of `labelOf`: no
 * other one has its label.
 */
export function labelWith(by: string, subject: string): string {
  const shown = subject
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?')
    .slice(0, SUBJECT_CHARS_MAX);
  return shown === subject
    ? `${by}:${subject}`
    : `${by}:${shown} #${labelOf(by, subject).slice(by.length + 1)}`;
}
