import { createHash } from 'node:crypto';

/**
 * A program that Redis runs as one step. Its text is fixed: what differs comes as keys and arguments, so that nothing a
 * caller wrote can become part of a program.
 */
export interface Script {
  readonly text: string;
  /** What Redis knows it by once it has seen it. */
  readonly sha1: string;
}

export function makeScript(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
