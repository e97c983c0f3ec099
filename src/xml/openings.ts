import type { XmlLimits } from './limits.js';
import { Name, wordsAt, wordsOf } from './names.js';
import type { Namespaces } from './namespaces.js';
import type { PlacedAttribute, Tag } from './tag.js';

/**
 * A start tag with namespace declarations as it stood in a message before, from behind its name to its `>`. The messages
 * of a service begin alike, byte for byte, and what stands there again need not be read again.
 */
export class Opening {
  readonly length: number;
  /** The limits it was read under, and kept: under others it has to be read again. */
  readonly limits: XmlLimits;
  readonly prefixes: readonly string[];
  readonly uris: readonly string[];
  /** Its attributes, placed by the distance from its beginning. */
  readonly attributes: readonly PlacedAttribute[];
  /** The scope it opened the last time, and the one around it: between equal ones the meaning of names can be kept. */
  outerScope = 0;
  innerScope = 0;
  readonly #words: readonly number[];

  constructor(bytes: Uint8Array, limits: XmlLimits, namespaces: Namespaces, attributes: readonly PlacedAttribute[]) {
    this.length = bytes.length;
    this.limits = limits;
    [this.prefixes, this.uris] = namespaces.declarations();
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

/** Remembers the start tag just read, from behind its name at `start` to its `>`; there is one for each name. */
export function keepOpening(
  name: Name,
  chunk: Buffer,
  start: number,
  end: number,
  limits: XmlLimits,
  namespaces: Namespaces,
  tag: Tag,
): void {
  if (end - start < 4 || end - start > LONGEST_BYTES) return;
  name.opening = new Opening(chunk.subarray(start, end), limits, namespaces, tag.placedFrom(start));
}
