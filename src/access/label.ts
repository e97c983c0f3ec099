import { createHash } from 'node:crypto';

/** Enough to find the log lines of one client, too little to identify it. */
const DIGEST_CHARS = 12;

/** The label of a client in the log, without its subject: the subject of a token may be a person. */
export const labelOf = (by: string, subject: string): string =>
  `${by}:${createHash('sha256').update(subject).digest('hex').slice(0, DIGEST_CHARS)}`;
