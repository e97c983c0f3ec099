import { readFileSync } from 'node:fs';
import { specifiedScalarTypes } from 'graphql';
import t from 'tap';
import { configSchema } from '../../src/config/check/schema-node.js';
import { REFUSALS } from '../../src/config/refusal-tables.js';
import { refusalGuides } from '../../src/core/refusals/guides.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { levelOf } from '../../src/core/refusals/refusal-kind.js';
import { kindOf, type RefusalCode } from '../../src/core/refusals/refusals.js';
import { wireStatus } from '../../src/core/refusals/wire-status.js';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { BUILT_INS } from '../../src/graphql/schema/types/retype.js';
import { Metrics } from '../../src/observe/metrics/metrics.js';
import { DIALECT_NAMES, DIALECTS } from '../../src/soap/dialect.js';
import { faultCodeOf } from '../../src/soap/fault/print-fault.js';
import { groupFiles } from '../kit/groups.js';
import { replaceSection } from '../kit/reference/configuration.js';
import { printMetrics } from '../kit/reference/metrics.js';
import { printRefusalPage } from '../kit/reference/refusal-page.js';
import { printRefusals } from '../kit/reference/refusals.js';
import { readSources } from '../kit/source.js';

/** The closed tables: nothing in them is dead, and what is written about them is made from them. */

const CODES = Object.keys(REFUSALS) as RefusalCode[];

t.test('a refusal is a row of one package', async (t) => {
  const seen = readSources('src')
    .filter(({ path }) => path.endsWith('/refusals.ts'))
    .flatMap(({ text }) => [...text.matchAll(/^ +(?:'([\w:]+)'|([A-Z][A-Z_0-9]+)): \{/gm)])
    .map(([, quoted, plain]) => quoted ?? plain ?? '');
  t.same(seen.toSorted(), CODES.toSorted(), 'each code once, in the table that joins them');
});

t.test('tests have the rows of all packages, as the gateway has', async (t) => {
  for (const code of CODES) t.equal(kindOf(code), REFUSALS[code], code);
});

t.test('every refusal is used somewhere', async (t) => {
  const text = readSources('src')
    .filter(({ path }) => !path.endsWith('/refusals.ts'))
    .map((source) => source.text)
    .join('\n');
  // As a string: a code in a comment is no use.
  const unused = CODES.filter((code) => !text.includes(`'${code}'`));
  t.same(unused, [], 'rows nobody uses');
});

t.test('one function alone turns a refusal into a status', async (t) => {
  for (const { path, text } of readSources('src')) {
    if (path === 'src/core/refusals/wire-status.ts' || path === 'test/kit/reference/refusals.ts')
      continue;
    t.notMatch(text, /\bkind\.status\b/, path);
  }
  const expected: readonly (readonly [
    RefusalCode,
    http: number,
    json: number,
    soap11: number,
    soap12: number,
  ])[] = [
    ['XML_NOT_WELLFORMED', 400, 200, 500, 400],
    ['VERSION_MISMATCH', 400, 200, 500, 500],
    ['HTTP_LENGTH_REQUIRED', 411, 200, 411, 411],
    ['PERSISTED_QUERY_NOT_FOUND', 404, 200, 404, 404],
    ['RATE_LIMITED', 429, 429, 500, 400],
    ['UPSTREAM_TIMEOUT', 504, 504, 500, 500],
    ['UPSTREAM_RESET', 502, 502, 500, 500],
    ['OVERLOADED', 503, 503, 500, 500],
    ['INTERNAL', 500, 500, 500, 500],
    ['CLIENT_GONE', 0, 0, 0, 0],
  ];
  for (const [code, ...statuses] of expected) {
    const forms = ['http', 'graphql json', DIALECTS['1.1'], DIALECTS['1.2']] as const;
    t.same(
      forms.map((form) => wireStatus(new Refusal(code), form)),
      statuses,
      code,
    );
  }
  t.equal(wireStatus(new Refusal('XML_NOT_WELLFORMED'), DIALECTS['2001-12']), 400);
});

t.test('the text of a refusal is one whole sentence, and holds nothing of a message', async (t) => {
  const texts = new Set<string>();
  for (const code of CODES) {
    const kind = kindOf(code);
    const { text, blame, status } = kind;
    t.match(text, /^[A-Z](?:[^.!?{}$%`<>"]|\.\d)*\.$/, code);
    t.ok(text.length <= 120, `${code}: short`);
    t.notOk(texts.has(text), `${code}: its own`);
    texts.add(text);
    if (blame === 'client' || blame === 'peer')
      t.not(levelOf(kind), 'error', `${code}: callers cannot raise an alarm`);
    if (status !== undefined) t.ok(status >= 400 && status < 600, `${code}: status of a failure`);
    const refusal = new Refusal(code, 'detail for the log');
    t.equal(refusal.message, text, `${code}: the detail stays inside`);
  }
});

t.test('limits that refusals name are keys of the configuration', async (t) => {
  const keys = readSources('src').flatMap(({ text }) => [
    ...text.matchAll(/'limits\.(\w+)\.(\w+)'/g),
  ]);
  t.ok(keys.length > 3);
  for (const [key, group = '', name = ''] of keys) {
    const limits = configSchema().properties?.['limits']?.properties ?? {};
    t.ok(limits[group]?.properties?.[name], key);
  }
});

t.test('the manual has a type for every scalar beyond those of GraphQL', async (t) => {
  const block =
    /scalars: \{([^}]*)\}/.exec(readFileSync('config/manual/schema.md', 'utf8'))?.[1] ?? '';
  const listed = [...block.matchAll(/(\w+): 'string'/g)].map(([, name = '']) => name);
  const own = [...BUILT_INS.keys()].filter((name) =>
    specifiedScalarTypes.every((known) => known.name !== name),
  );
  t.same(listed.toSorted(), [...own, 'XML'].toSorted());
});

t.test('metrics have the prefix, base units and help', async (t) => {
  const metrics = await new Metrics(() => []).list(AT_ONCE);
  t.ok(metrics.length > 10);
  for (const { name, type, help } of metrics) {
    t.match(name, /^soapstone_[a-z0-9_]+$/, name);
    t.notMatch(
      name,
      /_(?:ms|millis|milliseconds|kb|kib|mb|minutes)(?:_|$)/,
      `${name}: seconds and bytes`,
    );
    t.ok(help.length > 3, `${name}: help`);
    if (/^soapstone_(?:process|nodejs)_/.test(name)) continue;
    t.match(help, /^[A-Z].*\.$/, `${name}: a sentence`);
    t.equal(
      name.endsWith('_total'),
      String(type) === 'counter',
      `${name}: counters alone end in _total`,
    );
  }
});

t.test('the reference of refusals says what callers get', async (t) => {
  const rows = new Map(
    printRefusals()
      .split('\n')
      .map((row) => row.split(' | '))
      .map(([code = '', , answer = '']): [string, string] => [
        code.replaceAll(/[|` ]/g, ''),
        answer,
      ]),
  );
  for (const code of CODES) {
    const answer = rows.get(code) ?? '';
    const { status } = kindOf(code);
    if (status !== undefined) t.equal(answer, `HTTP ${status}`, code);
    else if (code === 'CLIENT_GONE') t.equal(answer, 'none');
    else
      for (const dialect of DIALECT_NAMES.map((name) => DIALECTS[name])) {
        t.ok(
          answer.includes(`\`${faultCodeOf(dialect, new Refusal(code))}\``),
          `${code} in ${dialect.name}`,
        );
      }
  }
});

t.test('each refusal has a guide, whose keys there are', async (t) => {
  t.same(Object.keys(refusalGuides()).sort(), CODES.toSorted());
  t.equal(readFileSync('config/refusals.md', 'utf8'), printRefusalPage(), 'run `npm run generate`');
  for (const code of CODES) {
    const { why, change } = refusalGuides()[code];
    for (const text of [why, change])
      t.match(text, /^[A-Z`].{15,240}\.$/, `${code}: a sentence or two`);
    for (const [, key = ''] of change.matchAll(
      /`((?:limits|graphql|clients|security|addressing|tls|schema)\.[\w.<>]+)/g,
    ))
      t.ok(hasKey(key.split('.')), `${code}: ${key}`);
  }
});

/** Whether there is a key with this path, of the configuration or of a service. */
function hasKey(path: readonly string[]): boolean {
  const root = configSchema();
  const service = Object.values(root.properties?.['services']?.patternProperties ?? {})[0]?.else;
  return [root, service].some((start) => {
    let node = start;
    for (const name of path) {
      const entry = Object.values(node?.patternProperties ?? {})[0];
      node = name.startsWith('<') ? entry : node?.properties?.[name];
    }
    return node !== undefined;
  });
}

t.test('the reference has the tables as they are', async (t) => {
  const readme = readFileSync('config/README.md', 'utf8');
  const sections = {
    metrics: await printMetrics(new Metrics(() => [], { isRedisUp: () => true })),
    refusals: printRefusals(),
  };
  for (const [name, content] of Object.entries(sections)) {
    t.ok(
      readme.includes(`<!-- ${name} -->`) && readme.includes(`<!-- /${name} -->`),
      `section ${name}`,
    );
    t.equal(replaceSection(readme, name, content), readme, `${name}: run \`npm run generate\``);
  }
});

t.test('every test file is in one group, and the files listed as alone are there', async (t) => {
  const grouped = [...groupFiles().values()]
    .flat()
    .map((path) => path.replace(/^dist\/(.*)\.js$/, '$1.ts'));
  const files = readSources('test').flatMap(({ path }) =>
    path.endsWith('.test.ts') ? [path] : [],
  );
  t.same(grouped.sort(), files.sort());
});
