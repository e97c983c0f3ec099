import t from 'tap';

import { Deadlines } from '../../src/upstream/deadlines.js';

const member = (name: string) => ({ name, startedMillis: performance.now() });

t.test('members leave in any order, and the first is always the one due first', async (t) => {
  const deadlines = new Deadlines<{ name: string; startedMillis: number }>(60_000, () =>
    t.fail('nobody is late'),
  );
  const places = ['a', 'b', 'c', 'd'].map((name) => deadlines.add(member(name)));
  const order = (): string => {
    let names = '';
    for (let place = deadlines.first; place !== null; place = place.after)
      names += place.member.name;
    return names;
  };
  const leave = (index: number): void => {
    const place = places[index];
    if (place !== undefined) deadlines.delete(place);
  };
  t.equal(order(), 'abcd');
  leave(1);
  t.equal(order(), 'acd', 'from the middle');
  leave(1);
  t.equal(order(), 'acd', 'who left stays away');
  leave(3);
  leave(0);
  t.equal(order(), 'c', 'from both ends');
  leave(2);
  t.equal(deadlines.first, null);
  t.equal(deadlines.size, 0);
  for (const place of places)
    t.same([place.before, place.after], [null, null], 'keeps nobody else');
  deadlines.add(member('e'));
  t.equal(order(), 'e', 'and again');
  deadlines.stop();
});

t.test('each expired deadline is reported once, in order; the others stay', async (t) => {
  const late: string[] = [];
  await new Promise<void>((resolve) => {
    const deadlines = new Deadlines<{ name: string; startedMillis: number }>(20, ({ name }) => {
      late.push(name);
      if (name === 'c') resolve();
    });
    deadlines.add(member('a'));
    deadlines.delete(deadlines.add(member('b')));
    deadlines.add(member('c'));
    // The timer of deadlines keeps no process alive.
    const alive = setInterval(() => late.length === 2 && clearInterval(alive), 5);
  });
  t.same(late, ['a', 'c']);
});
