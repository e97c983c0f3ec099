import { Cancellation } from '../../base/cancellation.js';
import type { Release } from '../http/concurrency.js';
import type { PollAccount, PollPayment } from './poll-account.js';

/** One who may pay for a call. */
export interface Payer {
  readonly account: PollAccount;
  /** It has paid for one call, which nobody has made for it yet. */
  isPrepaid: boolean;
}

/**
 * Who pays for the calls of a poll: those who want it, in turns. One that has no points, or no room for a call among
 * its requests, is passed over: what one of them does with its own must not be felt by the others.
 */
export class Payers {
  /** Calls that were paid for in turns. */
  #turns = 0;
  /** Where nobody has room: the clients that are waited for. */
  readonly #waiting = new Map<string, Cancellation>();
  /** Room that a client has got by waiting, to be used at once. */
  readonly #permits = new Map<string, Release>();
  readonly #found: () => void;

  /** `found` is called when a client that was waited for has room. */
  constructor(found: () => void) {
    this.#found = found;
  }

  /** The next call is paid for; or nobody has points for it; or nobody who may have them has room, and it is waited for. */
  next(payers: readonly Payer[]): PollPayment | 'poor' | 'waiting' {
    const poor = new Set<string>();
    const busy = new Map<string, PollAccount>();
    for (const payer of this.#inTurn(payers)) {
      const { client } = payer.account;
      if (busy.has(client) || (poor.has(client) && !payer.isPrepaid)) continue;
      const release = this.#permits.get(client) ?? payer.account.tryAcquire();
      this.#permits.delete(client);
      if (release === null) {
        busy.set(client, payer.account);
        continue;
      }
      const payment = payer.isPrepaid ? payer.account.paid(release) : payer.account.pay(release);
      if (payment !== null) {
        payer.isPrepaid = false;
        this.stop();
        return payment;
      }
      release();
      poor.add(client);
    }
    for (const account of busy.values()) this.#waitFor(account);
    return busy.size === 0 ? 'poor' : 'waiting';
  }

  /** These are left: nobody else is waited for. */
  keep(payers: readonly Payer[]): void {
    const clients = new Set(payers.map(({ account }) => account.client));
    for (const [client, waiting] of this.#waiting) {
      if (clients.has(client)) continue;
      waiting.abort();
      this.#waiting.delete(client);
    }
    for (const [client, release] of this.#permits) {
      if (clients.has(client)) continue;
      this.#permits.delete(client);
      release();
    }
  }

  /** Nobody is waited for. */
  stop(): void {
    this.keep([]);
  }

  /** First those who have paid already. */
  #inTurn(payers: readonly Payer[]): readonly Payer[] {
    const prepaid = payers.filter(({ isPrepaid }) => isPrepaid);
    const others = payers.filter(({ isPrepaid }) => !isPrepaid);
    const turn = (prepaid.length > 0 ? this.#turns : this.#turns++) % Math.max(1, others.length);
    return [...prepaid, ...others.slice(turn), ...others.slice(0, turn)];
  }

  #waitFor(account: PollAccount): void {
    const { client } = account;
    if (this.#waiting.has(client)) return;
    const waiting = new Cancellation();
    this.#waiting.set(client, waiting);
    void account.acquireLater(waiting).then((release) => {
      if (release === null) return;
      // It may have come just when nobody wanted it any more.
      if (this.#waiting.get(client) !== waiting) return release();
      this.#waiting.delete(client);
      this.#permits.set(client, release);
      this.#found();
    });
  }
}
