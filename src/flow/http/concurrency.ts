import type { Client } from '../../access/client.js';
import { type CancelSignal, Refusal } from '../../core/index.js';

/** Gives a permit back. Called once; further calls do nothing. */
export type Release = () => void;

/**
 * The requests of each client in progress, where its class bounds them: budgets bound how often a
 * client calls, this bounds how much of a slow backend it can hold (catalogue O06). It counts
 * requests over HTTP, operations over a WebSocket, items of a batch, and events that call a backend
 * for their answer.
 */
export class ConcurrencyLimits {
  readonly #clients = new Map<string, ClientPermits>();

  /** Takes a permit. Null where there is no bound. Throws `RATE_LIMITED`. */
  acquire(client: Client): Release | null {
    const most = client.rights.requestsAtOnce;
    if (most === null) return null;
    const release = this.#take(client.id, most);
    if (release === null) {
      throw new Refusal('RATE_LIMITED', 'requests at once', {
        retryAfter: '1',
        limit: { key: `clients.classes.${client.className}.requestsAtOnce`, value: most },
      });
    }
    return release;
  }

  /** Takes a permit if one is free; null where none is. */
  tryAcquire({ id, rights: { requestsAtOnce } }: Client): Release | null {
    return requestsAtOnce === null ? () => {} : this.#take(id, requestsAtOnce);
  }

  /**
   * Waits for a permit, in the order of the calls. Null where there is no bound, and once `signal`
   * is aborted.
   */
  acquireLater({ id, rights }: Client, signal: CancelSignal): Promise<Release | null> {
    const most = rights.requestsAtOnce;
    if (most === null) return Promise.resolve(null);
    const release = this.#take(id, most);
    const client = this.#clients.get(id);
    if (release !== null || client === undefined) return Promise.resolve(release);
    return new Promise((resolve) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#releaseOf(id));
      };
      const giveUp = (): void => {
        client.waiting.delete(begin);
        resolve(null);
      };
      client.waiting.add(begin);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) {
        giveUp();
      }
    });
  }

  /**
   * The permits for the items of a batch, whose request has one already; null where there is no
   * bound.
   */
  forBatch({ id, rights }: Client): BatchPermits | null {
    const most = rights.requestsAtOnce;
    return most === null ? null : new BatchPermits(() => this.#take(id, most));
  }

  /** Clients with requests in progress. */
  get size(): number {
    return this.#clients.size;
  }

  #take(id: string, most: number): Release | null {
    const client = this.#clients.get(id) ?? { count: 0, waiting: new Set() };
    if (client.count >= most) return null;
    client.count++;
    this.#clients.set(id, client);
    return this.#releaseOf(id);
  }

  #releaseOf(id: string): Release {
    let isReleased = false;
    return () => {
      const client = this.#clients.get(id);
      if (isReleased || client === undefined) return;
      isReleased = true;
      const [next] = client.waiting;
      if (next !== undefined) {
        client.waiting.delete(next);
        next();
        return;
      }
      client.count--;
      if (client.count === 0) {
        this.#clients.delete(id);
      }
    };
  }
}

/**
 * The permits of a batch: one item has that of the request, others one of their own or the next
 * that is returned.
 */
export class BatchPermits {
  readonly #takeAnother: () => Release | null;
  /** Resolves with the permit that was returned; null is that of the request. */
  readonly #waiting: ((permit: Release | null) => void)[] = [];
  #isFree = true;

  constructor(takeAnother: () => Release | null) {
    this.#takeAnother = takeAnother;
  }

  /** Waits for a permit. */
  async acquire(): Promise<Release> {
    const permit = await this.#take();
    return () => {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        next(permit);
      } else if (permit === null) {
        this.#isFree = true;
      } else {
        permit();
      }
    };
  }

  async #take(): Promise<Release | null> {
    if (this.#isFree) {
      this.#isFree = false;
      return null;
    }
    return (
      this.#takeAnother() ?? new Promise<Release | null>((resolve) => this.#waiting.push(resolve))
    );
  }
}

interface ClientPermits {
  count: number;
  /** In the order of their calls. */
  readonly waiting: Set<() => void>;
}
