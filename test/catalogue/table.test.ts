import { existsSync } from 'node:fs';
import t from 'tap';

import { PARTS, readRows } from './rows.js';

t.test('the table of the catalogue: every row once, every part with its tests', async (t) => {
  const ids = PARTS.flatMap((part) => [...readRows(part).keys()]);
  t.same(ids.length, new Set(ids).size, 'no row twice');
  for (const [group, count] of [
    ['X', 35],
    ['S', 28],
    ['H', 34],
    ['F', 9],
    ['U', 29],
    ['O', 12],
    ['G', 34],
    ['B', 20],
    ['R', 21],
    ['C', 14],
    ['D', 10],
    ['K', 12],
    ['L', 15],
  ] as const) {
    const expected = Array.from(
      { length: count },
      (_, index) => `${group}${String(index + 1).padStart(2, '0')}`,
    );
    t.same(ids.filter((id) => id.startsWith(group)).sort(), expected, `group ${group} is complete`);
  }
  for (const part of PARTS) t.ok(existsSync(`test/catalogue/${part}.test.ts`), `${part} has tests`);
});
