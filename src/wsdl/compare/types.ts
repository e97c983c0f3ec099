import type { AttributeDeclaration, ComplexType, Content, ElementDeclaration, XsdType } from '../model.js';
import { typeKey } from '../model.js';
import type { Changes, Direction, Severity } from './change.js';
import { type Occurrence, occurrencesIn } from './occurrences.js';
import { compareSimpleTypes } from './simple.js';

interface Pair {
  readonly direction: Direction;
  readonly before: XsdType;
  readonly after: XsdType;
  readonly where: string;
}

/**
 * Compares types where operations use them. A pair of types is compared once for each direction, at the first place it
 * is met: what is wrong with it there is wrong everywhere.
 */
export class TypeComparison {
  readonly #changes: Changes;
  readonly #seen: Readonly<Record<Direction, Map<XsdType, Set<XsdType>>>> = { request: new Map(), reply: new Map() };
  readonly #queue: Pair[] = [];

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** An element that stands at the same place before and after. */
  compare(direction: Direction, before: ElementDeclaration, after: ElementDeclaration, where: string): void {
    this.#element(direction, before, after, where);
    for (let pair = this.#queue.shift(); pair !== undefined; pair = this.#queue.shift()) this.#types(pair);
  }

  #element(direction: Direction, before: ElementDeclaration, after: ElementDeclaration, where: string): void {
    const { nillable } = after;
    if (before.nillable !== nillable) {
      const isSafe = direction === 'request' ? nillable : !nillable;
      this.#changes.add(isSafe ? 'safe' : 'breaking', where, nillable ? 'may be nil now' : 'may not be nil any more');
    }
    if (before.fixed !== after.fixed) this.#changes.add('dangerous', where, 'has another fixed value');
    if (before.default !== after.default) this.#changes.add('dangerous', where, 'has another default');
    this.#queue.push({ direction, before: before.type, after: after.type, where });
  }

  #types({ direction, before, after, where }: Pair): void {
    const seen = this.#seen[direction];
    const partners = seen.get(before) ?? new Set();
    if (before === after || partners.has(after)) return;
    seen.set(before, partners.add(after));
    if (before.kind === 'simple' && after.kind === 'simple') {
      compareSimpleTypes(direction, before, after, (severity, what) => this.#changes.add(severity, where, what));
    } else if (before.kind === 'complex' && after.kind === 'complex') {
      this.#complexTypes(direction, before, after, where);
    } else {
      const what = after.kind === 'simple' ? 'is a simple value now' : 'has structure now';
      this.#changes.add('breaking', where, what);
    }
  }

  #complexTypes(direction: Direction, before: ComplexType, after: ComplexType, where: string): void {
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
      if (is !== undefined) this.#queue.push({ direction, before: was, after: is, where: `${where} as ${name}` });
      else this.#changes.add(direction === 'request' ? 'breaking' : 'dangerous', where, `the type ${name} is gone`);
    }
    for (const name of are.keys()) {
      if (!were.has(name)) {
        this.#changes.add(direction === 'request' ? 'safe' : 'dangerous', where, `may be of the new type ${name}`);
      }
    }
  }

  #attributes(direction: Direction, before: ComplexType, after: ComplexType, where: string): void {
    const named = (attributes: readonly AttributeDeclaration[]): Map<string, AttributeDeclaration> =>
      new Map(attributes.map((attribute) => [typeKey(attribute.name), attribute]));
    const [were, are] = [named(before.attributes), named(after.attributes)];
    for (const [key, was] of were) {
      const is = are.get(key);
      const place = `${where}/@${was.name.local}`;
      if (is === undefined) this.#changes.add('breaking', place, 'is gone');
      else {
        this.#occurrence(direction, place, once(was.required), once(is.required));
        this.#queue.push({ direction, before: was.type, after: is.type, where: place });
      }
    }
    for (const [key, is] of are) {
      if (!were.has(key)) this.#added(direction, `${where}/@${is.name.local}`, is.required);
    }
  }

  #contents(direction: Direction, before: Content, after: Content, where: string): void {
    if (before.kind === 'text' && after.kind === 'text') {
      this.#queue.push({ direction, before: before.type, after: after.type, where });
    } else if (before.kind === 'array' && after.kind === 'array') {
      this.#queue.push({ direction, before: before.item, after: after.item, where: `${where}[]` });
    } else if (isModel(before) && isModel(after)) {
      this.#models(direction, before, after, where);
    } else if (before.kind !== after.kind) {
      this.#changes.add('breaking', where, `has another kind of content: ${KINDS[after.kind]}`);
    }
  }

  #models(direction: Direction, before: Content, after: Content, where: string): void {
    const [were, are] = [elementsOf(before), elementsOf(after)];
    for (const [key, was] of were) {
      const is = are.get(key);
      const place = `${where}/${was.element.name.local}`;
      if (is === undefined) this.#changes.add('breaking', place, 'is gone');
      else {
        this.#occurrence(direction, place, was, is);
        this.#element(direction, was.element, is.element, place);
      }
    }
    for (const [key, is] of are) {
      if (!were.has(key)) this.#added(direction, `${where}/${is.element.name.local}`, is.min > 0);
    }
    const isOrdered = ![before, after].some(
      (content) => content.kind === 'elements' && content.particle.kind === 'all',
    );
    const order = (keys: Iterable<string>, others: ReadonlyMap<string, unknown>): string =>
      [...keys].filter((key) => others.has(key)).join(' ');
    if (isOrdered && order(were.keys(), are) !== order(are.keys(), were)) {
      this.#changes.add(direction === 'request' ? 'breaking' : 'dangerous', where, 'has its elements in another order');
    }
  }

  #added(direction: Direction, where: string, isRequired: boolean): void {
    if (direction === 'reply') this.#changes.add('dangerous', where, 'is new: strict readers do not expect it');
    else this.#changes.add(isRequired ? 'breaking' : 'safe', where, isRequired ? 'is new and required' : 'is new');
  }

  #occurrence(direction: Direction, where: string, before: Bounds, after: Bounds): void {
    const add = (isWider: boolean, what: string): void => {
      const severity: Severity = isWider === (direction === 'request') ? 'safe' : 'breaking';
      this.#changes.add(severity, where, what);
    };
    if (before.min === 0 && after.min > 0) add(false, 'is required now');
    else if (before.min > 0 && after.min === 0) add(true, 'may be absent now');
    else if (before.min !== after.min) add(after.min < before.min, `stands there at least ${after.min} times now`);
    if (before.max === after.max) return;
    const times = after.max === Infinity ? 'any number of times' : `at most ${after.max} times`;
    add(after.max > before.max, `may stand there ${times} now`);
  }
}

type Bounds = Pick<Occurrence, 'min' | 'max'>;

const once = (isRequired: boolean): Bounds => ({ min: isRequired ? 1 : 0, max: 1 });

const KINDS: Readonly<Record<Content['kind'], string>> = {
  empty: 'nothing',
  text: 'text',
  elements: 'elements',
  opaque: 'any XML',
  array: 'an encoded array',
};

const isModel = ({ kind }: Content): boolean => kind === 'empty' || kind === 'elements';

const elementsOf = (content: Content): ReadonlyMap<string, Occurrence> =>
  content.kind === 'elements' ? occurrencesIn(content.particle) : new Map();
