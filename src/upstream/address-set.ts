import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { collections } from '../core/index.js';
import { Address, type AddressListener, nameOfAddress } from './address.js';
import { type Affinity, type BalanceOptions, Balancer, DEFAULT_RANK } from './balancer.js';
import { ConnectionReuse } from './connection-reuse.js';
import type { Route } from './dial/dial.js';
import type { UpstreamLimits } from './limits.js';
import { Outliers } from './outliers.js';

const NONE: readonly Address[] = [];

/** An address as configured, and the IP addresses it is called at. */
export class NamedAddress {
  readonly url: URL;
  readonly hostname: string;
  /** Whether its host is a name that the gateway looks up; a proxy looks it up itself. */
  readonly isName: boolean;
  /** The totals of all records that the address has had. */
  totals = new collections.AddressTotals();
  /** Decides whether connections to any of the records are used again. */
  readonly reuse: ConnectionReuse;
  /** One without an IP address until the name was looked up. */
  records: readonly Address[];
  /** Gets each change of its records. */
  listener: AddressListener = () => {};
  readonly #makeAddress: (url: URL, record: string | null) => Address;

  constructor(
    url: URL,
    limits: UpstreamLimits,
    routeTo: (url: URL) => Route,
    balance: BalanceOptions,
    text: string,
  ) {
    const { tunnel, forwarder, ip = null } = routeTo(url);
    this.url = url;
    this.reuse = new ConnectionReuse(nameOfAddress(url), undefined, limits.ageMillis);
    this.hostname = url.hostname.replace(/^\[|\]$/g, '');
    this.isName = isIP(this.hostname) === 0 && tunnel === null && forwarder === null && ip === null;
    const rank = balance.ranks.get(text) ?? DEFAULT_RANK;
    const changed: AddressListener = (...event) => this.listener(...event);
    this.#makeAddress = (at, record) =>
      new Address(
        at,
        limits,
        { ...routeTo(at), ip: record, reuse: this.reuse },
        rank,
        () => this.totals,
        changed,
      );
    this.records = [this.#makeAddress(url, ip)];
  }

  /** How logs and metrics name it. */
  get name(): string {
    return nameOfAddress(this.url);
  }

  makeAddress(record: string): Address {
    return this.#makeAddress(this.url, record);
  }

  /** Makes the address of another URL (`auth.login.url`), which stands for all DNS records. */
  makeOther(url: URL): Address {
    return this.#makeAddress(url, null);
  }
}

/** The addresses of a backend, of which one is chosen for each call. */
export class AddressSet {
  readonly named: readonly NamedAddress[];
  readonly #balance: BalanceOptions;
  readonly #listeners = new Set<() => void>();
  /** No longer called; some calls there go on. */
  readonly #draining = new Set<Address>();
  #all: readonly Address[] = NONE;
  #balancer: Balancer<Address>;
  /** Null for one address, which there is nothing to compare with. */
  #outliers: Outliers | null = null;

  constructor(
    urls: readonly string[],
    limits: UpstreamLimits,
    routeTo: (url: URL) => Route,
    balance: BalanceOptions,
  ) {
    this.#balance = balance;
    this.named = urls.map((text) => {
      const url = new URL(text);
      return new NamedAddress(url, limits, routeTo, balance, text);
    });
    this.#balancer = this.#spread();
  }

  /** Those that are called. */
  get all(): readonly Address[] {
    return this.#all;
  }

  /** Calls in flight. */
  get active(): number {
    let sum = 0;
    for (const { active } of this.#all) {
      sum += active;
    }
    for (const { active } of this.#draining) {
      sum += active;
    }
    return sum;
  }

  /**
   * An address that is ready, one at which the call was not yet made if there is any; else null.
   */
  choose(nowMillis: number, affinity: Affinity | null, tried: readonly Address[]): Address | null {
    const untried = this.#balancer.choose(nowMillis, affinity, tried);
    return untried !== null || tried.length === 0
      ? untried
      : this.#balancer.choose(nowMillis, affinity, NONE);
  }

  /**
   * Path and query of a request, which all addresses have in common where credentials sign them.
   */
  target(query: string): string {
    return this.#all[0]?.pathAndQuery(query) ?? query;
  }

  /** Whether any would take a call, were a connection free. */
  admits(nowMillis: number): boolean {
    return this.#all.some((address) => !address.breaker.refuses(nowMillis));
  }

  /** Milliseconds until it is worth asking one again. */
  restMillis(nowMillis: number): number {
    return Math.min(...this.#all.map((address) => address.breaker.restMillis(nowMillis)));
  }

  /** Called after each call: lets an address rest that answers worse than others. */
  compare(): void {
    if (this.#outliers !== null) {
      this.#outliers.look(performance.now());
    }
  }

  /**
   * Calls an address at these records from now on. Calls to others go on; their connections close.
   */
  use(named: NamedAddress, records: readonly Address[]): void {
    const gone = named.records.filter((address) => !records.includes(address));
    named.records = records;
    this.#balancer = this.#spread();
    for (const address of gone) {
      this.#draining.add(address);
      void address.drain().then(() => this.#draining.delete(address));
    }
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Calls another address from now on, in place of the one there is. */
  move(url: URL): void {
    const [named] = this.named;
    const isThere = this.#all.length === 1 && this.#all[0]?.url.href === url.href;
    if (named !== undefined && !isThere) {
      this.use(named, [named.makeOther(url)]);
    }
  }

  /** Calls `listener` after each change of the addresses. Returns what ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Counts in these totals from now on, by the name of the address; what was counted so far is
   * added.
   */
  countIn(totalsOf: (address: string) => collections.AddressTotals): void {
    for (const named of this.named) {
      const totals = totalsOf(named.name);
      if (totals === named.totals) continue;
      totals.add(named.totals);
      named.totals = totals;
    }
  }

  /** Reports each address that goes down or up. */
  report(listener: AddressListener): void {
    for (const named of this.named) {
      named.listener = listener;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all, ...this.#draining].map((address) => address.close()));
  }

  #spread(): Balancer<Address> {
    this.#all = this.named.flatMap(({ records }) => records);
    this.#outliers = this.#all.length === 1 ? null : new Outliers(this.#all);
    return new Balancer(this.#all, this.#balance);
  }
}
