import { performance } from 'node:perf_hooks';
import type { ReplyCache } from './reply-cache.js';

const SWEEP_MILLIS = 1000;
/** Sweeps in which all replies are looked at: a reply is gone a minute after it has expired. */
const SWEEPS = 60;
/** Replies that one sweep looks at: so many take less than a millisecond. */
const LOOKS_MIN = 1000;

/**
 * Removes expired replies from the cache in use, which would else stay until others need their
 * room.
 */
export class CacheSweeper {
  readonly #timer: NodeJS.Timeout;

  constructor(cache: () => ReplyCache) {
    this.#timer = setInterval(() => sweep(cache(), performance.now()), SWEEP_MILLIS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** One sweep. */
export const sweep = (cache: ReplyCache, nowMillis: number): void =>
  cache.removeExpired(nowMillis, Math.max(LOOKS_MIN, Math.ceil(cache.entries / SWEEPS)));
