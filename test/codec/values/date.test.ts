import fc from 'fast-check';
import t from 'tap';
import { dateRule } from '../../../src/codec/values/date.js';
import { digitsRule } from '../../../src/codec/values/decimal.js';

const digits = (length: number) =>
  fc.nat(10 ** length - 1).map((n) => String(n).padStart(length, '0'));

/**
 * Mostly a date and time as they are written, with each part within its range or just beyond it.
 */
const written = fc
  .record({
    year: fc.oneof(
      digits(4),
      fc.constantFrom('0000', '1900', '2000', '2024', '-0004', '12024', '202'),
    ),
    month: fc.oneof(digits(2), fc.constantFrom('00', '01', '02', '12', '13')),
    day: fc.oneof(digits(2), fc.constantFrom('00', '01', '28', '29', '30', '31', '32')),
    time: fc.oneof(
      fc.constantFrom(
        '',
        'T',
        'T00:00:00',
        'T23:59:59',
        'T24:00:00',
        'T24:00:01',
        'T12:60:00',
        'T12:00:60',
        't12:00:00',
      ),
      fc.tuple(digits(2), digits(2), digits(2)).map((parts) => `T${parts.join(':')}`),
    ),
    fraction: fc.oneof(
      fc.constantFrom('', '.', '.0', '.5x'),
      fc.nat(9_999_999).map((n) => `.${n}`),
    ),
    zone: fc.oneof(
      fc.constantFrom(
        '',
        'Z',
        'z',
        'ZZ',
        '+14:00',
        '-14:00',
        '+14:01',
        '+1:00',
        '+00:60',
        '+01:00:00',
        ' ',
      ),
      fc
        .tuple(fc.constantFrom('+', '-'), digits(2), digits(2))
        .map(([sign, hour, minute]) => `${sign}${hour}:${minute}`),
    ),
  })
  .map(
    ({ year, month, day, time, fraction, zone }) =>
      `${year}-${month}-${day}${time}${fraction}${zone}`,
  );

/** Whether the days of a year count as far as this one, by JavaScript's calendar. */
function isDay(year: string, month: string, day: string): boolean {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  // JavaScript takes two digits for years of the twentieth century.
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(y, m - 1, d);
  return y !== 0 && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
}

const ZONE = /^(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;
const TIME = /^T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)/;

function isValid(text: string, kind: 'date' | 'dateTime'): boolean {
  const [, year = '', month = '', day = '', rest = ''] =
    /^(-?(?:[1-9]\d{4,}|\d{4}))-(\d\d)-(\d\d)(.*)$/s.exec(text) ?? [];
  if (year === '' || !isDay(year, month, day)) return false;
  if (kind === 'date') return ZONE.test(rest);
  const time = TIME.exec(rest)?.[0];
  return time !== undefined && ZONE.test(rest.slice(time.length));
}

t.test('dates and times are valid as the calendar has them, in every form', async (t) => {
  let valid = 0;
  for (const kind of ['date', 'dateTime'] as const) {
    fc.assert(
      fc.property(written, (text) => {
        const isTaken = dateRule(text, kind) === null;
        if (isTaken) valid++;
        return isTaken === isValid(text, kind);
      }),
      { numRuns: 20_000 },
    );
  }
  t.ok(valid > 100, 'many of them are valid');
});

t.test('every day of four centuries is valid, and the one behind each month is not', async (t) => {
  const wrong: string[] = [];
  for (let year = 1900; year < 2300; year++) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 1; day <= 32; day++) {
        const parts = [
          String(year),
          String(month).padStart(2, '0'),
          String(day).padStart(2, '0'),
        ] as const;
        if ((dateRule(parts.join('-'), 'date') === null) !== isDay(...parts))
          wrong.push(parts.join('-'));
      }
    }
  }
  t.same(wrong, []);
});

t.test('digits are within bounds as numbers of any size compare', async () => {
  const bound = fc.oneof(
    fc.constant(null),
    fc.bigInt(-(10n ** 20n), 10n ** 20n).map(String),
    fc.constantFrom('0', '1', '-1'),
  );
  fc.assert(
    fc.property(
      fc.bigInt(-(10n ** 20n), 10n ** 20n),
      fc.nat(3),
      bound,
      bound,
      (value, zeros, min, max) => {
        const text = value < 0n ? String(value) : `${'0'.repeat(zeros)}${value}`;
        const isWithin =
          (min === null || value >= BigInt(min)) && (max === null || value <= BigInt(max));
        return (digitsRule(text, 'integer', { min, max }) === null) === isWithin;
      },
    ),
    { numRuns: 5_000 },
  );
});
