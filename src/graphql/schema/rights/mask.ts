import { createHmac } from 'node:crypto';
import type { Scalar } from '../../../codec/index.js';
import type { Mask } from './field-rule.js';

/** Replaces values by what a mask leaves of them. */
export class Masker {
  readonly #key: string | Uint8Array;

  /** `key` is that of hashes: equal values have equal hashes under one key. */
  constructor(key: string | Uint8Array) {
    this.#key = key;
  }

  /** The masked value: a text, or a list of texts. Others become null. */
  mask(value: unknown, mask: Mask): unknown {
    if (value === null || value === undefined || mask === 'null' || mask === 'remove') return null;
    if (Array.isArray(value)) return value.map((item) => this.mask(item, mask));
    return typeof value === 'string' ? this.maskText(value, mask) : null;
  }

  maskText(text: string, mask: 'last4' | 'hash'): string {
    if (mask === 'last4') return lastFour(text);
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, HASH_CHARS);
  }

  /** The scalar whose values are masked. */
  maskScalar(scalar: Scalar, mask: 'last4' | 'hash'): Scalar {
    const masked = (value: unknown): string => this.maskText(String(value), mask);
    return {
      // Without the marks of the scalar: its values are not those of its type any more.
      name: 'String',
      decode: (lexical) => {
        const value = scalar.decode(lexical);
        if (value === null) return null;
        return typeof value === 'object'
          ? value.map((item) => (item === null ? null : masked(item)))
          : masked(value);
      },
      encode: (value) => String(value),
      mask: (value) => this.mask(value, mask),
    };
  }
}

/** 128 bits. */
const HASH_CHARS = 22;

const SHOWN_MAX = 4;

/** The last four characters, but never more than half of a text. */
function lastFour(text: string): string {
  const characters = [...text];
  const shown = Math.min(SHOWN_MAX, Math.floor(characters.length / 2));
  return `****${shown === 0 ? '' : characters.slice(-shown).join('')}`;
}
