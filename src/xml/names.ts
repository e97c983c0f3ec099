import type { Buffer } from 'node:buffer';
import { Refusal } from '../core/index.js';
import { stringOf } from './byte-string.js';
import { CLASS, IN_NAME, isNcName, utf8Length } from './chars.js';

/**
 * A cache of values by their bytes: names and namespace names, so that a string is made once for
 * all messages.
 *
 * It is shared by all readers, of fixed size and set-associative in sets of four: a look-up
 * compares at most four entries. Eviction is by CLOCK with a count: an entry in use stays, even
 * where one client sends names that all differ.
 */
class ByteTable<T> {
  readonly #hashes = new Int32Array(SLOTS);
  readonly #keys: Uint8Array[] = new Array<Uint8Array>(SLOTS).fill(NO_BYTES);
  readonly #values: (T | null)[] = new Array<T | null>(SLOTS).fill(null);
  /** How many times each value is spared before it is evicted. */
  readonly #chances: number[] = new Array<number>(SLOTS).fill(0);

  /** The value kept for these bytes, or null. `hash` is `hashOf` of them. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): T | null {
    const first = setOf(hash);
    const length = end - start;
    for (let slot = first; slot < first + 4; slot++) {
      if (this.#hashes[slot] !== hash) continue;
      const key = this.#keys[slot]!;
      if (key.length !== length) continue;
      let i = 0;
      while (i < length && key[i] === bytes[start + i]) {
        i++;
      }
      if (i !== length) continue;
      this.#chances[slot] = CHANCES;
      return this.#values[slot]!;
    }
    return null;
  }

  /** The value kept at this place now, or null. */
  at(place: number): T | null {
    if (place < 0) return null;
    this.#chances[place] = CHANCES;
    return this.#values[place]!;
  }

  /**
   * Keeps a value, in place of one without chances left where the set is full; returns its place,
   * or -1.
   */
  keep(key: Uint8Array, hash: number, value: T): number {
    if (key.length > LONGEST_KEY_BYTES) return -1;
    const first = setOf(hash);
    let slot = -1;
    for (let probe = first + 3; probe >= first; probe--) {
      if (this.#chances[probe] === 0) {
        slot = probe;
      }
    }
    if (slot < 0) {
      for (let probe = first; probe < first + 4; probe++) {
        this.#chances[probe]!--;
      }
      return -1;
    }
    this.#hashes[slot] = hash;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#chances[slot] = 1;
    return slot;
  }
}

const CHANCES = 8;
const SETS = 512;
const SLOTS = SETS * 4;
const LONGEST_KEY_BYTES = 128;
const NO_BYTES = new Uint8Array(0);

/** The hash of no bytes. */
export const HASH_START = 0;

/** Differs from process to process. */
const SPREAD = (Math.random() * 0x7fffffff) | 1;

/**
 * The first slot of a set, from the upper bits of the product: they depend on all bits of the hash.
 */
const setOf = (hash: number): number => (Math.imul(hash, SPREAD) >>> 23) << 2;

/** One step of the hash. */
export const mix = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let i = start; i < end; i++) {
    hash = mix(hash, bytes[i]!);
  }
  return hash;
}

/** A name as written, split at its colon. */
export class Name {
  /** The name as written, in UTF-8. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /**
   * The bytes by four, for `isAt`; the last four overlap those before when the length is no
   * multiple.
   */
  readonly words: readonly number[];
  readonly firstWord: number;
  readonly lastWord: number;
  /** Which bytes count of the only word of a name of less than four. */
  readonly mask: number;
  readonly prefix: string;
  readonly local: string;
  /** The prefix it declares when it is `xmlns` ('') or `xmlns:p`; null for all other names. */
  readonly declares: string | null;
  /** The namespace of `prefix` on an element in the scope numbered `scope`. */
  uri = '';
  scope = 0;
  /** The position of this name in its table; -1: it is not kept. */
  place = -1;
  /**
   * Messages repeat themselves: the places of the names of the start tags that followed this one
   * the last times, and of the attribute. Places, because names that held each other would never be
   * freed.
   */
  nextTag = -1;
  otherTag = -1;
  nextAttribute = -1;

  constructor(bytes: Uint8Array, prefix: string, local: string) {
    this.bytes = bytes;
    this.length = bytes.length;
    this.words = wordsOf(bytes);
    this.firstWord = this.words[0] ?? 0;
    this.lastWord = this.words.at(-1) ?? 0;
    this.mask = bytes.length < 4 ? (1 << (8 * bytes.length)) - 1 : -1;
    this.prefix = prefix;
    this.local = local;
    this.declares = prefix === 'xmlns' ? local : prefix === '' && local === 'xmlns' ? '' : null;
  }

  /** Remembers which start tag came after this one. */
  follow(name: Name): void {
    this.otherTag = this.nextTag;
    this.nextTag = name.place;
  }
}

/** The name before the first one. */
export const NO_NAME = new Name(NO_BYTES, '', '');

const names = new ByteTable<Name>();
const uris = new ByteTable<string>();

/**
 * The name in these bytes. Throws a `Refusal` when it is no qualified name; `offset` is where it
 * begins.
 */
export function nameOf(
  bytes: Buffer,
  start: number,
  end: number,
  hash: number,
  offset: number,
): Name {
  const known = names.find(bytes, start, end, hash);
  if (known !== null) return known;
  const name = parseName(bytes, start, end, offset);
  name.place = names.keep(name.bytes, hash, name);
  return name;
}

/** The name in these bytes, which are known to be one. */
export const nameIn = (bytes: Buffer, start: number, end: number): Name =>
  nameOf(bytes, start, end, hashOf(bytes, start, end), 0);

/** The name kept at this place now, or null. */
export const nameAt = (place: number): Name | null => names.at(place);

/**
 * The name kept at `place` if it stands at `i`, followed by a byte that belongs to no name; else
 * null.
 */
export function guess(place: number, view: DataView, i: number, end: number): Name | null {
  const name = names.at(place);
  if (name === null || !isAt(name, view, i, end)) return null;
  const after = i + name.length;
  return after < end && (CLASS[view.getUint8(after)]! & IN_NAME) === 0 ? name : null;
}

/**
 * Whether this name stands at `i`. May be false within four bytes of `end`. First and last word
 * differ most often.
 */
export function isAt(name: Name, view: DataView, i: number, end: number): boolean {
  const last = i + name.length - 4;
  if (last + 4 > end || i + 4 > end || (view.getInt32(i, true) & name.mask) !== name.firstWord) {
    return false;
  }
  if (last <= i) return true;
  if (view.getInt32(last, true) !== name.lastWord) return false;
  const { words } = name;
  let at = i + 4;
  for (let index = 1; at < last; index++) {
    if (view.getInt32(at, true) !== words[index]) return false;
    at += 4;
  }
  return true;
}

/** Whether these words of this many bytes, four or more, stand at `i`. The view must hold them. */
export function wordsAt(
  words: readonly number[],
  length: number,
  view: DataView,
  i: number,
): boolean {
  const last = i + length - 4;
  let at = i;
  for (let index = 0; index < words.length; index++) {
    if (view.getInt32(at, true) !== words[index]) return false;
    at += 4;
    if (at > last) {
      at = last;
    }
  }
  return true;
}

/**
 * Bytes by four; the last four overlap those before when the length is no multiple. Less than four
 * end in zeros.
 */
export function wordsOf(bytes: Uint8Array): readonly number[] {
  const { length } = bytes;
  const byte = (at: number): number => (at < length ? bytes[at]! : 0);
  const words: number[] = [];
  for (let next = 0; next < length; next += 4) {
    const at = Math.max(0, Math.min(next, length - 4));
    words.push(byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24));
  }
  return words;
}

/** The namespace name in these bytes, which hold UTF-8 already checked and no reference. */
export function uriOf(bytes: Buffer, start: number, end: number): string {
  const hash = hashOf(bytes, start, end);
  const known = uris.find(bytes, start, end, hash);
  if (known !== null) return known;
  const uri = stringOf(bytes, start, end, false);
  uris.keep(new Uint8Array(bytes.subarray(start, end)), hash, uri);
  return uri;
}

function parseName(bytes: Buffer, start: number, end: number, offset: number): Name {
  for (let i = start; i < end; ) {
    const length = bytes[i]! < 0x80 ? 1 : utf8Length(bytes, i, end);
    if (length === 0) {
      throw new Refusal('XML_ENCODING', 'bytes that are not UTF-8', {
        facts: { offsetBytes: offset + i - start },
      });
    }
    if (length < 0) {
      throw new Refusal('XML_NOT_WELLFORMED', 'a name that XML does not allow', {
        facts: { offsetBytes: offset },
      });
    }
    i += length;
  }
  const text = stringOf(bytes, start, end, false);
  const colon = text.indexOf(':');
  const prefix = colon < 0 ? '' : text.slice(0, colon);
  const local = text.slice(colon + 1);
  if ((colon < 0 || isNcName(prefix)) && isNcName(local)) {
    const written = new Uint8Array(end - start);
    for (let i = start; i < end; i++) {
      written[i - start] = bytes[i]!;
    }
    return new Name(written, prefix, local);
  }
  // Without colons it would be a name: then only the rules of namespaces are broken.
  const wellFormed = isNcName(text.replaceAll(':', '_'));
  throw new Refusal(
    wellFormed ? 'XML_NS_ERROR' : 'XML_NOT_WELLFORMED',
    'a name that XML does not allow',
    {
      facts: { offsetBytes: offset },
    },
  );
}
