import type { SimpleType } from '../wsdl/model.js';
import { isNcName } from '../xml/chars.js';
import { BASE64_SCALAR, HEX_SCALAR } from './binary.js';
import { dateScalar } from './date.js';
import { type Measure, restrict } from './facets.js';
import { textOf, treatWhiteSpace, trimXml, type WhiteSpace } from './lexical.js';
import { digitsScalar, FLOAT_SCALAR, intScalar } from './number.js';
import { LexicalError, type Scalar } from './plan.js';

/**
 * How a simple type looks on both sides. A type with facets or an enumeration is its built-in type, held to them when
 * a value is written. A list type is one string of items with a space between them.
 */
export function scalarOf(type: SimpleType): Scalar {
  const row = type.variety === 'list' ? LIST : (BUILT_INS.get(type.builtIn) ?? STRING);
  return restrict(row.scalar, type, row.measure, row.whiteSpace);
}

/** A scalar that GraphQL does not have by itself. */
export interface ScalarType {
  readonly description: string;
  readonly specifiedByUrl: string | null;
}

/** Name, description, section of XSD 1.0 part 2. */
const CUSTOM: readonly (readonly [string, string, string | null])[] = [
  [
    'Long',
    'A 64-bit or unsigned 32-bit integer as a string that keeps every digit. Numbers are accepted while they are exact.',
    'long',
  ],
  [
    'BigInt',
    'An integer of any size as a string that keeps every digit. Numbers are accepted while they are exact.',
    'integer',
  ],
  ['Decimal', 'A decimal number as a string that keeps every digit, trailing zeros included.', 'decimal'],
  ['Date', 'A calendar date as written, with its time zone if it has one: 2015-03-26 or 2015-03-26+01:00.', 'date'],
  ['DateTime', 'A date and time as written, with its time zone if it has one: 2015-03-26T09:30:00.5Z.', 'dateTime'],
  ['Time', 'A time of day as written, with its time zone if it has one: 09:30:00.', 'time'],
  ['Duration', 'A duration: P1Y2M3DT4H5M6.7S.', 'duration'],
  ['Base64', 'Bytes in base64, without white space.', 'base64Binary'],
  ['Hex', 'Bytes in pairs of hexadecimal digits.', 'hexBinary'],
  ['URI', 'A URI or IRI reference, absolute or relative.', 'anyURI'],
  ['QName', 'A qualified name as written by the service. In an argument: a name without a prefix.', 'QName'],
  ['XML', 'Content whose type is not modelled, as XML text.', null],
];

/** Every custom scalar by its GraphQL name. `XML` is the text of an `OpaquePlan`. */
export const SCALAR_TYPES: ReadonlyMap<string, ScalarType> = new Map(
  CUSTOM.map(([name, description, section]) => [
    name,
    { description, specifiedByUrl: section === null ? null : `https://www.w3.org/TR/xmlschema-2/#${section}` },
  ]),
);

interface Row {
  readonly scalar: Scalar;
  readonly measure: Measure;
  readonly whiteSpace: WhiteSpace;
}

const row = (scalar: Scalar, measure: Measure, whiteSpace: WhiteSpace = 'collapse'): Row => ({
  scalar,
  measure,
  whiteSpace,
});

const stringRow = (whiteSpace: WhiteSpace): Row =>
  row(
    { name: 'String', decode: (lexical) => treatWhiteSpace(lexical, whiteSpace), encode: textOf },
    'characters',
    whiteSpace,
  );

const STRING = stringRow('preserve');
const TOKEN = stringRow('collapse');
const LIST = TOKEN;

const BOOLEAN: Scalar = {
  name: 'Boolean',
  decode: (lexical) => {
    const text = trimXml(lexical);
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    throw new LexicalError('must be true or false');
  },
  encode: (value) => {
    if (typeof value !== 'boolean') throw new LexicalError('must be true or false');
    return String(value);
  },
};

const URI: Scalar = { name: 'URI', decode: (lexical) => treatWhiteSpace(lexical, 'collapse'), encode: textOf };

const Q_NAME: Scalar = {
  name: 'QName',
  decode: (lexical) => {
    const text = trimXml(lexical);
    if (!isQName(text)) throw new LexicalError('must be a qualified name');
    return text;
  },
  encode: (value) => {
    const text = trimXml(textOf(value));
    // A prefix would mean what our envelope happens to declare.
    if (!isQName(text) || text.includes(':')) throw new LexicalError('must be a name without a prefix');
    return text;
  },
};

function isQName(text: string): boolean {
  const parts = text.split(':');
  return parts.length <= 2 && parts.every(isNcName);
}

const digits = (name: 'Long' | 'BigInt' | 'Decimal', min: string | null = null, max: string | null = null): Row =>
  row(digitsScalar(name, { min, max }), 'exact number');

const int = (min: number, max: number): Row => row(intScalar(min, max), 'exact number');

/** The built-in types of XML Schema by local name. What is not here is a string. */
const BUILT_INS: ReadonlyMap<string, Row> = new Map([
  ['boolean', row(BOOLEAN, 'other')],

  ['byte', int(-128, 127)],
  ['short', int(-32_768, 32_767)],
  ['int', int(-2_147_483_648, 2_147_483_647)],
  ['unsignedByte', int(0, 255)],
  ['unsignedShort', int(0, 65_535)],
  ['long', digits('Long', '-9223372036854775808', '9223372036854775807')],
  ['unsignedInt', digits('Long', '0', '4294967295')],
  ['unsignedLong', digits('BigInt', '0', '18446744073709551615')],
  ['integer', digits('BigInt')],
  ['nonNegativeInteger', digits('BigInt', '0')],
  ['positiveInteger', digits('BigInt', '1')],
  ['nonPositiveInteger', digits('BigInt', null, '0')],
  ['negativeInteger', digits('BigInt', null, '-1')],
  ['decimal', digits('Decimal')],
  ['float', row(FLOAT_SCALAR, 'float')],
  ['double', row(FLOAT_SCALAR, 'float')],

  ['string', STRING],
  ['anySimpleType', STRING],
  ['normalizedString', stringRow('replace')],
  ...['token', 'language', 'Name', 'NCName', 'NMTOKEN', 'NMTOKENS', 'ID', 'IDREF', 'IDREFS', 'ENTITY', 'ENTITIES'].map(
    (name): [string, Row] => [name, TOKEN],
  ),

  ['date', row(dateScalar('date', 'Date'), 'other')],
  ['dateTime', row(dateScalar('dateTime', 'DateTime'), 'other')],
  ['time', row(dateScalar('time', 'Time'), 'other')],
  ['duration', row(dateScalar('duration', 'Duration'), 'other')],
  ['gYear', row(dateScalar('gYear', 'String'), 'other')],
  ['gYearMonth', row(dateScalar('gYearMonth', 'String'), 'other')],
  ['gMonthDay', row(dateScalar('gMonthDay', 'String'), 'other')],
  ['gDay', row(dateScalar('gDay', 'String'), 'other')],
  ['gMonth', row(dateScalar('gMonth', 'String'), 'other')],

  ['base64Binary', row(BASE64_SCALAR, 'base64')],
  ['hexBinary', row(HEX_SCALAR, 'hex')],
  ['anyURI', row(URI, 'characters')],
  ['QName', row(Q_NAME, 'other')],
  ['NOTATION', row(Q_NAME, 'other')],
]);
