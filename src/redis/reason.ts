/**
 * Why Redis could not be used, in one word for logs and metrics: the code of the system's error or the first word of
 * Redis' own. Never the message, which may hold what was sent, or the address with its password.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  if ('code' in error && typeof error.code === 'string' && /^[A-Z_]{3,40}$/.test(error.code)) return error.code;
  const word = /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0] ?? '';
  if (ANSWERS.has(word) || word === 'NOSCRIPT') return word;
  return error instanceof RedisUnavailable ? error.reason : 'error';
}

/** Redis was not asked, or gave no answer in time. */
export class RedisUnavailable extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`Redis is not available: ${reason}`);
    this.name = 'RedisUnavailable';
    this.reason = reason;
  }
}

/** Errors of Redis that will be the answer to everything else as well: it is as good as away. */
export const ANSWERS: ReadonlySet<string> = new Set([
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
