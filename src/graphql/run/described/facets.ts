import type { Scalar } from '../../../codec/index.js';

/** The schema of the values of a scalar, without what its own type demands. */
export const schemaOfScalar = (name: string, isInput: boolean): JsonSchema => {
  const written = SCALARS.get(name);
  if (written === undefined) return {};
  return { ...written.schema, ...(isInput ? written.input : {}) };
};

/**
 * The types that JSON has for arguments of a scalar, where it is more than one: numbers may keep
 * their digits as text.
 */
export const numberTypes = (name: string): JsonSchema => {
  const type = NUMBERS.get(name);
  return type === undefined ? {} : { type: ['string', type] };
};

const NUMBERS: ReadonlyMap<string, string> = new Map([
  ['Long', 'integer'],
  ['BigInt', 'integer'],
  ['Decimal', 'number'],
]);

interface WrittenScalar {
  readonly schema: JsonSchema;
  /** Arguments alone have it: backends also write values that have a form of XML Schema only. */
  readonly input?: JsonSchema;
}

const SCALARS: ReadonlyMap<string, WrittenScalar> = new Map<string, WrittenScalar>([
  ['String', { schema: { type: 'string' } }],
  ['ID', { schema: { type: 'string' } }],
  ['Boolean', { schema: { type: 'boolean' } }],
  ['Int', { schema: { type: 'integer', format: 'int32' } }],
  ['Float', { schema: { type: 'number', format: 'double' } }],
  ['Long', { schema: { type: 'string', pattern: '^[+-]?\\d+$' } }],
  ['BigInt', { schema: { type: 'string', pattern: '^[+-]?\\d+$' } }],
  ['Decimal', { schema: { type: 'string', pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)$' } }],
  ['Date', { schema: { type: 'string' }, input: { format: 'date' } }],
  ['DateTime', { schema: { type: 'string' }, input: { format: 'date-time' } }],
  ['Time', { schema: { type: 'string' }, input: { format: 'time' } }],
  ['Duration', { schema: { type: 'string' }, input: { format: 'duration' } }],
  ['Base64', { schema: { type: 'string', contentEncoding: 'base64' } }],
  ['Hex', { schema: { type: 'string', pattern: '^([0-9A-Fa-f]{2})*$' } }],
  // XSD takes any characters of an IRI, and more: JSON Schema has no format for it.
  ['URI', { schema: { type: 'string' } }],
  ['QName', { schema: { type: 'string' } }],
  ['XML', { schema: { type: 'string', contentMediaType: 'application/xml' } }],
]);

/**
 * The facets of the type that written values of a scalar are held to, where JSON Schema has them.
 */
export function facetsOf({ name, type }: Scalar): JsonSchema {
  if (type === undefined || type.variety !== 'atomic') return {};
  const { facets } = type;
  if (name === 'Int' || name === 'Float') return boundsOf(facets);
  if (NUMBERS.has(name)) return digitsOf(facets, name === 'Decimal');
  if (name !== 'String' && name !== 'ID') return {};
  const [pattern] = facets.patterns.length === 1 ? facets.patterns : [];
  return defined({
    minLength: facets.length ?? facets.minLength,
    maxLength: facets.length ?? facets.maxLength,
    pattern: pattern === undefined ? null : translated(pattern),
  });
}

const boundsOf = (facets: NonNullable<Scalar['type']>['facets']): JsonSchema =>
  defined({
    minimum: numberOf(facets.minInclusive),
    maximum: numberOf(facets.maxInclusive),
    exclusiveMinimum: numberOf(facets.minExclusive),
    exclusiveMaximum: numberOf(facets.maxExclusive),
  });

/**
 * The digits that a number may have: JSON Schema has no keyword for them. A pattern is for text,
 * bounds are for JSON numbers; zeros at both ends do not count. What is before and after the point
 * may still be too much together.
 */
function digitsOf(
  { totalDigits, fractionDigits }: NonNullable<Scalar['type']>['facets'],
  isDecimal: boolean,
): JsonSchema {
  const total = totalDigits !== null && totalDigits <= REPEATED_MAX ? totalDigits : null;
  const most =
    isDecimal && fractionDigits !== null && fractionDigits <= REPEATED_MAX ? fractionDigits : null;
  if (total === null && most === null) return {};
  const whole = total === null ? '\\d+' : `0*\\d{1,${total}}`;
  const fraction = most === null ? '\\d*' : `\\d{0,${most}}0*`;
  const alone = most === null ? '\\d+' : most === 0 ? '0+' : `\\d{1,${most}}0*`;
  const bound = total === null || total > EXACT_DIGITS ? null : 10 ** total;
  return defined({
    pattern: isDecimal ? `^[+-]?(${whole}(\\.${fraction})?|\\.${alone})$` : `^[+-]?${whole}$`,
    exclusiveMinimum: bound === null ? null : -bound,
    exclusiveMaximum: bound,
  });
}

/** Patterns repeat a digit this often at most: some programs refuse more. */
const REPEATED_MAX = 200;

/** Numbers of JSON keep this many. */
const EXACT_DIGITS = 15;

const defined = (keywords: Readonly<Record<string, string | number | null>>): JsonSchema =>
  Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== null));

function numberOf(lexical: string | null): number | null {
  const value = lexical === null ? Number.NaN : Number(lexical);
  return Number.isFinite(value) ? value : null;
}

/** A pattern of XSD as one of ECMA-262, where both mean the same; null for another. */
function translated(pattern: string): string | null {
  if (!SAME.test(pattern)) return null;
  const anchored = `^(?:${pattern})$`;
  try {
    new RegExp(anchored, 'u');
    return anchored;
  } catch {
    return null;
  }
}

/**
 * Without `^` and `$`, which XSD reads as letters, and without classes of characters that it has
 * more of.
 */
const SAME = /^(?:[^\\^$]|\\[ds.*+?(){}|[\]\\-]|\[\^)*$/;

/** JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;
