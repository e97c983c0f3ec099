import { performance } from 'node:perf_hooks';
import type { InvalidatedOperations, InvalidationChannel } from '../gateway/shared/invalidation.js';
import type { Invalidation, WriteRule } from './rules.js';

/** Longest pause that another process can cause. */
const PAUSE_MAX_MILLIS = 3_600_000;

/** Invalidates cached replies in this process and, over channels, in others. */
export class Invalidator {
  readonly #channels: readonly InvalidationChannel[];

  /** `known`: by name, the operations of the configuration in use. */
  constructor(
    channels: readonly InvalidationChannel[],
    known: () => ReadonlyMap<string, Invalidation>,
  ) {
    this.#channels = channels;
    for (const channel of channels) {
      channel.receive((operations) => take(known(), operations));
    }
  }

  /** Invalidates all cached replies of the operations that a write changes. */
  invalidate({ invalidations }: WriteRule): void {
    for (const invalidation of invalidations) {
      invalidation.generation++;
    }
    this.#publish(invalidations, 0);
  }

  /**
   * Stores no replies of these operations for so long: the backend may still execute a write that
   * was aborted here.
   */
  pause({ invalidations }: WriteRule, millis: number): void {
    for (const invalidation of invalidations) {
      pauseStoring(invalidation, millis);
    }
    this.#publish(invalidations, millis);
  }

  #publish(invalidations: readonly Invalidation[], pauseMillis: number): void {
    if (invalidations.length === 0 || this.#channels.length === 0) return;
    const operations = new Map(invalidations.map(({ name }) => [name, pauseMillis]));
    for (const channel of this.#channels) {
      channel.publish(operations);
    }
  }
}

/** Null: any operation may have been invalidated. */
function take(
  known: ReadonlyMap<string, Invalidation>,
  operations: InvalidatedOperations | null,
): void {
  if (operations === null) {
    for (const invalidation of known.values()) {
      invalidation.generation++;
    }
  }
  for (const [name, pauseMillis] of operations ?? []) {
    const invalidation = known.get(name);
    if (invalidation === undefined) continue;
    invalidation.generation++;
    if (pauseMillis > 0) {
      pauseStoring(invalidation, Math.min(pauseMillis, PAUSE_MAX_MILLIS));
    }
  }
}

function pauseStoring(invalidation: Invalidation, millis: number): void {
  invalidation.pausedUntilMillis = Math.max(
    invalidation.pausedUntilMillis,
    performance.now() + millis,
  );
}
