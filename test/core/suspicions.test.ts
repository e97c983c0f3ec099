import t from 'tap';
import { isSuspicion, Suspicions } from '../../src/core/shared/suspicions.js';

const HOUR = 3_600_000;
const signOf = (address: string, atMillis = Date.now(), reachMillis = 600_000) => ({
  address,
  atMillis,
  suspendedMillis: 60_000,
  reachMillis,
});

t.test('answers of an address are in doubt for ten minutes before its sign', async (t) => {
  const suspicions = new Suspicions();
  const nowMillis = Date.now();
  t.notOk(suspicions.isSuspect({ address: 'a', atMillis: nowMillis }));
  t.ok(suspicions.add(signOf('a')), 'news for other processes');
  t.notOk(suspicions.add(signOf('a')), 'a second sign at once is none');
  t.ok(suspicions.isSuspect({ address: 'a', atMillis: nowMillis }));
  t.ok(suspicions.isSuspect({ address: 'a', atMillis: nowMillis - HOUR / 7 }));
  t.notOk(suspicions.isSuspect({ address: 'a', atMillis: nowMillis - HOUR }));
  t.notOk(suspicions.isSuspect({ address: 'a', atMillis: nowMillis + HOUR }), 'a later answer');
  t.notOk(suspicions.isSuspect({ address: 'b', atMillis: nowMillis }));
  t.notOk(suspicions.isSuspect(null));
  t.equal(suspicions.of('a')?.address, 'a');
  t.equal(suspicions.of('b'), null);
});

t.test('where connections live longer, answers of as long are in doubt', async (t) => {
  const suspicions = new Suspicions();
  const nowMillis = Date.now();
  suspicions.add(signOf('a', nowMillis, 2 * HOUR));
  t.ok(suspicions.isSuspect({ address: 'a', atMillis: nowMillis - 1.9 * HOUR }));
  t.notOk(suspicions.isSuspect({ address: 'a', atMillis: nowMillis - 2.1 * HOUR }));
});

t.test('processes that begin later learn what is not over', async (t) => {
  const suspicions = new Suspicions();
  suspicions.add(signOf('old', Date.now() - HOUR));
  suspicions.add(signOf('new'));
  t.same(
    suspicions.list().map(({ address }) => address),
    ['new'],
  );
});

t.test('the number of suspected addresses is bounded', async (t) => {
  const suspicions = new Suspicions();
  for (let count = 0; count < 1_001; count++) suspicions.add(signOf(`a${count}`));
  t.equal(suspicions.list().length, 1_000);
  t.equal(suspicions.of('a0'), null);
});

t.test('another process sends suspicions, and nothing else', async (t) => {
  t.ok(isSuspicion(signOf('a')));
  for (const other of [
    null,
    'a',
    {},
    { ...signOf('a'), address: 1 },
    { ...signOf('a'), address: 'a'.repeat(3_000) },
    { ...signOf('a'), suspendedMillis: -1 },
    { ...signOf('a'), suspendedMillis: 1e12 },
    { ...signOf('a'), atMillis: '1' },
    { ...signOf('a'), reachMillis: -1 },
    { ...signOf('a'), reachMillis: 1e12 },
    { ...signOf('a'), reachMillis: undefined },
  ])
    t.notOk(isSuspicion(other), JSON.stringify(other));
});
