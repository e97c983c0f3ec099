import t from 'tap';

import { type Diagnostic, firstWarnings } from '../../src/core/diagnostic.js';

/** Lists of warnings. */

const warnings = (count: number): readonly Diagnostic[] =>
  Array.from({ length: count }, (_, at) => ({
    file: null,
    line: null,
    column: null,
    what: `${at}`,
    remedy: null,
  }));

/** How many warnings are shown. */
const WARNINGS_SHOWN = 50;

t.test('of many warnings the first are shown, and the rest is counted', async (t) => {
  t.same(firstWarnings(warnings(WARNINGS_SHOWN)), warnings(WARNINGS_SHOWN));
  const many = firstWarnings(warnings(WARNINGS_SHOWN + 3));
  t.same(many.slice(0, -1), warnings(WARNINGS_SHOWN));
  t.equal(many.at(-1)?.what, 'There are 3 more warnings.');
});
