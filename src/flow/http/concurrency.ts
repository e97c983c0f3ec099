import type { Client } from '../../access/client.js';
import type { CancelSignal } from '../../base/cancellation.js';
import { Refusal } from '../../base/refusal.js';

/** Gives a place back. To be called once. */
export type Leave = () => void;

/**
 * How many requests of each client are in progress, where its class bounds that: budgets bound how often a client calls,
 * this how much of a slow backend it can hold (catalogue O06). By whatever door and transport: a request over HTTP, an
 * operation over a WebSocket, each of a batch, and each event that calls for its answer.
 */
export class Places {
  readonly #clients = new Map<string, Taken>();

  /** Takes a place. Null where there is no bound. Throws `RATE_LIMITED`. */
  take(client: Client): Leave | null {
    const most = client.rights.requestsAtOnce;
    if (most === null) return null;
    const leave = this.#taken(client.id, most);
    if (leave === null) throw new Refusal('RATE_LIMITED', 'requests at once', { retryAfter: '1' });
    return leave;
  }

  /** Takes a place if there is one now; null where there is none. */
  takeFree({ id, rights: { requestsAtOnce } }: Client): Leave | null {
    return requestsAtOnce === null ? nothing : this.#taken(id, requestsAtOnce);
  }

  /** Waits for a place, behind those who wait already. Null where there is no bound, or nobody waits any more. */
  wait({ id, rights }: Client, signal: CancelSignal): Promise<Leave | null> {
    const most = rights.requestsAtOnce;
    if (most === null) return Promise.resolve(null);
    const leave = this.#taken(id, most);
    const client = this.#clients.get(id);
    if (leave !== null || client === undefined) return Promise.resolve(leave);
    return new Promise((resolve) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(this.#leaveOf(id));
      };
      const giveUp = (): void => {
        client.waiting.delete(begin);
        resolve(null);
      };
      client.waiting.add(begin);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }

  /** Room for the operations of one request, which has its place already; null where there is no bound. */
  room({ id, rights }: Client): Room | null {
    const most = rights.requestsAtOnce;
    return most === null ? null : new Room(() => this.#taken(id, most));
  }

  /** Clients with requests in progress. */
  get size(): number {
    return this.#clients.size;
  }

  #taken(id: string, most: number): Leave | null {
    const client = this.#clients.get(id) ?? { count: 0, waiting: new Set() };
    if (client.count >= most) return null;
    client.count++;
    this.#clients.set(id, client);
    return this.#leaveOf(id);
  }

  #leaveOf(id: string): Leave {
    let isLeft = false;
    return () => {
      const client = this.#clients.get(id);
      if (isLeft || client === undefined) return;
      isLeft = true;
      const [next] = client.waiting;
      if (next !== undefined) {
        client.waiting.delete(next);
        next();
        return;
      }
      client.count--;
      if (client.count === 0) this.#clients.delete(id);
    };
  }
}

const nothing = (): void => {};

/** The operations of a batch: one has the place of the request, others one of their own, or the next that is given back. */
export class Room {
  readonly #takeAnother: () => Leave | null;
  /** Told the place they have got: null is that of the request. */
  readonly #waiting: ((place: Leave | null) => void)[] = [];
  #isFree = true;

  constructor(takeAnother: () => Leave | null) {
    this.#takeAnother = takeAnother;
  }

  /** Waits until there is a place. */
  async enter(): Promise<Leave> {
    const place = await this.#place();
    return () => {
      const next = this.#waiting.shift();
      if (next !== undefined) next(place);
      else if (place === null) this.#isFree = true;
      else place();
    };
  }

  async #place(): Promise<Leave | null> {
    if (this.#isFree) {
      this.#isFree = false;
      return null;
    }
    return this.#takeAnother() ?? new Promise<Leave | null>((resolve) => this.#waiting.push(resolve));
  }
}

interface Taken {
  count: number;
  /** In the order they came. */
  readonly waiting: Set<() => void>;
}
