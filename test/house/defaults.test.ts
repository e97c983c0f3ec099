import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { LIMIT_TABLES } from '../../src/config/limit-tables.js';
import { largestSeen } from '../kit/largest-seen.js';
import { replaceSection } from '../kit/reference/configuration.js';
import { DEFAULT_ROWS, defaultOf, OWN_GROUPS, printDefaults } from '../kit/reference/defaults.js';

const PAGE = 'config/manual/defaults.md';
/** Messages and WSDLs of other projects, which are no part of the repository. */
const PUBLIC = ['../shared/corpora', '../shared/lab', '../shared/reports'];
const WITH_PUBLIC = PUBLIC.every((folder) => existsSync(folder))
  ? {}
  : { skip: `${PUBLIC.join(', ')} are not here: they are not part of the repository` };
/** What the tests of this repository send and read. */
const OWN = ['test/wsdl/fixtures', 'test/real/stacks', 'test/catalogue/fixtures'];

t.test('the page of defaults is that of its table', async (t) => {
  const page = readFileSync(PAGE, 'utf8');
  t.equal(page, replaceSection(page, 'defaults', printDefaults()), 'npm run generate');
});

t.test('each limit is in the table, or of a group that no stack writes', async (t) => {
  const missing = Object.entries(LIMIT_TABLES).flatMap(([group, table]) =>
    OWN_GROUPS.includes(group)
      ? []
      : Object.keys(table).filter((key) => DEFAULT_ROWS[`${group}.${key}`] === undefined),
  );
  t.same(missing, []);
  const page = readFileSync(PAGE, 'utf8');
  for (const group of OWN_GROUPS) t.match(page, `\`${group}\``);
});

/** Measured values that are not those of the table, or beyond a default. */
const differing = (folders: readonly string[], isDifferent: typeof Object.is) =>
  [...largestSeen(folders)].filter(
    ([name, { value }]) => isDifferent(value, DEFAULT_ROWS[name]?.seen) || value > defaultOf(name),
  );

t.test('no own input has more than the table says', async (t) => {
  const isMore = (value: number, seen: number | null | undefined): boolean => value > (seen ?? -1);
  t.same(differing(OWN, isMore), []);
});

t.test('the table has the largest of the public messages and WSDLs', WITH_PUBLIC, async (t) => {
  t.same(
    differing(PUBLIC, (value, seen) => !Object.is(value, seen)),
    [],
  );
});
