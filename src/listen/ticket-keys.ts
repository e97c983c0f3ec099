import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';

/** How long tickets are made with one key. */
const KEY_MILLIS = 3_600_000;
/** Hours that are computed one from the other; after more, because a clock was set, processes begin anew. */
const HOURS_MAX = 10_000;

/** The secret of an hour, of which that of the next hour is made. */
export interface TicketSecret {
  readonly hour: number;
  /** In base64, for messages between processes. */
  readonly secret: string;
}

/**
 * The keys of TLS session tickets (RFC 5077), new every hour. Processes that begin with one secret have the same keys,
 * so that a session goes on in another worker. Earlier keys cannot be computed from later ones: old traffic stays secret.
 */
export class TicketKeys {
  #hour: number;
  #secret: Buffer;

  /** Without a secret of another process begins with a new one. */
  constructor(shared: TicketSecret | null = null, nowMillis = Date.now()) {
    this.#hour = shared?.hour ?? hourOf(nowMillis);
    this.#secret = shared === null ? randomBytes(48) : Buffer.from(shared.secret, 'base64');
  }

  /** The secret of this hour. */
  share(nowMillis = Date.now()): TicketSecret {
    this.#advance(nowMillis);
    return { hour: this.#hour, secret: this.#secret.toString('base64') };
  }

  /** The 48 bytes of a listener; `rules` is all that a session of it relies on, so that no other listener takes it. */
  keyFor(rules: string, nowMillis = Date.now()): Buffer {
    this.#advance(nowMillis);
    return createHmac('sha384', this.#secret).update(`key ${rules}`).digest();
  }

  /** The hour of the current key. */
  hour(nowMillis = Date.now()): number {
    return hourOf(nowMillis);
  }

  #advance(nowMillis: number): void {
    if (hourOf(nowMillis) - this.#hour > HOURS_MAX) {
      this.#hour = hourOf(nowMillis);
      this.#secret = randomBytes(48);
    }
    for (; this.#hour < hourOf(nowMillis); this.#hour++)
      this.#secret = createHmac('sha384', this.#secret).update('next hour').digest();
  }
}

const hourOf = (millis: number): number => Math.floor(millis / KEY_MILLIS);
