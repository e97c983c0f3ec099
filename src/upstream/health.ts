import { performance } from 'node:perf_hooks';
import type { Address } from './address.js';
import { DIRECT } from './dial/dial.js';
import type { UpstreamLimits } from './limits.js';
import type { UpstreamRequest } from './reply.js';
import { Upstream, type UpstreamOptions } from './upstream.js';

export interface HealthOptions {
  readonly everyMillis: number;
  readonly timeoutMillis: number;
  /** The path that is asked for by GET; null: a connection is enough. */
  readonly path: string | null;
  /** Checks in a row that change the state. */
  readonly up: number;
  readonly down: number;
}

/** Of the interval, more or less, so that many gateways do not ask at once. */
const JITTER = 0.2;

/** Checks the addresses of one service now and then, and lets those that fail rest. */
export class HealthChecks {
  readonly #upstream: Upstream;
  readonly #make: (address: Address) => AddressCheck;
  readonly #checks = new Map<Address, AddressCheck>();
  #end: (() => void) | null = null;

  constructor(upstream: Upstream, limits: UpstreamLimits, options: UpstreamOptions, health: HealthOptions) {
    this.#upstream = upstream;
    this.#make = (address) => new AddressCheck(address, limits, options, health);
  }

  /** Begins to check at once. */
  start(): void {
    this.#end ??= this.#upstream.addresses.listen(this.#check);
    this.#check();
  }

  async close(): Promise<void> {
    this.#end?.();
    await Promise.all([...this.#checks.values()].map((check) => check.close()));
    this.#checks.clear();
  }

  /** Checks the addresses there are, and no others. */
  readonly #check = (): void => {
    const { all } = this.#upstream.addresses;
    for (const [address, check] of this.#checks) {
      if (all.includes(address)) continue;
      this.#checks.delete(address);
      void check.close();
    }
    for (const address of all) {
      if (this.#checks.has(address)) continue;
      const check = this.#make(address);
      this.#checks.set(address, check);
      check.start();
    }
  };
}

const REQUEST: UpstreamRequest = { method: 'GET', query: '', headers: ['accept', '*/*'], body: null };

class AddressCheck {
  readonly #address: Address;
  readonly #options: HealthOptions;
  /** Has connections of its own; null where making one is the check. */
  readonly #upstream: Upstream | null;
  #timer: NodeJS.Timeout | null = null;
  /** Checks in a row with the same result. */
  #inRow = 0;
  #isFine = true;
  #isClosed = false;

  constructor(address: Address, limits: UpstreamLimits, options: UpstreamOptions, health: HealthOptions) {
    const { path, timeoutMillis } = health;
    this.#address = address;
    this.#options = health;
    const own = {
      ...limits,
      connections: 1,
      breakerFailures: 0,
      totalMillis: timeoutMillis,
      connectMillis: Math.min(timeoutMillis, limits.connectMillis),
    };
    const { fields = [], credentials = null, routeTo } = options;
    this.#upstream =
      path === null
        ? null
        : new Upstream([new URL(path, address.url).href], own, {
            fields,
            // Closed with the upstream of the service.
            credentials: credentials === null ? null : { fields: (call) => credentials.fields(call) },
            routeTo: (url) => ({ ...(routeTo?.(url) ?? DIRECT), ip: address.ip }),
          });
  }

  start(): void {
    this.#next(0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#upstream?.close();
  }

  #next(millis: number): void {
    const jittered = millis * (1 - JITTER + 2 * JITTER * Math.random());
    this.#timer = setTimeout(() => void this.#check(), jittered).unref();
  }

  async #check(): Promise<void> {
    const { everyMillis, timeoutMillis, up, down } = this.#options;
    const startedMillis = performance.now();
    const isFine = await (this.#upstream === null ? this.#address.reach(timeoutMillis) : answers(this.#upstream));
    if (this.#isClosed) return;
    this.#inRow = isFine === this.#isFine ? this.#inRow + 1 : 1;
    this.#isFine = isFine;
    if (this.#inRow >= (isFine ? up : down)) this.#address.setHealth(isFine);
    this.#next(Math.max(0, everyMillis - (performance.now() - startedMillis)));
  }
}

/** Whether an address answers with a status below 400. */
const answers = (upstream: Upstream): Promise<boolean> =>
  new Promise((resolve) => {
    let isFine = false;
    upstream.call(REQUEST, {
      head({ status }) {
        isFine = status < 400;
      },
      data() {},
      end: () => resolve(isFine),
      failed: () => resolve(false),
    });
  });
