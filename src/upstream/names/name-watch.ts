import { errorCode, Refusal } from '../../core/index.js';
import type { Address } from '../address.js';
import type { AddressSet, NamedAddress } from '../address-set.js';
import type { UpstreamLimits } from '../limits.js';
import { distinctRecords, type ResolveName } from './resolve-name.js';

/**
 * The share by which the interval is made shorter or longer, so that many gateways do not ask at
 * once.
 */
const JITTER = 0.2;
/** The pause after a look-up that failed; doubled with each, up to the interval. */
const FAILED_MILLIS = 1_000;

/** Changes of the records of a name, for the log. */
export interface NameEvents {
  readonly resolved: (hostname: string, records: number) => void;
  /** `code` is that of the system, such as `ENOTFOUND`. */
  readonly failed: (hostname: string, code: string) => void;
}

/** The parts that the names of a backend are looked up with. */
export interface NameWatchParts {
  readonly addresses: AddressSet;
  readonly limits: UpstreamLimits;
  readonly resolveName: ResolveName;
  readonly events: NameEvents;
}

/** Looks the names of a backend up again and again, and calls all records that can be reached. */
export class NameWatch {
  readonly #names: readonly WatchedName[];

  constructor(parts: NameWatchParts) {
    this.#names = parts.addresses.named
      .filter(({ isName }) => isName)
      .map((named) => new WatchedName(named, parts));
  }

  start(): void {
    for (const name of this.#names) {
      name.start();
    }
  }

  close(): void {
    for (const name of this.#names) {
      name.close();
    }
  }
}

class WatchedName {
  readonly #named: NamedAddress;
  readonly #parts: NameWatchParts;
  #timer: NodeJS.Timeout | null = null;
  /** Look-ups in a row that failed. */
  #failures = 0;
  #isClosed = false;

  constructor(named: NamedAddress, parts: NameWatchParts) {
    this.#named = named;
    this.#parts = parts;
  }

  start(): void {
    void this.#look();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
  }

  async #look(): Promise<void> {
    const { hostname } = this.#named;
    const { limits, resolveName, events } = this.#parts;
    const { resolveMillis } = limits;
    let pauseMillis: number = resolveMillis;
    try {
      const records = distinctRecords(await resolveName(hostname));
      if (records.length === 0) throw new Refusal('UPSTREAM_UNREACHABLE', 'no record');
      const isChanged = await this.#use(records);
      if (isChanged || this.#failures > 0) {
        events.resolved(hostname, this.#named.records.length);
      }
      this.#failures = 0;
    } catch (error) {
      // The records there are stay in use: without an answer it is not known that they are wrong.
      this.#named.totals.failedLookups++;
      if (this.#failures++ === 0 && !this.#isClosed) {
        events.failed(hostname, errorCode(error) ?? 'unknown');
      }
      pauseMillis = Math.min(resolveMillis, FAILED_MILLIS * 2 ** (this.#failures - 1));
    }
    if (this.#isClosed) return;
    const jittered = pauseMillis * (1 - JITTER + 2 * JITTER * Math.random());
    this.#timer = setTimeout(() => void this.#look(), jittered).unref();
  }

  /**
   * Calls these records from now on. Of several, a new one is called once a connection to it could
   * be made: hosts without IPv6 get AAAA records too, and each call there would wait in vain.
   * Resolves to whether there were others.
   */
  async #use(records: readonly string[]): Promise<boolean> {
    const earlier = this.#named.records;
    const kept = earlier.filter(({ ip }) => ip !== null && records.includes(ip));
    const added = records
      .filter((ip) => !kept.some((address) => address.ip === ip))
      .map((ip) => this.#named.makeAddress(ip));
    const reached = records.length === 1 ? added : await this.#reached(added);
    if (this.#isClosed) return false;
    const used = kept.length + reached.length === 0 ? added : [...kept, ...reached];
    if (used.length === earlier.length && used.every((address) => earlier.includes(address))) {
      return false;
    }
    this.#parts.addresses.use(this.#named, used);
    return earlier.some(({ ip }) => ip !== null);
  }

  async #reached(addresses: readonly Address[]): Promise<readonly Address[]> {
    const answers = await Promise.all(
      addresses.map((address) => address.reach(this.#parts.limits.connectMillis)),
    );
    return addresses.filter((_address, index) => answers[index] === true);
  }
}
