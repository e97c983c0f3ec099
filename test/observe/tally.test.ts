import fc from 'fast-check';
import t from 'tap';

import { makeSum, OTHER, TallyTable } from '../../src/observe/metrics/tally.js';

t.test('whatever the order in which rows are asked for, each counts its own', (t) => {
  const label = fc.constantFrom('', 'a', 'b', 'in', 'out');
  const row = fc.tuple(label, label, label, label);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), (asked) => {
      const table = new TallyTable(4, makeSum);
      const expected = new Map<string, number>();
      for (const names of asked) {
        table.find(...names).value += 1;
        expected.set(names.join('|'), (expected.get(names.join('|')) ?? 0) + 1);
      }
      const counted = new Map(
        table.rows.map(({ values, tally }) => [values.join('|'), tally.value]),
      );
      t.same(counted, expected);
    }),
  );
  t.end();
});

t.test('rows that are dropped begin anew, and make room', (t) => {
  const table = new TallyTable(2, makeSum, 4);
  for (const name of ['a', 'b', 'c', 'd', 'e']) table.find(name, 'x').value += 1;
  table.drop(([first]) => first === 'b' || first === OTHER);
  for (const name of ['a', 'b', 'f', 'a']) table.find(name, 'x').value += 1;
  t.same(
    table.rows.map(({ values: [first], tally }) => [first, tally.value]),
    [
      ['a', 3],
      ['c', 1],
      [OTHER, 3],
      ['b', 1],
    ],
  );
  t.end();
});

t.test('the last row is for all that finds no place, and is found again and again', (t) => {
  const table = new TallyTable(2, makeSum, 3);
  for (const name of ['a', 'b', 'c', 'd', 'c', 'a', 'd']) table.find(name, 'x').value += 1;
  t.same(
    table.rows.map(({ values, tally }) => [...values, tally.value]),
    [
      ['a', 'x', 2],
      ['b', 'x', 1],
      [OTHER, OTHER, 4],
    ],
  );
  t.end();
});
