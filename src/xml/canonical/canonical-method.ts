/** The ways of Canonical XML that signatures name. */
type CanonicalKind = 'exclusive' | 'inclusive' | 'inclusive 1.1';

export interface CanonicalMethod {
  readonly kind: CanonicalKind;
  /** Comments belong to the result. */
  readonly withComments: boolean;
  /**
   * Prefixes that the exclusive way treats as the inclusive one does: '' is the default namespace.
   */
  readonly inclusivePrefixes: ReadonlySet<string>;
}

const NO_PREFIXES: ReadonlySet<string> = new Set();

const IDENTIFIERS: ReadonlyMap<string, readonly [kind: CanonicalKind, withComments: boolean]> =
  new Map([
    ['http://www.w3.org/2001/10/xml-exc-c14n#', ['exclusive', false]],
    ['http://www.w3.org/2001/10/xml-exc-c14n#WithComments', ['exclusive', true]],
    ['http://www.w3.org/TR/2001/REC-xml-c14n-20010315', ['inclusive', false]],
    ['http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments', ['inclusive', true]],
    ['http://www.w3.org/2006/12/xml-c14n11', ['inclusive 1.1', false]],
    ['http://www.w3.org/2006/12/xml-c14n11#WithComments', ['inclusive 1.1', true]],
  ]);

/**
 * The method with this identifier (Exclusive C14N section 4, Canonical XML 1.0 and 1.1 section 2);
 * null for another. `inclusivePrefixes` is for the exclusive way alone.
 */
export function canonicalMethodOf(
  identifier: string,
  inclusivePrefixes: ReadonlySet<string> = NO_PREFIXES,
): CanonicalMethod | null {
  const [kind, withComments] = IDENTIFIERS.get(identifier) ?? [];
  return kind === undefined || withComments === undefined
    ? null
    : { kind, withComments, inclusivePrefixes };
}
