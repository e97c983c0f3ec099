import type { collections, RefusalCode } from '../core/index.js';
import type { CallOutcome, EjectionReason } from './breaker.js';

/** The calls of one address, lately. */
export class AddressTally {
  readonly #totals: () => collections.AddressTotals;
  /** Each look halves them. */
  recentCalls = 0;
  recentBad = 0;
  recentMillis = 0;

  /** `totals` are where the same calls are counted for good, at the moment. */
  constructor(totals: () => collections.AddressTotals) {
    this.#totals = totals;
  }

  record(outcome: CallOutcome, code: RefusalCode | null, millis: number): void {
    const totals = this.#totals();
    totals.calls++;
    // A Fault is an answer, and only decoded replies show theirs.
    if (code !== null && code !== 'SOAP_FAULT' && outcome !== 'none') {
      totals.failures.set(code, (totals.failures.get(code) ?? 0) + 1);
    }
    if (outcome === 'none') return;
    this.recentCalls++;
    if (outcome === 'answered') {
      this.recentMillis += millis;
    } else {
      this.recentBad++;
    }
  }

  /** An attempt is over. */
  report(...attempt: Parameters<NonNullable<collections.AddressTotals['listener']>>): void {
    this.#totals().listener?.(...attempt);
  }

  ejected(reason: EjectionReason): void {
    const { ejections } = this.#totals();
    ejections.set(reason, (ejections.get(reason) ?? 0) + 1);
    this.recentCalls = 0;
    this.recentBad = 0;
    this.recentMillis = 0;
  }

  /** Forgets half of what was lately. */
  fade(): void {
    this.recentCalls /= 2;
    this.recentBad /= 2;
    this.recentMillis /= 2;
  }
}

/** The part of an address that is compared with others. */
export interface Compared {
  readonly tally: AddressTally;
  /** Not called now, or only to try it. */
  readonly isResting: boolean;
  eject(reason: EjectionReason, nowMillis: number): void;
}

const LOOK_MILLIS = 500;
/** Calls lately, below which nothing is known. */
const CALLS_MIN = 3;
/** Bad answers lately, below which the breaker alone decides. */
const BAD_MIN = 5;
/**
 * The share of bad answers from which on an address is ejected, and how many times that of the
 * others it must be.
 */
const BAD_SHARE = 0.25;
const BAD_RATIO = 3;
/**
 * The ratio of mean call times to the fastest other address that ejects one, and the least
 * difference.
 */
const SLOW_RATIO = 5;
const SLOW_MILLIS = 100;
/** The share of addresses at rest from which on comparison ejects no more. */
const EJECTED_SHARE = 2 / 3;

/**
 * Compares the addresses of a backend, and ejects one that answers worse or slower than the others.
 * No address is ejected where all do: the backend behind them is at fault.
 */
export class Outliers {
  readonly #addresses: readonly Compared[];
  #lookedMillis = 0;

  constructor(addresses: readonly Compared[]) {
    this.#addresses = addresses;
  }

  /** Called after each call; looks twice a second at most. */
  look(nowMillis: number): void {
    if (nowMillis - this.#lookedMillis < LOOK_MILLIS) return;
    this.#lookedMillis = nowMillis;
    const addresses = this.#addresses;
    let resting = addresses.filter(({ isResting }) => isResting).length;
    const most = Math.min(
      addresses.length - 1,
      Math.floor(addresses.length * EJECTED_SHARE + 1e-9),
    );
    for (const address of addresses) {
      if (resting >= most) break;
      const reason = address.isResting ? null : this.#worse(address);
      if (reason === null) continue;
      address.eject(reason, nowMillis);
      resting++;
    }
    for (const { tally } of addresses) {
      tally.fade();
    }
  }

  /** The measure by which an address is worse than the best of the others, or null. */
  #worse({ tally }: Compared): EjectionReason | null {
    if (tally.recentCalls < CALLS_MIN) return null;
    const others = this.#addresses
      .filter(
        (other) =>
          other.tally !== tally && !other.isResting && other.tally.recentCalls >= CALLS_MIN,
      )
      .map((other) => other.tally);
    if (others.length === 0) return null;
    const share = tally.recentBad / tally.recentCalls;
    const least = Math.min(...others.map((other) => other.recentBad / other.recentCalls));
    if (tally.recentBad >= BAD_MIN && share >= BAD_SHARE && share >= least * BAD_RATIO) {
      return 'errors';
    }
    const mean = meanMillis(tally);
    const fastest = Math.min(...others.map(meanMillis));
    return mean - fastest >= SLOW_MILLIS && mean >= fastest * SLOW_RATIO ? 'latency' : null;
  }
}

const meanMillis = ({ recentCalls, recentBad, recentMillis }: AddressTally): number =>
  recentCalls > recentBad ? recentMillis / (recentCalls - recentBad) : 0;
