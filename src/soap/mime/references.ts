import { getOrMake, Refusal, refuseByLimit } from '../../core/index.js';

/**
 * Which parts a package has and which of them its envelope includes, none from elsewhere. A
 * Content-ID and a reference name the same part where they are equal as they are or decoded: stacks
 * encode either, or both. No two parts may be equal like that, and no reference may name two, so
 * every reader finds the same one.
 */
export class References {
  readonly #max: number;
  readonly #isRequest: boolean;
  /** The number of each part, by both spellings of its Content-ID. */
  readonly #parts = new Map<string, number>();
  #count = 0;
  /** How often each reference comes, and its spellings. */
  readonly #included = new Map<string, { readonly spellings: Spellings; times: number }>();
  #includes = 0;
  #envelope: Spellings | null = null;

  /**
   * `max` is the number of parts a package may have. In a request no part is included twice: a
   * backend that puts the part in place of each Include would get a message of many times the size.
   */
  constructor(max: number, isRequest = false) {
    this.#max = max;
    this.#isRequest = isRequest;
  }

  /** A part with this Content-ID. Throws `MTOM_STRUCTURE` for one that another part has. */
  part(id: string): void {
    const spellings = spellingsOf(id);
    if (spellings.some((spelling) => this.#parts.has(spelling))) {
      throw new Refusal('MTOM_STRUCTURE', 'a Content-ID that comes twice');
    }
    for (const spelling of spellings) {
      this.#parts.set(spelling, this.#count);
    }
    this.#count++;
  }

  /** This part is the envelope itself. */
  envelope(id: string | null): void {
    this.#envelope = id === null ? null : spellingsOf(id);
  }

  /**
   * An Include with this reference (RFC 2392, XOP 1.0 section 2.1). Throws `MTOM_EXTERNAL_HREF` for
   * what names no part of a package, or the part it stands in, `MTOM_STRUCTURE` for more of them
   * than a package may have parts.
   */
  include(href: string): void {
    const spellings = referenceIn(href);
    if (spellings === null || isSame(spellings, this.#envelope ?? [])) {
      throw new Refusal('MTOM_EXTERNAL_HREF', 'href names no part of this message');
    }
    if (++this.#includes > this.#max) {
      throw refuseByLimit('MTOM_STRUCTURE', 'limits.mime.parts', this.#max, null, 'Includes');
    }
    if (this.#isRequest && this.#times(spellings) > 0) {
      throw new Refusal('MTOM_EXTERNAL_HREF', 'a part that is included twice');
    }
    getOrMake(this.#included, href, () => ({ spellings, times: 0 })).times++;
  }

  /** How often the envelope includes the part with this Content-ID. */
  timesIncluded(id: string): number {
    return this.#times(spellingsOf(id));
  }

  #times(own: Spellings): number {
    let sum = 0;
    for (const { spellings, times } of this.#included.values()) {
      if (isSame(spellings, own)) {
        sum += times;
      }
    }
    return sum;
  }

  /** Ends the package. Throws `MTOM_STRUCTURE` for a reference that names no part, or two. */
  checkParts(): void {
    for (const { spellings } of this.#included.values()) {
      const found = new Set(spellings.flatMap((spelling) => this.#parts.get(spelling) ?? []));
      if (found.size === 0) throw new Refusal('MTOM_STRUCTURE', 'included part is missing');
      if (found.size > 1) throw new Refusal('MTOM_STRUCTURE', 'a reference that names two parts');
    }
  }
}

/** Longer than any Content-ID can be; bounds the kept references. */
const HREF_CHARS_MAX = 4096;

/** A name as it is and decoded; one of them where they are equal. */
export type Spellings = readonly string[];

/** The spellings by which a `cid:` URL names a Content-ID; null for any other URL. */
export function referenceIn(href: string): Spellings | null {
  if (href.length > HREF_CHARS_MAX || href.slice(0, 4).toLowerCase() !== 'cid:') return null;
  const name = href.slice(4);
  const decoded = decode(name);
  return decoded === null || decoded === '' ? null : distinct(name, decoded);
}

/** The spellings of a Content-ID. One with a broken escape is not decoded. */
export const spellingsOf = (id: string): Spellings => distinct(id, decode(id) ?? id);

const isSame = (one: Spellings, other: Spellings): boolean =>
  one.some((spelling) => other.includes(spelling));

const distinct = (one: string, other: string): Spellings => (one === other ? [one] : [one, other]);

function decode(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
