import { type SimpleType, xsd } from '../../wsdl/index.js';
import { compilePattern } from '../pattern/pattern.js';
import { treatWhiteSpace, type WhiteSpace } from '../plan/lexical.js';
import { type ValueSpace, valueSpaceOf } from './value-space.js';

/**
 * Whether a lexical form, as it stands in the document, is valid against a simple type in full (XSD
 * 1.0 part 2): white space, the lexical rules of the built-in type, every facet, enumerations by
 * value, lists and unions.
 *
 * The answer is null, or the public text of the rule that is broken; it never holds the value.
 * Linear, throws nothing. Made once per type.
 */
export function compileSimple(type: SimpleType): (lexical: string) => string | null {
  return compiled(type, 0).check;
}

/**
 * The facets of a type that are not checked, with the reason, for start-up warnings. [] nearly
 * always.
 */
export const unsupportedFacets = (type: SimpleType): readonly string[] =>
  compiled(type, 0).unsupported;

interface Compiled {
  readonly whiteSpace: WhiteSpace;
  /** Checks a value in the form that it has in the document. */
  readonly check: Check;
  /** Equal for equal values. Of a valid form as it stands in the document. */
  readonly key: (lexical: string) => string;
  readonly unsupported: readonly string[];
  /** Types looked at for one value, at most. */
  readonly cost: number;
}

const COMPILED = new WeakMap<SimpleType, Compiled>();

/** Types nested deeper are treated as strings; the schema reader allows less. */
const DEPTH = 200;
/**
 * Unions that restrict unions look at their members again at each step: beyond this they are
 * strings too.
 */
const MAX_COST = 2000;

function compiled(type: SimpleType, depth: number): Compiled {
  const known = COMPILED.get(type);
  if (known !== undefined) return known;
  const made = depth > DEPTH ? ANYTHING : compile(type, depth + 1);
  COMPILED.set(type, made);
  return made;
}

const ANYTHING: Compiled = {
  whiteSpace: 'preserve',
  check: () => null,
  key: (lexical) => lexical,
  unsupported: ['members: they are nested too deeply'],
  cost: 1,
};

function compile(type: SimpleType, depth: number): Compiled {
  if (type.variety === 'union' && type.members.length > 0) return compileUnion(type, depth);
  return type.variety === 'list' ? compileList(type, depth) : compileAtomic(type);
}

function compileAtomic(type: SimpleType): Compiled {
  const space = valueSpaceOf(type.builtIn);
  return restricted(
    type,
    whiteSpaceOf(type),
    space,
    (lexical) => `${space.primitive} ${space.key(lexical)}`,
  );
}

/**
 * The white space treatment of an atomic type: it can be stricter than that of the base type, never
 * less strict.
 */
export function whiteSpaceOf({ builtIn, facets }: SimpleType): WhiteSpace {
  const { whiteSpace } = valueSpaceOf(builtIn);
  return facets.whiteSpace === null || whiteSpace === 'collapse' ? whiteSpace : facets.whiteSpace;
}

/** Items are treated and separated by white space, so their type needs no treatment of its own. */
function compileList(type: SimpleType, depth: number): Compiled {
  const item = compiled(itemOf(type), depth);
  const rule = (lexical: string): string | null => {
    for (const each of itemsIn(lexical)) {
      const broken = item.check(each);
      if (broken !== null) return `each item ${broken}`;
    }
    return null;
  };
  const space: Measured = {
    rule,
    order: null,
    digits: null,
    length: (lexical) => itemsIn(lexical).length,
  };
  const made = restricted(type, 'collapse', space, (lexical) =>
    itemsIn(lexical).map(item.key).join(' '),
  );
  return { ...made, unsupported: [...item.unsupported, ...made.unsupported], cost: item.cost };
}

/** The type of a list's items. */
export const itemOf = (type: SimpleType): SimpleType =>
  type.item ?? {
    ...type,
    name: null,
    variety: 'atomic',
    base: null,
    enumeration: null,
    facets: xsd.NO_FACETS,
  };

/** The items of a list whose white space is treated. */
export const itemsIn = (collapsed: string): readonly string[] =>
  collapsed === '' ? [] : collapsed.split(' ');

/**
 * A value of a union is one of its first member that takes it; each member treats white space in
 * its own way.
 */
function compileUnion(type: SimpleType, depth: number): Compiled {
  const members = membersOf(type).map((member) => compiled(member, depth));
  const takes = (lexical: string): Compiled | null =>
    members.find(({ check }) => check(lexical) === null) ?? null;
  const rule = (lexical: string): string | null => (takes(lexical) === null ? NO_MEMBER : null);
  const space: Measured = { rule, order: null, digits: null, length: null };
  const cost = members.reduce(
    (sum, member) => sum + (member.cost === 1 ? 1 : STEPS * member.cost),
    1,
  );
  if (cost > MAX_COST) return ANYTHING;
  const collapses = members.every(({ whiteSpace }) => whiteSpace === 'collapse');
  const made = restricted(
    type,
    collapses ? 'collapse' : 'preserve',
    space,
    (lexical) => takes(lexical)?.key(lexical) ?? lexical,
  );
  const unsupported = new Set([
    ...members.flatMap((member) => member.unsupported),
    ...made.unsupported,
  ]);
  return { ...made, unsupported: [...unsupported], cost };
}

/**
 * Evaluations of a member for one value: its check, its key, and its own members' checks for that
 * key.
 */
const STEPS = 3;

/** The simple types in which a union ends, each once, whatever the unions between restrict. */
export function leavesOf(type: SimpleType): readonly SimpleType[] {
  return flattened(type, () => true);
}

/**
 * The members of a union, each once; those of a union that restricts nothing stand in its place.
 */
function membersOf(type: SimpleType): readonly SimpleType[] {
  return flattened(type, isPlain);
}

function flattened(
  type: SimpleType,
  isOpen: (union: SimpleType) => boolean,
): readonly SimpleType[] {
  const members = new Set<SimpleType>();
  const seen = new Set<SimpleType>();
  const stack = type.members.toReversed();
  for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
    if (seen.has(member)) continue;
    seen.add(member);
    if (member.variety === 'union' && member.members.length > 0 && isOpen(member)) {
      for (const inner of member.members.toReversed()) {
        stack.push(inner);
      }
    } else {
      members.add(member);
    }
  }
  return [...members];
}

/** Whether a type has neither facets nor an enumeration. */
export const isPlain = ({ enumeration, facets }: SimpleType): boolean =>
  enumeration === null &&
  Object.values(facets).every(
    (facet) => facet === null || (Array.isArray(facet) && facet.length === 0),
  );

const NO_MEMBER = 'must be a value of one of the member types';

function restricted(
  type: SimpleType,
  whiteSpace: WhiteSpace,
  space: Measured,
  key: (treated: string) => string,
): Compiled {
  const { checks, unsupported } = facetChecks(type.facets, space);
  const all = [...enumerationChecks(type, whiteSpace, space, key), ...checks];
  const check = (lexical: string): string | null => {
    const treated = treatWhiteSpace(lexical, whiteSpace);
    const broken = space.rule(treated);
    if (broken !== null) return broken;
    for (const holds of all) {
      const rule = holds(treated);
      if (rule !== null) return rule;
    }
    return null;
  };
  return {
    whiteSpace,
    check,
    key: (lexical) => key(treatWhiteSpace(lexical, whiteSpace)),
    unsupported,
    cost: 1,
  };
}

function enumerationChecks(
  { enumeration }: SimpleType,
  whiteSpace: WhiteSpace,
  space: Measured,
  key: (treated: string) => string,
): readonly Check[] {
  if (enumeration === null) return [];
  const values = enumeration.map(({ value }) => treatWhiteSpace(value, whiteSpace));
  // A value that is none of the type can never be sent.
  const keys = new Set(values.filter((value) => space.rule(value) === null).map(key));
  return [(lexical) => (keys.has(key(lexical)) ? null : 'must be one of the enumerated values')];
}

/** A rule that a valid lexical form, its white space treated, breaks, or null. */
type Check = (lexical: string) => string | null;

/** The part of a value space that facets look at: lists have their own. */
type Measured = Pick<ValueSpace, 'rule' | 'order' | 'length' | 'digits'>;

/**
 * The facets of XSD 1.0 part 2, section 4.3, except white space: checks, and those that cannot be
 * checked.
 */
interface FacetChecks {
  readonly checks: readonly Check[];
  /** Why a facet is left to the backend, for start-up warnings. */
  readonly unsupported: readonly string[];
}

/** Facets as checks, in the order of their cost. Rules name the facet, never the value. */
function facetChecks(facets: xsd.Facets, space: Measured): FacetChecks {
  const unsupported: string[] = [];
  const checks = [
    ...lengthChecks(facets, space, unsupported),
    ...digitChecks(facets, space, unsupported),
  ];
  checks.push(...boundChecks(facets, space, unsupported));
  for (const pattern of facets.patterns) {
    const compiled = compilePattern(pattern);
    if ('unsupported' in compiled) {
      unsupported.push(`pattern ${shown(pattern)}: ${compiled.unsupported}`);
    } else {
      const rule = `must match ${shown(pattern)}`;
      checks.push((lexical) => (compiled.matches(lexical) ? null : rule));
    }
  }
  return { checks, unsupported };
}

function lengthChecks(
  facets: xsd.Facets,
  { length }: Measured,
  unsupported: string[],
): readonly Check[] {
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
      if (minLength !== null && counted < minLength) {
        return `must have at least length ${minLength}`;
      }
      if (maxLength !== null && counted > maxLength) return `must have at most length ${maxLength}`;
      return null;
    },
  ];
}

function digitChecks(
  { totalDigits, fractionDigits }: xsd.Facets,
  { digits }: Measured,
  unsupported: string[],
): Check[] {
  if (totalDigits === null && fractionDigits === null) return [];
  if (digits === null) {
    unsupported.push('digits: values of this type have none');
    return [];
  }
  return [
    (lexical) => {
      const { total, fraction } = digits(lexical);
      if (totalDigits !== null && total > totalDigits) {
        return `must have at most ${totalDigits} digits`;
      }
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

function boundChecks(
  facets: xsd.Facets,
  { rule: ruleOf, order }: Measured,
  unsupported: string[],
): readonly Check[] {
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

const shown = (text: string): string =>
  text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
