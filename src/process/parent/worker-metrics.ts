import { setTimeout as delay } from 'node:timers/promises';
import { type Pace, TimeSlices } from '../../core/index.js';
import { addLoadMetrics, addWorkerGauges, type ConfigLoads } from '../../observe/metrics/gauges.js';
import { MetricBook } from '../../observe/metrics/metric-book.js';
import {
  addUp,
  type MetricList,
  type MetricTable,
  sumsOf,
  withoutLabels,
} from '../../observe/metrics/metric-table.js';
import type { Labels } from '../../observe/metrics/retired-labels.js';
import { ANSWER_MILLIS, type Worker } from './worker.js';

/**
 * The metrics of all workers, added up. Counters and histograms never go back: of a worker that
 * does not answer the last that was seen counts, of one that has ended as well.
 */
export class WorkerMetrics {
  /** All work on the metrics takes turns. */
  readonly pace: Pace = new TimeSlices();
  readonly #taking: ReadonlySet<Worker>;
  /** The metrics of the parent itself. */
  readonly #own = new MetricBook();
  readonly #latest = new Map<Worker, MetricList>();
  /** Parts of the next list of each worker. */
  readonly #parts = new WeakMap<Worker, MetricTable[]>();
  /** Sums of the workers that have ended. */
  #ended: MetricList = [];
  #retiring: Promise<void> = Promise.resolve();
  readonly #retired = new WeakSet<Worker>();
  /** Since the last question to all. */
  #answered = new Set<Worker>();
  #gathering: Promise<MetricList> | null = null;

  /** `taking` are the workers that take requests at the moment, of `count` that should. */
  constructor(count: number, taking: ReadonlySet<Worker>, loads: ConfigLoads) {
    this.#taking = taking;
    addWorkerGauges(this.#own, count, 0);
    addLoadMetrics(this.#own, loads);
  }

  /** A worker has sent a part of its metrics. */
  takePart(worker: Worker, part: MetricList): void {
    const parts = this.#parts.get(worker) ?? [];
    this.#parts.set(worker, parts);
    parts.push(...part);
  }

  /** A worker has sent all parts of its metrics. */
  take(worker: Worker): void {
    const metrics = this.#parts.get(worker) ?? [];
    this.#parts.delete(worker);
    if (this.#retired.has(worker)) return;
    this.#latest.set(worker, metrics);
    this.#answered.add(worker);
  }

  /** Nothing more comes from this worker. */
  retire(worker: Worker): void {
    this.#retired.add(worker);
    const last = this.#latest.get(worker);
    if (last === undefined) return;
    this.#retiring = this.#retiring.then(async () => {
      const sums = await this.pace.run(addUp([this.#ended, sumsOf(last)]));
      // Both at once: between them something would be missing, or count twice.
      this.#ended = sums;
      this.#latest.delete(worker);
    });
  }

  /** Drops what workers that have ended counted under labels that are retired. */
  retireLabels(isRetired: (labels: Labels) => boolean): void {
    this.#retiring = this.#retiring.then(async () => {
      this.#ended = await this.pace.run(withoutLabels(this.#ended, isRetired));
    });
  }

  /** As one list, after `ANSWER_MILLIS` at most. Questions at the same time get one answer. */
  list(): Promise<MetricList> {
    this.#gathering ??= this.#gather().finally(() => {
      this.#gathering = null;
    });
    return this.#gathering;
  }

  async #gather(): Promise<MetricList> {
    this.#answered = new Set();
    const over = new AbortController();
    // A worker is asked one question at a time: it may hang.
    const fresh = [...this.#taking].filter(({ channel }) => channel.owes('metrics') === 0);
    const asked = fresh.map((worker) =>
      worker.channel.ask('metrics', null).then(
        () => this.take(worker),
        () => {},
      ),
    );
    await Promise.race([
      Promise.all(asked),
      delay(ANSWER_MILLIS, null, { signal: over.signal }).catch(() => {}),
    ]);
    over.abort();
    const own = await this.#own.list(this.pace);
    const lists = [...this.#latest].map(([worker, list]) =>
      this.#answered.has(worker) ? list : sumsOf(list),
    );
    return this.pace.run(addUp([own, this.#ended, ...lists]));
  }
}
