import fc from 'fast-check';
import t from 'tap';
import { simpleRulesOf } from '../../src/codec/validity/simple-rules.js';
import { StreamedBase64 } from '../../src/codec/validity/streamed-base64.js';
import { compileSimple } from '../../src/codec/values/simple-validity.js';
import { NO_FACETS, type SimpleType } from '../../src/wsdl/model.js';
import { enumeration, simple } from '../graphql/models.js';

/** What is told of bytes, or of pieces, is never another result than that of the whole check. */

const TYPES: readonly SimpleType[] = [
  ...(
    'byte short int long integer unsignedByte unsignedShort unsignedInt unsignedLong ' +
    'nonNegativeInteger positiveInteger ' +
    'decimal double float boolean dateTime date time string token hexBinary'
  )
    .split(' ')
    .map((builtIn) => simple(builtIn)),
  simple('int', { facets: { ...NO_FACETS, maxInclusive: '7' } }),
  simple('decimal', { facets: { ...NO_FACETS, totalDigits: 4, fractionDigits: 2 } }),
  simple('decimal', { facets: { ...NO_FACETS, minExclusive: '3' } }),
  simple('string', { facets: { ...NO_FACETS, minLength: 2, maxLength: 5 } }),
  simple('string', { facets: { ...NO_FACETS, minLength: 2, whiteSpace: 'collapse' } }),
  simple('string', { facets: { ...NO_FACETS, length: 3 } }),
  simple('string', { facets: { ...NO_FACETS, patterns: ['[0-9]+'] } }),
  enumeration('Word', 'a', '1', '2024-02-29', ' b '),
  simple('token', {
    enumeration: [
      { value: ' b  c ', documentation: null },
      { value: 'd', documentation: null },
    ],
  }),
];

const two = fc.integer({ min: 0, max: 70 }).map((value) => String(value).padStart(2, '0'));
const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    '1',
    '0',
    'a',
    'b',
    'd',
    ' b ',
    ' b  c ',
    'b c',
    '',
    '-',
    '.',
    '-0',
    '1.',
    '.5',
    '0000-01-01',
  ),
  fc.string({ unit: fc.constantFrom(...'0123456789-+. TZ:eE'), maxLength: 22 }),
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc
    .tuple(
      two,
      two,
      two,
      two,
      two,
      fc.constantFrom('', 'Z', '+14:00', '-13:59', '.5', '.', '.5Z', '+1:00', ' '),
    )
    .map(
      ([month, day, hour, minute, second, rest]) =>
        `2024-${month}-${day}T${hour}:${minute}:${second}${rest}`,
    ),
  fc.tuple(two, two).map(([month, day]) => `2023-${month}-${day}`),
);

t.test('what is valid at a glance is valid', async (t) => {
  let told = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = Buffer.from(`<${text}<`);
      for (const type of TYPES) {
        if (simpleRulesOf(type).fastTest?.(bytes, 1, bytes.length - 1) !== true) continue;
        told++;
        const rule = compileSimple(type)(text);
        if (rule !== null) throw new Error(`${type.builtIn} ${JSON.stringify(text)}: ${rule}`);
      }
    }),
    { numRuns: 20_000 },
  );
  t.ok(told > 1000, `${told} were told`);
});

t.test('base64 in pieces is valid when it is as a whole', async () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom('QUJD', 'QQ==', 'QUI=', '=', ' ', '\n', '+/', 'A', 'R', '!'),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    ),
    { maxLength: 5 },
  );
  const check = compileSimple(simple('base64Binary'));
  const flow = new StreamedBase64();
  fc.assert(
    fc.property(pieces, fc.nat(), (all, cut) => {
      const text = all.join('');
      const at = cut % (text.length + 1);
      flow.begin();
      for (const piece of [text.slice(0, at), text.slice(at)]) flow.add(piece);
      if ((flow.end() === null) !== (check(text) === null))
        throw new Error(`${JSON.stringify(text)} cut at ${at}`);
    }),
    { numRuns: 20_000 },
  );
});
