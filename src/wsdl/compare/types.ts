import {
  type AttributeDeclaration,
  type ComplexType,
  type Content,
  type ElementDeclaration,
  type Particle,
  typeKey,
  type Wildcard,
  type XsdType,
} from '../model.js';
import { type Occurrence, occurrencesIn } from '../occurrences.js';
import { wildcardsIn } from '../wildcards.js';
import type { Changes, Direction, Severity } from './change.js';
import { compareSimpleTypes } from './simple.js';
import { structureOf } from './structure.js';

interface Pair {
  readonly direction: Direction;
  readonly before: XsdType;
  readonly after: XsdType;
  readonly where: string;
}

/**
 * Compares types where operations use them. A pair of types is compared once for each direction, at
 * the first path it is met: the result is the same everywhere.
 */
export class TypeComparison {
  readonly #changes: Changes;
  readonly #seen: Readonly<Record<Direction, Map<XsdType, Set<XsdType>>>> = {
    request: new Map(),
    reply: new Map(),
  };
  readonly #queue: Pair[] = [];

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** Compares an element with its counterpart. */
  compare(
    direction: Direction,
    before: ElementDeclaration,
    after: ElementDeclaration,
    where: string,
  ): void {
    this.#element(direction, before, after, where);
    for (let pair = this.#queue.shift(); pair !== undefined; pair = this.#queue.shift()) {
      this.#types(pair);
    }
  }

  #element(
    direction: Direction,
    before: ElementDeclaration,
    after: ElementDeclaration,
    where: string,
  ): void {
    const { nillable } = after;
    if (before.nillable !== nillable) {
      const isSafe = direction === 'request' ? nillable : !nillable;
      this.#changes.add(
        isSafe ? 'safe' : 'breaking',
        where,
        nillable ? 'may be nil now' : 'may not be nil any more',
      );
    }
    this.#presetValues(before, after, where);
    this.#queue.push({ direction, before: before.type, after: after.type, where });
  }

  #presetValues(before: PresetValues, after: PresetValues, where: string): void {
    if (before.fixed !== after.fixed) {
      this.#changes.add('dangerous', where, 'has another fixed value');
    }
    if (before.default !== after.default) {
      this.#changes.add('dangerous', where, 'has another default');
    }
  }

  #types({ direction, before, after, where }: Pair): void {
    const seen = this.#seen[direction];
    const partners = seen.get(before) ?? new Set();
    if (before === after || partners.has(after)) return;
    seen.set(before, partners.add(after));
    if (before.kind === 'simple' && after.kind === 'simple') {
      compareSimpleTypes(direction, before, after, (severity, path, what) =>
        this.#changes.add(severity, where + path, what),
      );
    } else if (before.kind === 'complex' && after.kind === 'complex') {
      this.#complexTypes(direction, before, after, where);
    } else {
      const what = after.kind === 'simple' ? 'is a simple value now' : 'has structure now';
      this.#changes.add('breaking', where, what);
    }
  }

  #complexTypes(
    direction: Direction,
    before: ComplexType,
    after: ComplexType,
    where: string,
  ): void {
    if (before.abstract !== after.abstract) {
      const isSafe = direction === 'request' ? !after.abstract : after.abstract;
      this.#changes.add(
        isSafe ? 'safe' : 'breaking',
        where,
        after.abstract ? 'is abstract now' : 'is not abstract any more',
      );
    }
    this.#derived(direction, before, after, where);
    this.#attributes(direction, before, after, where);
    this.#contents(direction, before.content, after.content, where);
  }

  #derived(direction: Direction, before: ComplexType, after: ComplexType, where: string): void {
    const named = (types: readonly ComplexType[]): Map<string, ComplexType> =>
      new Map(types.flatMap((type) => (type.name === null ? [] : [[type.name.local, type]])));
    const [were, are] = [named(before.derived), named(after.derived)];
    for (const [name, was] of were) {
      const is = are.get(name);
      if (is !== undefined) {
        this.#queue.push({ direction, before: was, after: is, where: `${where} as ${name}` });
      } else {
        this.#changes.add(
          direction === 'request' ? 'breaking' : 'dangerous',
          where,
          `the type ${name} is gone`,
        );
      }
    }
    for (const name of are.keys()) {
      if (!were.has(name)) {
        this.#changes.add(
          direction === 'request' ? 'safe' : 'dangerous',
          where,
          `may be of the new type ${name}`,
        );
      }
    }
  }

  #attributes(direction: Direction, before: ComplexType, after: ComplexType, where: string): void {
    const named = (
      attributes: readonly AttributeDeclaration[],
    ): Map<string, AttributeDeclaration> =>
      new Map(attributes.map((attribute) => [typeKey(attribute.name), attribute]));
    const [were, are] = [named(before.attributes), named(after.attributes)];
    for (const [key, was] of were) {
      const is = are.get(key);
      const path = `${where}/@${was.name.local}`;
      if (is === undefined) {
        this.#changes.add('breaking', path, 'is gone');
      } else {
        this.#occurrence(direction, path, once(was.required), once(is.required));
        this.#presetValues(was, is, path);
        this.#queue.push({ direction, before: was.type, after: is.type, where: path });
      }
    }
    for (const [key, is] of are) {
      if (!were.has(key)) {
        this.#added(direction, `${where}/@${is.name.local}`, is.required);
      }
    }
    const wildcards = [before, after].map(({ anyAttribute }) =>
      anyAttribute === null ? [] : [anyAttribute],
    );
    compareWildcards(
      direction,
      'attributes',
      wildcards[0] ?? [],
      wildcards[1] ?? [],
      (severity, what) => this.#changes.add(severity, where, what),
    );
  }

  #contents(direction: Direction, before: Content, after: Content, where: string): void {
    if (before.kind === 'text' && after.kind === 'text') {
      this.#queue.push({ direction, before: before.type, after: after.type, where });
    } else if (before.kind === 'array' && after.kind === 'array') {
      if (before.dimensions !== after.dimensions) {
        this.#changes.add('breaking', where, `is an array of ${after.dimensions} dimensions now`);
      }
      this.#queue.push({ direction, before: before.item, after: after.item, where: `${where}[]` });
    } else if (isModel(before) && isModel(after)) {
      this.#models(direction, before, after, where);
    } else if (before.kind === 'opaque' && after.kind === 'opaque') {
      this.#opaque(direction, before, after, where);
    } else if (before.kind !== after.kind) {
      this.#changes.add('breaking', where, `has another kind of content: ${KINDS[after.kind]}`);
    }
  }

  /** Mixed content, or anything. */
  #opaque(direction: Direction, before: Opaque, after: Opaque, where: string): void {
    if (before.mixed !== null && after.mixed !== null) {
      this.#models(direction, before, after, where);
    } else if (before.mixed !== after.mixed) {
      const isSafe = (after.mixed === null) === (direction === 'request');
      const what =
        after.mixed === null ? 'may hold anything now' : 'may not hold anything any more';
      this.#changes.add(isSafe ? 'safe' : 'dangerous', where, what);
    }
  }

  #models(direction: Direction, before: Content, after: Content, where: string): void {
    const [one, other] = [particleOf(before), particleOf(after)];
    const [were, are] = [occurrencesIn(one), occurrencesIn(other)];
    for (const [key, was] of were) {
      const is = are.get(key);
      const path = `${where}/${was.element.name.local}`;
      if (is === undefined) {
        this.#changes.add('breaking', path, 'is gone');
      } else {
        this.#occurrence(direction, path, was, is);
        this.#element(direction, was.element, is.element, path);
      }
    }
    for (const [key, is] of are) {
      if (!were.has(key)) {
        this.#added(direction, `${where}/${is.element.name.local}`, is.min > 0);
      }
    }
    const isOrdered = ![one, other].some(({ kind }) => kind === 'all');
    const order = (keys: Iterable<string>, others: ReadonlyMap<string, unknown>): string =>
      [...keys].filter((key) => others.has(key)).join(' ');
    const isReordered = isOrdered && order(were.keys(), are) !== order(are.keys(), were);
    if (isReordered) {
      this.#changes.add(
        direction === 'request' ? 'breaking' : 'dangerous',
        where,
        'has its elements in another order',
      );
    }
    if (!isReordered) {
      this.#together(direction, [one, other], [were, are], where);
    }
    compareWildcards(
      direction,
      'elements',
      wildcardsIn(one),
      wildcardsIn(other),
      (severity, what) => this.#changes.add(severity, where, what),
    );
  }

  /** Compares which of the common elements may occur together. */
  #together(
    direction: Direction,
    [before, after]: readonly [Particle, Particle],
    [were, are]: readonly [ReadonlyMap<string, Occurrence>, ReadonlyMap<string, Occurrence>],
    where: string,
  ): void {
    const both = new Map([...were].filter(([key]) => are.has(key)));
    const [was, is] = [structureOf(before, both), structureOf(after, both)];
    if (was.text === is.text) return;
    const nameOf = (key: string): string => both.get(key)?.element.name.local ?? '';
    const narrowed = is.pairs.find(([one, other]) => !was.excludes(one, other));
    if (narrowed !== undefined) {
      const what = `has only one of ${nameOf(narrowed[0])} and ${nameOf(narrowed[1])} now`;
      this.#changes.add(direction === 'request' ? 'breaking' : 'safe', where, what);
    }
    const widened = was.pairs.find(([one, other]) => !is.excludes(one, other));
    if (widened !== undefined) {
      const what = `may have both ${nameOf(widened[0])} and ${nameOf(widened[1])} now`;
      this.#changes.add(direction === 'request' ? 'safe' : 'dangerous', where, what);
    }
    const isReported = [...both].some(
      ([key, { min, max }]) => min !== are.get(key)?.min || max !== are.get(key)?.max,
    );
    const isExplained = isReported || narrowed !== undefined || widened !== undefined;
    if (!isExplained) {
      this.#changes.add('dangerous', where, 'has its elements in other groups');
    }
  }

  #added(direction: Direction, where: string, isRequired: boolean): void {
    if (direction === 'reply') {
      this.#changes.add('dangerous', where, 'is new: strict readers do not expect it');
    } else {
      this.#changes.add(
        isRequired ? 'breaking' : 'safe',
        where,
        isRequired ? 'is new and required' : 'is new',
      );
    }
  }

  #occurrence(direction: Direction, where: string, before: Bounds, after: Bounds): void {
    const add = (isWider: boolean, what: string): void => {
      const severity: Severity = isWider === (direction === 'request') ? 'safe' : 'breaking';
      this.#changes.add(severity, where, what);
    };
    if (before.min === 0 && after.min > 0) {
      add(false, 'is required now');
    } else if (before.min > 0 && after.min === 0) {
      add(true, 'may be absent now');
    } else if (before.min !== after.min) {
      add(after.min < before.min, `stands there at least ${after.min} times now`);
    }
    if (before.max === after.max) return;
    const times = after.max === Infinity ? 'any number of times' : `at most ${after.max} times`;
    add(after.max > before.max, `may stand there ${times} now`);
  }
}

type Opaque = Extract<Content, { readonly kind: 'opaque' }>;
type PresetValues = Pick<ElementDeclaration, 'fixed' | 'default'>;
type Bounds = Pick<Occurrence, 'min' | 'max'>;

const once = (isRequired: boolean): Bounds => ({ min: isRequired ? 1 : 0, max: 1 });

const KINDS: Readonly<Record<Content['kind'], string>> = {
  empty: 'nothing',
  text: 'text',
  elements: 'elements',
  opaque: 'any XML',
  array: 'an encoded array',
};

/** Whether the content has a complete model. */
const isModel = ({ kind }: Content): boolean => kind === 'empty' || kind === 'elements';

const NOTHING: Particle = { kind: 'sequence', particles: [], min: 1, max: 1 };

function particleOf(content: Content): Particle {
  if (content.kind === 'elements') return content.particle;
  return (content.kind === 'opaque' ? content.mixed?.particle : null) ?? NOTHING;
}

/** Reports changes of wildcards (`xs:any`, `xs:anyAttribute`). */
function compareWildcards(
  direction: Direction,
  noun: 'elements' | 'attributes',
  before: readonly Wildcard[],
  after: readonly Wildcard[],
  add: (severity: Severity, what: string) => void,
): void {
  const [was, is] = [before.length > 0, after.length > 0];
  if (was && !is) {
    // Clients may request the elements by the field that holds them.
    const isHarmless = direction === 'reply' && noun === 'attributes';
    add(isHarmless ? 'safe' : 'breaking', `allows no further ${noun} any more`);
  } else if (is && !was) {
    add(direction === 'request' ? 'safe' : 'dangerous', `allows further ${noun} now`);
  } else if (printed(before) !== printed(after)) {
    add('dangerous', `lets in other further ${noun} than before`);
  }
}

/** Equal for the same wildcards in any order. */
const printed = (wildcards: readonly Wildcard[]): string =>
  [
    ...new Set(
      wildcards.map(({ process, namespaces }) => JSON.stringify([process, sorted(namespaces)])),
    ),
  ]
    .sort()
    .join();

const sorted = (namespaces: Wildcard['namespaces']): unknown =>
  namespaces.kind === 'any' ? 'any' : [namespaces.kind, [...namespaces.uris].sort()];
