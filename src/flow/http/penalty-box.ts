import { performance } from 'node:perf_hooks';
import { Networks } from '../../access/network/networks.js';
import type { HttpLimits } from '../../config/listen/http-limits.js';
import { collections, getOrMake } from '../../core/index.js';
import { forgiveAll, recordOf } from './connection-record.js';

/**
 * So much time of the event loop that a refused request took counts as one more refusal: it is what
 * an attack costs.
 */
const UNIT_MILLIS = 0.25;

/** Taking so many bytes from the system costs as much. */
const UNIT_BYTES = 64 * 1024;

/**
 * Refusals that are answered at once before any is delayed, in seconds of the rate: a client's bad
 * moment is no attack.
 */
const BURST_SECONDS = 2;

/** An address is reported once in this time. */
const REPORT_MILLIS = 30_000;

/** The limits of delays. */
export type PenaltyLimits = Pick<HttpLimits, 'refusalsPerSecond' | 'refusalHoldMillis'>;

/** The cost of a refused request: bytes that were read, and time of the event loop. */
export interface Cost {
  readonly bytes: number;
  readonly workMillis: number;
}

/** The carrier of the refusal: a connection, or one operation of several that share one. */
export interface RefusalCarrier {
  readonly destroyed: boolean;
  /** Nothing more is to be read until `resume`. */
  pause(): unknown;
  resume(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** The connection that a refusal is charged to. */
export interface ChargedSocket extends RefusalCarrier {
  readonly remoteAddress?: string | undefined;
}

/**
 * Addresses remembered; beyond, the one longest without a refusal is forgotten, and begins anew.
 */
const ADDRESSES_MAX = 10_000;

/**
 * Delays the answers to refused requests when one address gets too many of them. A client that
 * sends bad requests as fast as they are refused would take all of the event loop that others
 * leave; while its answers are delayed, it gets a bounded share.
 *
 * A refusal is charged to its connection first: each good request of a connection covers one
 * refusal. An uncovered refusal is charged to the address, whose rate is shared by all its
 * connections, and delays the answer; so a new connection for each bad request gains nothing, and a
 * connection with good requests is not delayed for its neighbours. What a refusal cost delays those
 * that follow it, not itself. After a delay the long messages of that connection are read slowly.
 * Good requests are never delayed.
 * Connections of a trusted proxy are those of many clients: they are neither charged nor delayed.
 *
 * The rate is kept as in the generic cell rate algorithm (ITU-T I.371): one moment for each
 * address, up to which its refusals are paid for.
 */
export class PenaltyBox {
  #unitMillis = 0;
  #holdMillis = 0;
  #proxies = new Networks([]);
  /**
   * Until when the refusals of an address use up its time; the last to be refused is the last here.
   */
  readonly #paidMillis = new Map<string, number>();
  /** Until when addresses whose refusals are delayed have been reported. */
  readonly #reportedMillis = new Map<string, number>();
  readonly #delayed = new Set<() => void>();
  readonly #releases = new WeakMap<RefusalCarrier, Set<() => void>>();
  readonly #penalised: (address: string) => void;

  /** `penalised` is called with an address whose refusals are delayed, once in `REPORT_MILLIS`. */
  constructor(
    limits: PenaltyLimits,
    trustedProxies = new Networks([]),
    penalised: (address: string) => void = () => {},
  ) {
    this.#penalised = penalised;
    this.configure(limits, trustedProxies);
  }

  /** Sets the limits for refusals from now on; charges so far stay. */
  configure(
    { refusalsPerSecond, refusalHoldMillis }: PenaltyLimits,
    trustedProxies: Networks,
  ): void {
    this.#unitMillis = refusalsPerSecond === 0 ? 0 : 1000 / refusalsPerSecond;
    this.#holdMillis = refusalHoldMillis;
    this.#proxies = trustedProxies;
  }

  /** Answers that are delayed now. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Whether an address is a trusted proxy. */
  isTrusted(address: string): boolean {
    return this.#proxies.has(address);
  }

  /** Addresses that were charged lately. */
  get addresses(): number {
    return this.#paidMillis.size;
  }

  /**
   * Charges a refusal to its connection. Null when it may be answered at once; else resolves when
   * it may, or when the client has gone. Until then nothing is read from `waiter`, by default the
   * connection itself.
   */
  penalise(
    socket: ChargedSocket,
    { bytes, workMillis }: Cost,
    waiter: RefusalCarrier = socket,
  ): Promise<void> | null {
    const record = recordOf(socket);
    const { address } = record;
    // A connection that has gone waits for no answer; one without address was gone when it was
    // looked at first.
    if (this.#unitMillis === 0 || address === '' || waiter.destroyed || this.isTrusted(address)) {
      return null;
    }
    const units = record.charge(1 + Math.floor(bytes / UNIT_BYTES + workMillis / UNIT_MILLIS));
    if (units === 0) return null;
    const delayMillis = this.delayMillis(address, units, performance.now());
    if (delayMillis === 0) return null;
    record.penalise();
    return this.#delay(waiter, delayMillis);
  }

  /** Credits a connection with a good request. */
  forgive(socket: ChargedSocket): void {
    recordOf(socket).addGoodRequest();
  }

  /** Charges an address. Returns how long the answer to the refusal has to wait. */
  delayMillis(address: string, units: number, nowMillis: number): number {
    if (this.#unitMillis === 0) return 0;
    const burstMillis = BURST_SECONDS * 1000;
    const before = this.#paidMillis.get(address);
    const owed = Math.max(nowMillis, before ?? 0);
    const paid = owed + units * this.#unitMillis;
    // Refusals beyond the longest delay are not charged: an attack that ended is forgotten as soon
    // as any other. The longest delays differ: clients that waited for the same moment would come
    // again together.
    const longest = this.#holdMillis * (0.5 + Math.random() / 2);
    const capped = Math.min(paid, nowMillis + burstMillis + longest);
    collections.setAndEvictOldest(this.#paidMillis, address, capped, ADDRESSES_MAX);
    // The length of a message delays the refusals after it: one mistake is no attack.
    const dueMillis = Math.min(owed + this.#unitMillis, capped);
    // To the microsecond: sums of fractions are a little more or less than what they stand for.
    const delayMillis = Math.max(
      0,
      Math.round((dueMillis - nowMillis - burstMillis) * 1000) / 1000,
    );
    if (delayMillis > 0) {
      this.#report(address, nowMillis);
    }
    return delayMillis;
  }

  /** A connection waits for each of its refusals: it is read again after the last one. */
  #delay(waiter: RefusalCarrier, millis: number): Promise<void> {
    waiter.pause();
    const releases = this.#releasesOf(waiter);
    return new Promise((resolve) => {
      const release = (): void => {
        clearTimeout(timer);
        releases.delete(release);
        this.#delayed.delete(release);
        if (releases.size === 0) {
          waiter.resume();
        }
        resolve();
      };
      const timer = setTimeout(release, millis);
      releases.add(release);
      this.#delayed.add(release);
    });
  }

  /** The delays of a connection, which end with it. It has one listener, however many there are. */
  #releasesOf(waiter: RefusalCarrier): Set<() => void> {
    return getOrMake(this.#releases, waiter, () => {
      const releases = new Set<() => void>();
      waiter.once('close', () => {
        for (const release of releases) {
          release();
        }
      });
      return releases;
    });
  }

  #report(address: string, nowMillis: number): void {
    if (nowMillis < (this.#reportedMillis.get(address) ?? 0)) return;
    collections.setAndEvictOldest(
      this.#reportedMillis,
      address,
      nowMillis + REPORT_MILLIS,
      ADDRESSES_MAX,
    );
    this.#penalised(address);
  }

  /** Releases all delayed answers at once and ends all penalties: the gateway stops. */
  close(): void {
    forgiveAll();
    for (const release of this.#delayed) {
      release();
    }
  }
}
