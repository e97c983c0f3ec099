import { isRecord, jsonValues } from '../../core/index.js';
import { listNames } from '../keys/key-text.js';
import type { ValueComparison } from './protection.js';

/** A change of a running gateway is refused, whatever asks for it: see `restart-keys.ts`. */
export const restart: ValueComparison = () => null;

/** A key that belongs to a protection, and of whose values none is weaker. */
export const equal: ValueComparison = () => null;

/** Values from the weakest to the strongest; absent is the default. */
export const ranked =
  (order: readonly string[], initial: string): ValueComparison =>
  (before = initial, after = initial) => {
    const isWeaker = order.indexOf(String(after)) < order.indexOf(String(before));
    return isWeaker ? `goes from \`${String(before)}\` to \`${String(after)}\`` : null;
  };

/** A flag that protects while it has the value `strong`. */
export const flagComparison =
  (strong: boolean, initial: boolean): ValueComparison =>
  (before = initial, after = initial) =>
    before === strong && after !== strong ? `goes from \`${strong}\` to \`${!strong}\`` : null;

/** A key that protects as long as it is there. */
export const kept: ValueComparison = (before, after) =>
  isThere(before) && !isThere(after) ? 'is gone' : null;

/**
 * A list of what is let in: more is weaker, and so is no list where its absence lets everything in.
 */
export const grants =
  (absence: 'closed' | 'open'): ValueComparison =>
  (before, after) => {
    if (absence === 'open') {
      if (before === undefined) return null;
      if (after === undefined) return 'is gone';
    }
    return extra(textsOf(after), textsOf(before), 'now has');
  };

/** The class that may read the SDL of the subgraph: another one is weaker where it was closed. */
export const sdlReaders: ValueComparison = (before, after, _at, change) =>
  change.before.graphql.introspection || after === undefined || before === after
    ? null
    : `now is \`${String(after)}\``;

/** A list of what is kept out: fewer is weaker. */
export const denials: ValueComparison = (before, after) =>
  extra(textsOf(before), textsOf(after), 'lacks');

/** A time up to which something is taken: a longer one is weaker, and `none` is the longest. */
export const timeLimit: ValueComparison = (before, after) =>
  before !== undefined && after !== undefined && millisOf(after) > millisOf(before)
    ? goes(before, after)
    : null;

/** A time for which something is remembered: a shorter one is weaker. */
export const memoryTime: ValueComparison = (before, after) =>
  before !== undefined && after !== undefined && millisOf(after) < millisOf(before)
    ? goes(before, after)
    : null;

/**
 * A price of calls: none is weaker, and so is its absence, where the default may be less. Another
 * number is a decision.
 */
export const price: ValueComparison = (before, after) => {
  if (typeof before !== 'number' || before === 0) return null;
  if (after === undefined) return 'is gone';
  return after === 0 ? 'is switched off' : null;
};

/** Prices by name. */
export const prices: ValueComparison = (before, after, at, change) => {
  for (const [name, earlier] of jsonValues.recordEntries(before)) {
    const what = price(earlier, jsonValues.readMember(after, name), at, change);
    if (what !== null) return `has no price of \`${name}\` any more`;
  }
  return null;
};

/** The length of a list, by which it is priced: less of it may be a lower price. */
export const listLength: ValueComparison = (before, after, at, change) => {
  if (!isRecord(before)) return null;
  if (!isRecord(after)) return 'is gone';
  const [earlier, later] = [
    textsOf(before['slicingArguments']),
    textsOf(after['slicingArguments']),
  ];
  if (earlier.length > 0 && later.length === 0) return 'has no `slicingArguments` any more';
  const requires = flagComparison(true, true);
  const key = 'requireOneSlicingArgument';
  const what =
    price(before['assumedSize'], after['assumedSize'], at, change) ??
    requires(before[key], after[key], at, change);
  return what === null ? null : `is a lower price: a part of it ${what}`;
};

/** Header blocks of replies that callers may select: `true`, or a list of names. */
export const selectableBlocks: ValueComparison = (before, after) => {
  if (before === true || after === undefined || after === false) return null;
  return after === true ? 'now is `true`' : extra(textsOf(after), textsOf(before), 'now has');
};

/** Names of those that are trusted: another one is weaker. */
export const trustedNames: ValueComparison = (before, after) =>
  isRecord(before) && isRecord(after)
    ? extra(Object.keys(after), Object.keys(before), 'now has')
    : null;

/**
 * A value that decides what is compared, or what is read: any other one may let in what was
 * refused.
 */
export const fixed: ValueComparison = (before, after) =>
  before === undefined || before === after ? null : goes(before, after ?? 'none');

/** Names that are set here in place of what callers send by them. */
export const setNames: ValueComparison = (before, after) =>
  extra(namesOf(before), namesOf(after), 'lacks');

/** An address to which TLS is spoken, or a list of them. */
export const encrypted: ValueComparison = (before, after) => {
  const isPlain = (value: unknown): boolean =>
    addressesOf(value).some((url) => /^(?:http|ws):/i.test(url));
  return addressesOf(before).length > 0 && !isPlain(before) && isPlain(after)
    ? 'goes from https to http'
    : null;
};

/** Gives several keys the same comparison. */
export const each = (
  comparison: ValueComparison,
  ...keys: readonly string[]
): Readonly<Record<string, ValueComparison>> =>
  Object.fromEntries(keys.map((key) => [key, comparison]));

/** Keys that stand below another one. */
export const keysBelow = (
  owner: string,
  keys: Readonly<Record<string, ValueComparison>>,
): Readonly<Record<string, ValueComparison>> =>
  Object.fromEntries(
    Object.entries(keys).map(([key, comparison]) => [`${owner}.${key}`, comparison]),
  );

/** What an empty value is, mostly. */
export const IS_ERROR = 'an error';

function extra(those: readonly string[], known: readonly string[], verb: string): string | null {
  const found = those.filter((each) => !known.includes(each));
  return found.length === 0 ? null : `${verb} ${listNames(found)}`;
}

const goes = (before: unknown, after: unknown): string =>
  `goes from \`${String(before)}\` to \`${String(after)}\``;

const millisOf = (value: unknown): number => (value === 'none' ? Infinity : Number(value));

const namesOf = (value: unknown): readonly string[] =>
  isRecord(value) ? Object.keys(value).map((name) => name.toLowerCase()) : [];

const isThere = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0);

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

const addressesOf = (value: unknown): readonly string[] =>
  [value]
    .flat()
    .flatMap((each: unknown) =>
      typeof each === 'string' ? [each] : isRecord(each) ? [String(each['url'])] : [],
    );
