/** A linear congruential generator. */
export class Random {
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

/** A simple type and what may stand for its values. */
export interface Simple {
  /** As `type` says it: `xs:int`, `t:S1`. */
  readonly name: string;
  /** Its values hold no white space and are not empty: they may be items. */
  readonly isWord: boolean;
  readonly isList: boolean;
  readonly draw: (random: Random) => string;
}

const digits = (random: Random, max: number): string =>
  random.some(1, max, () => String(random.upTo(10))).join('');
const signed = (random: Random, max: number): string =>
  `${random.of(['', '-', '+'])}${digits(random, max)}`;
const two = (value: number): string => String(value).padStart(2, '0');
const zone = (random: Random): string => random.of(['', 'Z', '+05:30', '-14:00', '+14:00']);
const day = (random: Random): string =>
  `${1 + random.upTo(9999)}-${two(1 + random.upTo(12))}-${two(1 + random.upTo(28))}`;
const clock = (random: Random): string =>
  `${two(random.upTo(24))}:${two(random.upTo(60))}:${two(random.upTo(60))}` +
  `${random.of(['', '.5', '.120', '.000000001'])}`;
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

export const BUILT_INS: readonly Simple[] = [
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
  builtIn(
    'decimal',
    (random) => `${signed(random, 10)}${random.of(['', '.', `.${digits(random, 10)}`])}`,
  ),
  builtIn(
    'double',
    (random) => `${signed(random, 5)}.${digits(random, 3)}${random.of(['', 'e5', 'E-3'])}`,
  ),
  builtIn('float', (random) => `${signed(random, 3)}.${digits(random, 2)}`),
  builtIn('date', (random) => `${padded(day(random))}${zone(random)}`),
  builtIn('dateTime', (random) => `${padded(day(random))}T${clock(random)}${zone(random)}`),
  builtIn('time', (random) => `${clock(random)}${zone(random)}`),
  builtIn('duration', (random) =>
    random.of(['P1Y', '-P3DT4H', 'PT0.50S', 'P1Y2M3DT4H5M6.7S', 'PT36H']),
  ),
  builtIn('gYear', (random) => `${1000 + random.upTo(9000)}${zone(random)}`),
  builtIn('gMonthDay', (random) => `--${two(1 + random.upTo(12))}-${two(1 + random.upTo(28))}`),
  builtIn('base64Binary', (random) => bytes(random).toString('base64'), false),
  builtIn('hexBinary', (random) => bytes(random).toString('hex'), false),
  builtIn('anyURI', (random) => random.of(['urn:x', 'http://h/a?b=c&d', '../up', 'a#b'])),
  builtIn('NMTOKEN', (random) => random.of(['1a', '-x', 'a:b.c'])),
  builtIn('language', (random) => random.of(['de', 'en-GB', 'x-klingon'])),
];

/** Restrictions of built-in types: base, facets, values. */
export const RESTRICTED: readonly (readonly [string, string, (random: Random) => string])[] = [
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
  [
    'token',
    '<xs:pattern value="[a-z-[aeiou]]+|\\p{Lu}*"/>',
    (random) => random.of(['xyz', 'ÄB', 'q']),
  ],
  [
    'string',
    '<xs:minLength value="1"/><xs:maxLength value="3"/>',
    (random) => random.of(['😀😀😀', ' a ', 'é', '\n<']),
  ],
  [
    'string',
    '<xs:whiteSpace value="collapse"/><xs:length value="3"/>',
    (random) => random.of(['a b', 'abc']),
  ],
  [
    'int',
    '<xs:minInclusive value="-5"/><xs:maxExclusive value="6"/>',
    (random) => String(random.upTo(11) - 5),
  ],
  [
    'decimal',
    '<xs:totalDigits value="5"/><xs:fractionDigits value="2"/>',
    (random) => `${digits(random, 3)}.${digits(random, 2)}`,
  ],
  [
    'long',
    '<xs:minInclusive value="9007199254740993"/>',
    (random) => `90071992547409${93 + random.upTo(7)}`,
  ],
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
export const ENUMERATED: readonly (readonly [string, readonly string[]])[] = [
  ['string', ['NEW', 'ON HOLD', '1st', 'on hold', 'true', '__x', 'ü', '']],
  ['token', ['a-b', 'a.b', 'a_b', 'null']],
  ['int', ['1', '2', '30']],
  ['decimal', ['1.0', '2.50']],
];
