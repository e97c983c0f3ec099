import fc from 'fast-check';
import t from 'tap';
import { convertedScalar } from '../../../src/codec/convert/converted-scalar.js';
import { parseDatePattern } from '../../../src/codec/convert/date-pattern.js';
import type { Conversion, ConversionTarget } from '../../../src/codec/plan/conversion.js';
import { LexicalError, type Scalar } from '../../../src/codec/plan/scalar.js';
import { scalarOf } from '../../../src/codec/values/scalars.js';
import { STRING } from '../../../src/wsdl/xsd/builtin.js';

/** Conversions by themselves: there and back, and what is refused on the way. */

const converted = (target: ConversionTarget | null, more: Partial<Conversion> = {}): Scalar =>
  convertedScalar(STRING, scalarOf(STRING), { target, trims: false, nulls: [], ...more }, 'Values');

/** Tries of each property; `CONVERSION_RUNS` of the environment for more. */
const RUNS = Number(process.env['CONVERSION_RUNS'] ?? 2000);

const two = (value: number): string => String(value).padStart(2, '0');

const dates = fc
  .tuple(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`);
const times = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
  )
  .map((parts) => parts.map(two).join(':'));
const decimals = (places: number): fc.Arbitrary<string> =>
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((value) => {
    const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
    const sign = value < 0n ? '-' : '';
    if (places === 0) return `${sign}${digits}`;
    return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
  });

const enumeration = new Map([
  ['OPEN', '1'],
  ['SHIPPED', '2'],
  ['LOST', ' '],
]);

/** Values that come back as they were. */
const EXACT: readonly (readonly [string, Scalar, fc.Arbitrary<unknown>])[] = [
  ['boolean', converted({ kind: 'boolean', texts: { true: 'J', false: 'N' } }), fc.boolean()],
  ['enum', converted({ kind: 'enum', texts: enumeration }), fc.constantFrom(...enumeration.keys())],
  ['date', converted({ kind: 'date', pattern: 'yyyyMMdd' }), dates],
  ['date by its day of the year', converted({ kind: 'date', pattern: 'yyyyDDD' }), dates],
  ['date of variable width', converted({ kind: 'date', pattern: 'd.M.yyyy' }), dates],
  ['time', converted({ kind: 'time', pattern: 'HHmmss' }), times],
  ['decimal', converted({ kind: 'decimal', places: 2, digits: null }), decimals(2)],
  ['decimal without places', converted({ kind: 'decimal', places: 0, digits: 31 }), decimals(0)],
  ['decimal of many places', converted({ kind: 'decimal', places: 18, digits: 38 }), decimals(18)],
  [
    'integer',
    converted({ kind: 'integer', digits: 9 }),
    fc.integer({ min: -999_999_999, max: 999_999_999 }),
  ],
  [
    'long integer',
    converted({ kind: 'integer', digits: 18 }),
    fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }).map(String),
  ],
  [
    'trimmed text',
    converted(null, { trims: true, nulls: ['', '*'] }),
    fc
      .string()
      .map((text) => text.replaceAll(/[^ -~]/g, '').trim())
      .filter((text) => text !== '' && text !== '*'),
  ],
  ...['+00:00', '+05:30', '-11:00', 'UTC'].map(
    (zone) =>
      [
        `dateTime in ${zone}`,
        converted({ kind: 'dateTime', pattern: 'yyyyMMddHHmmssSSS', zone }),
        fc
          .tuple(dates, times, fc.integer({ min: 0, max: 999 }))
          .map(
            ([date, time, millis]) =>
              `${date}T${time}.${String(millis).padStart(3, '0')}` +
              `${/^UTC$|00:00$/.test(zone) && !zone.startsWith('-') ? 'Z' : zone}`,
          ),
      ] as const,
  ),
  [
    'dateTime with its offset',
    converted({ kind: 'dateTime', pattern: "yyyyMMdd'T'HHmmssxxx", zone: null }),
    fc
      .tuple(dates, times, fc.constantFrom('+01:00', '-09:30', 'Z'))
      .map(([date, time, offset]) => `${date}T${time}${offset}`),
  ],
];

for (const [name, scalar, values] of EXACT)
  t.test(`${name}: each value comes back from its text`, async () => {
    fc.assert(
      fc.property(values, (value) => scalar.decode(scalar.encode(value)) === value),
      { numRuns: RUNS },
    );
  });

t.test('an instant comes back from its local time, or is refused', async (t) => {
  let refused = 0;
  for (const zone of [
    'Europe/Zurich',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  ]) {
    const scalar = converted({ kind: 'dateTime', pattern: 'yyyyMMddHHmmss', zone });
    const instants = fc.integer({ min: -1_000_000_000, max: 4_000_000_000 });
    fc.assert(
      fc.property(instants, (seconds) => {
        const text = new Date(seconds * 1000).toISOString().replace('.000', '');
        try {
          const back = scalar.decode(scalar.encode(text));
          return typeof back === 'string' && Date.parse(back) === seconds * 1000;
        } catch (caught) {
          if (!(caught instanceof LexicalError)) throw caught;
          refused++;
          return true;
        }
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  }
  t.ok(refused < RUNS / 100, 'the later of two equal local times is rare');
});

t.test('local times about changes of the clock', async (t) => {
  const scalar = converted({
    kind: 'dateTime',
    pattern: 'yyyyMMddHHmmss',
    zone: 'Europe/Zurich',
  });
  t.equal(scalar.decode('20260329015959'), '2026-03-29T01:59:59+01:00');
  t.throws(() => scalar.decode('20260329020000'), LexicalError, 'it does not exist');
  t.throws(() => scalar.decode('20260329025959'), LexicalError);
  t.equal(scalar.decode('20260329030000'), '2026-03-29T03:00:00+02:00');
  t.equal(scalar.decode('20261025020000'), '2026-10-25T02:00:00+02:00', 'the earlier of two');
  t.equal(scalar.decode('20261025030000'), '2026-10-25T03:00:00+01:00');
  t.equal(scalar.encode('2026-10-25T00:30:00Z'), '20261025023000');
  t.throws(() => scalar.encode('2026-10-25T01:30:00Z'), /later of two/);
  t.equal(scalar.encode('2026-07-01T12:00:00'), '20260701120000', 'local without an offset');
});

t.test('unknown texts are errors that are valid on the wire', async (t) => {
  const cases: readonly (readonly [Scalar, readonly string[]])[] = [
    [converted({ kind: 'boolean', texts: { true: 'J', false: 'N' } }), ['', 'j', 'JN', 'true']],
    [converted({ kind: 'enum', texts: enumeration }), ['', '3', 'OPEN', 'toString']],
    [
      converted({ kind: 'date', pattern: 'yyyyMMdd' }),
      ['', '00000000', '20260230', '2026013', '202601311', '2026-1-3', '00000101'],
    ],
    [converted({ kind: 'time', pattern: 'HHmmss' }), ['240000', '236000', '12:30']],
    [
      converted({ kind: 'decimal', places: 2, digits: null }),
      ['', '-', '1.99', '+1-', '1 2', '1e2', '1'.repeat(129)],
    ],
    [converted({ kind: 'integer', digits: null }), ['', '2147483648', '1.0', '--1']],
  ];
  for (const [scalar, texts] of cases)
    for (const text of texts) {
      try {
        t.fail(`${scalar.name} of ${text}: ${scalar.decode(text)}`);
      } catch (caught) {
        t.ok(caught instanceof LexicalError && caught.isValid, `${scalar.name} of ${text}`);
        t.match(caught, { message: 'a text that the mapping does not know' }, 'without the text');
      }
    }
});

t.test('signs and padding of numbers are read', async (t) => {
  const decimal = converted({ kind: 'decimal', places: 2, digits: null });
  for (const [text, value] of [
    ['0001990', '19.90'],
    ['1990-', '-19.90'],
    ['-0005', '-0.05'],
    ['+7', '0.07'],
    ['   00000', '0.00'],
    ['-000', '0.00'],
  ] as const)
    t.equal(decimal.decode(text), value, text);
  const padded = converted({ kind: 'decimal', places: 2, digits: 7 });
  t.equal(padded.encode('19.9'), '0001990');
  t.equal(padded.encode('-0'), '0000000');
  t.equal(padded.encode(19.9), '0001990', 'a number');
  for (const value of ['1.999', '123456.00', 'x', true, null, '1e5'])
    t.throws(() => padded.encode(value), LexicalError, String(value));
});

t.test('patterns of Unicode, and errors in them', async (t) => {
  const date = (pattern: string): Scalar => converted({ kind: 'date', pattern });
  t.equal(date('dd.MM.yy').decode('31.12.68'), '2068-12-31', 'up to 68 of this century');
  t.equal(date('dd.MM.yy').decode('01.01.69'), '1969-01-01');
  t.equal(date("yyyy'Q'MM''dd").decode("2026Q01'31"), '2026-01-31', 'quotes');
  t.equal(date('yyDDD').decode('26031'), '2026-01-31');
  t.throws(() => date('yyyyDDD').decode('2026366'), LexicalError, 'no leap year');
  for (const [pattern, kind, error] of [
    ['yyyyMMMdd', 'date', /`MMM`/],
    ['yyyMMdd', 'date', /`yyy`/],
    ['YYYYMMdd', 'date', /`YYYY`/],
    ['yyyyMMdd ', 'date', /white space/],
    ["yyyyMMdd'T", 'date', /no end/],
    ['yyyyMdd', 'date', /no fixed width/],
    ['yyyyMMddMM', 'date', /`M` twice/],
    ['MMdd', 'date', /no year/],
    ['hhmm', 'time', /`hh`/],
    ['mmss', 'time', /no hour/],
    ['HHss', 'time', /no minutes/],
    ['yyyyMMddHHmmssXx', 'dateTime', /two offsets/],
  ] as const)
    t.match(parseDatePattern(pattern, kind), error, pattern);
});
