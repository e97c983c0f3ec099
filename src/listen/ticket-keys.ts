import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';

/** How long tickets are made with one key unless it is configured. */
const KEY_MILLIS = 3_600_000;
/**
 * Keys that are computed one from the other; after more, because a clock was set, processes begin
 * anew.
 */
const PERIODS_MAX = 10_000;

/** The secret of a period, of which that of the next period is made. */
export interface TicketSecret {
  /** Whole periods since 1970. */
  readonly period: number;
  /** In base64, for messages between processes. */
  readonly secret: string;
}

/**
 * The keys of TLS session tickets (RFC 5077), new after each period. Processes that begin with one
 * secret have the same keys, so that a session goes on in another worker. Earlier keys cannot be
 * computed from later ones: old traffic stays secret.
 */
export class TicketKeys {
  readonly #everyMillis: number;
  #period: number;
  #secret: Buffer;

  /**
   * Without a secret of another process begins with a new one. `everyMillis` is the length of a
   * period.
   */
  constructor(
    shared: TicketSecret | null = null,
    everyMillis = KEY_MILLIS,
    nowMillis = Date.now(),
  ) {
    this.#everyMillis = everyMillis;
    this.#period = shared?.period ?? this.period(nowMillis);
    this.#secret = shared === null ? randomBytes(48) : Buffer.from(shared.secret, 'base64');
  }

  /** The secret of this period. */
  share(nowMillis = Date.now()): TicketSecret {
    this.#advance(nowMillis);
    return { period: this.#period, secret: this.#secret.toString('base64') };
  }

  /**
   * The 48 bytes of a listener; `rules` is all that a session of it relies on, so that no other
   * listener takes it.
   */
  keyFor(rules: string, nowMillis = Date.now()): Buffer {
    this.#advance(nowMillis);
    return createHmac('sha384', this.#secret).update(`key ${rules}`).digest();
  }

  /** The period of the current key. */
  period(nowMillis = Date.now()): number {
    return Math.floor(nowMillis / this.#everyMillis);
  }

  #advance(nowMillis: number): void {
    const period = this.period(nowMillis);
    if (period - this.#period > PERIODS_MAX) {
      this.#period = period;
      this.#secret = randomBytes(48);
    }
    for (; this.#period < period; this.#period++) {
      this.#secret = createHmac('sha384', this.#secret).update('next period').digest();
    }
  }
}
