import { createHash } from 'node:crypto';

/**
 * A Lua script that Redis runs atomically. Its text is constant: all data comes as keys and
 * arguments, so that text of a caller cannot become code.
 */
export interface Script {
  readonly text: string;
  /** Digest for EVALSHA. */
  readonly sha1: string;
}

export function makeScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
