import { XSD } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import { childOf, childrenOf, documentationIn, type XmlNode } from '../documents/xml-tree.js';
import type { EnumerationValue, Facets } from '../model.js';

export type WhiteSpaceFacet = NonNullable<Facets['whiteSpace']>;

const COUNTS = ['length', 'minLength', 'maxLength', 'totalDigits', 'fractionDigits'] as const;
const BOUNDS = ['minInclusive', 'maxInclusive', 'minExclusive', 'maxExclusive'] as const;
const SPACES = ['preserve', 'replace', 'collapse'] as const;
/** Patterns that a chain of derivations may have: each step may add one. */
const PATTERNS = 100;

/** The facets of a base narrowed by those in a `restriction` (XSD 1.0 part 2 section 4.3). */
export function readFacets(restriction: XmlNode, base: Facets, warnings: Warnings): Facets {
  const facets: { -readonly [K in keyof Facets]: Facets[K] } = { ...base };
  const patterns: string[] = [];
  let isNarrowed = false;
  for (const node of restriction.children) {
    const value = node.uri === XSD ? node.attributes.get('value') : undefined;
    if (value === undefined) continue;
    const count = COUNTS.find((facet) => facet === node.local);
    const bound = BOUNDS.find((facet) => facet === node.local);
    if (count !== undefined) {
      facets[count] = countIn(node, value, warnings) ?? facets[count];
    } else if (bound !== undefined) {
      facets[bound] = value.trim();
    } else if (node.local === 'pattern') {
      patterns.push(value);
    } else if (node.local === 'whiteSpace') {
      facets.whiteSpace = spaceIn(node, value, warnings) ?? facets.whiteSpace;
    } else {
      continue;
    }
    isNarrowed = true;
  }
  // Patterns of one step are alternatives (XSD part 2 section 4.3.4.3); those of different steps
  // must all match.
  if (patterns.length > 0 && base.patterns.length < PATTERNS) {
    facets.patterns = [...base.patterns, patterns.join('|')];
  } else if (patterns.length > 0) {
    warnings.addAt(
      restriction,
      `More than ${PATTERNS} steps have a pattern; this one is left out.`,
    );
  }
  return isNarrowed ? facets : base;
}

function countIn(node: XmlNode, value: string, warnings: Warnings): number | null {
  if (/^\s*\+?\d{1,9}\s*$/.test(value)) return Number(value);
  warnings.addAt(node, `The facet ${node.local} is not a number in reach; it is left out.`);
  return null;
}

function spaceIn(node: XmlNode, value: string, warnings: Warnings): WhiteSpaceFacet | null {
  const space = SPACES.find((candidate) => candidate === value.trim());
  if (space === undefined) {
    warnings.addAt(node, 'The facet whiteSpace has no such value; it is left out.');
  }
  return space ?? null;
}

/**
 * The values a `restriction` lists, each once, with white space as the type has it; null when it
 * lists none.
 */
export function readEnumeration(
  restriction: XmlNode,
  space: WhiteSpaceFacet,
): readonly EnumerationValue[] | null {
  const values = new Map<string, EnumerationValue>();
  for (const node of childrenOf(restriction, XSD, 'enumeration')) {
    const value = normalised(node.attributes.get('value') ?? '', space);
    if (values.has(value)) continue;
    values.set(value, {
      value,
      documentation: documentationIn(childOf(node, XSD, 'annotation'), XSD),
    });
  }
  return values.size === 0 ? null : [...values.values()];
}

function normalised(value: string, space: WhiteSpaceFacet): string {
  if (space === 'preserve') return value;
  const replaced = value.replace(/[\t\n\r]/g, ' ');
  return space === 'replace' ? replaced : replaced.split(' ').filter(Boolean).join(' ');
}
