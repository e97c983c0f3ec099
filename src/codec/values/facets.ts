import type { Facets } from '../../wsdl/model.js';
import { compilePattern } from '../pattern/pattern.js';
import type { ValueSpace } from './value-space.js';

/** A rule that a valid lexical form, its white space treated, breaks, or null. */
export type Check = (lexical: string) => string | null;

/** The part of a value space that facets look at: lists have their own. */
export type Measured = Pick<ValueSpace, 'rule' | 'order' | 'length' | 'digits'>;

/** The facets of XSD 1.0 part 2, section 4.3, except white space: checks, and those that cannot be checked. */
interface FacetChecks {
  readonly checks: readonly Check[];
  /** Why a facet is left to the backend, for start-up warnings. */
  readonly unsupported: readonly string[];
}

/** Facets as checks, in the order of their cost. Rules name the facet, never the value. */
export function facetChecks(facets: Facets, space: Measured): FacetChecks {
  const unsupported: string[] = [];
  const checks = [...lengthChecks(facets, space, unsupported), ...digitChecks(facets, space, unsupported)];
  checks.push(...boundChecks(facets, space, unsupported));
  for (const pattern of facets.patterns) {
    const compiled = compilePattern(pattern);
    if ('unsupported' in compiled) unsupported.push(`pattern ${shown(pattern)}: ${compiled.unsupported}`);
    else {
      const rule = `must match ${shown(pattern)}`;
      checks.push((lexical) => (compiled.matches(lexical) ? null : rule));
    }
  }
  return { checks, unsupported };
}

function lengthChecks(facets: Facets, { length }: Measured, unsupported: string[]): readonly Check[] {
  const { length: exactly, minLength, maxLength } = facets;
  if (exactly === null && minLength === null && maxLength === null) return [];
  if (length === null) {
    unsupported.push('length: values of this type have none');
    return [];
  }
  return [
    (lexical) => {
      const counted = length(lexical);
      if (exactly !== null && counted !== exactly) return `must have length ${exactly}`;
      if (minLength !== null && counted < minLength) return `must have at least length ${minLength}`;
      if (maxLength !== null && counted > maxLength) return `must have at most length ${maxLength}`;
      return null;
    },
  ];
}

function digitChecks({ totalDigits, fractionDigits }: Facets, { digits }: Measured, unsupported: string[]): Check[] {
  if (totalDigits === null && fractionDigits === null) return [];
  if (digits === null) {
    unsupported.push('digits: values of this type have none');
    return [];
  }
  return [
    (lexical) => {
      const { total, fraction } = digits(lexical);
      if (totalDigits !== null && total > totalDigits) return `must have at most ${totalDigits} digits`;
      if (fractionDigits === null || fraction <= fractionDigits) return null;
      return `must have at most ${fractionDigits} digits after the point`;
    },
  ];
}

/** NaN, where the order is not determined, holds no bound. */
const BOUNDS = [
  ['minInclusive', 'must be at least', (order: number) => order >= 0],
  ['maxInclusive', 'must be at most', (order: number) => order <= 0],
  ['minExclusive', 'must be greater than', (order: number) => order > 0],
  ['maxExclusive', 'must be less than', (order: number) => order < 0],
] as const;

function boundChecks(facets: Facets, { rule: ruleOf, order }: Measured, unsupported: string[]): readonly Check[] {
  return BOUNDS.flatMap(([facet, text, holds]): Check[] => {
    const bound = facets[facet];
    if (bound === null) return [];
    if (order === null || ruleOf(bound) !== null) {
      unsupported.push(
        `${facet}: ${order === null ? 'values of this type have no order' : 'it is no value of the type'}`,
      );
      return [];
    }
    const rule = `${text} ${shown(bound)}`;
    const compare = order(bound);
    return [(lexical) => (holds(compare(lexical)) ? null : rule)];
  });
}

const SHOWN_CHARS = 100;

const shown = (text: string): string => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text);
