import {
  type Attribute,
  type Complex,
  type Element,
  escaped,
  type Group,
  isUsable,
  Writer,
} from './random-instances.js';
import { BUILT_INS, ENUMERATED, Random, RESTRICTED, type Simple } from './random-values.js';

/**
 * Random schemas of `urn:t` with valid instances of their element `Echo`. Everything follows from
 * the seed. Names of elements are never used twice, so that no content model is ambiguous.
 */
export interface RandomSchema {
  readonly xsd: string;
  /** Up to so many documents, each valid. */
  instances(count: number): readonly string[];
}

export function randomSchema(seed: number, size: number): RandomSchema {
  const random = new Random(seed);
  const author = new Author(random);
  for (let made = 0; made < size; made += 1) author.addSimple();
  for (let made = 0; made < size; made += 1) author.addComplex();
  const root = author.addRoot();
  const form = random.chance(0.7) ? 'elementFormDefault="qualified"' : '';
  const xsd = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" \
targetNamespace="urn:t" ${form}>
<xs:element name="Echo" type="t:${root.name}"/>
<xs:element name="EchoResponse" type="t:${root.name}"/>
${author.definitions.join('\n')}
</xs:schema>`;
  const writer = new Writer(random, form !== '');
  return {
    xsd,
    instances: (count) =>
      Array.from({ length: count }, () => writer.document(root)).filter((each) => each !== null),
  };
}

class Author {
  readonly definitions: string[] = [];
  readonly #random: Random;
  readonly #simples: Simple[] = [...BUILT_INS];
  readonly #complexes: Complex[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  addSimple(): void {
    const random = this.#random;
    const local = this.#name('S');
    const name = `t:${local}`;
    const define = (content: string): void => {
      this.definitions.push(`<xs:simpleType name="${local}">${content}</xs:simpleType>`);
    };
    switch (random.upTo(4)) {
      case 0: {
        const [base, facets, draw] = random.of(RESTRICTED);
        define(`<xs:restriction base="xs:${base}">${facets}</xs:restriction>`);
        this.#simples.push({ name, isWord: base !== 'string', isList: false, draw });
        break;
      }
      case 1: {
        const [base, values] = random.of(ENUMERATED);
        const entries = values
          .map((value) => `<xs:enumeration value="${escaped(value)}"/>`)
          .join('');
        define(`<xs:restriction base="xs:${base}">${entries}</xs:restriction>`);
        this.#simples.push({
          name,
          isWord: base !== 'string',
          isList: false,
          draw: (each) => each.of(values),
        });
        break;
      }
      case 2: {
        const item = random.of(this.#simples.filter(({ isWord }) => isWord));
        define(`<xs:list itemType="${item.name}"/>`);
        // One that is empty looks like a branch of a choice that was not taken.
        const draw = (each: Random): string =>
          each.some(1, 4, () => item.draw(each)).join(each.of([' ', '  ', '\n']));
        this.#simples.push({ name, isWord: false, isList: true, draw });
        break;
      }
      default: {
        const members = [0, 1].map(() => random.of(this.#simples.filter(({ isList }) => !isList)));
        define(`<xs:union memberTypes="${members.map((member) => member.name).join(' ')}"/>`);
        const isWord = members.every((member) => member.isWord);
        this.#simples.push({
          name,
          isWord,
          isList: false,
          draw: (each) => each.of(members).draw(each),
        });
      }
    }
  }

  addComplex(): void {
    const random = this.#random;
    const bases = this.#complexes.filter(({ group }) => group !== null && group.kind !== 'all');
    if (random.chance(0.2)) this.#define(null, random.of(this.#simples), null, false);
    else if (bases.length > 0 && random.chance(0.4))
      this.#define(random.of(bases), null, this.#group(1), false);
    else
      this.#define(
        null,
        null,
        random.chance(0.15) ? this.#all() : this.#outer(),
        random.chance(0.15),
      );
  }

  /** With a group in it that is repeated, now and then. */
  #outer(): Group {
    const group = this.#group(2);
    if (group.kind !== 'sequence' || this.#random.chance(0.7)) return group;
    const kind = this.#random.of(['sequence', 'sequence', 'choice'] as const);
    const leaves = this.#random.some(2, 4, () => ({
      ...this.#leaf(),
      min: 1,
      max: 1,
      nillable: false,
      fixed: null,
    }));
    // What a repetition begins with is there, once: else nothing tells where it does.
    const parts = leaves.map((leaf, index) =>
      index === 0 || kind === 'choice'
        ? leaf
        : { ...leaf, min: this.#random.upTo(2), max: this.#random.of([1, 1, 3]) },
    );
    const repeated: Group = {
      kind,
      min: this.#random.upTo(3),
      max: this.#random.of([3, Infinity]),
      parts,
    };
    return { ...group, parts: group.min === 0 ? [repeated] : [...group.parts, repeated] };
  }

  addRoot(): Complex {
    const parts = [
      ...this.#complexes.map((type) => this.#element(type)),
      ...this.#random.some(2, 4, () => this.#leaf()),
    ];
    return this.#define(null, null, { kind: 'sequence', min: 1, max: 1, parts }, false);
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${this.#names}`;
  }

  #define(
    base: Complex | null,
    simple: Simple | null,
    group: Group | null,
    isAbstract: boolean,
  ): Complex {
    const attributes = this.#random.some(0, 2, (): Attribute => {
      const type = this.#random.of(this.#simples);
      return { name: this.#name('a'), type, required: this.#random.chance(0.5) };
    });
    const name = this.#name('T');
    const made: Complex = { name, isAbstract, base, derived: [], text: simple, group, attributes };
    base?.derived.push(made);
    this.#complexes.push(made);
    const inner =
      `${group === null ? '' : printGroup(group)}` + `${attributes.map(printAttribute).join('')}`;
    const content =
      simple !== null
        ? `<xs:simpleContent><xs:extension base="${simple.name}">` +
          `${inner}</xs:extension></xs:simpleContent>`
        : base !== null
          ? `<xs:complexContent><xs:extension base="t:${base.name}">` +
            `${inner}</xs:extension></xs:complexContent>`
          : inner;
    this.definitions.push(
      `<xs:complexType name="${name}"${isAbstract ? ' abstract="true"' : ''}>` +
        `${content}</xs:complexType>`,
    );
    return made;
  }

  #group(depth: number): Group {
    const random = this.#random;
    const kind = random.of(['sequence', 'sequence', 'choice'] as const);
    const parts = random.some(1, 4, () =>
      depth > 0 && random.chance(0.25) ? this.#group(depth - 1) : this.#part(),
    );
    // In a choice nil looks like not given, and in branches that may be empty nothing tells which
    // was taken.
    if (kind === 'choice') return { kind, min: 1, max: 1, parts: parts.map(certainly) };
    // In a group that may be left out, nil and not given are told apart by the caller alone.
    const isOptional = random.chance(0.2);
    return {
      kind,
      min: isOptional ? 0 : 1,
      max: 1,
      parts: isOptional ? parts.map(neverNil) : parts,
    };
  }

  #all(): Group {
    const parts = this.#random.some(1, 4, () => ({
      ...this.#leaf(),
      min: this.#random.upTo(2),
      max: 1,
    }));
    return { kind: 'all', min: 1, max: 1, parts };
  }

  #part(): Element {
    const complexes = this.#complexes.filter(isUsable);
    return complexes.length > 0 && this.#random.chance(0.35)
      ? this.#element(this.#random.of(complexes))
      : this.#leaf();
  }

  #leaf(): Element {
    return this.#element(this.#random.of(this.#random.chance(0.5) ? BUILT_INS : this.#simples));
  }

  #element(type: Simple | Complex): Element {
    const random = this.#random;
    const isLost = 'isAbstract' in type && !isUsable(type);
    const min = isLost ? 0 : random.of([0, 1, 1]);
    const max = random.of([1, 1, 1, 3, Infinity]);
    const fixed =
      !('isAbstract' in type) && max === 1 && min === 1 && type.name === 'xs:token'
        ? 'is fixed'
        : null;
    return {
      kind: 'element',
      name: this.#name('e'),
      type,
      min,
      max,
      nillable: fixed === null && random.chance(0.2),
      fixed,
    };
  }
}

function certainly(part: Group | Element): Group | Element {
  if (part.kind === 'element') return { ...part, min: Math.max(1, part.min), nillable: false };
  return { ...part, min: 1, parts: part.parts.map(certainly) };
}

function neverNil(part: Group | Element): Group | Element {
  return part.kind === 'element'
    ? { ...part, nillable: false }
    : { ...part, parts: part.parts.map(neverNil) };
}

const occurs = (min: number, max: number): string =>
  `${min === 1 ? '' : ` minOccurs="${min}"`}` +
  `${max === 1 ? '' : ` maxOccurs="${max === Infinity ? 'unbounded' : max}"`}`;

function printGroup({ kind, min, max, parts }: Group): string {
  const inner = parts
    .map((part) => (part.kind === 'element' ? printElement(part) : printGroup(part)))
    .join('');
  return `<xs:${kind}${occurs(min, max)}>${inner}</xs:${kind}>`;
}

function printElement({ name, type, min, max, nillable, fixed }: Element): string {
  const typeName = 'isAbstract' in type ? `t:${type.name}` : type.name;
  const more = `${nillable ? ' nillable="true"' : ''}${fixed === null ? '' : ` fixed="${fixed}"`}`;
  return `<xs:element name="${name}" type="${typeName}"${occurs(min, max)}${more}/>`;
}

const printAttribute = ({ name, type, required }: Attribute): string =>
  `<xs:attribute name="${name}" type="${type.name}"${required ? ' use="required"' : ''}/>`;
