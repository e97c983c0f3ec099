import type { Worker } from 'node:cluster';
import type { ConsoleState } from '../console/answers.js';
import type { ConsoleSources } from '../console/console.js';
import { stateOf } from '../console/state.js';
import type { ConfigLoads } from '../observe/gauges.js';
import { mergeRecent } from '../observe/recent.js';
import { mergeUsage } from '../observe/usage.js';
import type { ConsoleAnswer, ConsoleQuestion } from './worker-messages.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** How long a worker has to answer. */
const ANSWER_MILLIS = 1000;

/** What the console shows of all workers. */
export class WorkerConsole implements ConsoleSources {
  readonly #taking: ReadonlySet<Worker>;
  readonly #ask: (worker: Worker, number: number, question: ConsoleQuestion) => void;
  readonly #metrics: WorkerMetrics;
  readonly #loads: ConfigLoads;
  readonly trafficUrl: () => string | null;
  /** Questions without an answer, by their number. */
  readonly #waiting = new Map<number, (answer: ConsoleAnswer) => void>();
  #number = 0;

  constructor(
    taking: ReadonlySet<Worker>,
    ask: (worker: Worker, number: number, question: ConsoleQuestion) => void,
    metrics: WorkerMetrics,
    loads: ConfigLoads,
    trafficUrl: () => string | null,
  ) {
    this.#taking = taking;
    this.#ask = ask;
    this.#metrics = metrics;
    this.#loads = loads;
    this.trafficUrl = trafficUrl;
  }

  /** A worker has answered. */
  take(number: number, answer: ConsoleAnswer): void {
    this.#waiting.get(number)?.(answer);
  }

  async state(): Promise<ConsoleState> {
    const asked = [...this.#taking].map((worker) => this.#answerOf(worker, { about: 'recent' }));
    const answers = await Promise.all(asked);
    const recent = mergeRecent(answers.flatMap((answer) => answer?.recent ?? []));
    return stateOf(await this.#metrics.list(), this.#loads, recent);
  }

  async description(): ReturnType<ConsoleSources['description']> {
    const description = (await this.#answerOfAny({ about: 'description' }))?.description ?? null;
    if (description === null) throw new Error('no worker answered');
    return description;
  }

  async operation(service: string, name: string): ReturnType<ConsoleSources['operation']> {
    return (await this.#answerOfAny({ about: 'operation', service, name }))?.operation ?? null;
  }

  /** Of the workers that run: what others counted ended with them. */
  async usage(): ReturnType<ConsoleSources['usage']> {
    const asked = [...this.#taking].map((worker) => this.#answerOf(worker, { about: 'usage' }));
    return mergeUsage((await Promise.all(asked)).flatMap((answer) => answer?.usage ?? []));
  }

  async #answerOfAny(question: ConsoleQuestion): Promise<ConsoleAnswer | null> {
    const [worker] = this.#taking;
    return worker === undefined ? null : this.#answerOf(worker, question);
  }

  /** Null when the worker does not answer in time. */
  #answerOf(worker: Worker, question: ConsoleQuestion): Promise<ConsoleAnswer | null> {
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
