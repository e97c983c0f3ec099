import type { EnumerationValue, Facets, SimpleType } from '../wsdl/model.js';
import { treatWhiteSpace, type WhiteSpace } from './lexical.js';
import { compareDecimals, partsOf } from './number.js';
import { LexicalError, type Scalar } from './plan.js';

/** What a value of a built-in type is measured in. */
export type Measure = 'characters' | 'exact number' | 'float' | 'base64' | 'hex' | 'other';

/**
 * `scalar`, its written values held to the facets and the enumeration of `type`. Values that are read are not: a
 * backend that leaves its own facets still answers. Patterns, and bounds of dates, are left to the backend.
 */
export function restrict(scalar: Scalar, type: SimpleType, measure: Measure, whiteSpace: WhiteSpace): Scalar {
  const checks = [...enumerationChecks(type.enumeration, measure), ...facetChecks(type, measure)];
  if (checks.length === 0) return scalar;
  return {
    name: scalar.name,
    decode: scalar.decode,
    encode: (value) => {
      const lexical = scalar.encode(value);
      const treated = treatWhiteSpace(lexical, whiteSpace);
      for (const check of checks) check(treated);
      return lexical;
    },
  };
}

type Check = (lexical: string) => void;

function enumerationChecks(enumeration: readonly EnumerationValue[] | null, measure: Measure): readonly Check[] {
  if (enumeration === null) return [];
  const values = new Set(enumeration.map((entry) => canonical(entry.value, measure)));
  return [
    (lexical) => {
      if (!values.has(canonical(lexical, measure))) throw new LexicalError('must be one of the enumerated values');
    },
  ];
}

/** Equal for equal values. */
function canonical(lexical: string, measure: Measure): string {
  if (measure === 'float') return String(Number(lexical));
  if (measure !== 'exact number') return lexical;
  const { negative, whole, fraction } = partsOf(lexical);
  return `${negative ? '-' : ''}${whole}.${fraction}`;
}

function facetChecks(type: SimpleType, measure: Measure): readonly Check[] {
  const { facets } = type;
  const length = type.variety === 'list' ? countItems : LENGTHS[measure];
  const checks: Check[] = [];
  const add = <T>(facet: T | null, holds: (lexical: string, facet: T) => boolean, rule: string): void => {
    if (facet === null) return;
    checks.push((lexical) => {
      if (!holds(lexical, facet)) throw new LexicalError(rule);
    });
  };
  if (length !== null) {
    add(facets.length, (lexical, n) => length(lexical) === n, `must have length ${facets.length}`);
    add(facets.minLength, (lexical, n) => length(lexical) >= n, `must have at least length ${facets.minLength}`);
    add(facets.maxLength, (lexical, n) => length(lexical) <= n, `must have at most length ${facets.maxLength}`);
  }
  if (type.variety === 'atomic' && (measure === 'exact number' || measure === 'float')) addBounds(facets, measure, add);
  return checks;
}

type Add = <T>(facet: T | null, holds: (lexical: string, facet: T) => boolean, rule: string) => void;

function addBounds(facets: Facets, measure: 'exact number' | 'float', add: Add): void {
  const compare = measure === 'float' ? compareFloats : compareDecimals;
  const { minInclusive, maxInclusive, minExclusive, maxExclusive, totalDigits, fractionDigits } = facets;
  add(minInclusive, (lexical, bound) => compare(lexical, bound) >= 0, `must be at least ${minInclusive}`);
  add(maxInclusive, (lexical, bound) => compare(lexical, bound) <= 0, `must be at most ${maxInclusive}`);
  add(minExclusive, (lexical, bound) => compare(lexical, bound) > 0, `must be greater than ${minExclusive}`);
  add(maxExclusive, (lexical, bound) => compare(lexical, bound) < 0, `must be less than ${maxExclusive}`);
  if (measure === 'float') return;
  add(totalDigits, (lexical, n) => digitsOf(lexical) <= n, `must have at most ${totalDigits} digits`);
  add(
    fractionDigits,
    (lexical, n) => partsOf(lexical).fraction.length <= n,
    `must have at most ${fractionDigits} digits after the point`,
  );
}

function compareFloats(a: string, b: string): number {
  const bound = b === 'INF' ? Number.POSITIVE_INFINITY : b === '-INF' ? Number.NEGATIVE_INFINITY : Number(b);
  return Number(a) - bound;
}

function digitsOf(lexical: string): number {
  const { whole, fraction } = partsOf(lexical);
  return whole.length + fraction.length;
}

const LENGTHS: Readonly<Record<Measure, ((lexical: string) => number) | null>> = {
  characters: countCharacters,
  hex: (lexical) => lexical.length / 2,
  base64: (lexical) => (lexical.length / 4) * 3 - (lexical.endsWith('==') ? 2 : lexical.endsWith('=') ? 1 : 0),
  'exact number': null,
  float: null,
  other: null,
};

/** Length of a string is counted in characters, not in UTF-16 units. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const countItems = (lexical: string): number => (lexical === '' ? 0 : lexical.split(' ').length);
