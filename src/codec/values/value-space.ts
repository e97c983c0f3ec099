import { isNcName } from '../../xml/index.js';
import type { WhiteSpace } from '../plan/lexical.js';
import { bareBase64, base64Bytes, base64Rule, hexRule } from './base64.js';
import { type DateKind, dateRule } from './date.js';
import { dateKey, dateOrder } from './date-order.js';
import {
  compareDecimals,
  decimalKey,
  digitsRule,
  floatOf,
  floatRule,
  integerRule,
  partsOf,
} from './decimal.js';

/**
 * The rules of a built-in type: XSD 1.0 part 2, section 3. Lexical forms come with their white
 * space treated.
 */
export interface ValueSpace {
  /** Values of different primitive types are never equal. */
  readonly primitive: string;
  readonly whiteSpace: WhiteSpace;
  /** The public text of the rule that a lexical form breaks, or null. */
  rule(lexical: string): string | null;
  /** Equal for equal values. Of valid forms. */
  key(lexical: string): string;
  /**
   * How values stand to a bound: negative, zero or positive, or NaN where it is not determined;
   * null where the type has no order. Of valid forms.
   */
  readonly order: ((bound: string) => (lexical: string) => number) | null;
  /** The length by the length facets; null where they do not apply. Of valid forms. */
  readonly length: ((lexical: string) => number) | null;
  /** Digits in all and behind the point; null where they are not counted. Of valid forms. */
  readonly digits:
    | ((lexical: string) => { readonly total: number; readonly fraction: number })
    | null;
}

/** The value space of a built-in type by its local name; an unknown one is a string. */
export const valueSpaceOf = (builtIn: string): ValueSpace => SPACES.get(builtIn) ?? STRING;

const none = { order: null, length: null, digits: null } as const;

const same = (lexical: string): string => lexical;

function text(
  whiteSpace: WhiteSpace,
  rule: (lexical: string) => string | null = () => null,
): ValueSpace {
  return { ...none, primitive: 'string', whiteSpace, rule, key: same, length: countCharacters };
}

/** Length of a string is counted in characters, not in UTF-16 units. */
function countCharacters(lexical: string): number {
  let count = lexical.length;
  for (let at = 0; at < lexical.length; at += 1) {
    const unit = lexical.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      count -= 1;
    }
  }
  return count;
}

const STRING = text('preserve');

const language = (lexical: string): string | null =>
  /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/.test(lexical) ? null : 'must be a language tag';

const ncName = (lexical: string): string | null =>
  isNcName(lexical) ? null : 'must be a name without a colon';

/** Colons are the only difference to names of XML 1.0. */
const name = (lexical: string): string | null =>
  isNcName(lexical.replaceAll(':', '_')) ? null : 'must be an XML name';

/** A name token is the rest of a name. */
const nameToken = (lexical: string): string | null =>
  lexical !== '' && isNcName(`_${lexical.replaceAll(':', '_')}`) ? null : 'must be a name token';

/** The rule that a lexical form breaks as a qualified name, or null. */
export function qNameRule(lexical: string): string | null {
  const colon = lexical.indexOf(':');
  const isName =
    colon === -1
      ? isNcName(lexical)
      : isNcName(lexical.slice(0, colon)) && isNcName(lexical.slice(colon + 1));
  return isName ? null : 'must be a qualified name';
}

/** Prefixes are bound by each document, so only local names can be compared. */
const localPart = (lexical: string): string => lexical.slice(lexical.indexOf(':') + 1);

const Q_NAME: ValueSpace = {
  ...none,
  primitive: 'QName',
  whiteSpace: 'collapse',
  rule: qNameRule,
  key: localPart,
};

const BOOLEAN: ValueSpace = {
  ...none,
  primitive: 'boolean',
  whiteSpace: 'collapse',
  rule: (lexical) =>
    lexical === 'true' || lexical === 'false' || lexical === '1' || lexical === '0'
      ? null
      : 'must be true or false',
  key: (lexical) => (lexical === '1' ? 'true' : lexical === '0' ? 'false' : lexical),
};

const NUMBER = {
  primitive: 'decimal',
  whiteSpace: 'collapse',
  key: decimalKey,
  order: (bound: string) => (lexical: string) => compareDecimals(lexical, bound),
  length: null,
  digits: digitsOf,
} as const;

/** `total` counts the digits of the shortest form: 0.05 has two, by the definition i × 10^-n. */
function digitsOf(lexical: string): { readonly total: number; readonly fraction: number } {
  const { whole, fraction } = partsOf(lexical);
  return { total: whole.length + fraction.length, fraction: fraction.length };
}

const int = (min: number, max: number): ValueSpace => ({
  ...NUMBER,
  rule: (lexical) => integerRule(lexical, min, max),
});

function exact(
  kind: 'integer' | 'decimal',
  min: string | null = null,
  max: string | null = null,
): ValueSpace {
  const bounds = { min, max };
  return { ...NUMBER, rule: (lexical) => digitsRule(lexical, kind, bounds) };
}

function float(primitive: 'float' | 'double'): ValueSpace {
  const of = (lexical: string): number => floatOf(lexical, primitive === 'float');
  return {
    ...none,
    primitive,
    whiteSpace: 'collapse',
    rule: floatRule,
    key: (lexical) => String(of(lexical)),
    order: (bound) => {
      const right = of(bound);
      return (lexical) => {
        const left = of(lexical);
        return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
      };
    },
  };
}

const date = (kind: DateKind): ValueSpace => ({
  ...none,
  primitive: kind,
  whiteSpace: 'collapse',
  rule: (lexical) => dateRule(lexical, kind),
  key: (lexical) => dateKey(kind, lexical),
  order: (bound) => dateOrder(kind, bound),
});

const BASE64: ValueSpace = {
  ...none,
  primitive: 'base64Binary',
  whiteSpace: 'collapse',
  rule: (lexical) => base64Rule(bareBase64(lexical)),
  key: bareBase64,
  length: (lexical) => base64Bytes(bareBase64(lexical)),
};

const HEX: ValueSpace = {
  ...none,
  primitive: 'hexBinary',
  whiteSpace: 'collapse',
  rule: hexRule,
  key: (lexical) => lexical.toUpperCase(),
  length: (lexical) => lexical.length / 2,
};

/**
 * The XLink escaping of XSD 1.0 makes nearly every text a URI reference, and stacks differ about
 * the rest.
 */
const ANY_URI: ValueSpace = { ...text('collapse'), primitive: 'anyURI' };

const DATES = [
  'dateTime',
  'date',
  'time',
  'gYear',
  'gYearMonth',
  'gMonthDay',
  'gDay',
  'gMonth',
  'duration',
] as const;

const SPACES: ReadonlyMap<string, ValueSpace> = new Map([
  ['string', STRING],
  ['anySimpleType', STRING],
  ['normalizedString', text('replace')],
  ['token', text('collapse')],
  ['language', text('collapse', language)],
  ['Name', text('collapse', name)],
  ['NMTOKEN', text('collapse', nameToken)],
  ...['NCName', 'ID', 'IDREF', 'ENTITY'].map((local): [string, ValueSpace] => [
    local,
    text('collapse', ncName),
  ]),
  ['boolean', BOOLEAN],

  ['byte', int(-128, 127)],
  ['short', int(-32_768, 32_767)],
  ['int', int(-2_147_483_648, 2_147_483_647)],
  ['unsignedByte', int(0, 255)],
  ['unsignedShort', int(0, 65_535)],
  ['unsignedInt', int(0, 4_294_967_295)],
  ['long', exact('integer', '-9223372036854775808', '9223372036854775807')],
  ['unsignedLong', exact('integer', '0', '18446744073709551615')],
  ['integer', exact('integer')],
  ['nonNegativeInteger', exact('integer', '0')],
  ['positiveInteger', exact('integer', '1')],
  ['nonPositiveInteger', exact('integer', null, '0')],
  ['negativeInteger', exact('integer', null, '-1')],
  ['decimal', exact('decimal')],
  ['float', float('float')],
  ['double', float('double')],

  ...DATES.map((kind): [string, ValueSpace] => [kind, date(kind)]),

  ['base64Binary', BASE64],
  ['hexBinary', HEX],
  ['anyURI', ANY_URI],
  ['QName', Q_NAME],
  ['NOTATION', { ...Q_NAME, primitive: 'NOTATION' }],
]);
