import { namespaces, type SimpleType } from '../../wsdl/index.js';
import { hold, textOf, treatWhiteSpace, trimXml } from '../plan/lexical.js';
import { LexicalError, type Scalar, type ScalarItem, type ScalarValue } from '../plan/scalar.js';
import { BASE64_SCALAR, HEX_SCALAR } from './base64.js';
import { dateScalar } from './date.js';
import { digitsScalar, FLOAT_SCALAR, intScalar } from './numeric-scalars.js';
import {
  compileSimple,
  isPlain,
  itemOf,
  itemsIn,
  leavesOf,
  whiteSpaceOf,
} from './simple-validity.js';
import { qNameRule, valueSpaceOf } from './value-space.js';
import { prescribesForm } from './written-form.js';

/**
 * The scalar for a simple type. A type with facets or an enumeration is its built-in type, held to
 * them when a value is written. Values that are read are not: a backend that leaves its own facets
 * still answers. Numbers whose form a pattern prescribes are strings.
 *
 * A list type is an array of its items. A union has the scalar of its members if it is the same for
 * all, else a string.
 */
export function scalarOf(type: SimpleType): Scalar {
  if (type.variety === 'list') return listScalarOf(type, scalarOf(itemOf(type)));
  if (type.variety === 'union') return held(unionScalar(leavesOf(type)), type);
  const builtIn = BUILT_INS.get(type.builtIn) ?? STRING;
  if (type.name?.uri === namespaces.XOP) return { ...builtIn, binary: 'included' };
  const scalar =
    type.name?.uri === namespaces.WSI_REFERENCES ? { ...builtIn, isReference: true } : builtIn;
  if (isPlain(type)) return scalar;
  return held(
    (scalar.name === 'Int' || scalar.name === 'Float') && prescribesForm(type) ? TOKEN : scalar,
    type,
  );
}

/**
 * The scalar for a list type whose items are `item`. Its callers limit the number of items.
 * `isChecked`: written texts are held to the type.
 */
export function listScalarOf(type: SimpleType, item: Scalar, isChecked = true): Scalar {
  const check = !isChecked || isPlain(type) ? null : compileSimple(type);
  return {
    name: item.name,
    item,
    type,
    decode: (lexical) => listItemsIn(lexical).map((each) => oneOf(item.decode(each))),
    encode: (value) => {
      if (!Array.isArray(value)) throw new LexicalError('must be a list');
      const lexical = value.map((each) => itemText(item.encode(each))).join(' ');
      if (check !== null) {
        hold(check(lexical));
      }
      return lexical;
    },
  };
}

/** The lexical forms of the items of a list. */
export const listItemsIn = (lexical: string): readonly string[] =>
  itemsIn(treatWhiteSpace(lexical, 'collapse'));

/** XML Schema has no lists of lists. */
function oneOf(value: ScalarValue | null): ScalarItem | null {
  if (value !== null && typeof value === 'object') {
    throw new LexicalError('must not be a list of lists');
  }
  return value;
}

/** Refuses an item with white space, which would become none, or several. */
function itemText(lexical: string): string {
  const text = trimXml(lexical);
  if (text === '' || /[ \t\n\r]/.test(text)) {
    throw new LexicalError('an item of a list must be one word');
  }
  return text;
}

/** The scalar for a union. Without a string member, a value read as a string is trimmed. */
function unionScalar(types: readonly SimpleType[]): Scalar {
  const members = types.map(scalarOf);
  const [first] = members;
  if (first === undefined) return STRING;
  const isOneKind = types.every(({ variety }) => variety !== 'list');
  if (isOneKind && members.every(({ name }) => name === first.name)) {
    return firstThatTakes(first.name, members);
  }
  return types.some(({ builtIn }) => builtIn === 'string') ? STRING : TOKEN;
}

/** Members of one GraphQL type: the first that takes a value has it. */
function firstThatTakes(name: string, members: readonly Scalar[]): Scalar {
  const attempt = <T>(use: (member: Scalar) => T): T => {
    let failure: unknown;
    for (const member of members) {
      try {
        return use(member);
      } catch (caught) {
        if (!(caught instanceof LexicalError)) throw caught;
        failure ??= caught;
      }
    }
    throw failure;
  };
  return {
    name,
    decode: (lexical) => attempt((member) => member.decode(lexical)),
    encode: (value) => attempt((member) => member.encode(value)),
  };
}

/**
 * `scalar`, its written values checked by all the rules of `type`, white space of read values
 * treated by its facet.
 */
function held(scalar: Scalar, type: SimpleType): Scalar {
  const check = compileSimple(type);
  const isTreated = type.variety === 'atomic' && type.facets.whiteSpace !== null;
  const whiteSpace = isTreated ? whiteSpaceOf(type) : 'preserve';
  if (scalar === BOOLEAN) {
    return { ...BOOLEAN, type, encode: (value) => booleanOf(BOOLEAN.encode(value), check) };
  }
  return {
    name: scalar.name,
    ...(scalar.binary === undefined ? {} : { binary: scalar.binary }),
    type,
    decode: isTreated
      ? (lexical) => scalar.decode(treatWhiteSpace(lexical, whiteSpace))
      : scalar.decode,
    encode: (value) => {
      const lexical = scalar.encode(value);
      hold(check(lexical));
      return lexical;
    },
  };
}

/** As `check` takes it: true, or 1 where only that will do. */
function booleanOf(lexical: string, check: (lexical: string) => string | null): string {
  const rule = check(lexical);
  if (rule === null) return lexical;
  const digit = lexical === 'true' ? '1' : '0';
  if (check(digit) !== null) throw new LexicalError(rule);
  return digit;
}

/** A scalar that GraphQL does not have by itself. */
interface ScalarType {
  readonly description: string;
  readonly specifiedByUrl: string | null;
}

/** Name, description, section of XSD 1.0 part 2. */
const CUSTOM: readonly (readonly [string, string, string | null])[] = [
  [
    'Long',
    'A 64-bit or unsigned 32-bit integer as a string that keeps every digit. ' +
      'Numbers are accepted while they are exact.',
    'long',
  ],
  [
    'BigInt',
    'An integer of any size as a string that keeps every digit. ' +
      'Numbers are accepted while they are exact.',
    'integer',
  ],
  [
    'Decimal',
    'A decimal number as a string that keeps every digit, trailing zeros included.',
    'decimal',
  ],
  [
    'Date',
    'A calendar date as written, with its time zone if it has one: 2015-03-26 or 2015-03-26+01:00.',
    'date',
  ],
  [
    'DateTime',
    'A date and time as written, with its time zone if it has one: 2015-03-26T09:30:00.5Z.',
    'dateTime',
  ],
  ['Time', 'A time of day as written, with its time zone if it has one: 09:30:00.', 'time'],
  ['Duration', 'A duration: P1Y2M3DT4H5M6.7S.', 'duration'],
  ['Base64', 'Bytes in base64, without white space.', 'base64Binary'],
  ['Hex', 'Bytes in pairs of hexadecimal digits.', 'hexBinary'],
  ['URI', 'A URI or IRI reference, absolute or relative.', 'anyURI'],
  [
    'QName',
    'A qualified name: {namespace}name, or a name without a prefix as it is written.',
    'QName',
  ],
  [
    'XML',
    'Content whose type is not modelled, as XML text. In an argument: the whole element as ' +
      'XML, or text that does not begin with <.',
    null,
  ],
];

/** Every custom scalar by its GraphQL name. `XML` is the text of an `OpaquePlan`. */
export const SCALAR_TYPES: ReadonlyMap<string, ScalarType> = new Map(
  CUSTOM.map(([name, description, section]) => [
    name,
    {
      description,
      specifiedByUrl: section === null ? null : `https://www.w3.org/TR/xmlschema-2/#${section}`,
    },
  ]),
);

/** A string, held to the lexical rules of its built-in type when it is written. */
function stringScalar(builtIn: string): Scalar {
  const { whiteSpace, rule } = valueSpaceOf(builtIn);
  return {
    name: 'String',
    decode: (lexical) => treatWhiteSpace(lexical, whiteSpace),
    encode: (value) => {
      const text = textOf(value);
      hold(rule(treatWhiteSpace(text, whiteSpace)));
      return text;
    },
  };
}

const STRING = stringScalar('string');
const TOKEN = stringScalar('token');

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

const URI: Scalar = {
  name: 'URI',
  decode: (lexical) => treatWhiteSpace(lexical, 'collapse'),
  encode: textOf,
};

const Q_NAME: Scalar = {
  name: 'QName',
  decode: (lexical) => {
    const text = trimXml(lexical);
    hold(qNameRule(text));
    return text;
  },
  encode: (value) => {
    const text = trimXml(textOf(value));
    // A prefix would be bound by the declarations of the envelope.
    if (qNameRule(text) !== null || text.includes(':')) {
      throw new LexicalError('must be a name without a prefix');
    }
    return text;
  },
};

const long = (min: string | null = null, max: string | null = null): Scalar =>
  digitsScalar('Long', { min, max });
const bigInt = (min: string | null = null, max: string | null = null): Scalar => ({
  ...digitsScalar('BigInt', { min, max }),
  example: max ?? '1',
});

/** Parts of dates: their scalar is a string, and not any text is one. */
const CALENDAR_EXAMPLES = {
  gYear: '2026',
  gYearMonth: '2026-01',
  gMonthDay: '--01-31',
  gDay: '---31',
  gMonth: '--01',
} as const;

/** The built-in types of XML Schema by local name. All others are strings. */
const BUILT_INS: ReadonlyMap<string, Scalar> = new Map([
  ['boolean', BOOLEAN],

  ['byte', intScalar(-128, 127)],
  ['short', intScalar(-32_768, 32_767)],
  ['int', intScalar(-2_147_483_648, 2_147_483_647)],
  ['unsignedByte', intScalar(0, 255)],
  ['unsignedShort', intScalar(0, 65_535)],
  ['long', long('-9223372036854775808', '9223372036854775807')],
  ['unsignedInt', long('0', '4294967295')],
  ['unsignedLong', { ...bigInt('0', '18446744073709551615'), example: '1' }],
  ['integer', bigInt()],
  ['nonNegativeInteger', bigInt('0')],
  ['positiveInteger', bigInt('1')],
  ['nonPositiveInteger', bigInt(null, '0')],
  ['negativeInteger', bigInt(null, '-1')],
  ['decimal', digitsScalar('Decimal', { min: null, max: null })],
  ['float', FLOAT_SCALAR],
  ['double', FLOAT_SCALAR],

  ...[
    'normalizedString',
    'token',
    'language',
    'Name',
    'NCName',
    'NMTOKEN',
    'ID',
    'IDREF',
    'ENTITY',
  ].map((name): [string, Scalar] => [name, stringScalar(name)]),

  ['date', dateScalar('date', 'Date')],
  ['dateTime', dateScalar('dateTime', 'DateTime')],
  ['time', dateScalar('time', 'Time')],
  ['duration', dateScalar('duration', 'Duration')],
  ...(['gYear', 'gYearMonth', 'gMonthDay', 'gDay', 'gMonth'] as const).map(
    (kind): [string, Scalar] => [
      kind,
      { ...dateScalar(kind, 'String'), example: CALENDAR_EXAMPLES[kind] },
    ],
  ),

  ['base64Binary', BASE64_SCALAR],
  ['hexBinary', HEX_SCALAR],
  ['anyURI', URI],
  ['QName', Q_NAME],
  ['NOTATION', Q_NAME],
]);
