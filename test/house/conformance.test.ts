import { readFileSync } from 'node:fs';
import t from 'tap';
import { PROFILE_RULES } from '../../src/wsdl/profile-rules.js';
import { HOLDING_TESTS, rulesOf } from '../kit/conformance/conformance.js';
import { PROFILES, printConformance } from '../kit/reference/conformance.js';

t.test('the page of conformance is that of its tables', async (t) => {
  t.equal(readFileSync('deploy/conformance.md', 'utf8'), printConformance(), 'npm run generate');
});

t.test('each test that holds a rule is in its file', async (t) => {
  for (const [name, [file, title]] of Object.entries(HOLDING_TESTS))
    t.ok(readFileSync(file, 'utf8').includes(`'${title}'`), `${name}: ${file}: ${title}`);
});

t.test('each test is named by a rule, each rule stands once in its profile', async (t) => {
  const used = new Set(
    PROFILES.flatMap(({ rows }) => rows.flatMap(({ by }) => ('held' in by ? by.held : []))),
  );
  t.same(
    Object.keys(HOLDING_TESTS).filter((name) => ![...used].some((each) => each === name)),
    [],
  );
  for (const { name, rows } of PROFILES) {
    const rules = rows.flatMap((row) => [...rulesOf(row)]);
    t.same(
      rules.filter((rule, at) => rules.indexOf(rule) !== at),
      [],
      name,
    );
  }
});

t.test('`check` reports just the rules that the page says it does', async (t) => {
  const reported = PROFILES.flatMap(({ rows }) =>
    rows.flatMap((row) => ('reported' in row.by ? [...rulesOf(row)] : [])),
  );
  t.same(reported.sort(), Object.keys(PROFILE_RULES).sort());
});
