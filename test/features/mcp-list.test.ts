import t, { type Test } from 'tap';
import { answerOperations } from '../kit/backend.js';
import { postJson } from '../kit/graphql-client.js';
import { useFolder, useService } from '../kit/use.js';
import { wsdlOf } from '../kit/wsdl.js';

/** The list of tools is bounded in bytes, however large the types of their arguments are. */

const NAMES = ['SetOne', 'SetTwo', 'GetThree'];
const NOTE = 'An explanation that fills the schema. '.repeat(4);

/** Types within types: `depth` levels, each with `width` texts that have explanations. */
function schemaOf(depth: number, width: number): string {
  const text = (at: number): string =>
    `<xs:element name="text${at}" type="xs:string" minOccurs="0"><xs:annotation>` +
    `<xs:documentation>${NOTE}</xs:documentation></xs:annotation></xs:element>`;
  const texts = Array.from({ length: width }, (_, at) => text(at)).join('');
  const levels = Array.from({ length: depth }, (_, at) => {
    const next =
      at + 1 < depth ? `<xs:element name="next" type="t:Level${at + 1}" minOccurs="0"/>` : '';
    return (
      `<xs:complexType name="Level${at}"><xs:sequence>${texts}` +
      `${next}</xs:sequence></xs:complexType>`
    );
  });
  const elements = NAMES.map(
    (name) => `<xs:element name="${name}"><xs:complexType><xs:sequence>
  <xs:element name="id" type="xs:string"/><xs:element name="level" type="t:Level0" minOccurs="0"/>\
</xs:sequence></xs:complexType></xs:element>
<xs:element name="${name}Response"><xs:complexType><xs:sequence>\
<xs:element name="done" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`,
  );
  return levels.join('\n') + elements.join('\n');
}

interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties: object; readonly $defs?: object };
  readonly outputSchema?: object;
}

interface Found {
  readonly tools: readonly Listed[];
  readonly $defs?: Readonly<Record<string, { readonly properties: object }>>;
  readonly leftOut?: readonly string[];
  readonly note?: string;
}

async function startTools(t: Test, [depth, width]: readonly [number, number], limits = '') {
  const wsdl = wsdlOf('urn:levels', schemaOf(depth, width), NAMES);
  const { gateway } = await useService(
    t,
    answerOperations('urn:levels', () => '<done>yes</done>'),
    (url) => `services: { levels: { wsdl: levels.wsdl, url: "${url}" } }
mcp: { operations: [levels.*], write: [levels.SetOne, levels.SetTwo] }
limits: { mcp: { ${limits} } }
`,
    await useFolder(t, { 'levels.wsdl': wsdl }),
  );
  const ask = async (method: string, params: object = {}): Promise<string> => {
    const fields = { accept: 'application/json, text/event-stream' };
    const message = { jsonrpc: '2.0', id: 1, method, params };
    return (await postJson(`${gateway.url}/mcp`, message, fields)).text();
  };
  return {
    list: () => ask('tools/list'),
    call: async (name: string, values: object) => {
      const text = await ask('tools/call', { name, arguments: values });
      return { text, result: JSON.parse(text).result };
    },
  };
}

const KIB = 1024;
const listed = (text: string): readonly Listed[] => JSON.parse(text).result.tools;
const namesOf = (tools: readonly Listed[]): readonly string[] => tools.map(({ name }) => name);

t.test('a list within its bytes has all tools, one that is longer those that search', async (t) => {
  const whole = listed(await (await startTools(t, [2, 3])).list());
  t.same(namesOf(whole), ['getThree', 'setOne', 'setTwo']);
  t.ok(whole.every(({ outputSchema }) => outputSchema !== undefined));
  const long = await startTools(t, [8, 40]);
  const text = await long.list();
  t.ok(Buffer.byteLength(text) <= 64 * KIB, `${text.length} bytes`);
  t.same(namesOf(listed(text)), ['search_tools', 'call_tool', 'call_writing_tool']);
});

t.test('of a list that is a little too long the schemas of answers are left out', async (t) => {
  const lists: (readonly Listed[])[] = [];
  for (let bytes = 4 * KIB; bytes <= 16 * KIB; bytes += KIB)
    lists.push(listed(await (await startTools(t, [2, 8], `listBytes: ${bytes}`)).list()));
  const shapes = lists.map((tools) => {
    if (tools.length > 3 || tools[0]?.name === 'search_tools') return 'search';
    return tools.some(({ outputSchema }) => outputSchema !== undefined) ? 'whole' : 'short';
  });
  t.equal(shapes[0], 'search');
  t.equal(shapes.at(-1), 'whole');
  const order = ['search', 'short', 'whole'];
  const ordered = shapes.toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
  t.same(shapes, ordered, 'longer limits list more');
});

t.test('a tool that is larger than an answer is found, with its types in parts', async (t) => {
  const tools = await startTools(t, [8, 40], 'answerBytes: 16KiB');
  const { text, result } = await tools.call('search_tools', { query: 'set one' });
  t.ok(Buffer.byteLength(text) <= 16 * KIB, `${text.length} bytes`);
  const found: Found = result.structuredContent;
  t.equal(found.tools[0]?.name, 'setOne');
  t.hasOwnProps(found.tools[0]?.inputSchema.properties ?? {}, ['id', 'level']);
  t.ok((found.leftOut ?? []).length > 0);
  const seen = new Set(Object.keys(found.$defs ?? {}));
  for (const wanted = [...(found.leftOut ?? [])]; wanted.length > 0; ) {
    const type = wanted.shift() ?? '';
    const part = await tools.call('search_tools', { tool: 'setOne', type });
    t.ok(Buffer.byteLength(part.text) <= 16 * KIB, type);
    const { $defs = {}, leftOut = [] }: Found = part.result.structuredContent;
    t.ok(Object.hasOwn($defs, type), type);
    t.equal(
      Object.keys($defs[type]?.properties ?? {}).includes('text39'),
      true,
      'every member is named',
    );
    for (const name of Object.keys($defs)) seen.add(name);
    wanted.push(...leftOut.filter((name) => !seen.has(name) && !wanted.includes(name)));
  }
  t.equal([...seen].filter((name) => name.startsWith('Level')).length, 8, 'all types are reached');
  t.match(
    (await tools.call('call_writing_tool', { name: 'setOne', arguments: { id: '1' } })).result,
    { structuredContent: { result: 'yes' } },
  );
});

t.test('found tools share their definitions', async (t) => {
  const tools = await startTools(t, [2, 3]);
  const { result } = await tools.call('search_tools', { query: 'set' });
  const { tools: found, $defs = {} }: Found = result.structuredContent;
  t.same(namesOf(found), ['setOne', 'setTwo']);
  t.ok(found.every(({ inputSchema }) => inputSchema.$defs === undefined));
  t.same(Object.keys($defs).length, 2);
  t.match(JSON.stringify(found[1]), `"#/$defs/${Object.keys($defs)[0]}"`);
});

t.test('a search for a tool or a type that there is not is an error', async (t) => {
  const tools = await startTools(t, [1, 1]);
  for (const values of [
    { tool: 'nothing' },
    { tool: 'setOne', type: 'Nothing' },
    { tool: 'setOne', type: 'toString' },
    { tool: 7 },
  ])
    t.match((await tools.call('search_tools', values)).result, { isError: true });
});
