import { labelNamesOf } from './compile.js';
import { collections } from './core/index.js';
import type { Generation } from './generation.js';
import type { Metrics } from './observe/metrics/metrics.js';
import type { UpstreamGauges } from './observe/metrics/upstream-gauges.js';

/** How often generations before the current one are checked for being over. */
const CHECK_MILLIS = 100;

/** The generation that takes requests, and earlier ones whose requests and subscriptions go on. */
export class Generations {
  #current: Generation;
  /** The oldest first. */
  readonly #retired = new Set<Generation>();
  /** The retired generations whose subscriptions were ended because there are too many. */
  readonly #ended = new WeakSet<Generation>();
  readonly #releasing = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;

  readonly #metrics: Pick<Metrics, 'retire'> | null;

  /** `metrics` drop the names of generations that have ended. */
  constructor(first: Generation, metrics: Pick<Metrics, 'retire'> | null = null) {
    this.#current = first;
    this.#metrics = metrics;
  }

  get current(): Generation {
    return this.#current;
  }

  /** Those that are not released, the oldest first. */
  get all(): readonly Generation[] {
    return [...this.#retired, this.#current];
  }

  /**
   * New requests begin in `next`. Over `limits.subscriptions.generations`, subscriptions of the
   * oldest are ended.
   */
  replace(next: Generation): void {
    const before = this.#current;
    this.#current = next;
    before.succeed(next);
    this.#retired.add(before);
    this.#track(before.retire());
    this.#check();
    const kept = [...this.#retired].filter((generation) => !this.#ended.has(generation));
    const { generations: keptMax } = next.compiled.config.limits.subscriptions;
    for (const generation of kept.slice(0, Math.max(0, kept.length - keptMax))) {
      this.#ended.add(generation);
      this.#track(generation.endSubscriptions());
    }
  }

  /**
   * The gauges of the services of the current generation; calls of earlier ones to the same
   * services are added.
   */
  get gauges(): readonly UpstreamGauges[] {
    const seen = new Set<object>();
    const current = this.#current.gauges(seen);
    const earlier = new Map<string, UpstreamGauges[]>();
    for (const generation of this.#retired) {
      for (const gauge of generation.gauges(seen)) {
        collections.addToGroup(earlier, gauge.service, gauge);
      }
    }
    return current.map((gauge) => {
      const same = [gauge, ...(earlier.get(gauge.service) ?? [])];
      const sum = (read: (each: UpstreamGauges) => number) => () =>
        same.reduce((total, each) => total + read(each), 0);
      return {
        ...gauge,
        active: sum((each) => each.active()),
        waiting: sum((each) => each.waiting()),
        subscriptions: sum((each) => each.subscriptions?.() ?? 0),
      };
    });
  }

  /**
   * Active subscriptions by field: every field of the current generation, and others that are
   * subscribed.
   */
  get subscriptions(): ReadonlyMap<string, number> {
    const sums = new Map(this.#current.live.manager.active);
    for (const { live } of this.#retired) {
      for (const [field, count] of live.manager.active) {
        if (count > 0) {
          sums.set(field, (sums.get(field) ?? 0) + count);
        }
      }
    }
    return sums;
  }

  /** A number that all of them have, added up. */
  sum(read: (generation: Generation) => number): number {
    return this.all.reduce((total, generation) => total + read(generation), 0);
  }

  /** Ends subscriptions and WebSockets of all. */
  async endSubscriptions(): Promise<void> {
    await Promise.all(this.all.map((generation) => generation.endSubscriptions()));
  }

  /** Releases all of them. */
  async close(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    for (const generation of this.all) {
      this.#release(generation);
    }
    await Promise.all(this.#releasing);
  }

  readonly #check = (): void => {
    this.#timer = null;
    for (const generation of this.#retired) {
      if (generation.isInUse) continue;
      this.#release(generation);
      const live = this.all.map(({ compiled }) => labelNamesOf(compiled));
      this.#metrics?.retire(labelNamesOf(generation.compiled), live);
    }
    if (this.#retired.size > 0) {
      this.#timer = setTimeout(this.#check, CHECK_MILLIS).unref();
    }
  };

  #release(generation: Generation): void {
    this.#retired.delete(generation);
    this.#track(generation.release());
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#releasing.delete(tracked));
    this.#releasing.add(tracked);
  }
}
