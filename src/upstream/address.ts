import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { RefusalCode } from '../base/refusals.js';
import { type AddressRank, type Balanced, DEFAULT_RANK } from './balancer.js';
import { Breaker, type CallOutcome } from './breaker.js';
import { Connection, type ConnectionUse } from './connection.js';
import { type Fields, withFields } from './credentials/credentials.js';
import { DIRECT, makeConnector, type Route } from './dial/dial.js';
import type { HttpProxy } from './dial/proxy.js';
import type { UpstreamLimits } from './limits.js';
import { AddressTally, AddressTotals, type Compared, type EjectionReason } from './outliers.js';
import { FixedQuery } from './query.js';
import type { Connector } from './undici.js';

/** Few enough that a caller does not find the host behind it by trying. */
const ID_LENGTH = 6;

/** One address of a backend with connections and a circuit breaker of its own: a slow address delays no other. */
export class Address implements Balanced, Compared {
  readonly url: URL;
  /** The IP address that its name has; null where each connection looks it up. */
  readonly ip: string | null;
  readonly tally: AddressTally;
  readonly breaker: Breaker;
  readonly rank: AddressRank;
  /** Callers may see it, as a cookie. */
  readonly id: string;
  readonly #origin: string;
  readonly #path: string;
  readonly #headers: Fields | null;
  readonly #query: FixedQuery;
  readonly #limits: UpstreamLimits;
  readonly #connector: Connector;
  readonly #use: ConnectionUse;
  readonly #connections: Connection[] = [];
  /** Not in use; the one used last is used next, the others grow old and close. */
  readonly #free: Connection[] = [];
  /** Called when the last call is over; null while calls may begin. */
  #drained: (() => void) | null = null;

  constructor(
    url: URL,
    limits: UpstreamLimits,
    route: Route = DIRECT,
    rank: AddressRank = DEFAULT_RANK,
    totals: AddressTotals = new AddressTotals(),
  ) {
    const { forwarder, ip = null } = route;
    this.url = url;
    this.ip = ip;
    this.tally = new AddressTally(totals);
    this.rank = rank;
    const identity = ip === null ? url.href : `${url.href} ${ip}`;
    this.id = createHash('sha256').update(identity).digest('base64url').slice(0, ID_LENGTH);
    this.#origin = forwarder === null ? url.origin : forwarder.url.origin;
    this.#path = forwarder === null ? url.pathname : url.origin + url.pathname;
    this.#headers = forwarder === null ? null : forwarderFields(url, forwarder);
    this.#query = new FixedQuery(url.search);
    this.#limits = limits;
    this.#connector = makeConnector(limits, route);
    this.#use = route;
    this.breaker = new Breaker(limits.breakerFailures, limits.breakerMillis, limits.connections);
  }

  /** Calls in flight. */
  get active(): number {
    return this.#connections.length - this.#free.length;
  }

  /** Whether a call can be made now: a connection is free and the breaker admits it. */
  isReady(nowMillis: number): boolean {
    return this.active < this.#limits.connections && this.breaker.admits(nowMillis);
  }

  /** Takes a connection; only when `isReady`. The caller releases it. */
  acquire(): Connection {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const made = new Connection(this.#origin, this.#connector, this.#limits, this.#use);
    this.#connections.push(made);
    return made;
  }

  /** Takes back the connection of a call that is over. `epoch` is of `breaker.begin`, `code` of its refusal. */
  release(connection: Connection, epoch: number, outcome: CallOutcome, code: RefusalCode | null): void {
    const nowMillis = performance.now();
    if (this.#drained === null) this.#free.push(connection);
    else this.#drop(connection);
    this.tally.record(outcome, code, nowMillis - connection.sentMillis);
    if (this.breaker.end(epoch, outcome, nowMillis)) this.tally.ejected('failures');
  }

  get isResting(): boolean {
    return this.breaker.isOpen;
  }

  eject(reason: EjectionReason, nowMillis: number): void {
    this.tally.ejected(reason);
    this.breaker.eject(nowMillis);
  }

  /** By the latest health checks. */
  get isHealthy(): boolean {
    return this.breaker.isHealthy;
  }

  /** The result of health checks. */
  setHealth(isUp: boolean): void {
    if (this.breaker.setHealth(isUp) && !isUp) this.tally.ejected('health');
  }

  /** Whether a connection can be made. */
  reach(timeoutMillis: number): Promise<boolean> {
    const { hostname, protocol, port, host } = new URL(this.#origin);
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(false), timeoutMillis);
      this.#connector({ hostname, protocol, port, host }, (...[error, socket]) => {
        clearTimeout(late);
        socket?.destroy();
        resolve(error === null);
      });
    });
  }

  /** The header fields of a request, with those for the forwarding proxy. */
  headers(headers: string[]): string[] {
    return this.#headers === null ? headers : withFields(headers, this.#headers);
  }

  /** Path and query of a request: the query of the address, and what the caller adds to it. */
  pathAndQuery(query: string): string {
    return this.url.pathname + this.#query.with(query);
  }

  /** The request target: the query of the address, and what the caller adds to it. */
  target(query: string): string {
    return this.#path + this.#query.with(query);
  }

  /** Closes its connections, each when its call is over. Resolves when all are. No call begins any more. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      for (const connection of this.#free.splice(0)) this.#drop(connection);
      if (this.#connections.length === 0) resolve();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #drop(connection: Connection): void {
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    // Later: the end of its exchange is still being handled.
    queueMicrotask(() => void connection.close());
    if (this.#connections.length === 0) this.#drained?.();
  }
}

/** RFC 9112 section 3.2.2: the target of a request to a proxy is the whole address, and Host is that of the backend. */
const forwarderFields = ({ host }: URL, { authorization }: HttpProxy): Fields => [
  ...['host', host],
  ...(authorization === null ? [] : ['proxy-authorization', authorization]),
];
