import type { refusals } from '../core/index.js';

/** Refusals of requests with an idempotency key. */
export const KEY_REFUSALS = {
  // The Idempotency-Key of a request that writes.
  IDEMPOTENCY_KEY_REUSED: {
    blame: 'client',
    httpStatus: 422,
    text: 'The idempotency key was used for another request.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    blame: 'client',
    httpStatus: 409,
    text: 'A request with the same idempotency key is in progress.',
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    blame: 'client',
    httpStatus: 409,
    text: 'The request was sent once before, and its outcome is not known.',
  },
  IDEMPOTENCY_UNAVAILABLE: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 1,
    text: 'Idempotency keys cannot be looked up at present; nothing was sent.',
    shows: ['retryAfter'],
    remedy: 'Send the request again under the same key.',
  },
  IDEMPOTENCY_LIMIT: {
    blame: 'us',
    level: 'warn',
    httpStatus: 503,
    retryAfterSeconds: 60,
    text: 'No further idempotency key can be remembered; nothing was sent.',
    shows: ['retryAfter'],
    remedy: 'Send the request again later, under the same key.',
  },
} as const satisfies Record<string, refusals.RefusalKind>;

type KeyRefusals = typeof KEY_REFUSALS;

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends KeyRefusals {}
}
