/**
 * The reason of a failure in one word, for logs and metrics: the code of a system error, or the
 * error prefix of Redis. Never the message, which may contain sent data, or the address with its
 * password.
 */
export function redisReason(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    /^[A-Z][A-Z0-9_]{2,63}$/.test(error.code)
  ) {
    return error.code;
  }
  const known = CLIENT_ERRORS.get(error.message);
  if (known !== undefined) return known;
  const word = /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0] ?? '';
  if (FATAL_ERRORS.has(word) || word === 'NOSCRIPT') return word;
  return error instanceof RedisUnavailable ? error.reason : 'error';
}

/** Errors of the client of Redis, which have no code. */
const CLIENT_ERRORS: ReadonlyMap<string, string> = new Map([
  ['Connection timeout', 'timeout'],
  ['Socket closed unexpectedly', 'closed'],
  ['The client is closed', 'closed'],
]);

/** Redis is not connected, or did not reply in time. */
export class RedisUnavailable extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`Redis is not available: ${reason}`);
    this.name = 'RedisUnavailable';
    this.reason = reason;
  }
}

/** Error prefixes of a Redis that cannot serve any command: the connection counts as down. */
export const FATAL_ERRORS: ReadonlySet<string> = new Set([
  'READONLY',
  'LOADING',
  'MOVED',
  'ASK',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'NOREPLICAS',
  'MISCONF',
  'OOM',
  'BUSY',
  'UNKILLABLE',
  'NOAUTH',
  'NOPERM',
  'WRONGPASS',
]);
