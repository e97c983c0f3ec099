import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import t from 'tap';
import { docs } from '../../src/cli/docs/docs.js';
import { printHtml, printMarkdown } from '../../src/cli/docs/print-pages.js';
import { ExampleOperations } from '../../src/graphql/schema/docs/example-operation.js';
import { recordedTerminal } from '../kit/command.js';
import { useFolder } from '../kit/use.js';
import { corpusModels, WITH_CORPUS } from '../wsdl/corpus-models.js';
import { type ExampleResult, tryExamples } from './try-examples.js';

/** The schema as pages, with an example for each operation. */

t.test('the demonstration is written as Markdown, and as one HTML page', async (t) => {
  const folder = await useFolder(t);
  const { printed, ...terminal } = recordedTerminal();
  t.equal(await docs('config/soapstone.yaml', folder, terminal), 0);
  t.match(printed.out.join('\n'), /queries\.md, mutations\.md, types\.md, faults\.md, index\.html/);
  const queries = await readFile(join(folder, 'queries.md'), 'utf8');
  t.match(
    queries,
    /## order\n[\s\S]*\| `id` \| `Int!` \|[\s\S]*```graphql\nquery \{\n {2}order\(id: 1\)[\s\S]*```json\n\{\n {2}"data"/,
  );
  t.match(await readFile(join(folder, 'faults.md'), 'utf8'), '## OrderFault');
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  t.match(html, /<article id="queries-order">/);
  t.notMatch(html, /(?:src|href)="http/, 'nothing from elsewhere');
});

t.test('texts of a WSDL are texts', async (t) => {
  const text =
    '<script>alert(1)</script> [x](javascript:1) | # y\nHeading\n===\n~~~\n1. one\n- two\n' +
    '    code\nx ``` <img src=x onerror=alert(1)> ` ``';
  const blocks = [
    { kind: 'text', text: [text] },
    { kind: 'table', head: ['a'], rows: [[[text]]] },
  ] as const;
  const page = { title: 'T', file: 't', entries: [{ name: 'n', blocks }] };
  t.notMatch(printHtml([page], 'n'), /<script>alert|<img/);
  const markdown = printMarkdown(page);
  const [, body = ''] = markdown.split('## n\n');
  t.notMatch(body, /(?<!\\)[<`#~=[\]]/, 'each sign is escaped');
  t.notMatch(body, /^(?: {4}|\d+\.|- )/m);
});

t.test('examples have what is required, and end in types within themselves', async (t) => {
  const schema = buildSchema(`
    type Query { node(id: ID!, kind: Kind!, filter: Filter!, more: [Int!]): Node any: Any }
    enum Kind { A B }
    input Filter { name: String!, inner: Filter, list: [Int!]! }
    type Node { id: ID, child: Node, children: [Node!]!, wanted(of: Int!): Int }
    union Any = Node | Other
    type Other { x: Int }
  `);
  const examples = new ExampleOperations(schema);
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { document, answer } = examples.of('Query', field);
    t.same(validate(schema, parse(document)), [], document);
    t.type(JSON.parse(answer).data[field.name], 'object');
  }
});

t.test(
  'examples of the corpus pass the gateway, and the mock answers them',
  WITH_CORPUS,
  async (t) => {
    const found: ExampleResult[] = [];
    for await (const { file, model } of corpusModels())
      found.push(...(await tryExamples(t, file, model)));
    const failed = found.filter(({ error }) => error !== null);
    t.comment(`${found.length} examples asked, ${failed.length} failed`);
    for (const { name, error } of failed.slice(0, 40)) t.comment(`${name}: ${error}`);
    t.ok(found.length > 100);
    t.same(failed, []);
  },
);
