import t from 'tap';
import { isReading } from '../../../src/graphql/schema/fields/exposure.js';
import { OPERATION_NAMES } from './operation-names.js';

const namesIn = (key: 'reads' | 'writes' | 'untold'): readonly string[] =>
  OPERATION_NAMES.flatMap((each) => each[key].split(/\s+/).filter((name) => name !== ''));

t.test('an operation whose words say that it reads is a query', async (t) => {
  t.same(
    namesIn('reads').filter((name) => !isReading(name)),
    [],
  );
});

t.test('no operation that writes is a query', async (t) => {
  t.same(
    namesIn('writes').filter((name) => isReading(name)),
    [],
  );
});

t.test('an operation that reads without saying so is a mutation', async (t) => {
  t.same(
    namesIn('untold').filter((name) => isReading(name)),
    [],
  );
  const [reads, untold] = [namesIn('reads').length, namesIn('untold').length];
  t.ok(
    reads + untold + namesIn('writes').length >= 600,
    'the list is long enough to say something',
  );
  t.ok(untold / (reads + untold) < 0.25, 'few of those that read are mutations');
});

t.test('a name of any length and any signs is decided', async (t) => {
  for (const name of ['', '_', '...', '1', 'Ж', `get${'X'.repeat(100_000)}`, '_'.repeat(100_000)]) {
    t.type(isReading(name), 'boolean');
  }
  t.ok(isReading(`Get${'Line'.repeat(1000)}`));
});
