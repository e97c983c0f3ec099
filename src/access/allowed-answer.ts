import { isRecord } from '../core/index.js';

/**
 * Whether the answer of a decision point lets something pass: `{ "result": true }`, or an object
 * whose `allow` is true.
 */
export function isAllowed(answer: unknown): boolean {
  if (!isRecord(answer)) return false;
  const { result } = answer;
  return result === true || (isRecord(result) && result['allow'] === true);
}
