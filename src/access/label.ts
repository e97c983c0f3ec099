import { createHash } from 'node:crypto';

/** Enough to find the lines of one client, and too little to tell who it is. */
const DIGEST_CHARS = 12;

/** What the log says in place of what a client is known by: the subject of a token may be a person. */
export const labelOf = (by: string, subject: string): string =>
  `${by}:${createHash('sha256').update(subject).digest('hex').slice(0, DIGEST_CHARS)}`;
