import { type Scalar, scalars } from '../../../codec/index.js';
import { type SimpleType, xsd } from '../../../wsdl/index.js';

/** The rule that a form as it is written breaks, or null. */
type Check = (lexical: string) => string | null;

/** The scalars a mapping may name. */
export const RETYPE_TARGETS = [
  ...['ID', 'String', 'Int', 'Float', 'Long', 'BigInt', 'Decimal'],
  ...['Date', 'DateTime', 'Time', 'Duration', 'URI'],
] as const;

/**
 * A simple type shown as another scalar, still written by its own rules; null where values would be
 * lost.
 */
export function retyped(type: SimpleType, target: string): Scalar | null {
  const own = scalars.scalarOf(type);
  if (own.name === target) return own;
  if (!retypesOf(type).includes(target)) return null;
  const check = scalars.compileSimple(type);
  if (own.name === 'Float') return floatAsText(own, target, check);
  if (own.name === 'Int') {
    return target === 'Float' ? { ...own, name: 'Float' } : intAsText(own, target, check);
  }
  if (DATES.has(own.name) && target === 'String') return dateAsText(own);
  const shown =
    target === 'String' || target === 'ID' ? null : builtIn(BUILT_INS.get(target) ?? 'string');
  return {
    name: target,
    decode: (lexical) => {
      const value = own.decode(lexical);
      return shown === null ? value : shown.decode(String(value));
    },
    encode: (value) => own.encode(shown === null ? scalars.textOf(value) : shown.encode(value)),
  };
}

/**
 * Other scalars that a simple type may be shown as: each of its values survives, or is an error.
 */
export const retypesOf = (type: SimpleType): readonly string[] =>
  RETYPES.get(scalars.scalarOf(type).name) ?? TEXTS;

const TEXTS = ['String', 'ID'];

const RETYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['String', ['ID', 'Long', 'BigInt', 'Decimal', 'Date', 'DateTime', 'Time', 'Duration', 'URI']],
  ['Int', [...TEXTS, 'Long', 'BigInt', 'Decimal', 'Float']],
  ['Long', [...TEXTS, 'BigInt', 'Decimal']],
  ['BigInt', [...TEXTS, 'Decimal']],
  ['Float', TEXTS],
  ['Boolean', []],
]);

const builtIn = (name: string): Scalar => scalars.scalarOf(xsd.plainSimpleType(null, name));

const LONG = builtIn('long');

const DATES: ReadonlySet<string> = new Set(['Date', 'DateTime', 'Time', 'Duration']);

/**
 * Replies as they stand: backends write dates that are none, such as the initial 0000-00-00 of SAP.
 */
const dateAsText = (own: Scalar): Scalar => ({
  name: 'String',
  decode: scalars.trimXml,
  encode: own.encode,
});

/** Lexical: as a text, 007 differs from 7. */
const intAsText = (own: Scalar, target: string, check: Check): Scalar => ({
  name: target,
  decode: (lexical) => {
    own.decode(lexical);
    return scalars.trimXml(lexical);
  },
  encode: (value) => {
    const text = LONG.encode(value);
    scalars.hold(check(text));
    return text;
  },
});

/** As written: INF and NaN, which JSON does not have, are texts like any other. */
function floatAsText(own: Scalar, target: string, check: Check): Scalar {
  const read = (lexical: string): string => {
    const text = scalars.trimXml(lexical);
    if (text !== 'INF' && text !== '-INF' && text !== 'NaN') {
      own.decode(text);
    }
    return text;
  };
  return {
    name: target,
    decode: read,
    encode: (value) => {
      if (typeof value !== 'string') throw new scalars.LexicalError('must be a number in a string');
      const text = read(value);
      scalars.hold(check(text));
      return text;
    },
  };
}

/** The scalars of SDL, as built-in types of XML Schema. */
export const BUILT_INS: ReadonlyMap<string, string> = new Map([
  ['Int', 'int'],
  ['Float', 'double'],
  ['String', 'string'],
  ['Boolean', 'boolean'],
  ['ID', 'string'],
  ['Long', 'long'],
  ['BigInt', 'integer'],
  ['Decimal', 'decimal'],
  ['Date', 'date'],
  ['DateTime', 'dateTime'],
  ['Time', 'time'],
  ['Duration', 'duration'],
  ['Base64', 'base64Binary'],
  ['Hex', 'hexBinary'],
  ['URI', 'anyURI'],
  ['QName', 'QName'],
]);
