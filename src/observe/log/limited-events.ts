import { performance } from 'node:perf_hooks';

import { collections } from '../../core/index.js';
import type { Log } from './log.js';

/** Between two lines about one key. */
const KEY_MILLIS = 10_000;
/** Keys that are remembered; beyond, the one longest without a line is forgotten. */
const KEYS_MAX = 1_000;
/** Lines in a second, of all keys. */
const LINES_PER_SECOND = 20;

/**
 * Writes warnings that any client can cause: one for each key in 10 s, with the number of those
 * left out since.
 */
export class LimitedEvents {
  readonly #log: Pick<Log, 'event'>;
  readonly #now: () => number;
  readonly #keys = new Map<string, { readonly untilMillis: number; leftOut: number }>();
  #secondMillis = Number.NEGATIVE_INFINITY;
  #lines = 0;

  constructor(log: Pick<Log, 'event'>, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  warn(key: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    const nowMillis = this.#now();
    const known = this.#keys.get(key);
    if (nowMillis - this.#secondMillis >= 1000) {
      this.#secondMillis = nowMillis;
      this.#lines = 0;
    }
    if ((known !== undefined && nowMillis < known.untilMillis) || this.#lines >= LINES_PER_SECOND) {
      if (known !== undefined) {
        known.leftOut++;
      }
      return;
    }
    this.#lines++;
    const leftOut = known?.leftOut ?? 0;
    collections.setAndEvictOldest(
      this.#keys,
      key,
      { untilMillis: nowMillis + KEY_MILLIS, leftOut: 0 },
      KEYS_MAX,
    );
    this.#log.event('warn', message, leftOut === 0 ? fields : { ...fields, leftOut });
  }
}
