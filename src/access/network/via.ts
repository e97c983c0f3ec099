import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { Refusal } from '../../core/index.js';

/**
 * Intermediaries in a request. A longer way is a loop in which each of them writes no name, or a
 * new one.
 */
export const HOPS_MAX = 20;
/** Characters of the field of a caller. */
const CHARS_MAX = 2_048;

type FieldValue = string | readonly string[] | undefined;

/**
 * The field `Via` (RFC 9110 section 7.6.3), by which a gateway that its own requests come back to
 * finds out. The name of the gateway is a pseudonym, the same in all of its processes. It tells
 * nothing of the host.
 */
export class Via {
  readonly #name: string;
  readonly #own: string;

  /** `identity` differs between the gateways of one host. */
  constructor(identity: string) {
    const digest = createHash('sha256').update(`${hostname()}\n${identity}`).digest('hex');
    this.#name = `soapstone-${digest.slice(0, NAME_DIGITS)}`;
    this.#own = `1.1 ${this.#name}`;
  }

  /**
   * Throws `LOOP_DETECTED` for a request that has passed this gateway, or too many intermediaries.
   */
  check(received: FieldValue): void {
    if (received === undefined) return;
    const text = String(received);
    if (text.includes(this.#name)) throw new Refusal('LOOP_DETECTED');
    const isLong = text.length > CHARS_MAX || text.split(',', HOPS_MAX + 1).length > HOPS_MAX;
    if (isLong) throw new Refusal('LOOP_DETECTED', `more than ${HOPS_MAX} intermediaries`);
  }

  /**
   * The value for a backend: the gateways of this kind so far, and this one. Other names are those
   * that a caller wrote, and say nothing about a loop.
   */
  next(received: FieldValue): string {
    if (received === undefined) return this.#own;
    const before = String(received).match(GATEWAY) ?? [];
    return [...before.slice(0, HOPS_MAX), this.#own].join(', ');
  }
}

/** Hexadecimal digits of a name. */
const NAME_DIGITS = 12;

/** A member of the field that a gateway of this kind wrote. */
const GATEWAY = /(?<=^|,\s*)1\.[01] soapstone-[0-9a-f]{12}(?=\s*(?:,|$))/g;
