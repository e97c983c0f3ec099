import type { Worker } from './worker.js';

/** Replicas of budgets that have ended while no worker could remove them, at most. */
const ENDED_MAX = 256;

/**
 * Has a worker remove the replicas of budgets of workers that have ended: their share of the refill
 * is lost until then.
 */
export class EndedReplicas {
  readonly #taking: ReadonlySet<Worker>;
  readonly #ended = new Set<string>();

  /** `taking` are the workers that take requests. */
  constructor(taking: ReadonlySet<Worker>) {
    this.#taking = taking;
  }

  /** The worker of a replica has ended, whether or not it has left. */
  add(replica: string): void {
    if (this.#ended.size < ENDED_MAX) {
      this.#ended.add(replica);
    }
    this.remove();
  }

  /** Has those removed that could not be so far. */
  remove(): void {
    const [remover] = this.#taking;
    if (remover === undefined) return;
    for (const replica of this.#ended) {
      void remover.channel.tell('removeReplica', replica);
    }
    this.#ended.clear();
  }
}
