import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { collections, type RefusalCode } from '../core/index.js';
import { type AddressRank, type Balanced, DEFAULT_RANK } from './balancer.js';
import {
  Breaker,
  type BreakerChange,
  type BreakerState,
  type CallOutcome,
  type EjectionReason,
} from './breaker.js';
import { type ConnectionUse, UpstreamConnection } from './connection.js';
import { ConnectionReuse } from './connection-reuse.js';
import { type Fields, withFields } from './credentials/credentials.js';
import { DIRECT, makeConnector, type Route } from './dial/dial.js';
import type { HttpProxy } from './dial/proxy.js';
import type { UpstreamLimits } from './limits.js';
import { AddressTally, type Compared } from './outliers.js';
import { FixedQuery } from './query.js';
import { isSuspect } from './reply-effects.js';
import type { Connector } from './undici.js';

/** How often it is looked at most whether time has closed a breaker. */
const LOOK_MILLIS_MIN = 100;
/** Few enough that a caller does not find the host behind it by trying. */
const ID_LENGTH = 6;

/** An address goes down or up. `code` is that of the call that failed last; null where none did. */
export type AddressListener = (
  address: Address,
  change: BreakerChange,
  code: RefusalCode | null,
) => void;

/**
 * One address of a backend with connections and a circuit breaker of its own: a slow address delays
 * no other.
 */
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
  readonly #reuse: ConnectionReuse;
  readonly #connections: UpstreamConnection[] = [];
  /**
   * Not in use: first those of long requests, the latest first, then those of short ones, the
   * latest last. The latest that may be used is used next, so that the others grow old and close;
   * at first the one that was idle longest, if it has rested.
   */
  readonly #free: UpstreamConnection[] = [];
  readonly #listener: AddressListener;
  #failureCode: RefusalCode | null = null;
  /** Looks whether time has closed the breaker; null while it is closed. */
  #timer: NodeJS.Timeout | null = null;
  /** Called when the last call is over; null while calls may begin. */
  #drained: (() => void) | null = null;

  constructor(
    url: URL,
    limits: UpstreamLimits,
    route: Route = DIRECT,
    rank: AddressRank = DEFAULT_RANK,
    totals: () => collections.AddressTotals = countAlone(),
    listener: AddressListener = () => {},
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
    this.#reuse = route.reuse ?? new ConnectionReuse();
    this.#use = { ...route, reuse: this.#reuse };
    this.#listener = listener;
    const { breakerFailures, breakerMillis, connections } = limits;
    this.breaker = new Breaker(breakerFailures, breakerMillis, connections, (change) =>
      this.#changed(change),
    );
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
  acquire(nowMillis: number): UpstreamConnection {
    const isFull = this.#connections.length >= this.#limits.connections;
    const free = this.#takeFree(nowMillis, isFull) ?? (isFull ? this.#free.pop() : undefined);
    if (free !== undefined) return free;
    const made = new UpstreamConnection(this.#origin, this.#connector, this.#limits, this.#use);
    this.#connections.push(made);
    return made;
  }

  /**
   * Takes back the connection of a call that is over. `epoch` is of `breaker.begin`, `code` of its
   * refusal.
   */
  release(
    connection: UpstreamConnection,
    epoch: number,
    outcome: CallOutcome,
    code: RefusalCode | null,
    { method, status }: AttemptAnswer,
  ): void {
    const nowMillis = performance.now();
    if (code !== null && isSuspect(code)) {
      this.#reuse.suspend();
    }
    if (this.#drained === null) {
      if (connection.isLong) {
        this.#free.unshift(connection);
      } else {
        this.#free.push(connection);
      }
    } else {
      this.#drop(connection);
    }
    const millis = nowMillis - connection.sentMillis;
    this.tally.record(outcome, code, millis);
    this.tally.report(this.url, method, status, code, millis / 1000);
    if (outcome === 'failed' || outcome === 'invalid') {
      this.#failureCode = code;
    }
    if (this.breaker.end(epoch, outcome, nowMillis)) {
      this.tally.ejected('failures');
    }
  }

  /** An answer belonged to another request. */
  suspect(): void {
    this.#reuse.suspend();
  }

  /** The address that its answers are suspected by; '' for none. */
  get source(): string {
    return this.#reuse.address;
  }

  get isResting(): boolean {
    return this.state !== 'closed';
  }

  get state(): BreakerState {
    return this.breaker.stateAt(performance.now());
  }

  /** Host, port and path as configured, without credentials and query. */
  get name(): string {
    return nameOfAddress(this.url);
  }

  eject(reason: EjectionReason, nowMillis: number): void {
    this.tally.ejected(reason);
    this.breaker.eject(reason, nowMillis);
  }

  /** True unless the latest health checks failed. */
  get isHealthy(): boolean {
    return this.breaker.isHealthy;
  }

  /** The result of a health check. */
  setHealth(isUp: boolean): void {
    if (this.breaker.setHealth(isUp, performance.now()) && !isUp) {
      this.tally.ejected('health');
    }
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

  /**
   * Closes its connections, each when its call is over. Resolves when all are. No call begins any
   * more.
   */
  drain(): Promise<void> {
    this.#retire();
    return new Promise((resolve) => {
      this.#drained = resolve;
      for (const connection of this.#free.splice(0)) {
        this.#drop(connection);
      }
      if (this.#connections.length === 0) {
        resolve();
      }
    });
  }

  async close(): Promise<void> {
    this.#retire();
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /**
   * Takes the free connection that is used next; undefined where there is none, or a new one is
   * better.
   */
  #takeFree(nowMillis: number, isFull: boolean): UpstreamConnection | undefined {
    if (this.#free.at(-1)?.isLong === false) {
      if (this.#reuse.isProven) return this.#free.pop();
      const longestIdle = this.#free.findIndex(({ isLong }) => !isLong);
      const connection = this.#free[longestIdle];
      if (connection === undefined) return undefined;
      const restMillis = this.#reuse.takeRest(connection.idleMillis(nowMillis));
      if (restMillis === null && !isFull) return undefined;
      connection.restMillis = restMillis ?? 0;
      this.#free.splice(longestIdle, 1);
      return connection;
    }
    const index = this.#free.findIndex((connection) => connection.isSettled(nowMillis));
    return index < 0 ? undefined : this.#free.splice(index, 1)[0];
  }

  #retire(): void {
    this.breaker.retire();
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
  }

  #changed(change: BreakerChange): void {
    if (!change.isUp) {
      this.#lookLater();
    }
    const isByCalls = !change.isUp && change.reason !== 'health' && change.reason !== 'latency';
    this.#listener(this, change, isByCalls ? this.#failureCode : null);
  }

  /** Reports that time has closed the breaker, where no call and no metrics ask for it. */
  #lookLater(): void {
    const dueMillis = this.breaker.closesAtMillis;
    if (dueMillis === null || this.#timer !== null) return;
    const waitMillis = Math.max(LOOK_MILLIS_MIN, dueMillis - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.state !== 'closed') {
        this.#lookLater();
      }
    }, waitMillis).unref();
  }

  #drop(connection: UpstreamConnection): void {
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    // Later: the end of its exchange is still being handled.
    queueMicrotask(() => void connection.close());
    if (this.#connections.length === 0) {
      this.#drained?.();
    }
  }
}

/** The answer to an attempt. */
interface AttemptAnswer {
  readonly method: string;
  /** 0 where none came. */
  readonly status: number;
}

/** The totals of an address that no others count with. */
function countAlone(): () => collections.AddressTotals {
  const totals = new collections.AddressTotals();
  return () => totals;
}

/**
 * How logs and metrics name an address: host, port and path as configured, without credentials and
 * query.
 */
export const nameOfAddress = ({ host, pathname }: URL): string => host + pathname;

/**
 * RFC 9112 section 3.2.2: the target of a request to a proxy is the whole address, and Host is that
 * of the backend.
 */
const forwarderFields = ({ host }: URL, { authorization }: HttpProxy): Fields => [
  ...['host', host],
  ...(authorization === null ? [] : ['proxy-authorization', authorization]),
];
