import { Breaker } from './breaker.js';
import { Connection, type Connector, makeConnector } from './connection.js';
import type { UpstreamLimits } from './limits.js';
import { FixedQuery } from './query.js';

/** One address of a backend: its own places for calls, so that a slow one holds no others, and its own breaker. */
export class Address {
  readonly breaker: Breaker;
  readonly #origin: string;
  readonly #path: string;
  readonly #query: FixedQuery;
  readonly #limits: UpstreamLimits;
  readonly #connector: Connector;
  readonly #connections: Connection[] = [];
  /** Not in use; the one used last is used next, the others grow old and close. */
  readonly #free: Connection[] = [];

  constructor(url: URL, limits: UpstreamLimits) {
    this.#origin = url.origin;
    this.#path = url.pathname;
    this.#query = new FixedQuery(url.search);
    this.#limits = limits;
    this.#connector = makeConnector(limits);
    this.breaker = new Breaker(limits.breakerFailures, limits.breakerMillis, limits.connections);
  }

  /** Calls in flight. */
  get active(): number {
    return this.#connections.length - this.#free.length;
  }

  /** Whether a call can be made now: there is a place, and the backend has no rest. */
  isReady(nowMillis: number): boolean {
    return this.active < this.#limits.connections && this.breaker.admits(nowMillis);
  }

  /** A place. Only when ready, and whoever took one gives it back. */
  take(): Connection {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const made = new Connection(this.#origin, this.#connector, this.#limits);
    this.#connections.push(made);
    return made;
  }

  give(connection: Connection): void {
    this.#free.push(connection);
  }

  /** The request target: the query of the address, and what the caller adds to it. */
  target(query: string): string {
    return this.#path + this.#query.with(query);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}
