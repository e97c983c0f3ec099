import { isRecord, type observing } from '../core/index.js';

/**
 * Whether the answer of a decision point lets something pass: `{ "result": true }`, or an object
 * whose `allow` is true.
 */
export function isAllowed(answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  const { result } = answer;
  return result === true || (isRecord(result) && result['allow'] === true);
}

/** A question to another server that is under way, and may be that of several requests. */
export interface Question<Answer> {
  readonly answer: Promise<Answer>;
  /** Null where the request that asked first is not observed. */
  readonly observer: observing.CallObserver | null;
}
