import type { Worker } from 'node:cluster';
import type { ConsoleState } from '../../console/answers.js';
import type { ConsoleSources } from '../../console/console.js';
import { stateOf } from '../../console/state.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { mergeRecent } from '../../observe/recent.js';
import type { ConsoleAnswer, ConsoleQuestion } from './worker-messages.js';
import type { WorkerMetrics } from './worker-metrics.js';
import type { WorkerUsage } from './worker-usage.js';

/** How long a worker has to answer. */
const ANSWER_MILLIS = 1000;
/** Questions that a worker may owe an answer to: a process that hangs must not collect them without end. */
const OWED_MAX = 16;

/** What the console shows of all workers. */
export class WorkerConsole implements ConsoleSources {
  readonly #taking: ReadonlySet<Worker>;
  readonly #ask: (worker: Worker, number: number, question: ConsoleQuestion) => void;
  readonly #metrics: WorkerMetrics;
  readonly #usage: WorkerUsage;
  readonly #loads: ConfigLoads;
  readonly trafficUrl: () => string | null;
  /** Questions without an answer, by their number. */
  readonly #waiting = new Map<number, (answer: ConsoleAnswer) => void>();
  /** How many answers each worker owes. */
  readonly #owed = new WeakMap<Worker, number>();
  #number = 0;

  constructor(
    taking: ReadonlySet<Worker>,
    ask: (worker: Worker, number: number, question: ConsoleQuestion) => void,
    metrics: WorkerMetrics,
    usage: WorkerUsage,
    loads: ConfigLoads,
    trafficUrl: () => string | null,
  ) {
    this.#taking = taking;
    this.#ask = ask;
    this.#metrics = metrics;
    this.#usage = usage;
    this.#loads = loads;
    this.trafficUrl = trafficUrl;
  }

  /** A worker has answered. */
  take(worker: Worker, number: number, answer: ConsoleAnswer): void {
    this.#owed.set(worker, this.#owedBy(worker) - 1);
    if (answer.usage !== null) this.#usage.take(worker, answer.usage);
    this.#waiting.get(number)?.(answer);
  }

  async state(): Promise<ConsoleState> {
    const [answers, metrics] = await Promise.all([this.#answersOfAll({ about: 'recent' }), this.#metrics.list()]);
    const recent = mergeRecent(answers.flatMap((answer) => answer?.recent ?? []));
    return stateOf(metrics, this.#loads, recent);
  }

  async description(): ReturnType<ConsoleSources['description']> {
    const description = (await this.#answerOfAny({ about: 'description' }))?.description ?? null;
    if (description === null) throw new Error('no worker answered');
    return description;
  }

  async operation(service: string, name: string): ReturnType<ConsoleSources['operation']> {
    return (await this.#answerOfAny({ about: 'operation', service, name }))?.operation ?? null;
  }

  async usage(): ReturnType<ConsoleSources['usage']> {
    await this.#answersOfAll({ about: 'usage' });
    return this.#usage.report();
  }

  #answersOfAll(question: ConsoleQuestion): Promise<readonly (ConsoleAnswer | null)[]> {
    return Promise.all([...this.#taking].map((worker) => this.#answerOf(worker, question)));
  }

  async #answerOfAny(question: ConsoleQuestion): Promise<ConsoleAnswer | null> {
    const [worker] = this.#taking;
    return worker === undefined ? null : this.#answerOf(worker, question);
  }

  #owedBy(worker: Worker): number {
    return this.#owed.get(worker) ?? 0;
  }

  /** Null when the worker does not answer in time, or owes too many answers. */
  #answerOf(worker: Worker, question: ConsoleQuestion): Promise<ConsoleAnswer | null> {
    const owed = this.#owedBy(worker);
    if (owed >= OWED_MAX) return Promise.resolve(null);
    this.#owed.set(worker, owed + 1);
    const number = ++this.#number;
    return new Promise((resolve) => {
      const end = (answer: ConsoleAnswer | null): void => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve(answer);
      };
      const timer = setTimeout(() => end(null), ANSWER_MILLIS);
      this.#waiting.set(number, end);
      this.#ask(worker, number, question);
    });
  }
}
