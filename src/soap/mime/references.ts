import { Refusal, refuseByLimit } from '../../base/refusals/refusal.js';

/** Which parts a package has and which of them its envelope includes: each at most once, and none from elsewhere. */
export class References {
  readonly #max: number;
  readonly #parts = new Set<string>();
  readonly #included = new Set<string>();
  #envelope: string | null = null;

  /** `max` is the number of parts a package may have. */
  constructor(max: number) {
    this.#max = max;
  }

  /** A part with this Content-ID. Throws `MTOM_STRUCTURE` for a second one. */
  part(id: string): void {
    if (this.#parts.has(id)) throw new Refusal('MTOM_STRUCTURE', 'a Content-ID that comes twice');
    this.#parts.add(id);
  }

  /** This part is the envelope itself. */
  envelope(id: string | null): void {
    this.#envelope = id;
  }

  /**
   * An Include with this reference (RFC 2392, XOP 1.0 section 2.1). Throws `MTOM_EXTERNAL_HREF` for what names no part
   * of a package, the part it stands in, or one that is included already.
   */
  include(href: string): void {
    const id = partOf(href);
    if (id === null || id === this.#envelope)
      throw new Refusal('MTOM_EXTERNAL_HREF', 'href names no part of this message');
    if (this.#included.has(id))
      throw new Refusal('MTOM_EXTERNAL_HREF', 'a part that is included twice');
    if (this.#included.size === this.#max) {
      throw refuseByLimit('MTOM_STRUCTURE', 'limits.mime.parts', this.#max, null, 'Includes');
    }
    this.#included.add(id);
  }

  /** Ends the package. Throws `MTOM_STRUCTURE` when a part that is included never came. */
  checkParts(): void {
    for (const id of this.#included) {
      if (!this.#parts.has(id)) throw new Refusal('MTOM_STRUCTURE', 'included part is missing');
    }
  }
}

/** Longer than any Content-ID can be; bounds the kept references. */
const HREF_CHARS_MAX = 4096;

/** The Content-ID a `cid:` URL names, or null for any other. */
export function partOf(href: string): string | null {
  if (href.length > HREF_CHARS_MAX || href.slice(0, 4).toLowerCase() !== 'cid:') return null;
  try {
    const id = decodeURIComponent(href.slice(4));
    return id === '' ? null : id;
  } catch {
    return null;
  }
}
