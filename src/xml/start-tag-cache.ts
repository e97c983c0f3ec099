import type { XmlLimits } from './limits.js';
import { Name, wordsAt, wordsOf } from './names.js';
import type { Declarations } from './namespaces.js';
import type { PlacedAttribute } from './tag.js';

/**
 * A start tag with namespace declarations of an earlier message, from behind its name to its `>`.
 * The messages of a service begin alike, byte for byte, so that the same bytes need not be parsed
 * again.
 */
export class CachedStartTag {
  readonly length: number;
  /** The limits it was parsed under: under others it has to be parsed again. */
  readonly limits: XmlLimits;
  readonly declarations: Declarations;
  /** The attributes of the start tag; their offsets count from the end of its name. */
  readonly attributes: readonly PlacedAttribute[];
  readonly #words: readonly number[];

  constructor(
    bytes: Uint8Array,
    limits: XmlLimits,
    declarations: Declarations,
    attributes: readonly PlacedAttribute[],
  ) {
    this.length = bytes.length;
    this.limits = limits;
    this.declarations = declarations;
    // Names of its own: names that held each other would never be let go.
    this.attributes = attributes.map((attribute) => {
      const { bytes, prefix, local } = attribute.name;
      return { ...attribute, name: new Name(bytes, prefix, local) };
    });
    this.#words = wordsOf(bytes);
  }

  /** Whether it stands at `i`. */
  isAt(view: DataView, i: number, end: number): boolean {
    return i + this.length <= end && wordsAt(this.#words, this.length, view, i);
  }
}

const LONGEST_BYTES = 512;

/**
 * The cached start tags, by the position of their name in its table: as many as that has positions.
 */
const cache: ({ readonly name: Name; readonly startTag: CachedStartTag } | null)[] = [];

/** The start tag that this name had the last time it declared namespaces, or null. */
export function cachedStartTagOf(name: Name): CachedStartTag | null {
  const kept = cache[name.place];
  return kept !== undefined && kept !== null && kept.name === name ? kept.startTag : null;
}

/** Keeps a start tag, from behind its name to its `>`; there is one for each name. */
export function cacheStartTag(
  name: Name,
  bytes: Uint8Array,
  limits: XmlLimits,
  declarations: Declarations,
  attributes: readonly PlacedAttribute[],
): void {
  if (bytes.length < 4 || bytes.length > LONGEST_BYTES || name.place < 0) return;
  while (cache.length <= name.place) {
    cache.push(null);
  }
  cache[name.place] = {
    name,
    startTag: new CachedStartTag(bytes, limits, declarations, attributes),
  };
}
