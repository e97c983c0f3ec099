import { type Facets, type SimpleType, typeKey } from '../model.js';
import type { Direction, Severity } from './change.js';

type Add = (severity: Severity, what: string) => void;

/**
 * Reports changes of the values of a simple type, of the items of a list and the members of a
 * union.
 */
export function compareSimpleTypes(
  direction: Direction,
  before: SimpleType,
  after: SimpleType,
  add: (severity: Severity, path: string, what: string) => void,
): void {
  const stack: Pair[] = [{ before, after, path: '' }];
  const seen = new Set<SimpleType>();
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const { path } = pair;
    if (pair.before === pair.after || seen.has(pair.before)) continue;
    seen.add(pair.before);
    const addHere: Add = (severity, what) => add(severity, path, what);
    compareOne(direction, pair.before, pair.after, addHere);
    stack.push(...partsOf(direction, pair, addHere).reverse());
  }
}

interface Pair {
  readonly before: SimpleType;
  readonly after: SimpleType;
  /** The path of the part; '' for the whole. */
  readonly path: string;
}

/**
 * The items of two lists; the members of two unions, those of one name together, the others in
 * their order.
 */
function partsOf(direction: Direction, { before, after, path }: Pair, add: Add): Pair[] {
  if (before.item !== null && after.item !== null) {
    return [{ before: before.item, after: after.item, path: `${path}, its items` }];
  }
  if (before.variety !== 'union' || after.variety !== 'union') return [];
  const keyOf = ({ name }: SimpleType): string => (name === null ? '' : typeKey(name));
  const are = new Map(after.members.map((member) => [keyOf(member), member]));
  const were = new Set(before.members.map(keyOf));
  const others = {
    named: after.members.filter((member) => member.name !== null && !were.has(keyOf(member))),
    unnamed: after.members.filter(({ name }) => name === null),
  };
  const pairs: Pair[] = [];
  for (const member of before.members) {
    const partner =
      member.name === null
        ? others.unnamed.shift()
        : (are.get(keyOf(member)) ?? others.named.shift());
    if (partner !== undefined) {
      pairs.push({ before: member, after: partner, path: `${path}, a member of it` });
    } else {
      add(
        direction === 'request' ? 'breaking' : 'safe',
        `has no member ${nameOf(member)} in its union any more`,
      );
    }
  }
  for (const member of [...others.named, ...others.unnamed]) {
    add(
      direction === 'request' ? 'safe' : 'dangerous',
      `has the new member ${nameOf(member)} in its union`,
    );
  }
  return pairs;
}

const nameOf = ({ name, builtIn }: SimpleType): string => name?.local ?? builtIn;

function compareOne(direction: Direction, before: SimpleType, after: SimpleType, add: Add): void {
  /**
   * More values than before are harmless where clients write them, fewer where clients read them.
   */
  const addWider = (isWider: boolean, what: string): void => {
    if (isWider === (direction === 'request')) {
      add('safe', what);
    } else {
      add(direction === 'request' ? 'breaking' : 'dangerous', what);
    }
  };
  if (before.variety !== after.variety) {
    add('breaking', `is ${NAMES[after.variety]} now`);
    return;
  }
  // For a list the change is reported for its items.
  if (before.builtIn !== after.builtIn && (before.item === null || after.item === null)) {
    const isWider = widens(before.builtIn, after.builtIn);
    const isRelated = isWider || widens(after.builtIn, before.builtIn);
    const severity = isRelated && isWider === (direction === 'request') ? 'dangerous' : 'breaking';
    add(severity, `is of type ${after.builtIn} instead of ${before.builtIn}`);
  }
  compareEnumerations(before, after, addWider, add);
  compareFacets(before.facets, after.facets, addWider, add);
}

const NAMES: Readonly<Record<SimpleType['variety'], string>> = {
  atomic: 'a single value',
  list: 'a list of values',
  union: 'a union',
};

type AddWider = (isWider: boolean, what: string) => void;

function compareEnumerations(
  before: SimpleType,
  after: SimpleType,
  addWider: AddWider,
  add: Add,
): void {
  if (before.enumeration === null || after.enumeration === null) {
    if (before.enumeration === after.enumeration) return;
    // GraphQL shows the one as an enum and the other as a scalar.
    add(
      'breaking',
      after.enumeration === null ? 'is not enumerated any more' : 'is enumerated now',
    );
    return;
  }
  const were = new Set(before.enumeration.map(({ value }) => value));
  const are = new Set(after.enumeration.map(({ value }) => value));
  for (const value of were) {
    if (!are.has(value)) {
      addWider(false, `the value ${JSON.stringify(value)} is gone`);
    }
  }
  for (const value of are) {
    if (!were.has(value)) {
      addWider(true, `the value ${JSON.stringify(value)} is new`);
    }
  }
}

/** Each with the types whose values it takes as well; transitively. */
const WIDER: ReadonlyMap<string, readonly string[]> = new Map([
  ['decimal', ['integer']],
  ['integer', ['long', 'nonNegativeInteger', 'nonPositiveInteger']],
  ['long', ['int', 'unsignedInt']],
  ['int', ['short', 'unsignedShort']],
  ['short', ['byte', 'unsignedByte']],
  ['nonNegativeInteger', ['unsignedLong', 'positiveInteger']],
  ['nonPositiveInteger', ['negativeInteger']],
  ['unsignedLong', ['unsignedInt']],
  ['unsignedInt', ['unsignedShort']],
  ['unsignedShort', ['unsignedByte']],
  ['double', ['float']],
  ['string', ['normalizedString']],
  ['normalizedString', ['token']],
  ['token', ['language', 'NMTOKEN', 'Name']],
  ['Name', ['NCName']],
  ['NCName', ['ID', 'IDREF', 'ENTITY']],
]);

/** Whether every value of the one built-in type is one of the other, which is another. */
function widens(from: string, to: string): boolean {
  const reached = new Set([to]);
  for (const type of reached) {
    for (const narrower of WIDER.get(type) ?? []) {
      reached.add(narrower);
    }
  }
  return from !== to && reached.has(from);
}

/** Facets of which a greater number lets more values in. */
const UPPER = [
  'maxLength',
  'totalDigits',
  'fractionDigits',
  'maxInclusive',
  'maxExclusive',
] as const;
/** Facets of which a smaller number does. */
const LOWER = ['minLength', 'minInclusive', 'minExclusive'] as const;

function compareFacets(before: Facets, after: Facets, addWider: AddWider, add: Add): void {
  const compare = (facet: (typeof UPPER | typeof LOWER)[number], isUpper: boolean): void => {
    const [was, is] = [before[facet], after[facet]];
    if (was === is) return;
    if (was === null || is === null) {
      addWider(is === null, is === null ? `has no ${facet} any more` : `has ${facet} ${is} now`);
      return;
    }
    const difference = Number(is) - Number(was);
    // Bounds of dates are no numbers.
    if (Number.isNaN(difference)) {
      add('dangerous', `has another ${facet}: ${is}`);
    } else if (difference !== 0) {
      addWider(difference > 0 === isUpper, `has ${facet} ${is} instead of ${was}`);
    }
  };
  for (const facet of UPPER) {
    compare(facet, true);
  }
  for (const facet of LOWER) {
    compare(facet, false);
  }
  if (before.length !== after.length) {
    add('dangerous', `has another length: ${after.length ?? 'any'}`);
  }
  if (before.patterns.join('\n') !== after.patterns.join('\n')) {
    add('dangerous', 'has another pattern');
  }
  if (before.whiteSpace !== after.whiteSpace) {
    add('dangerous', 'treats white space otherwise');
  }
}
