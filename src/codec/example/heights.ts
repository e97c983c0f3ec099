import type { Branch, BranchRule, EncodeObject, EncodeValue } from '../plan/request/encode-plan.js';

/** Values that are measured; of a larger plan, the first branches are taken. */
const VALUES_MAX = 5_000;

/**
 * How many objects in one another each value needs at least: what holds itself ends by a branch of
 * a choice that needs fewer. Without a number it has no end.
 */
export class Heights {
  readonly #known = new Map<EncodeValue, number>();

  constructor(root: EncodeValue) {
    const values = reachable(root);
    if (values.length > VALUES_MAX) return;
    values.reverse();
    // Each round settles the values that need one object more: few rounds, for plans are flat.
    for (let isNews = true; isNews; ) {
      isNews = false;
      for (const value of values) {
        const height = this.#measure(value);
        if (height >= (this.#known.get(value) ?? Number.POSITIVE_INFINITY)) continue;
        this.#known.set(value, height);
        isNews = true;
      }
    }
  }

  of(value: EncodeValue): number {
    return isLeaf(value) ? 0 : (this.#known.get(value) ?? Number.POSITIVE_INFINITY);
  }

  #measure(value: EncodeValue): number {
    if (value.kind === 'array') return this.of(value.item) + 1;
    if (value.kind === 'variants')
      return 1 + Math.min(...[...value.members.values()].map((each) => this.of(each.value)));
    return value.kind === 'object' ? this.#ofObject(value) : 0;
  }

  #ofObject({ children, choices, branches = [], variant }: EncodeObject): number {
    const byKey = new Map(children.map((each) => [each.key, this.of(each.value)]));
    const heightOf = (key: string): number => byKey.get(key) ?? 0;
    const needed = children.filter(({ required, nillable }) => required && !nillable);
    return (
      1 +
      Math.max(
        0,
        variant === undefined ? 0 : this.of(variant.value),
        ...needed.map(({ value }) => this.of(value)),
        ...choices.map((keys) => Math.min(...keys.map(heightOf))),
        ...branches.map((rule) => heightOfRule(rule, heightOf)),
      )
    );
  }
}

/** The height of the lowest branch. */
const heightOfRule = (
  { required, branches }: BranchRule,
  heightOf: (key: string) => number,
): number =>
  required && branches.length > 0
    ? Math.min(...branches.map((branch) => heightOfBranch(branch, heightOf)))
    : 0;

/** The height of what a branch needs. */
export const heightOfBranch = (
  { required, keys, rules }: Branch,
  heightOf: (key: string) => number,
): number =>
  Math.max(
    0,
    ...(required.length > 0 ? required : keys.slice(0, 1)).map(heightOf),
    ...rules.map((rule) => heightOfRule(rule, heightOf)),
  );

const isLeaf = ({ kind }: EncodeValue): boolean =>
  kind === 'scalar' || kind === 'xml' || kind === 'any';

/** A value and all below it, each once, the outer ones first. */
function reachable(root: EncodeValue): EncodeValue[] {
  const seen = new Set([root]);
  for (const value of seen) {
    if (seen.size > VALUES_MAX) break;
    const below: EncodeValue[] = [];
    if (value.kind === 'array') below.push(value.item);
    else if (value.kind === 'variants')
      below.push(...[...value.members.values()].map((each) => each.value));
    else if (value.kind === 'object') {
      below.push(...value.children.map((each) => each.value));
      if (value.variant !== undefined) below.push(value.variant.value);
    }
    for (const each of below) if (!isLeaf(each)) seen.add(each);
  }
  return [...seen];
}
