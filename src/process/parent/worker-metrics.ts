import type { Worker } from 'node:cluster';
import { addLoadMetrics, addWorkerGauges, type ConfigLoads } from '../../observe/metrics/gauges.js';
import {
  addUp,
  MetricBook,
  type MetricList,
  printMetricLists,
  sumsOf,
  withoutLabels,
} from '../../observe/metrics/prometheus.js';
import type { Labels } from '../../observe/metrics/retired-labels.js';

/** How long a worker has to answer. */
const ANSWER_MILLIS = 1000;

/**
 * The metrics of all workers, added up. Counters and histograms never go back: of a worker that does not answer the
 * last that was seen counts, of one that has ended as well.
 */
export class WorkerMetrics {
  readonly #taking: ReadonlySet<Worker>;
  readonly #ask: (worker: Worker) => void;
  /** The metrics of the parent itself. */
  readonly #own = new MetricBook();
  readonly #latest = new Map<Worker, MetricList>();
  /** Sums of the workers that have ended. */
  #ended: MetricList = [];
  #retiring: Promise<void> = Promise.resolve();
  /** Workers that still owe an answer: they are asked one question at a time. */
  readonly #asked = new Set<Worker>();
  #answered = new Set<Worker>();
  #gathering: Promise<readonly MetricList[]> | null = null;
  #wake = (): void => {};

  /** `taking` are the workers that take requests at the moment, of `count` that should. */
  constructor(count: number, taking: ReadonlySet<Worker>, ask: (worker: Worker) => void, loads: ConfigLoads) {
    this.#taking = taking;
    this.#ask = ask;
    addWorkerGauges(this.#own, count, 0);
    addLoadMetrics(this.#own, loads);
  }

  /** A worker has sent its metrics. */
  take(worker: Worker, metrics: MetricList): void {
    this.#latest.set(worker, metrics);
    this.#answered.add(worker);
    this.#asked.delete(worker);
    this.#wake();
  }

  /** Nothing more comes from this worker. */
  retire(worker: Worker): void {
    this.#asked.delete(worker);
    this.#wake();
    const last = this.#latest.get(worker);
    if (last === undefined) return;
    this.#retiring = this.#retiring.then(async () => {
      const sums = await addUp([this.#ended, sumsOf(last)]);
      // Both at once: between them something would be missing, or count twice.
      this.#ended = sums;
      this.#latest.delete(worker);
    });
  }

  /** Drops what workers that have ended counted under labels that are retired. */
  retireLabels(isRetired: (labels: Labels) => boolean): void {
    this.#retiring = this.#retiring.then(() => {
      this.#ended = withoutLabels(this.#ended, isRetired);
    });
  }

  /** In the text format of Prometheus, after `ANSWER_MILLIS` at most. Questions at the same time get one answer. */
  async print(): Promise<string> {
    return printMetricLists(await this.#gatherOnce());
  }

  /** The same as a list. */
  async list(): Promise<MetricList> {
    return addUp(await this.#gatherOnce());
  }

  #gatherOnce(): Promise<readonly MetricList[]> {
    this.#gathering ??= this.#gather().finally(() => {
      this.#gathering = null;
    });
    return this.#gathering;
  }

  async #gather(): Promise<readonly MetricList[]> {
    this.#answered = new Set();
    const fresh = [...this.#taking].filter((worker) => !this.#asked.has(worker));
    for (const worker of fresh) {
      this.#asked.add(worker);
      this.#ask(worker);
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ANSWER_MILLIS);
      this.#wake = () => {
        if (fresh.some((worker) => this.#asked.has(worker))) return;
        clearTimeout(timer);
        resolve();
      };
      this.#wake();
    });
    const own = await this.#own.registry.getMetricsAsJSON();
    const lists = [...this.#latest].map(([worker, list]) => (this.#answered.has(worker) ? list : sumsOf(list)));
    return [own, this.#ended, ...lists];
  }
}
