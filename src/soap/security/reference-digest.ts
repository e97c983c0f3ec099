import { timingSafeEqual } from 'node:crypto';

import { CanonicalWriter, type WrittenAttribute } from '../../xml/canonical/canonical-writer.js';
import { type ElementNode, writeTree } from '../../xml/canonical/element-tree.js';
import { DigestSink } from './digest-sink.js';
import { failedCheck, unsupportedAlgorithm } from './security-refusals.js';
import type { ReferenceForm } from './signature-form.js';

/** Writes the element of a Reference as it comes by, and compares its digest. */
export class ReferenceDigest {
  readonly writer: CanonicalWriter;
  readonly #sink: DigestSink;
  readonly #reference: ReferenceForm;

  /** `around`: the element around that of the Reference. */
  constructor(reference: ReferenceForm, around: ElementNode | null) {
    this.#reference = reference;
    this.#sink = new DigestSink(reference.digest);
    const { method, isDereferenced } = reference;
    this.writer = new CanonicalWriter(method, this.#sink, inheritedBy(method.kind, around), isDereferenced);
  }

  /** The element is written. Throws `wsse:FailedCheck`. */
  compare(): void {
    const digest = this.#sink.digest();
    const { value } = this.#reference;
    if (digest.length !== value.length || !timingSafeEqual(digest, value))
      throw failedCheck('the digest of a Reference');
  }
}

/** Compares the digest of an element that is kept, without the part `left`. Throws `wsse:FailedCheck`. */
export function compareDigest(reference: ReferenceForm, element: ElementNode, left: ElementNode | null = null): void {
  const digest = new ReferenceDigest(reference, element.parent);
  writeTree(element, digest.writer, left);
  digest.compare();
}

/**
 * The attributes `xml:` that the inclusive ways take from elements around (Canonical XML 1.0 section 2.4, 1.1 section 2.4:
 * not the Id, and bases are joined, which is not done here).
 */
export function inheritedBy(
  kind: 'exclusive' | 'inclusive' | 'inclusive 1.1',
  around: ElementNode | null,
): readonly WrittenAttribute[] {
  if (kind === 'exclusive' || around === null) return [];
  const attributes = around.xmlAttributes();
  if (kind === 'inclusive') return attributes;
  if (attributes.some(({ local }) => local === 'base')) throw unsupportedAlgorithm('xml:base around a signed element');
  return attributes.filter(({ local }) => local !== 'id');
}
