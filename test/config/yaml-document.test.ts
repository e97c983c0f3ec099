import t from 'tap';
import { LineCounter, parseDocument } from 'yaml';
import { readYaml } from '../../src/config/source/yaml-source.js';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { AT_ONCE } from '../../src/core/time-slices.js';

/** Long files are read in parts: the data and the places are those of the library. */

const ENTRIES = 3000;
const names = Array.from({ length: ENTRIES }, (_, at) => `c${at}`);

const block = `clients:
  apiKeys:
    clients:
${names
  .map(
    (name) => `      ${name}: # who\n        class: one\n        keys:\n\
        - "key of ${name}"\n        - |\n          two\n          lines\n`,
  )
  .join('')}
list:
${names.map((name) => `- { name: ${name}, "__proto__": 1 }\n`).join('')}
text: ${'a '.repeat(1000)}
`;

const FORMS: Readonly<Record<string, string>> = {
  'block style': block,
  JSON: JSON.stringify(parseDocument(block).toJS()),
  'JSON, indented': JSON.stringify(parseDocument(block).toJS(), null, 2),
  'flow style with a comma at the end': `{ a: [${names.join(', ')},], b: { \
${names.map((name) => `${name}: 1`).join(', ')}, } }`,
  'a map without indentation': names.map((name) => `${name}: 1\n`).join(''),
  'a list in a map without indentation': `list:\n${names
    .map(
      (name) => `- ${name}: \
${'x'.repeat(20)}\n`,
    )
    .join('')}last: 1\n`,
  'long entries, then a short one': `a: { ${names.map((name) => `${name}: 1`).join(', ')} }\nb:\n  c: 1\n`,
  'keys alone': `{ ${names.join(', ')} }`,
  'with aliases': `a: &x { b: 1 }\n\
list:\n${names.map((name, at) => (at % 100 === 0 ? '- *x\n' : `- ${name}\n`)).join('')}`,
  'one list in another': `- ${names.map((name) => `- ${name}`).join('\n  ')}\n- last\n`,
};

for (const [form, text] of Object.entries(FORMS)) {
  t.test(form, async (t) => {
    const read = AT_ONCE.finish(readYaml(text, 'a.yaml'));
    const lines = new LineCounter();
    const whole = parseDocument(text, { lineCounter: lines, version: '1.2', schema: 'core' });
    t.same(whole.errors, []);
    t.ok(
      JSON.stringify(read.value) === JSON.stringify(whole.toJS({ maxAliasCount: -1 })),
      'the data',
    );
    if (form === 'block style')
      for (const at of [0, 1, 700, 2999]) {
        const line = 4 + at * 7;
        t.same(read.positionOf(['clients', 'apiKeys', 'clients', `c${at}`]), { line, column: 7 });
        t.same(read.positionOf(['clients', 'apiKeys', 'clients', `c${at}`, 'keys', 0]), {
          line: line + 3,
          column: 11,
        });
      }
  });
}

t.test('a long file is read in steps', async (t) => {
  let steps = 0;
  for (const _step of { [Symbol.iterator]: () => readYaml(block, 'a.yaml') }) steps++;
  t.ok(steps > ENTRIES, `${steps} steps`);
});

t.test('mistakes behind the first part are found at their lines', async (t) => {
  const entries = names.map((name) => `  ${name}: 1\n`);
  const lineOf = (text: string): readonly (number | null)[] => {
    try {
      AT_ONCE.finish(readYaml(text, 'a.yaml'));
      return [];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return error.diagnostics.map(({ line }) => line);
    }
  };
  const changed = (at: number, line: string): string =>
    `a:\n${entries.map((entry, index) => (index === at ? line : entry)).join('')}`;
  t.same(lineOf(changed(5, '')), []);
  for (const at of [1, 499, 500, 501, 2500]) {
    t.same(lineOf(changed(at, '  c0: 2\n')), [at + 2], `stands twice, entry ${at}`);
    t.same(lineOf(changed(at, '  "c0": 2\n')), [at + 2], `in quotes, entry ${at}`);
    t.ok(lineOf(changed(at, '  x: [1\n')).length > 0, `not ended, entry ${at}`);
    t.ok(lineOf(changed(at, '   y: 1\n')).length > 0, `indented, entry ${at}`);
    const flow = names.map((name, index) => (index === at ? `${name} 1` : `${name}: 1`));
    t.same(lineOf(`{\n${flow.join(',\n')}\n}`), [], 'a key alone');
    const missing = names.map((name, index) => `"${name}": 1${index === at ? '' : ','}`);
    t.ok(lineOf(`{\n${missing.join('\n')}\n}`).length > 0, `no comma, entry ${at}`);
    const empty = names.map((name, index) => `"${name}": 1${index === at ? ', ,' : ','}`);
    t.ok(lineOf(`{\n${empty.join('\n')}\n}`).length > 0, `an empty entry, entry ${at}`);
  }
});
