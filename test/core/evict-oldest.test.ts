import t from 'tap';

import { setAndEvictOldest } from '../../src/core/collections/maps.js';

t.test('the entry longest not set is forgotten, and only beyond the bound', async (t) => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ] as const) {
    setAndEvictOldest(map, key, value, 2);
  }
  t.same(
    [...map],
    [
      ['b', 2],
      ['a', 3],
    ],
  );
  setAndEvictOldest(map, 'c', 4, 2);
  t.same(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  );
});
