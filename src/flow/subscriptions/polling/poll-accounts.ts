import { Cancellation } from '../../../core/index.js';
import type { Release } from '../../http/concurrency.js';
import type { PollAccount, PollPayment } from './poll-account.js';

/** A subscriber that may pay for a call. */
export interface BilledSubscriber {
  readonly account: PollAccount;
  /** It has paid for one call that is not made yet. */
  isPrepaid: boolean;
}

/**
 * Chooses the subscriber that pays for the next call of a poll, in turns. One without points, or
 * without a permit for a call among its requests, is passed over: a subscriber without points must
 * not delay the others.
 */
export class PollBilling {
  /** Calls that were paid for in turns. */
  #turns = 0;
  /** Clients whose permit is waited for, because none has one now. */
  readonly #waiting = new Map<string, Cancellation>();
  /** Permits that clients got by waiting, to be used at once. */
  readonly #permits = new Map<string, Release>();
  readonly #found: () => void;

  /** `found` is called when a client that was waited for has a permit. */
  constructor(found: () => void) {
    this.#found = found;
  }

  /**
   * The payment for the next call; `poor`: no subscriber has the points; `waiting`: those that may
   * have them wait for a permit.
   */
  next(subscribers: readonly BilledSubscriber[]): PollPayment | 'poor' | 'waiting' {
    const poor = new Set<string>();
    const busy = new Map<string, PollAccount>();
    for (const subscriber of this.#inTurn(subscribers)) {
      const { client } = subscriber.account;
      if (busy.has(client) || (poor.has(client) && !subscriber.isPrepaid)) continue;
      const release = this.#permits.get(client) ?? subscriber.account.tryAcquire();
      this.#permits.delete(client);
      if (release === null) {
        busy.set(client, subscriber.account);
        continue;
      }
      const payment = subscriber.isPrepaid
        ? subscriber.account.paid(release)
        : subscriber.account.pay(release);
      if (payment !== null) {
        subscriber.isPrepaid = false;
        this.stop();
        return payment;
      }
      release();
      poor.add(client);
    }
    for (const account of busy.values()) {
      this.#waitFor(account);
    }
    return busy.size === 0 ? 'poor' : 'waiting';
  }

  /** These subscribers are left: no other is waited for. */
  keep(subscribers: readonly BilledSubscriber[]): void {
    const clients = new Set(subscribers.map(({ account }) => account.client));
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

  /** Stops waiting for clients. */
  stop(): void {
    this.keep([]);
  }

  /** Subscribers that have paid already come first. */
  #inTurn(subscribers: readonly BilledSubscriber[]): readonly BilledSubscriber[] {
    const prepaid = subscribers.filter(({ isPrepaid }) => isPrepaid);
    const others = subscribers.filter(({ isPrepaid }) => !isPrepaid);
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
      // The permit may come when it is not wanted any more.
      if (this.#waiting.get(client) !== waiting) return release();
      this.#waiting.delete(client);
      this.#permits.set(client, release);
      this.#found();
    });
  }
}
