import fc from 'fast-check';
import t from 'tap';
import { scalarOf } from '../../../src/codec/values/scalars.js';
import { compileSimple, unsupportedFacets } from '../../../src/codec/values/simple-validity.js';
import { type Facets, NO_FACETS, type SimpleType } from '../../../src/wsdl/model.js';
import { simple } from '../../graphql/models.js';

const faceted = (
  builtIn: string,
  facets: Partial<Facets>,
  more: Partial<SimpleType> = {},
): SimpleType => simple(builtIn, { facets: { ...NO_FACETS, ...facets }, ...more });

const enumerated = (
  builtIn: string,
  values: readonly string[],
  more: Partial<SimpleType> = {},
): SimpleType =>
  simple(builtIn, {
    enumeration: values.map((value) => ({ value, documentation: null })),
    ...more,
  });

const listOf = (item: SimpleType, more: Partial<SimpleType> = {}): SimpleType =>
  simple(item.builtIn, { variety: 'list', item, ...more });

const unionOf = (members: readonly SimpleType[], more: Partial<SimpleType> = {}): SimpleType =>
  simple('string', { variety: 'union', members, ...more });

interface Row {
  readonly about: string;
  readonly type: SimpleType;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

const row = (
  about: string,
  type: SimpleType,
  good: readonly string[],
  bad: readonly string[],
): Row => ({
  about,
  type,
  good,
  bad,
});

const COUNTRY = enumerated('token', ['DE', 'CH']);
const SMALL = faceted('int', { maxInclusive: '9' });

const TABLE: readonly Row[] = [
  row(
    'all patterns',
    faceted('string', { patterns: ['[a-z]+', '.{3}'] }),
    ['abc'],
    ['ab', 'abcd', 'ABC'],
  ),
  row('white space first', faceted('token', { patterns: ['a b'] }), ['a b', ' a \n b '], ['ab']),
  row(
    'white space facet',
    faceted('string', { whiteSpace: 'collapse', maxLength: 3 }),
    ['  a  b  '],
    ['a b c'],
  ),
  row(
    'white space is never treated less',
    faceted('int', { whiteSpace: 'preserve' }),
    [' 1 '],
    ['1 2'],
  ),
  row('preserved white space counts', faceted('string', { length: 3 }), ['a b', ' a\n'], ['a']),
  row('characters beyond U+FFFF', faceted('string', { length: 2 }), ['😀é'], ['😀']),
  row(
    'length of bytes',
    faceted('base64Binary', { length: 3 }),
    ['QUJD', ' Q U\nJD '],
    ['QUI=', 'QUJDQQ=='],
  ),
  row('length of hex', faceted('hexBinary', { maxLength: 1 }), ['0a', ''], ['0a0b']),
  row('length of a URI', faceted('anyURI', { maxLength: 4 }), ['u:ü '], ['urn:x']),

  row(
    'total digits',
    faceted('decimal', { totalDigits: 3 }),
    ['123', '0.050', '00012.30', '-0.5'],
    ['1234', '1.234'],
  ),
  row('fraction digits', faceted('decimal', { fractionDigits: 1 }), ['1.50', '.5', '5.'], ['1.25']),
  row(
    'no digits behind the point',
    faceted('decimal', { fractionDigits: 0 }),
    ['1.0', '7'],
    ['1.5'],
  ),
  row(
    'bounds of large numbers',
    faceted('integer', { maxExclusive: '100000000000000000001' }),
    ['100000000000000000000'],
    ['100000000000000000001', '+0100000000000000000001'],
  ),
  row(
    'bounds of floats',
    faceted('double', { minExclusive: '-1e3', maxInclusive: 'INF' }),
    ['-999', 'INF', '1E300'],
    ['-1000.0', '-INF', 'NaN'],
  ),
  row(
    'floats are rounded before',
    faceted('float', { maxInclusive: '0.1' }),
    ['0.1', '0.10000000001'],
    ['0.11'],
  ),

  row(
    'bounds of dates',
    faceted('date', { minInclusive: '2000-01-01', maxExclusive: '2001-01-01' }),
    ['2000-01-01', '2000-12-31'],
    ['1999-12-31', '2001-01-01', '-2000-05-05', '12000-05-05'],
  ),
  row(
    'years of any length',
    faceted('gYear', { maxInclusive: '1000000000' }),
    ['999999999', '1000000000', '-5000000000'],
    ['1000000001', '99999999999999999999'],
  ),
  row(
    'instants',
    faceted('dateTime', { maxInclusive: '2000-01-01T12:00:00Z' }),
    ['2000-01-01T13:00:00+01:00', '2000-01-01T12:00:00.000Z', '1999-12-31T21:00:00'],
    ['2000-01-01T12:00:00.0001Z', '2000-01-01T11:00:00-02:00', '2000-01-01T11:00:00'],
  ),
  row(
    'a bound without zone',
    faceted('dateTime', { minInclusive: '2000-01-01T12:00:00' }),
    ['2000-01-01T12:00:00', '2000-01-02T03:00:00Z'],
    ['2000-01-01T12:00:00Z', '2000-01-02T01:00:00Z'],
  ),
  row(
    'midnight is the next day',
    enumerated('dateTime', ['2000-01-01T00:00:00']),
    ['1999-12-31T24:00:00'],
    ['1999-12-31T00:00:00'],
  ),
  row(
    'times',
    faceted('time', { minInclusive: '09:00:00Z', maxExclusive: '17:00:00Z' }),
    ['09:00:00Z', '10:30:00+01:00'],
    ['08:59:59.9Z', '17:00:00Z', '12:00:00'],
  ),
  row(
    'midnight of a time',
    enumerated('time', ['00:00:00']),
    ['24:00:00', '00:00:00.0'],
    ['12:00:00'],
  ),
  row(
    'days of a month',
    faceted('gMonthDay', { maxInclusive: '--06-30' }),
    ['--02-29', '--06-30'],
    ['--07-01'],
  ),
  row('months', faceted('gMonth', { minExclusive: '--03' }), ['--04'], ['--03']),
  row('days', faceted('gDay', { minInclusive: '---10' }), ['---10', '---31'], ['---09']),
  row(
    'months of a year',
    faceted('gYearMonth', { minInclusive: '1999-12' }),
    ['1999-12', '2000-01'],
    ['1999-11'],
  ),
  row(
    'durations',
    faceted('duration', { maxInclusive: 'P1M' }),
    ['P27D', 'P1M', '-P1Y', 'PT40H', 'P0Y'],
    ['P31D', 'P30D', 'P2M', 'P28D'],
  ),
  row(
    'durations of seconds',
    faceted('duration', { minExclusive: 'PT1.5S' }),
    ['PT1.50001S', 'PT1M'],
    ['PT1.500S', 'PT1S', '-PT2S'],
  ),
  row(
    'equal durations',
    enumerated('duration', ['P1Y', 'PT1H']),
    ['P12M', 'PT60M', 'PT3600.0S', 'P0DT1H'],
    ['P365D', '-P1Y'],
  ),

  row(
    'decimals by value',
    enumerated('decimal', ['1.0', '-0.50']),
    ['1', '+1.00', '-.5'],
    ['0.5', '10'],
  ),
  row('booleans by value', enumerated('boolean', ['true']), ['true', '1'], ['false', '0']),
  row(
    'instants by value',
    enumerated('dateTime', ['2000-01-01T00:00:00Z']),
    ['2000-01-01T01:00:00+01:00'],
    ['2000-01-01T00:00:00'],
  ),
  row('bytes by value', enumerated('hexBinary', ['0aFF']), ['0AfF'], ['0aF0']),
  row('strings by character', enumerated('string', ['a b']), ['a b'], ['a  b', ' a b', 'A b']),
  row('tokens without white space', enumerated('token', [' a  b ']), ['a b', '\ta b'], ['ab']),
  row('a value that is none is never valid', enumerated('int', ['1', 'x']), ['01'], ['x']),
  row('infinity', enumerated('float', ['INF', 'NaN']), ['INF', 'NaN'], ['-INF']),

  row('lists', listOf(SMALL), ['', ' ', '1', ' 1\n2\t3 '], ['1 x', '1,2', '1 10']),
  row(
    'length of a list',
    listOf(SMALL, { facets: { ...NO_FACETS, minLength: 1, maxLength: 2 } }),
    ['1', ' 1  2 '],
    ['', '1 2 3'],
  ),
  row(
    'enumerated lists by value',
    enumerated('int', ['1 2', ''], { variety: 'list', item: simple('int') }),
    ['01  +2', ' '],
    ['2 1', '1'],
  ),
  row(
    'patterns of lists',
    listOf(simple('int'), { facets: { ...NO_FACETS, patterns: ['\\d( \\d)*'] } }),
    ['1  2'],
    ['10'],
  ),

  row('unions', unionOf([SMALL, COUNTRY]), ['9', 'DE', ' CH '], ['10', 'FR', '']),
  row(
    'unions of unions',
    unionOf([unionOf([SMALL]), unionOf([COUNTRY, unionOf([simple('date')])])]),
    ['9', 'DE', '2000-01-01'],
    ['10', 'x'],
  ),
  row(
    'enumerated unions by value',
    enumerated('string', ['1.0', 'x'], {
      variety: 'union',
      members: [simple('decimal'), simple('token')],
    }),
    ['1', '1.00', ' x '],
    ['y', '2'],
  ),
  row(
    'patterns of unions',
    unionOf([SMALL, COUNTRY], { facets: { ...NO_FACETS, patterns: ['.'] } }),
    ['9', ' 9'],
    ['DE'],
  ),
  row('lists of unions', listOf(unionOf([SMALL, COUNTRY])), ['1 DE 2'], ['1 FR']),

  row(
    'catalogue X31: years',
    simple('dateTime'),
    ['1000000000-01-01T00:00:00', '-0001-12-31T23:59:59Z'],
    ['0000-01-01T00:00:00', '01000000000-01-01T00:00:00', '+2000-01-01T00:00:00'],
  ),
  row(
    'catalogue X31: midnight',
    simple('dateTime'),
    ['2000-01-01T24:00:00', '2000-01-01T24:00:00.000'],
    ['2000-01-01T24:00:01', '2000-01-01T24:01:00', '2000-01-01T25:00:00'],
  ),
  row(
    'catalogue X31: leap seconds',
    simple('dateTime'),
    ['2016-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:60.5Z'],
  ),
  row(
    'catalogue X31: offsets',
    simple('dateTime'),
    ['2000-01-01T00:00:00+14:00', '2000-01-01T00:00:00-14:00'],
    ['2000-01-01T00:00:00+14:01', '2000-01-01T00:00:00-15:00', '2000-01-01T00:00:00+1:00'],
  ),
  row(
    'catalogue X30: long numbers',
    simple('decimal'),
    ['9'.repeat(128)],
    ['9'.repeat(1_000_000), `0.${'0'.repeat(1_000_000)}`, 'NaN', 'INF', '1e5'],
  ),
  row(
    'catalogue X30: integers beyond 2^53',
    simple('long'),
    ['9007199254740993', '9223372036854775807'],
    ['9223372036854775808'],
  ),
];

t.test('a lexical form is valid by every rule of its type', async (t) => {
  for (const { about, type, good, bad } of TABLE) {
    const check = compileSimple(type);
    for (const text of good) t.equal(check(text), null, `${about}: ${text.slice(0, 40)}`);
    for (const text of bad) t.type(check(text), 'string', `${about}: not ${text.slice(0, 40)}`);
    t.strictSame(unsupportedFacets(type), [], `${about}: all is checked`);
  }
});

t.test('rules say what is wrong, and never the value', async (t) => {
  const canary = 'canary\u0001 canary';
  for (const { about, type } of TABLE) {
    const rule = compileSimple(type)(canary);
    t.ok(rule === null || (rule.length < 200 && !rule.includes('canary')), about);
  }
  const rules: readonly (readonly [SimpleType, string, string])[] = [
    [faceted('string', { patterns: ['[A-Z]{3}'] }), 'x', 'must match [A-Z]{3}'],
    [faceted('date', { minInclusive: '2000-01-01' }), '1999-01-01', 'must be at least 2000-01-01'],
    [listOf(simple('int')), '1 x', 'each item must be an integer from -2147483648 to 2147483647'],
    [COUNTRY, 'x', 'must be one of the enumerated values'],
  ];
  for (const [type, text, rule] of rules) t.equal(compileSimple(type)(text), rule);
});

t.test('facets that cannot be checked are reported', async (t) => {
  t.match(unsupportedFacets(faceted('string', { patterns: ['(?=a)b'] })), [/^pattern \(\?=a\)b: /]);
  t.match(unsupportedFacets(faceted('string', { minInclusive: 'a' })), [
    /^minInclusive: .*no order/,
  ]);
  t.match(unsupportedFacets(faceted('int', { minInclusive: 'a' })), [/^minInclusive: .*no value/]);
  t.match(unsupportedFacets(faceted('int', { maxLength: 3 })), [/^length: /]);
  t.match(unsupportedFacets(faceted('string', { totalDigits: 3 })), [/^digits: /]);
  t.match(unsupportedFacets(listOf(faceted('string', { patterns: ['\\1'] }))), [/^pattern /]);
  t.equal(
    compileSimple(faceted('string', { patterns: ['(?=a)b', 'x'] }))('y'),
    'must match x',
    'the others still hold',
  );
});

t.test('instants are ordered as their moments are', async () => {
  const moment = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const written = (at: Date, minutes: number): string => {
    const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1);
    const two = (value: number): string => String(value).padStart(2, '0');
    const ahead = Math.abs(minutes);
    return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
  };
  fc.assert(
    fc.property(moment, offset, moment, offset, (left, leftMinutes, right, rightMinutes) => {
      const check = compileSimple(
        faceted('dateTime', { maxInclusive: written(right, rightMinutes) }),
      );
      return (check(written(left, leftMinutes)) === null) === left.getTime() <= right.getTime();
    }),
    { numRuns: 500 },
  );
});

t.test('hostile lengths take linear time', async (t) => {
  const begin = process.cpuUsage().user;
  for (const { type } of TABLE) {
    const check = compileSimple(type);
    for (const unit of [' ', '1', '-', 'a ', 'P', '1 ', '\n'])
      check(unit.repeat(65_536 / unit.length));
  }
  const millis = (process.cpuUsage().user - begin) / 1000;
  t.ok(millis < 5000, `took ${Math.round(millis)} ms of processor time`);
});

t.test('unions that share their members are validated once each', async (t) => {
  let type = unionOf([SMALL, COUNTRY]);
  for (let depth = 0; depth < 150; depth += 1) type = unionOf([type, type]);
  t.equal(compileSimple(type)('9'), null);
  t.type(compileSimple(type)('10'), 'string');
});

t.test('unions that restrict unions are bounded', async (t) => {
  const facets = { ...NO_FACETS, patterns: ['.*'] };
  let left = unionOf([SMALL, COUNTRY], { facets });
  let right = unionOf([COUNTRY, SMALL], { facets });
  for (let depth = 0; depth < 90; depth += 1) {
    const members = [left, right];
    left = unionOf(members, { facets });
    right = unionOf(members, { facets, enumeration: [{ value: '9', documentation: null }] });
  }
  t.match(unsupportedFacets(left), [/nested/]);
  t.equal(compileSimple(left)('x'), null, 'what is too costly is left to the backend');
  t.equal(scalarOf(left).encode('9'), '9');
});
