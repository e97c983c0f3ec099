import type { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';

import { canonical } from '../xml/index.js';
import type { DigestName } from './algorithms.js';
import { DigestSink } from './digest-sink.js';
import { hasCommentInText } from './element-ids.js';
import { commentInText, failedCheck, unsupportedAlgorithm } from './security-refusals.js';
import type { ReferenceForm, Transformation } from './signature-form.js';

/** Digests the canonical form of one element as it comes by. */
export class ElementDigest {
  readonly writer: canonical.CanonicalWriter;
  readonly #sink: DigestSink;

  /** `around`: the element around it. */
  constructor(
    { method, isDereferenced }: Transformation,
    digest: DigestName,
    around: canonical.ElementNode | null,
  ) {
    this.#sink = new DigestSink(digest);
    this.writer = new canonical.CanonicalWriter(
      method,
      this.#sink,
      inheritedBy(method.kind, around),
      isDereferenced,
    );
  }

  /** The element is written. */
  digest(): Buffer {
    return this.#sink.digest();
  }
}

/** Digests the element of a Reference as it comes by, and compares the result. */
export class ReferenceDigest extends ElementDigest {
  readonly #value: Buffer;

  constructor(reference: ReferenceForm, around: canonical.ElementNode | null) {
    super(reference, reference.digest, around);
    this.#value = reference.value;
  }

  /** The element is written. Throws `wsse:FailedCheck`. */
  compare(): void {
    const digest = this.digest();
    if (digest.length !== this.#value.length || !timingSafeEqual(digest, this.#value)) {
      throw failedCheck('the digest of a Reference');
    }
  }
}

/**
 * Compares the digest of an element that is kept, without the part `left`. Throws
 * `wsse:FailedCheck`.
 */
export function compareDigest(
  reference: ReferenceForm,
  element: canonical.ElementNode,
  left: canonical.ElementNode | null = null,
): void {
  if (hasCommentInText(element)) throw commentInText();
  const digest = new ReferenceDigest(reference, element.parent);
  canonical.writeTree(element, digest.writer, left);
  digest.compare();
}

/**
 * The attributes `xml:` that the inclusive ways take from elements around (Canonical XML 1.0
 * section 2.4, 1.1 section 2.4: not the Id, and bases are joined, which is not done here).
 */
export function inheritedBy(
  kind: 'exclusive' | 'inclusive' | 'inclusive 1.1',
  around: canonical.ElementNode | null,
): readonly canonical.WrittenAttribute[] {
  if (kind === 'exclusive' || around === null) return [];
  const attributes = around.xmlAttributes();
  if (kind === 'inclusive') return attributes;
  if (attributes.some(({ local }) => local === 'base')) {
    throw unsupportedAlgorithm('xml:base around a signed element');
  }
  return attributes.filter(({ local }) => local !== 'id');
}
