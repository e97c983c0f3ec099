import { RETRY_REASONS } from '../../upstream/index.js';
import { closed, count, list, millis, oneOf, optional, text } from '../keys/key-types.js';

export const CALL_MILLIS = [10, 86_400_000] as const;

const RETRY = closed(
  {
    times: count('Attempts besides the first.', [0, 10], 1),
    on: list(
      oneOf(RETRY_REASONS),
      'Reasons: the connection was `refused`, it was `reset` before an answer, or an answer ' +
        'without an envelope has this status.',
      { uniqueItems: true, default: ['refused', 'reset'] },
    ),
    perTryMillis: optional(
      millis(
        'An attempt whose answer has not begun by then is given up, and another one made.',
        CALL_MILLIS,
      ),
    ),
  },
  'When a call is made again: operations that are `idempotent`, others only while nothing was ' +
    'sent. Retries are at most a fifth of the calls. By default once, ' +
    'where the connection broke.',
);

const RATE = closed(
  {
    perSecond: count(
      'Calls in a second, and never more than one besides in any second.',
      [1, 10_000],
    ),
    burst: count(
      'Calls that may be made at once after a pause; at most `perSecond`.',
      [1, 10_000],
      1,
    ),
    backOffOn: list(
      text('A code, a subcode, or the name of an element of the detail.', {
        minLength: 1,
        maxLength: 256,
      }),
      'Faults that say that there were too many calls, as status 429 does.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    waitMillis: millis(
      'Longest time that a call waits for its turn. It does not count for `timeoutMillis`.',
      [0, 600_000],
      5000,
    ),
  },
  'The rate of calls that the service bears, over all workers: of clients, links, polls, ' +
    'health checks and retries alike. Calls wait in order of arrival, classes of clients take ' +
    'turns. What would wait too long is refused with `Retry-After`. An answer 429, or a Fault ' +
    'of `backOffOn`, halves the rate for some seconds.',
);

/** Limits of calls: of a service, and of one operation. */
export const CALL_KEYS = {
  timeoutMillis: optional(
    millis(
      'Time for a whole call with its retries; by default `limits.upstream.totalMillis`.',
      CALL_MILLIS,
    ),
  ),
  retry: optional(RETRY),
  requestsAtOnce: optional(
    count(
      'Calls that may be in flight or wait; one more is refused with `Retry-After`.',
      [1, 65_536],
    ),
  ),
  rate: optional(RATE),
};
