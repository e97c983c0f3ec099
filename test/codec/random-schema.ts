/**
 * Random schemas of `urn:t` with valid instances of their element `Echo`. Everything follows from the seed. Names of
 * elements are never used twice, so that no content model is ambiguous.
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
  const xsd = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t" ${form}>
<xs:element name="Echo" type="t:${root.name}"/>
<xs:element name="EchoResponse" type="t:${root.name}"/>
${author.definitions.join('\n')}
</xs:schema>`;
  const writer = new Writer(random, form !== '');
  return {
    xsd,
    instances: (count) => Array.from({ length: count }, () => writer.document(root)).filter((each) => each !== null),
  };
}

/** A linear congruential generator. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    this.upTo(1);
  }

  /** A whole number from 0 up to but not including `limit`. */
  upTo(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.upTo(1000) < probability * 1000;
  }

  of<T>(all: readonly T[]): T {
    const one = all[this.upTo(all.length)];
    if (one === undefined) throw new Error('nothing to choose from');
    return one;
  }

  some<T>(min: number, max: number, make: () => T): readonly T[] {
    return Array.from({ length: min + this.upTo(max - min + 1) }, make);
  }
}

interface Simple {
  /** As `type` says it: `xs:int`, `t:S1`. */
  readonly name: string;
  /** Its values hold no white space and are not empty: they may be items. */
  readonly isWord: boolean;
  readonly isList: boolean;
  readonly draw: (random: Random) => string;
}

interface Complex {
  readonly name: string;
  readonly isAbstract: boolean;
  readonly base: Complex | null;
  readonly derived: Complex[];
  readonly text: Simple | null;
  readonly group: Group | null;
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly name: string;
  readonly type: Simple;
  readonly required: boolean;
}

interface Group {
  readonly kind: 'sequence' | 'choice' | 'all';
  readonly min: number;
  readonly max: number;
  readonly parts: readonly (Group | Element)[];
}

interface Element {
  readonly kind: 'element';
  readonly name: string;
  readonly type: Simple | Complex;
  readonly min: number;
  readonly max: number;
  readonly nillable: boolean;
  readonly fixed: string | null;
}

const digits = (random: Random, max: number): string => random.some(1, max, () => String(random.upTo(10))).join('');
const signed = (random: Random, max: number): string => `${random.of(['', '-', '+'])}${digits(random, max)}`;
const two = (value: number): string => String(value).padStart(2, '0');
const zone = (random: Random): string => random.of(['', 'Z', '+05:30', '-14:00', '+14:00']);
const day = (random: Random): string =>
  `${1 + random.upTo(9999)}-${two(1 + random.upTo(12))}-${two(1 + random.upTo(28))}`;
const clock = (random: Random): string =>
  `${two(random.upTo(24))}:${two(random.upTo(60))}:${two(random.upTo(60))}${random.of(['', '.5', '.120', '.000000001'])}`;
const padded = (text: string): string => text.replace(/^\d+/, (year) => year.padStart(4, '0'));
const CHARACTERS = [
  'a',
  'B',
  '7',
  ' ',
  ' ',
  '\n',
  '\t',
  '<',
  '&',
  '>',
  '"',
  "'",
  ']]>',
  'é',
  '😀',
  '\u2028',
  '\u0085',
  '-',
  '{',
];
const text = (random: Random): string => random.some(0, 6, () => random.of(CHARACTERS)).join('');
const word = (random: Random): string =>
  random.some(1, 5, () => random.of(['a', 'Z', '0', 'é', '😀', '-', '_', '&'])).join('');
const bytes = (random: Random): Buffer => Buffer.from(random.some(0, 6, () => random.upTo(256)));

const builtIn = (name: string, draw: (random: Random) => string, isWord = true): Simple => ({
  name: `xs:${name}`,
  isWord,
  isList: false,
  draw,
});

const BUILT_INS: readonly Simple[] = [
  builtIn('string', text, false),
  builtIn('normalizedString', (random) => text(random).replace(/[\n\t]/g, ' '), false),
  builtIn('token', word),
  builtIn('boolean', (random) => random.of(['true', 'false', '1', '0'])),
  builtIn('int', (random) => signed(random, 9)),
  builtIn('short', (random) => signed(random, 4)),
  builtIn('unsignedByte', (random) => String(random.upTo(256))),
  builtIn('long', (random) => signed(random, 18)),
  builtIn('unsignedLong', (random) => digits(random, 19)),
  builtIn('integer', (random) => signed(random, 24)),
  builtIn('positiveInteger', (random) => `1${digits(random, 20)}`),
  builtIn('decimal', (random) => `${signed(random, 10)}${random.of(['', '.', `.${digits(random, 10)}`])}`),
  builtIn('double', (random) => `${signed(random, 5)}.${digits(random, 3)}${random.of(['', 'e5', 'E-3'])}`),
  builtIn('float', (random) => `${signed(random, 3)}.${digits(random, 2)}`),
  builtIn('date', (random) => `${padded(day(random))}${zone(random)}`),
  builtIn('dateTime', (random) => `${padded(day(random))}T${clock(random)}${zone(random)}`),
  builtIn('time', (random) => `${clock(random)}${zone(random)}`),
  builtIn('duration', (random) => random.of(['P1Y', '-P3DT4H', 'PT0.50S', 'P1Y2M3DT4H5M6.7S', 'PT36H'])),
  builtIn('gYear', (random) => `${1000 + random.upTo(9000)}${zone(random)}`),
  builtIn('gMonthDay', (random) => `--${two(1 + random.upTo(12))}-${two(1 + random.upTo(28))}`),
  builtIn('base64Binary', (random) => bytes(random).toString('base64'), false),
  builtIn('hexBinary', (random) => bytes(random).toString('hex'), false),
  builtIn('anyURI', (random) => random.of(['urn:x', 'http://h/a?b=c&d', '../up', 'a#b'])),
  builtIn('NMTOKEN', (random) => random.of(['1a', '-x', 'a:b.c'])),
  builtIn('language', (random) => random.of(['de', 'en-GB', 'x-klingon'])),
];

/** Restrictions of built-in types: base, facets, values. */
const RESTRICTED: readonly (readonly [string, string, (random: Random) => string])[] = [
  [
    'string',
    '<xs:pattern value="[A-Z]{2}[0-9]{3,5}"/>',
    (random) => `A${random.of(['B', 'Z'])}${1000 + random.upTo(9000)}`,
  ],
  [
    'string',
    '<xs:pattern value="(\\i\\c*)(,\\i\\c*)*"/><xs:maxLength value="9"/>',
    (random) => random.of(['a', 'a,b', 'x1,_y']),
  ],
  ['token', '<xs:pattern value="[a-z-[aeiou]]+|\\p{Lu}*"/>', (random) => random.of(['xyz', 'ÄB', 'q'])],
  [
    'string',
    '<xs:minLength value="1"/><xs:maxLength value="3"/>',
    (random) => random.of(['😀😀😀', ' a ', 'é', '\n<']),
  ],
  ['string', '<xs:whiteSpace value="collapse"/><xs:length value="3"/>', (random) => random.of(['a b', 'abc'])],
  ['int', '<xs:minInclusive value="-5"/><xs:maxExclusive value="6"/>', (random) => String(random.upTo(11) - 5)],
  [
    'decimal',
    '<xs:totalDigits value="5"/><xs:fractionDigits value="2"/>',
    (random) => `${digits(random, 3)}.${digits(random, 2)}`,
  ],
  ['long', '<xs:minInclusive value="9007199254740993"/>', (random) => `90071992547409${93 + random.upTo(7)}`],
  [
    'date',
    '<xs:minInclusive value="2000-01-01"/><xs:maxInclusive value="2099-12-31"/>',
    (random) => `20${two(random.upTo(99))}-06-${two(1 + random.upTo(30))}`,
  ],
  [
    'dateTime',
    '<xs:maxExclusive value="2030-01-01T00:00:00Z"/>',
    (random) => `20${10 + random.upTo(19)}-05-05T${clock(random)}Z`,
  ],
  ['hexBinary', '<xs:length value="2"/>', (random) => `${two(random.upTo(99))}fF`],
  ['base64Binary', '<xs:maxLength value="2"/>', (random) => random.of(['QQ==', 'QUI='])],
];

/** Enumerations: base and values. */
const ENUMERATED: readonly (readonly [string, readonly string[]])[] = [
  ['string', ['NEW', 'ON HOLD', '1st', 'on hold', 'true', '__x', 'ü', '']],
  ['token', ['a-b', 'a.b', 'a_b', 'null']],
  ['int', ['1', '2', '30']],
  ['decimal', ['1.0', '2.50']],
];

const escaped = (raw: string): string =>
  raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

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
        const entries = values.map((value) => `<xs:enumeration value="${escaped(value)}"/>`).join('');
        define(`<xs:restriction base="xs:${base}">${entries}</xs:restriction>`);
        this.#simples.push({ name, isWord: base !== 'string', isList: false, draw: (each) => each.of(values) });
        break;
      }
      case 2: {
        const item = random.of(this.#simples.filter(({ isWord }) => isWord));
        define(`<xs:list itemType="${item.name}"/>`);
        // One that is empty looks like a branch of a choice that was not taken.
        const draw = (each: Random): string => each.some(1, 4, () => item.draw(each)).join(each.of([' ', '  ', '\n']));
        this.#simples.push({ name, isWord: false, isList: true, draw });
        break;
      }
      default: {
        const members = [0, 1].map(() => random.of(this.#simples.filter(({ isList }) => !isList)));
        define(`<xs:union memberTypes="${members.map((member) => member.name).join(' ')}"/>`);
        const isWord = members.every((member) => member.isWord);
        this.#simples.push({ name, isWord, isList: false, draw: (each) => each.of(members).draw(each) });
      }
    }
  }

  addComplex(): void {
    const random = this.#random;
    const bases = this.#complexes.filter(({ group }) => group !== null && group.kind !== 'all');
    if (random.chance(0.2)) this.#define(null, random.of(this.#simples), null, false);
    else if (bases.length > 0 && random.chance(0.4)) this.#define(random.of(bases), null, this.#group(1), false);
    else this.#define(null, null, random.chance(0.15) ? this.#all() : this.#outer(), random.chance(0.15));
  }

  /** With a group in it that is repeated, now and then. */
  #outer(): Group {
    const group = this.#group(2);
    if (group.kind !== 'sequence' || this.#random.chance(0.7)) return group;
    const parts = this.#random.some(2, 3, () => ({ ...this.#leaf(), min: 1, max: 1, nillable: false, fixed: null }));
    const kind = this.#random.of(['sequence', 'choice'] as const);
    const repeated: Group = { kind, min: this.#random.upTo(3), max: this.#random.of([3, Infinity]), parts };
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

  #define(base: Complex | null, simple: Simple | null, group: Group | null, isAbstract: boolean): Complex {
    const attributes = this.#random.some(0, 2, (): Attribute => {
      const type = this.#random.of(this.#simples);
      return { name: this.#name('a'), type, required: this.#random.chance(0.5) };
    });
    const name = this.#name('T');
    const made: Complex = { name, isAbstract, base, derived: [], text: simple, group, attributes };
    base?.derived.push(made);
    this.#complexes.push(made);
    const inner = `${group === null ? '' : printGroup(group)}${attributes.map(printAttribute).join('')}`;
    const content =
      simple !== null
        ? `<xs:simpleContent><xs:extension base="${simple.name}">${inner}</xs:extension></xs:simpleContent>`
        : base !== null
          ? `<xs:complexContent><xs:extension base="t:${base.name}">${inner}</xs:extension></xs:complexContent>`
          : inner;
    this.definitions.push(
      `<xs:complexType name="${name}"${isAbstract ? ' abstract="true"' : ''}>${content}</xs:complexType>`,
    );
    return made;
  }

  #group(depth: number): Group {
    const random = this.#random;
    const kind = random.of(['sequence', 'sequence', 'choice'] as const);
    const parts = random.some(1, 4, () => (depth > 0 && random.chance(0.25) ? this.#group(depth - 1) : this.#part()));
    // In a choice nil looks like not given, and in branches that may be empty nothing tells which was taken.
    if (kind === 'choice') return { kind, min: 1, max: 1, parts: parts.map(certainly) };
    // In a group that may be left out, nil and not given are told apart by the caller alone.
    const isOptional = random.chance(0.2);
    return { kind, min: isOptional ? 0 : 1, max: 1, parts: isOptional ? parts.map(neverNil) : parts };
  }

  #all(): Group {
    const parts = this.#random.some(1, 4, () => ({ ...this.#leaf(), min: this.#random.upTo(2), max: 1 }));
    return { kind: 'all', min: 1, max: 1, parts };
  }

  #part(): Element {
    const complexes = this.#complexes.filter(isUsable);
    return complexes.length > 0 && this.#random.chance(0.35) ? this.#element(this.#random.of(complexes)) : this.#leaf();
  }

  #leaf(): Element {
    return this.#element(this.#random.of(this.#random.chance(0.5) ? BUILT_INS : this.#simples));
  }

  #element(type: Simple | Complex): Element {
    const random = this.#random;
    const isLost = 'isAbstract' in type && !isUsable(type);
    const min = isLost ? 0 : random.of([0, 1, 1]);
    const max = random.of([1, 1, 1, 3, Infinity]);
    const fixed = !('isAbstract' in type) && max === 1 && min === 1 && type.name === 'xs:token' ? 'is fixed' : null;
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

/** Whether there are instances of a type: of an abstract one only if another is derived from it. */
const isUsable = (type: Complex): boolean => concreteOf(type).length > 0;

const concreteOf = (type: Complex): readonly Complex[] => [
  ...(type.isAbstract ? [] : [type]),
  ...type.derived.flatMap(concreteOf),
];

function certainly(part: Group | Element): Group | Element {
  if (part.kind === 'element') return { ...part, min: Math.max(1, part.min), nillable: false };
  return { ...part, min: 1, parts: part.parts.map(certainly) };
}

function neverNil(part: Group | Element): Group | Element {
  return part.kind === 'element' ? { ...part, nillable: false } : { ...part, parts: part.parts.map(neverNil) };
}

const occurs = (min: number, max: number): string =>
  `${min === 1 ? '' : ` minOccurs="${min}"`}${max === 1 ? '' : ` maxOccurs="${max === Infinity ? 'unbounded' : max}"`}`;

function printGroup({ kind, min, max, parts }: Group): string {
  const inner = parts.map((part) => (part.kind === 'element' ? printElement(part) : printGroup(part))).join('');
  return `<xs:${kind}${occurs(min, max)}>${inner}</xs:${kind}>`;
}

function printElement({ name, type, min, max, nillable, fixed }: Element): string {
  const typeName = 'isAbstract' in type ? `t:${type.name}` : type.name;
  const more = `${nillable ? ' nillable="true"' : ''}${fixed === null ? '' : ` fixed="${fixed}"`}`;
  return `<xs:element name="${name}" type="${typeName}"${occurs(min, max)}${more}/>`;
}

const printAttribute = ({ name, type, required }: Attribute): string =>
  `<xs:attribute name="${name}" type="${type.name}"${required ? ' use="required"' : ''}/>`;

/** Elements with structure within each other, below the root. */
export const MAX_DEPTH = 4;

class TooDeep extends Error {}

/** Instances become smaller as they become deeper. */
class Writer {
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
        .map((part) => (part.kind === 'element' ? this.#elements(part, depth) : this.#group(part, depth)))
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
    // What is nil still has its attributes, and in GraphQL it is null: none is given where none has to be.
    if (isNil && noneRequired(actual)) return `<${tag}${typed} xsi:nil="true"/>`;
    return `<${tag}${typed}${this.#attributes(actual)}>${this.#content(actual, depth + 1)}</${tag}>`;
  }

  #times(min: number, max: number, depth: number): number {
    const most = Math.min(max, depth > 1 ? min : min + 2);
    return min + this.#random.upTo(most - min + 1);
  }
}

const noneRequired = (type: Complex): boolean =>
  type.attributes.every(({ required }) => !required) && (type.base === null || noneRequired(type.base));

const inText = (value: string): string => escaped(value).replaceAll('\r', '&#13;');
const inAttribute = (value: string): string =>
  escaped(value).replaceAll('\r', '&#13;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
