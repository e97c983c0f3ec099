import { Buffer } from 'node:buffer';
import type { SimpleType, xsd } from '../../wsdl/index.js';
import { type CharSet, has } from '../pattern/charset.js';
import { type PatternNode, parsePattern } from '../pattern/parse.js';
import { compilePattern } from '../pattern/pattern.js';
import { compileSimple } from '../values/simple-validity.js';
import { valuesNearBounds } from './near-bounds.js';
import { textsOfPatterns } from './pattern-texts.js';

/** Values that are valid by the facets of their types (XSD 1.0 part 2), as far as one is found. */

const BY_TYPE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    boolean: 'true',
    date: '2026-01-31',
    dateTime: '2026-01-31T12:00:00Z',
    time: '12:00:00Z',
    duration: 'P1D',
    gYear: '2026',
    gYearMonth: '2026-01',
    gMonth: '--01',
    gMonthDay: '--01-31',
    gDay: '---31',
    base64Binary: 'AAEC',
    hexBinary: '0001',
    anyURI: 'http://example.com/',
    QName: 'example',
    NOTATION: 'example',
    language: 'en',
  }),
);

const NUMBERS: ReadonlySet<string> = new Set(
  `byte decimal double float int integer long negativeInteger nonNegativeInteger
  nonPositiveInteger positiveInteger short unsignedByte unsignedInt unsignedLong
  unsignedShort`.split(/\s+/),
);

const INSTANTS: ReadonlySet<string> = new Set(['date', 'dateTime', 'time', 'gYear', 'gYearMonth']);

/** Characters of a text that facets do not bound, and of one that they do. */
const LENGTH_MAX = 4096;
/** Members of unions and items of lists are types again, which are followed so far. */
const DEPTH_MAX = 8;
/** Texts by patterns that are tried for a value which more facets bound. */
const TEXTS_MAX = 500;

/**
 * A valid value of a simple type. `unique` tells values apart that must differ in a document
 * (`ID`).
 */
export function exampleValue(type: SimpleType, unique = 1, depth = 0): string {
  const first = firstExample(type, unique, depth);
  const check = compileSimple(type);
  if (check(first) === null) return first;
  for (const text of candidatesOf(type, unique, depth)) {
    if (check(text) === null) return text;
  }
  return first;
}

/** Values of the members of a union, near the bounds of a type, and by its patterns. */
function* candidatesOf(type: SimpleType, unique: number, depth: number): Generator<string> {
  const { members, facets } = type;
  if (depth <= DEPTH_MAX) {
    for (const member of members) yield exampleValue(member, unique, depth + 1);
  }
  yield* valuesNearBounds(facets);
  yield 'false';
  let tries = 0;
  for (const text of textsOfPatterns(facets)) {
    if (++tries > TEXTS_MAX) return;
    yield text;
  }
}

function firstExample(type: SimpleType, unique: number, depth: number): string {
  if (type.enumeration !== null && type.enumeration.length > 0) return firstEnumerated(type);
  if (depth > DEPTH_MAX) return '';
  if (type.variety === 'list') return exampleList(type, unique, depth);
  const [member] = type.members;
  if (type.variety === 'union') {
    return member === undefined ? 'text' : exampleValue(member, unique, depth + 1);
  }
  const { facets, builtIn } = type;
  const plain = plainValue(builtIn, facets, unique);
  if (facets.patterns.length === 0) return plain;
  return ofPatterns(facets, plain, builtIn) ?? plain;
}

const firstEnumerated = ({ enumeration, facets }: SimpleType): string => {
  const values = (enumeration ?? []).map(({ value }) => value);
  return values.find((value) => value !== '' && matchesAll(value, facets)) ?? values[0] ?? '';
};

function exampleList({ item, facets }: SimpleType, unique: number, depth: number): string {
  const count = facets.length ?? Math.max(1, facets.minLength ?? 1);
  const value = item === null ? 'text' : exampleValue(item, unique, depth + 1);
  return Array.from({ length: Math.min(count, LENGTH_MAX) }, () => value).join(' ');
}

function plainValue(builtIn: string, facets: xsd.Facets, unique: number): string {
  if (NUMBERS.has(builtIn)) return numberIn(builtIn, facets);
  if (builtIn === 'ID') return `id${unique}`;
  if (builtIn === 'IDREF' || builtIn === 'IDREFS') return 'id1';
  const known = BY_TYPE.get(builtIn);
  if (INSTANTS.has(builtIn)) return facets.minInclusive ?? facets.maxInclusive ?? known ?? '';
  if (builtIn === 'base64Binary' || builtIn === 'hexBinary') return octets(builtIn, facets);
  if (
    known !== undefined &&
    facets.length === null &&
    facets.maxLength === null &&
    facets.minLength === null
  ) {
    return known;
  }
  return ofLength(known ?? 'text', facets);
}

function octets(builtIn: string, { length, minLength, maxLength }: xsd.Facets): string {
  const count = Math.min(
    length ?? Math.max(minLength ?? 0, Math.min(3, maxLength ?? 3)),
    LENGTH_MAX,
  );
  return Buffer.alloc(count, 1).toString(builtIn === 'hexBinary' ? 'hex' : 'base64');
}

/** A number within its bounds, of few digits. */
function numberIn(builtIn: string, facets: xsd.Facets): string {
  const bound = (text: string | null): number | null =>
    text === null || text === '' ? null : Number(text);
  const isWhole = builtIn !== 'decimal' && builtIn !== 'double' && builtIn !== 'float';
  const step = isWhole || facets.fractionDigits === 0 ? 1 : 0.5;
  const [from, above] = [bound(facets.minInclusive), bound(facets.minExclusive)];
  const [to, below] = [bound(facets.maxInclusive), bound(facets.maxExclusive)];
  const lowest = from ?? (above === null ? null : above + step);
  const highest = to ?? (below === null ? null : below - step);
  let value = builtIn.startsWith('neg') ? -1 : builtIn === 'nonPositiveInteger' ? 0 : 1;
  if (lowest !== null && value < lowest) {
    value = lowest;
  }
  if (highest !== null && value > highest) {
    value = highest;
  }
  // A bound that no number of this kind reaches stands as it is written.
  if (from !== null && value === from) return facets.minInclusive ?? String(value);
  return Number.isSafeInteger(value) || !isWhole ? String(value) : (facets.minInclusive ?? '1');
}

function ofLength(text: string, { length, minLength, maxLength }: xsd.Facets): string {
  const least = Math.min(length ?? minLength ?? 0, LENGTH_MAX);
  const most = length ?? maxLength ?? Number.POSITIVE_INFINITY;
  return text.padEnd(least, 'x').slice(0, Math.min(most, LENGTH_MAX));
}

/** The first of some texts that all patterns and lengths take; null where none does. */
function ofPatterns(facets: xsd.Facets, plain: string, builtIn: string): string | null {
  const candidates = [
    plain,
    '1',
    '0',
    'a',
    'A',
    'Text',
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    '12:00:00',
  ];
  for (const candidate of candidates) {
    if (matchesAll(candidate, facets)) return candidate;
  }
  for (const pattern of facets.patterns) {
    const parsed = parsePattern(pattern);
    if ('unsupported' in parsed) continue;
    for (const more of [0, 1, 2, 4, 8, 16, (facets.minLength ?? facets.length ?? 0) * 1]) {
      const text = writePattern(parsed, more);
      if (text !== null && matchesAll(text, facets) && (!NUMBERS.has(builtIn) || text !== '')) {
        return text;
      }
    }
  }
  return null;
}

function matchesAll(text: string, facets: xsd.Facets): boolean {
  const { length, minLength, maxLength } = facets;
  const size = [...text].length;
  if (length !== null && size !== length) return false;
  if (size < (minLength ?? 0) || size > (maxLength ?? Number.POSITIVE_INFINITY)) return false;
  return facets.patterns.every((pattern) => {
    const compiled = compilePattern(pattern);
    return 'unsupported' in compiled || compiled.matches(text);
  });
}

/**
 * A text that a pattern matches, each repetition `more` times beyond its least; null where a set
 * has no usual character. The recursion is as deep as the groups of the pattern, which is bounded.
 */
function writePattern(node: PatternNode, more: number): string | null {
  if (node.kind === 'set') return characterOf(node.set);
  if (node.kind === 'choice') {
    for (const part of node.parts) {
      const text = writePattern(part, more);
      if (text !== null) return text;
    }
    return null;
  }
  if (node.kind === 'repeat') {
    const count = Math.min(node.max, node.min + more, LENGTH_MAX);
    const text = count === 0 ? '' : writePattern(node.part, more);
    return text === null || text.length * count > LENGTH_MAX ? null : text.repeat(count);
  }
  let text = '';
  for (const part of node.parts) {
    const written = writePattern(part, more);
    if (written === null || text.length + written.length > LENGTH_MAX) return null;
    text += written;
  }
  return text;
}

const USUAL = 'a1A0-. @_:/+,;#()*!$%=?~|\'"{}[]^`<>&\\éß';

function characterOf(set: CharSet): string | null {
  for (const character of USUAL) {
    if (has(set, character.codePointAt(0) ?? 0)) return character;
  }
  for (let code = 0x21; code < 0x2fff; code++) {
    if (has(set, code)) return String.fromCodePoint(code);
  }
  return null;
}
