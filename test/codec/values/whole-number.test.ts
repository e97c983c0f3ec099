import t from 'tap';
import { scalarOf } from '../../../src/codec/values/scalars.js';
import { wholeNumberOf } from '../../../src/codec/values/whole-number.js';
import { type Facets, NO_FACETS, type SimpleType } from '../../../src/wsdl/model.js';
import { builtInSimple, STRING } from '../../../src/wsdl/xsd/builtin.js';

const builtIn = (local: string): SimpleType =>
  builtInSimple({ uri: 'http://www.w3.org/2001/XMLSchema', local }) ?? STRING;
const restricted = (base: SimpleType, facets: Partial<Facets>): SimpleType => ({
  ...base,
  name: null,
  base,
  facets: { ...NO_FACETS, ...facets },
});

t.test('whole numbers are the smallest scalar that their facets let them be', (t) => {
  const cases: readonly (readonly [string, Partial<Facets>, string])[] = [
    ['decimal', { fractionDigits: 0, totalDigits: 9 }, 'Int'],
    ['decimal', { fractionDigits: 0, totalDigits: 10 }, 'Long'],
    ['decimal', { fractionDigits: 0, totalDigits: 18 }, 'Long'],
    ['decimal', { fractionDigits: 0, totalDigits: 19 }, 'Decimal'],
    ['decimal', { fractionDigits: 0 }, 'Decimal'],
    ['decimal', { fractionDigits: 2, totalDigits: 9 }, 'Decimal'],
    ['decimal', { totalDigits: 9 }, 'Decimal'],
    ['integer', {}, 'BigInt'],
    ['integer', { totalDigits: 5 }, 'Int'],
    ['integer', { minInclusive: '-2147483648', maxInclusive: '2147483647' }, 'Int'],
    ['integer', { minInclusive: '-2147483649', maxInclusive: '2147483647' }, 'Long'],
    ['integer', { minInclusive: '0' }, 'BigInt'],
    ['integer', { minInclusive: '0', maxInclusive: '99999999999999999999999' }, 'BigInt'],
    ['positiveInteger', { maxInclusive: '0100' }, 'Int'],
    ['nonNegativeInteger', { totalDigits: 18 }, 'Long'],
    ['unsignedLong', {}, 'BigInt'],
    ['unsignedLong', { maxInclusive: '9223372036854775807' }, 'Long'],
    ['unsignedLong', { maxInclusive: '9223372036854775808' }, 'BigInt'],
    ['unsignedInt', {}, 'Long'],
    ['unsignedInt', { maxInclusive: '7' }, 'Int'],
    ['long', {}, 'Long'],
    ['long', { minInclusive: '0', maxExclusive: '101.5' }, 'Int'],
    ['integer', { totalDigits: 3, patterns: ['[0-9]{3}'] }, 'BigInt'],
    ['float', { maxInclusive: '7', minInclusive: '0' }, 'Float'],
  ];
  for (const [local, facets, name] of cases)
    t.equal(
      wholeNumberOf(restricted(builtIn(local), facets)).name,
      name,
      `${local} ${JSON.stringify(facets)}`,
    );
  const inherited = restricted(restricted(builtIn('integer'), { totalDigits: 4 }), {});
  t.equal(wholeNumberOf(inherited).name, 'Int', 'facets of the base hold');
  t.equal(wholeNumberOf(builtIn('int')), scalarOf(builtIn('int')));
  t.end();
});

t.test('whole numbers are read as they are written, and written by their facets', (t) => {
  const count = wholeNumberOf(
    restricted(builtIn('decimal'), { fractionDigits: 0, totalDigits: 5 }),
  );
  t.equal(count.decode(' 7.00 '), 7);
  t.equal(count.decode('-007'), -7);
  t.equal(count.decode('123456'), 123_456, 'a backend may leave its own facets');
  t.throws(() => count.decode('7.5'));
  t.throws(() => count.decode('3000000000'));
  t.equal(count.encode(99_999), '99999');
  t.throws(() => count.encode(100_000), /digits/);
  t.throws(() => count.encode(1.5));
  const serial = wholeNumberOf(restricted(builtIn('integer'), { totalDigits: 18 }));
  t.equal(serial.decode('900719925474099312'), '900719925474099312');
  t.equal(serial.encode('900719925474099312'), '900719925474099312');
  t.throws(() => serial.encode('9007199254740993120'));
  t.throws(() => count.decode(`${'1'.repeat(100_000)}.`), 'of any length');
  t.end();
});
