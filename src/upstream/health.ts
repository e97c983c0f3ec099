import { performance } from 'node:perf_hooks';
import type { Address } from './address.js';
import { DEFAULT_CALLS } from './call-rules.js';
import { lend } from './credentials/credentials.js';
import { DIRECT } from './dial/dial.js';
import type { UpstreamLimits } from './limits.js';
import type { UpstreamRequest } from './reply.js';
import { Upstream, type UpstreamOptions } from './upstream.js';

/** Asks an address how it is. */
export interface HealthProbe {
  /** What is asked at an address of the service. */
  readonly urlOf: (address: URL) => URL;
  /** Whether it is healthy. `upstream` has that URL alone. */
  readonly isHealthy: (upstream: Upstream) => Promise<boolean>;
}

export interface HealthOptions {
  readonly everyMillis: number;
  readonly timeoutMillis: number;
  /** Null: a connection is enough. */
  readonly probe: HealthProbe | null;
  /** Checks in a row that change the state. */
  readonly up: number;
  readonly down: number;
}

/** The state of an address, as one process tells it to others. */
export interface HealthResult {
  readonly service: string;
  /** The `id` of the address. */
  readonly address: string;
  readonly isUp: boolean;
}

/** The share of the interval that is left out at most, so that many gateways do not ask at once. */
const JITTER = 0.2;
/**
 * The shares of the interval in which a down address is asked again, and a good check is confirmed.
 */
const RETRY_SHARE = 0.85;
const CONFIRM_SHARE = 0.1;

/** Checks the addresses of one service now and then, and lets those that fail rest. */
export class HealthChecks {
  readonly #upstream: Upstream;
  readonly #make: (address: Address) => AddressCheck;
  #report: (addressId: string, isUp: boolean) => void = () => {};
  readonly #checks = new Map<Address, AddressCheck>();
  #end: (() => void) | null = null;

  constructor(
    upstream: Upstream,
    limits: UpstreamLimits,
    options: UpstreamOptions,
    health: HealthOptions,
  ) {
    this.#upstream = upstream;
    this.#make = (address) =>
      new AddressCheck(address, limits, options, health, (isUp) => this.#report(address.id, isUp));
  }

  /**
   * Begins to check at once. `report` gets the state of an address after each check that leaves no
   * doubt.
   */
  start(report: (addressId: string, isUp: boolean) => void): void {
    if (this.#end !== null) return;
    this.#report = report;
    this.#end = this.#upstream.addresses.listen(this.#check);
    this.#check();
  }

  /** Takes over the state of an address that another process has checked. */
  take(addressId: string, isUp: boolean): void {
    this.#upstream.addresses.all.find(({ id }) => id === addressId)?.setHealth(isUp);
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

class AddressCheck {
  readonly #address: Address;
  readonly #options: HealthOptions;
  readonly #report: (isUp: boolean) => void;
  /** Has connections of its own; null where making one is the check. */
  readonly #upstream: Upstream | null;
  #timer: NodeJS.Timeout | null = null;
  /** Checks in a row with the same result. */
  #inRow: number;
  #isFine: boolean;
  #isClosed = false;

  constructor(
    address: Address,
    limits: UpstreamLimits,
    options: UpstreamOptions,
    health: HealthOptions,
    report: (isUp: boolean) => void,
  ) {
    const { probe, timeoutMillis } = health;
    this.#address = address;
    this.#isFine = address.isHealthy;
    this.#inRow = address.isHealthy ? health.up : health.down;
    this.#options = health;
    this.#report = report;
    const own = {
      ...limits,
      connections: 1,
      breakerFailures: 0,
      totalMillis: timeoutMillis,
      connectMillis: Math.min(timeoutMillis, limits.connectMillis),
    };
    const { fields = [], credentials = null, routeTo, calls = DEFAULT_CALLS } = options;
    this.#upstream =
      probe === null
        ? null
        : new Upstream([probe.urlOf(address.url).href], own, {
            fields,
            credentials: lend(credentials),
            calls: { ...DEFAULT_CALLS, pace: calls.pace },
            routeTo: (url) => ({ ...(routeTo?.(url) ?? DIRECT), ip: address.ip }),
          });
  }

  start(): void {
    this.#next(0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    await this.#upstream?.close();
  }

  #next(millis: number): void {
    const jittered = millis * (1 - JITTER * Math.random());
    this.#timer = setTimeout(() => void this.#check(), jittered).unref();
  }

  async #check(): Promise<void> {
    const { up, down } = this.#options;
    const startedMillis = performance.now();
    const isFine = await this.#ask();
    if (this.#isClosed) return;
    this.#inRow = isFine === this.#isFine ? this.#inRow + 1 : 1;
    this.#isFine = isFine;
    if (this.#inRow >= (isFine ? up : down)) {
      this.#address.setHealth(isFine);
      this.#report(isFine);
    }
    this.#next(Math.max(0, this.#waitMillis - (performance.now() - startedMillis)));
  }

  /**
   * An address that is well again is called again within one interval, however many checks that
   * takes.
   */
  get #waitMillis(): number {
    const { everyMillis, up } = this.#options;
    if (this.#isFine && this.#inRow < up) return (everyMillis * CONFIRM_SHARE) / (up - 1);
    return this.#address.isHealthy ? everyMillis : everyMillis * RETRY_SHARE;
  }

  async #ask(): Promise<boolean> {
    const { probe, timeoutMillis } = this.#options;
    if (probe === null || this.#upstream === null) return this.#address.reach(timeoutMillis);
    try {
      return await probe.isHealthy(this.#upstream);
    } catch {
      // Whatever it is: this address gave no answer of the kind that is expected.
      return false;
    }
  }
}

/** Asks for a path by GET: a status below 400 is healthy. */
export const pathProbe = (path: string): HealthProbe => ({
  urlOf: (address) => new URL(path, address),
  isHealthy: (upstream) =>
    new Promise((resolve) => {
      let isFine = false;
      upstream.call(GET, {
        head({ status }) {
          isFine = status < 400;
        },
        data() {},
        end: () => resolve(isFine),
        failed: () => resolve(false),
      });
    }),
});

const GET: UpstreamRequest = { method: 'GET', query: '', headers: ['accept', '*/*'], body: null };
