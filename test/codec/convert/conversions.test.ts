import t from 'tap';
import { parseDatePattern } from '../../../src/codec/convert/date-pattern.js';
import { LexicalError, type Scalar } from '../../../src/codec/plan/scalar.js';
import { CONVERSION_PROPERTIES, converted, ENUMERATION, readOf } from './conversion-properties.js';

/** Conversions by themselves: there and back, and what is refused on the way. */

/** Tries of each property; a million with `dist/test/bench/conversion-values.js`. */
const RUNS = 1000;

for (const { name, check } of CONVERSION_PROPERTIES) {
  t.test(name, async () => check(RUNS));
}

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
    [converted({ kind: 'enum', texts: ENUMERATION }), ['', '3', 'OPEN', 'toString']],
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
});
