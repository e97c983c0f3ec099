import { performance } from 'node:perf_hooks';
import { plainAddress } from '../../access/address.js';
import { Networks } from '../../access/networks.js';
import { setAndEvictOldest } from '../../base/evict-oldest.js';
import type { HttpLimits } from '../../config/http-limits.js';
import { fairScheduler } from './fair-scheduler.js';

/** So much time of the event loop that a refused request took counts as one more refusal: it is what an attack costs. */
const UNIT_MILLIS = 0.25;

/** Taking so many bytes from the system costs as much. */
const UNIT_BYTES = 64 * 1024;

/** Refusals that are answered at once before any waits, in seconds of the rate: a client's bad moment is no attack. */
const BURST_SECONDS = 2;

/** How long what is long is read slowly of an address, after one of its refusals had to wait. */
const PENALTY_MILLIS = 30_000;

/** What of the limits says how long anybody waits. */
export type Patience = Pick<HttpLimits, 'refusalsPerSecond' | 'refusalHoldMillis'>;

/** What an answer waits to be written to: a connection, or what shares one with others. */
export interface Waiter {
  readonly remoteAddress?: string | undefined;
  readonly destroyed: boolean;
  /** Nothing more is to be read until `resume`. */
  pause(): unknown;
  resume(): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** Addresses remembered; beyond, the one longest without a refusal is forgotten, and begins anew. */
const ADDRESSES_MAX = 10_000;

/**
 * Where the answers to refused requests wait when one address gets too many of them. Whoever sends rubbish as fast as
 * it is refused would take all of the event loop that good callers leave, and make each of them wait; made to wait for
 * its answers, it gets a bounded share, and what is long of its requests is read slowly. Requests that are in order
 * never wait here, those of the same address included, and each makes up for a refusal; but after one that held up
 * everybody, new connections of its address are let in one after the other.
 * What comes through a trusted proxy is never held: its connections are those of many callers, who would all wait for
 * one, and it has limits of its own.
 *
 * The rate is kept as in the generic cell rate algorithm (ITU-T I.371): one moment for each address, up to which its
 * refusals are paid for.
 */
export class PenaltyBox {
  readonly #unitMillis: number;
  readonly #holdMillis: number;
  readonly #proxies: Networks;
  /** Until when the refusals of an address use up its time; the last to be refused is the last here. */
  readonly #paidMillis = new Map<string, number>();
  /** Until when addresses whose refusals wait have been reported. */
  readonly #reportedMillis = new Map<string, number>();
  readonly #held = new Set<() => void>();
  readonly #penalised: (address: string) => void;

  /** `penalised` is called with an address whose refusals wait, once in `PENALTY_MILLIS`. */
  constructor(
    { refusalsPerSecond, refusalHoldMillis }: Patience,
    trustedProxies = new Networks([]),
    penalised: (address: string) => void = () => {},
  ) {
    this.#penalised = penalised;
    this.#unitMillis = refusalsPerSecond === 0 ? 0 : 1000 / refusalsPerSecond;
    this.#holdMillis = refusalHoldMillis;
    this.#proxies = trustedProxies;
  }

  /** Answers that wait. */
  get held(): number {
    return this.#held.size;
  }

  /** A trusted proxy: what comes from it comes from many clients, none of whom is to suffer for another. */
  isTrusted(address: string): boolean {
    return this.#proxies.has(plainAddress(address));
  }

  /** Addresses of which something was refused lately. */
  get addresses(): number {
    return this.#paidMillis.size;
  }

  /**
   * Counts a refusal of which `bytes` were read, and that took so much time of the event loop. Null when it may be
   * answered at once; else it resolves when it may, or when nobody waits for it any more. Nothing is read meanwhile.
   */
  penalise(socket: Waiter, bytes: number, workMillis = 0): Promise<void> | null {
    const address = socket.remoteAddress;
    // Nobody waits for an answer on a connection that is gone, nor has it an address that could be told from others.
    if (address === undefined || socket.destroyed || this.isTrusted(address)) return null;
    const cost = bytes + (workMillis / UNIT_MILLIS) * UNIT_BYTES;
    const millis = this.delayMillis(address, cost, performance.now());
    if (millis === 0) return null;
    socket.pause();
    return new Promise((resolve) => {
      const release = (): void => {
        clearTimeout(timer);
        socket.off('close', release);
        this.#held.delete(release);
        socket.resume();
        resolve();
      };
      const timer = setTimeout(release, millis);
      socket.once('close', release);
      this.#held.add(release);
    });
  }

  /** A request of this address was answered: who shares one with somebody that is refused is not to wait for that. */
  forgive(address: string, nowMillis = performance.now()): void {
    const before = this.#paidMillis.get(address);
    if (before === undefined) return;
    const paid = before - this.#unitMillis;
    if (paid > nowMillis) this.#paidMillis.set(address, paid);
    else this.#paidMillis.delete(address);
  }

  /** How long the answer to a refusal has to wait that is counted now. */
  delayMillis(address: string, bytes: number, nowMillis: number): number {
    if (this.#unitMillis === 0) return 0;
    const units = 1 + Math.floor(bytes / UNIT_BYTES);
    const burstMillis = BURST_SECONDS * 1000;
    const before = this.#paidMillis.get(address);
    const paid = Math.max(nowMillis, before ?? 0) + units * this.#unitMillis;
    // What can never be waited for is not owed: an attack that ended is forgotten as soon as any other. Those who wait
    // longest do not all wait for the same moment: they would come again together.
    const longest = this.#holdMillis * (0.5 + Math.random() / 2);
    const capped = Math.min(paid, nowMillis + burstMillis + longest);
    setAndEvictOldest(this.#paidMillis, address, capped, ADDRESSES_MAX);
    const delayMillis = Math.max(0, capped - nowMillis - burstMillis);
    if (delayMillis > 0) {
      fairScheduler.penalise(address, nowMillis + PENALTY_MILLIS);
      this.#report(address, nowMillis);
    }
    return delayMillis;
  }

  #report(address: string, nowMillis: number): void {
    if (nowMillis < (this.#reportedMillis.get(address) ?? 0)) return;
    setAndEvictOldest(this.#reportedMillis, address, nowMillis + PENALTY_MILLIS, ADDRESSES_MAX);
    this.#penalised(address);
  }

  /** Lets all go at once: the gateway stops. */
  close(): void {
    fairScheduler.forgiveAll();
    for (const release of this.#held) release();
  }
}
