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

/** What is read of a text; 'unknown' where the mapping does not know it. */
function readOf(scalar: Scalar, text: string): unknown {
  try {
    return scalar.decode(text);
  } catch (caught) {
    if (caught instanceof LexicalError && caught.isValid) return 'unknown';
    throw caught;
  }
}

t.test(
  'numbers are read with a sign before or behind, blanks around and zeros before',
  async () => {
    const blanks = fc.constantFrom('', ' ', '   ', '\t', '\n  ');
    const parts = fc.tuple(
      blanks,
      fc.constantFrom('', '-', '+'),
      fc.boolean(),
      fc.integer({ min: 0, max: 12 }),
      fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }),
      blanks,
      fc.integer({ min: 0, max: 6 }),
    );
    fc.assert(
      fc.property(parts, ([before, sign, isBehind, zeros, number, after, places]) => {
        const digits = '0'.repeat(zeros) + String(number);
        const text = before + (isBehind ? digits + sign : sign + digits) + after;
        const minus = sign === '-' && number !== 0n ? '-' : '';
        const scale = 10n ** BigInt(places);
        const fraction = String(number % scale).padStart(places, '0');
        const value = `${minus}${number / scale}${places === 0 ? '' : `.${fraction}`}`;
        const decimal = converted({ kind: 'decimal', places, digits: null });
        const integer = converted({ kind: 'integer', digits: 18 });
        return (
          readOf(decimal, text) === value && readOf(integer, text) === `${minus}${String(number)}`
        );
      }),
      { numRuns: RUNS },
    );
  },
);

t.test('other digits, signs and blanks of Unicode are unknown', async (t) => {
  const day = converted({ kind: 'date', pattern: 'yyyyMMdd' });
  const sum = converted({ kind: 'decimal', places: 2, digits: null });
  for (const zero of ['\u0660', '\u06f0', '\u0966', '\uff10', '\u{1d7ce}']) {
    const digits = (text: string): string =>
      text.replaceAll(/[0-9]/g, (digit) =>
        String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)),
      );
    t.equal(readOf(day, digits('20260131')), 'unknown', zero);
    t.equal(readOf(sum, digits('0001990')), 'unknown', zero);
    t.equal(readOf(day, `2026013${digits('1')}`), 'unknown', zero);
  }
  for (const text of ['\u22121990', '\ufe631990', '\u00a01990', '1990\u2003', '1_990', "1'990"])
    t.equal(readOf(sum, text), 'unknown', JSON.stringify(text));
});

t.test('years, hours and seconds at their bounds', async (t) => {
  const day = converted({ kind: 'date', pattern: 'yyyyMMdd' });
  const short = converted({ kind: 'date', pattern: 'ddMMyy' });
  const time = converted({ kind: 'time', pattern: 'HHmmss' });
  const at = converted({ kind: 'dateTime', pattern: 'yyyyMMddHHmmss', zone: 'UTC' });
  for (const [scalar, text, value] of [
    [day, '00010101', '0001-01-01'],
    [day, '09990228', '0999-02-28'],
    [day, '99991231', '9999-12-31'],
    [day, '00000101', 'unknown'],
    [day, '120260131', 'unknown'],
    [day, '-0260131', 'unknown'],
    [day, '20250229', 'unknown'],
    [day, '20240229', '2024-02-29'],
    [day, '19000229', 'unknown'],
    [day, '20000229', '2000-02-29'],
    [short, '310168', '2068-01-31'],
    [short, '310169', '1969-01-31'],
    [short, '290200', '2000-02-29'],
    [time, '235959', '23:59:59'],
    [time, '240000', 'unknown'],
    [time, '235960', 'unknown'],
    [time, '006000', 'unknown'],
    [at, '20161231235960', 'unknown'],
    [at, '20260131240000', 'unknown'],
    [at, '09991231235959', '0999-12-31T23:59:59Z'],
  ] as const)
    t.equal(readOf(scalar, text), value, text);
  for (const [scalar, value] of [
    [day, '10000-01-01'],
    [day, '-0001-01-01'],
    [day, '2026-01-31Z'],
    [short, '1968-12-31'],
    [short, '2069-01-01'],
    [time, '24:00:00'],
    [time, '23:59:60'],
    [time, '12:00:00.5'],
    [at, '2026-01-31T24:00:00Z'],
    [at, '2026-01-31T12:00:00.001Z'],
    [at, '12026-01-31T12:00:00Z'],
  ] as const)
    t.throws(() => scalar.encode(value), LexicalError, value);
});

t.test('each text that stands for null is null, the first one is written', async (t) => {
  const nulls = ['00000000', '99999999', '', '********'];
  const scalar = converted({ kind: 'date', pattern: 'yyyyMMdd' }, { nulls });
  for (const text of nulls) {
    t.equal(readOf(scalar, text), null, text);
    t.equal(readOf(scalar, `${text}   `), null, 'with blanks behind');
  }
  t.equal(readOf(scalar, '99991231'), '9999-12-31');
  t.equal(scalar.encode(null), '00000000');
  const code = converted({ kind: 'integer', digits: 4 }, { nulls: ['0000', '9999'] });
  t.equal(code.encode(9998), '9998');
  for (const value of [0, 9999]) t.throws(() => code.encode(value), LexicalError, String(value));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9998 }),
      (value) => code.decode(code.encode(value)) === value,
    ),
    { numRuns: RUNS },
  );
});

/** Local times of an instant in a zone, by Intl alone. */
function localOf(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (instant) => format.format(instant).replaceAll(/[^0-9]/g, '');
}

t.test('local times are those of Intl: of two the earlier, in a gap none', async (t) => {
  const counts = { known: 0, gaps: 0 };
  for (const zone of ['Europe/Zurich', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Tehran']) {
    const scalar = converted({ kind: 'dateTime', pattern: 'yyyyMMddHHmmss', zone });
    const local = localOf(zone);
    // Instants about the changes of the clock, from 1980 to 2037.
    const changes: number[] = [];
    const step = 86_400_000;
    const offsetAt = (instant: number): number => {
      const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] =
        /^(....)(..)(..)(..)(..)(..)$/.exec(local(instant)) ?? [];
      return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - instant;
    };
    for (let at = Date.UTC(1980, 0); at < Date.UTC(2037, 0) && changes.length < 40; at += step) {
      if (offsetAt(at) !== offsetAt(at + step)) changes.push(at);
    }
    const texts = fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -7200, max: 2 * 86_400 }))
      .map(([change, seconds]) => new Date(change + seconds * 1000).toISOString())
      .map((text) => text.replaceAll(/[^0-9]/g, '').slice(0, 14));
    fc.assert(
      fc.property(texts, (text) => {
        const value = readOf(scalar, text);
        const asUtc = Date.parse(
          text.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z'),
        );
        const offsets = [
          ...new Set([-2, -1, 0, 1, 2].map((days) => offsetAt(asUtc + days * step))),
        ];
        const instants = offsets
          .map((offset) => asUtc - offset)
          .filter((instant) => local(instant) === text)
          .sort((one, other) => one - other);
        if (value === 'unknown') {
          counts.gaps++;
          return instants.length === 0;
        }
        counts.known++;
        return typeof value === 'string' && Date.parse(value) === instants[0];
      }),
      { numRuns: Math.ceil(RUNS / 8) },
    );
  }
  t.ok(counts.gaps > 0, `${counts.gaps} in gaps, ${counts.known} known`);
});
