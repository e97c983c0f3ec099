import { RETRY_REASONS } from '../../upstream/call-rules.js';
import { array, closed, integer, oneOf, optional } from '../keys/key-types.js';

const MILLIS = { unit: 'millis', minimum: 10, maximum: 86_400_000 } as const;

const RETRY = closed(
  {
    times: integer({
      description: 'Attempts besides the first.',
      unit: 'count',
      minimum: 0,
      maximum: 10,
      default: 1,
    }),
    on: array(oneOf(RETRY_REASONS), {
      description:
        'Reasons: the connection was `refused`, it was `reset` before an answer, or an answer without an envelope has this status.',
      uniqueItems: true,
      default: ['refused', 'reset'],
    }),
    perTryMillis: optional(
      integer({
        description: 'An attempt whose answer has not begun by then is given up, and another one made.',
        ...MILLIS,
      }),
    ),
  },
  {
    description:
      'When a call is made again: operations that are `idempotent`, others only while nothing was sent. Retries are at most a fifth of the calls. By default once, where the connection broke.',
  },
);

/** Limits of calls: of a service, and of one operation. */
export const CALL_KEYS = {
  timeoutMillis: optional(
    integer({
      description: 'Time for a whole call with its retries; by default `limits.upstream.totalMillis`.',
      ...MILLIS,
    }),
  ),
  retry: optional(RETRY),
  requestsAtOnce: optional(
    integer({
      description: 'Calls that may be in flight or wait; one more is refused with `Retry-After`.',
      unit: 'count',
      minimum: 1,
      maximum: 65_536,
    }),
  ),
};
