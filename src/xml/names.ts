import { Refusal } from '../base/refusal.js';
import { isNcName, utf8Length } from './chars.js';

/**
 * Names and namespace names, looked up by their bytes, so that a string is made once for all messages.
 *
 * The table is shared by all readers. It is a cache of fixed size in sets of four: whatever a caller sends, a look-up
 * compares at most four entries and nothing grows. What falls out is made again.
 */
export class ByteTable<T> {
  readonly #hashes = new Int32Array(SLOTS);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #bytes = new Uint8Array(SLOTS * SLOT_BYTES);
  readonly #values: (T | null)[] = new Array<T | null>(SLOTS).fill(null);
  #victim = 0;

  /** The value kept for these bytes, or null. `hash` is `hashOf` of them. */
  find(bytes: Uint8Array, start: number, end: number, hash: number): T | null {
    const length = end - start;
    const first = (hash & (SETS - 1)) << 2;
    for (let slot = first; slot < first + 4; slot++) {
      if (this.#hashes[slot] === hash && this.#lengths[slot] === length) {
        let mine = slot * SLOT_BYTES;
        let theirs = start;
        while (theirs < end && this.#bytes[mine] === bytes[theirs]) {
          mine++;
          theirs++;
        }
        if (theirs === end) return this.#values[slot] ?? null;
      }
    }
    return null;
  }

  /** Keeps a value, in place of another if need be. Long names are not kept. */
  keep(bytes: Uint8Array, start: number, end: number, hash: number, value: T): void {
    const length = end - start;
    if (length > SLOT_BYTES || length === 0) return;
    this.#victim = (this.#victim + 1) & 3;
    let slot = ((hash & (SETS - 1)) << 2) + this.#victim;
    for (let probe = (hash & (SETS - 1)) << 2, last = probe + 4; probe < last; probe++) {
      if (this.#values[probe] === null) {
        slot = probe;
        break;
      }
    }
    this.#hashes[slot] = hash;
    this.#lengths[slot] = length;
    this.#values[slot] = value;
    this.#bytes.set(bytes.subarray(start, end), slot * SLOT_BYTES);
  }
}

const SETS = 512;
const SLOTS = SETS * 4;
const SLOT_BYTES = 128;

/** Where a hash begins; differs from process to process, so that nobody can prepare names that share a set. */
export const HASH_SEED = (Math.random() * 0x7fffffff) | 0;

/** One step of the hash. */
export const mix = (hash: number, byte: number): number => {
  const mixed = Math.imul(hash ^ byte, 0x01000193);
  return mixed ^ (mixed >>> 15);
};

export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) hash = mix(hash, bytes[i]!);
  return hash;
}

/** A name as written, split at its colon. */
export class Name {
  readonly prefix: string;
  readonly local: string;
  /** The prefix it declares when it is `xmlns` ('') or `xmlns:p`; null for all other names. */
  readonly declares: string | null;
  /** What `prefix` means as the name of an element in the scope numbered `scope`. */
  uri = '';
  scope = 0;

  constructor(prefix: string, local: string) {
    this.prefix = prefix;
    this.local = local;
    this.declares = prefix === 'xmlns' ? local : prefix === '' && local === 'xmlns' ? '' : null;
  }
}

const names = new ByteTable<Name>();
const uris = new ByteTable<string>();

/** The name in these bytes. Throws a `Refusal` when it is no qualified name; `offset` is where it begins. */
export function nameOf(bytes: Buffer, start: number, end: number, hash: number, offset: number): Name {
  const known = names.find(bytes, start, end, hash);
  if (known !== null) return known;
  const name = parseName(bytes, start, end, offset);
  names.keep(bytes, start, end, hash, name);
  return name;
}

/** The namespace name in these bytes, which hold UTF-8 already checked and no reference. */
export function uriOf(bytes: Buffer, start: number, end: number): string {
  const hash = hashOf(bytes, start, end);
  const known = uris.find(bytes, start, end, hash);
  if (known !== null) return known;
  const uri = bytes.toString('utf8', start, end);
  uris.keep(bytes, start, end, hash, uri);
  return uri;
}

function parseName(bytes: Buffer, start: number, end: number, offset: number): Name {
  for (let i = start; i < end; ) {
    const length = bytes[i]! < 0x80 ? 1 : utf8Length(bytes, i, end);
    if (length === 0) throw new Refusal('XML_ENCODING', `UTF-8 at byte ${offset + i - start}`);
    if (length < 0) throw new Refusal('XML_NOT_WELLFORMED', `name at byte ${offset}`);
    i += length;
  }
  const text = bytes.toString('utf8', start, end);
  const colon = text.indexOf(':');
  const prefix = colon < 0 ? '' : text.slice(0, colon);
  const local = text.slice(colon + 1);
  if ((colon < 0 || isNcName(prefix)) && isNcName(local)) return new Name(prefix, local);
  // Without colons it would be a name: then only the rules of namespaces are broken.
  const wellFormed = isNcName(text.replaceAll(':', '_'));
  throw new Refusal(wellFormed ? 'XML_NS_ERROR' : 'XML_NOT_WELLFORMED', `name at byte ${offset}`);
}
