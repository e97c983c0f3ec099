import { Buffer } from 'node:buffer';
import { Cancellation, KIB, type observing, Refusal } from '../../core/index.js';
import { postWhole, type Upstream } from '../../upstream/index.js';

const ANSWER_BYTES_MAX = 64 * KIB;

/**
 * Posts JSON to a decision point, and resolves to its answer with status 200. Rejects with a
 * `Refusal` without one.
 */
export async function askDecisionPoint(
  endpoint: Upstream,
  body: string,
  observer: observing.CallObserver | null,
  fields: readonly string[] = [],
): Promise<string> {
  const answer = await postWhole(endpoint, {
    headers: ['content-type', 'application/json', 'accept', 'application/json', ...fields],
    body: Buffer.from(body),
    isIdempotent: true,
    observer,
    maxBytes: ANSWER_BYTES_MAX,
    maxBytesKey: 'the answer of the decision point',
    signal: new Cancellation(),
    aborted: () => new Refusal('UPSTREAM_TIMEOUT'),
    checkHead({ status }) {
      if (status !== 200) throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'decision point');
    },
  });
  return answer.toString('utf8');
}
