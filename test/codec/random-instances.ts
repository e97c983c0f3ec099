import type { Random, Simple } from './random-values.js';

export interface Complex {
  readonly name: string;
  readonly isAbstract: boolean;
  readonly base: Complex | null;
  readonly derived: Complex[];
  readonly text: Simple | null;
  readonly group: Group | null;
  readonly attributes: readonly Attribute[];
}

export interface Attribute {
  readonly name: string;
  readonly type: Simple;
  readonly required: boolean;
}

export interface Group {
  readonly kind: 'sequence' | 'choice' | 'all';
  readonly min: number;
  readonly max: number;
  readonly parts: readonly (Group | Element)[];
}

export interface Element {
  readonly kind: 'element';
  readonly name: string;
  readonly type: Simple | Complex;
  readonly min: number;
  readonly max: number;
  readonly nillable: boolean;
  readonly fixed: string | null;
}

/** Whether there are instances of a type: of an abstract one only if another is derived from it. */
export const isUsable = (type: Complex): boolean => concreteOf(type).length > 0;

const concreteOf = (type: Complex): readonly Complex[] => [
  ...(type.isAbstract ? [] : [type]),
  ...type.derived.flatMap(concreteOf),
];

export const escaped = (raw: string): string =>
  raw
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Elements with structure within each other, below the root. */
export const MAX_DEPTH = 4;

class TooDeep extends Error {}

/** Instances become smaller as they become deeper. */
export class Writer {
  readonly #random: Random;
  readonly #isQualified: boolean;

  constructor(random: Random, isQualified: boolean) {
    this.#random = random;
    this.#isQualified = isQualified;
  }

  /** Null where every attempt became too deep. */
  document(root: Complex): string | null {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        return this.#document(root);
      } catch (caught) {
        if (!(caught instanceof TooDeep)) throw caught;
      }
    }
    return null;
  }

  #document(root: Complex): string {
    const declarations = 'xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    return `<t:Echo ${declarations}${this.#attributes(root)}>${this.#content(root, 0)}</t:Echo>`;
  }

  #attributes(type: Complex): string {
    const own = type.attributes
      .filter(({ required }) => required || this.#random.chance(0.5))
      .map(({ name, type: simple }) => ` ${name}="${inAttribute(simple.draw(this.#random))}"`);
    return `${type.base === null ? '' : this.#attributes(type.base)}${own.join('')}`;
  }

  #content(type: Complex, depth: number): string {
    if (type.text !== null) return inText(type.text.draw(this.#random));
    const inherited = type.base === null ? '' : this.#content(type.base, depth);
    return `${inherited}${type.group === null ? '' : this.#group(type.group, depth)}`;
  }

  #group(group: Group, depth: number): string {
    const times = this.#times(group.min, group.max, depth);
    return Array.from({ length: times }, () => {
      const parts = group.kind === 'choice' ? [this.#random.of(group.parts)] : group.parts;
      return parts
        .map((part) =>
          part.kind === 'element' ? this.#elements(part, depth) : this.#group(part, depth),
        )
        .join('');
    }).join('');
  }

  #elements(element: Element, depth: number): string {
    if ('isAbstract' in element.type && !isUsable(element.type)) return '';
    const times = this.#times(element.min, element.max, depth);
    return Array.from({ length: times }, () => this.#element(element, depth)).join('');
  }

  #element({ name, type, nillable, fixed }: Element, depth: number): string {
    const tag = this.#isQualified ? `t:${name}` : name;
    if (fixed !== null) return `<${tag}>${fixed}</${tag}>`;
    const isNil = nillable && this.#random.chance(0.3);
    if (!('isAbstract' in type)) {
      if (isNil) return `<${tag} xsi:nil="true"/>`;
      return `<${tag}>${inText(type.draw(this.#random))}</${tag}>`;
    }
    if (depth === MAX_DEPTH) throw new TooDeep();
    const [first, ...others] = concreteOf(type);
    if (first === undefined) throw new Error('an abstract type alone');
    const actual = depth > 1 ? first : this.#random.of([first, ...others]);
    const typed = actual === type ? '' : ` xsi:type="t:${actual.name}"`;
    // What is nil still has its attributes, and in GraphQL it is null: none is given where none has
    // to be.
    if (isNil && noneRequired(actual)) return `<${tag}${typed} xsi:nil="true"/>`;
    return (
      `<${tag}${typed}${this.#attributes(actual)}>` + `${this.#content(actual, depth + 1)}</${tag}>`
    );
  }

  #times(min: number, max: number, depth: number): number {
    const most = Math.min(max, depth > 1 ? min : min + 2);
    return min + this.#random.upTo(most - min + 1);
  }
}

const noneRequired = (type: Complex): boolean =>
  type.attributes.every(({ required }) => !required) &&
  (type.base === null || noneRequired(type.base));

const inText = (value: string): string => escaped(value).replaceAll('\r', '&#13;');
const inAttribute = (value: string): string =>
  escaped(value).replaceAll('\r', '&#13;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
