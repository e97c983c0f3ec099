import fc from 'fast-check';
import t from 'tap';
import type { FieldSlot } from '../../../src/codec/plan/reply/reply-plan.js';
import type {
  BranchRule,
  EncodeArray,
  EncodeAttribute,
  EncodeElement,
  EncodeObject,
  EncodeSource,
  EncodeValue,
  EncodeVariant,
} from '../../../src/codec/plan/request/encode-plan.js';
import type { RequestPlan } from '../../../src/codec/plan/request/request-plan.js';
import { encodeRequest } from '../../../src/codec/write/encode.js';
import { InputError } from '../../../src/codec/write/input-error.js';
import type { RequestContext } from '../../../src/codec/write/source.js';
import { Refusal } from '../../../src/core/refusals/refusal.js';
import { DIALECT_NAMES, DIALECTS, type Dialect } from '../../../src/soap/dialect.js';
import { ALL, type Interest, type StartTag } from '../../../src/xml/events.js';
import { readXml } from '../../kit/read-xml.js';
import { name, object as objectPlan, readDocument, reply, scalar, slot, URI } from '../plans.js';

const element = (
  key: string,
  builtIn: string | EncodeValue,
  more: Partial<EncodeElement> = {},
): EncodeElement => ({
  key,
  name: name(key, more.name?.uri ?? ''),
  occurs: 'one',
  required: false,
  nillable: false,
  fixed: null,
  value: typeof builtIn === 'string' ? { kind: 'scalar', scalar: scalar(builtIn) } : builtIn,
  ...more,
});

const object = (
  children: readonly EncodeElement[],
  more: Partial<EncodeObject> = {},
): EncodeObject => ({
  kind: 'object',
  attributes: [],
  text: null,
  children,
  choices: [],
  ...more,
});

const attribute = (
  key: string,
  builtIn: string,
  more: Partial<EncodeAttribute> = {},
): EncodeAttribute => ({
  key,
  name: name(key, ''),
  required: false,
  fixed: null,
  scalar: scalar(builtIn),
  ...more,
});

const request = (body: EncodeObject, headers: readonly EncodeElement[] = []): RequestPlan => ({
  body: { name: name('Op'), value: body },
  headers,
});

const write = (
  plan: RequestPlan,
  args: object,
  headers: object = {},
  dialect: Dialect = DIALECTS['1.1'],
): string =>
  encodeRequest(plan, dialect, { arguments: { ...args }, headers: { ...headers } }).toString();

/** What stands between `<n1:Op>` and `</n1:Op>`. */
function content(body: EncodeObject, args: object): string {
  const text = write(request(body), args);
  return /<n1:Op>(.*)<\/n1:Op>|<n1:Op\/>/s.exec(text)?.[1] ?? '';
}

function caughtOf(act: () => unknown): InputError | null {
  try {
    act();
  } catch (caught) {
    if (caught instanceof InputError && caught.code === 'BAD_USER_INPUT') return caught;
    throw caught;
  }
  return null;
}

const refusal = (body: EncodeObject, args: object): string =>
  caughtOf(() => write(request(body), args))?.detail ?? 'accepted';

t.test('the envelope of each dialect declares what is needed and no more', async (t) => {
  const plan = request(object([element('a', 'string')]));
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  for (const dialect of DIALECT_NAMES.map((each) => DIALECTS[each])) {
    const encoding = dialect.name === '2001-12' ? ` xmlns:enc="${dialect.encodingUri}"` : '';
    t.equal(
      write(plan, { a: 'ü' }, {}, dialect),
      `${declaration}<s:Envelope xmlns:s="${dialect.envelopeUri}"${encoding} xmlns:n1="${URI}">` +
        '<s:Body><n1:Op><a>ü</a></n1:Op></s:Body></s:Envelope>',
    );
  }
  t.equal(
    write({ body: null, headers: [] }, {}),
    `${declaration}<s:Envelope xmlns:s="${DIALECTS['1.1'].envelopeUri}"><s:Body/></s:Envelope>`,
  );
});

t.test('header blocks stand in a Header, which is there only if one is', async (t) => {
  const token = element('token', 'string', { name: name('Token', 'urn:head') });
  const plan = request(object([]), [token]);
  t.match(
    write(plan, {}, { token: 'x' }),
    '<s:Header><n1:Token>x</n1:Token></s:Header><s:Body><n2:Op/></s:Body>',
  );
  t.notMatch(write(plan, {}), 'Header');
  t.strictSame(
    caughtOf(() => write(request(object([]), [{ ...token, required: true }]), {}))?.path,
    ['headers', 'token'],
  );
});

t.test('elements are in schema order, qualified as declared (cases 2 and 16)', async (t) => {
  const inherited = element('id', 'int', { name: name('Id', 'urn:base') });
  const body = object([
    inherited,
    element('b', 'string'),
    element('a', 'string', { name: name('A') }),
  ]);
  t.equal(content(body, { a: '1', b: '2', id: 3 }), '<n2:Id>3</n2:Id><b>2</b><n1:A>1</n1:A>');
});

t.test('absent, null and nil', async (t) => {
  const of = (required: boolean, nillable: boolean) =>
    object([element('a', 'int', { required, nillable })]);
  const nil = '<a xsi:nil="true"/>';
  const rows: readonly (readonly [boolean, boolean, object, string])[] = [
    [false, false, {}, ''],
    [false, false, { a: null }, ''],
    [false, true, {}, ''],
    [false, true, { a: null }, nil],
    [true, true, {}, nil],
    [true, true, { a: null }, nil],
  ];
  for (const [required, nillable, args, expected] of rows)
    t.equal(content(of(required, nillable), args), expected);
  t.equal(refusal(of(true, false), {}), 'arguments.a: a value is required');
  t.equal(refusal(of(true, false), { a: null }), 'arguments.a: a value is required');
  t.match(
    write(request(of(true, true)), {}),
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  );
  t.notMatch(write(request(of(true, true)), { a: 1 }), 'xsi');
});

t.test('lists repeat the element or stand in a wrapper', async (t) => {
  const many = object([element('a', 'int', { occurs: 'many' })]);
  t.equal(content(many, { a: [1, 2] }), '<a>1</a><a>2</a>');
  t.equal(content(many, { a: [] }), '');
  t.equal(content(many, {}), '');
  t.equal(refusal(many, { a: [1, null] }), 'arguments.a[1]: a value is required');
  t.equal(refusal(many, { a: 1 }), 'arguments.a: must be a list');
  t.equal(refusal(many, { a: Array(10_001).fill(1) }), 'arguments.a: more items than allowed');
  const needed = object([element('a', 'int', { occurs: 'many', required: true, nillable: true })]);
  t.equal(content(needed, { a: [null, 1] }), '<a xsi:nil="true"/><a>1</a>');
  t.equal(refusal(needed, { a: [] }), 'arguments.a: must have at least one item');
  t.equal(refusal(needed, {}), 'arguments.a: a value is required');

  const wrapped = (itemNillable: boolean) =>
    object([
      element('w', 'int', { occurs: { wrapped: name('item'), itemNillable }, nillable: true }),
    ]);
  t.equal(
    content(wrapped(false), { w: [1, 2] }),
    '<w><n1:item>1</n1:item><n1:item>2</n1:item></w>',
  );
  t.equal(content(wrapped(false), { w: [] }), '<w/>');
  t.equal(content(wrapped(false), { w: null }), '<w xsi:nil="true"/>');
  t.equal(content(wrapped(false), {}), '');
  t.equal(refusal(wrapped(false), { w: [null] }), 'arguments.w[0]: a value is required');
  t.equal(content(wrapped(true), { w: [null] }), '<w><n1:item xsi:nil="true"/></w>');
});

t.test('attributes, simple content and fixed values are written (case 15)', async (t) => {
  const price = object([], {
    attributes: [
      attribute('currency', 'string', { required: true }),
      attribute('version', 'string', { fixed: '2' }),
    ],
    text: { key: 'value', scalar: scalar('decimal') },
  });
  const body = object([element('p', price), element('f', 'string', { fixed: 'F&' })]);
  t.equal(
    content(body, { p: { value: '1.50', currency: 'a"\n<&', version: '9' }, f: 'mine' }),
    '<p currency="a&quot;&#10;&lt;&amp;" version="2">1.50</p><f>F&amp;</f>',
  );
  t.equal(content(body, {}), '<f>F&amp;</f>');
  t.equal(refusal(body, { p: { value: '1' } }), 'arguments.p.currency: a value is required');
  t.equal(refusal(body, { p: { currency: 'x' } }), 'arguments.p.value: a value is required');
});

t.test('of a required choice exactly one member is given', async (t) => {
  const body = object(
    [element('a', 'int'), element('b', 'int'), element('n', 'int', { nillable: true })],
    {
      choices: [['a', 'b', 'n']],
    },
  );
  t.equal(content(body, { b: 2 }), '<b>2</b>');
  t.equal(content(body, { a: null, b: 2 }), '<b>2</b>');
  t.equal(content(body, { n: null }), '<n xsi:nil="true"/>');
  // Null beside the branch that is given is absent.
  t.equal(content(body, { a: 1, n: null }), '<a>1</a>');
  for (const args of [{}, { a: 1, b: 2 }]) {
    t.equal(refusal(body, args), 'arguments: exactly one must be provided of a, b, n');
  }
});

t.test('a refusal tells path and rule, never the value', async (t) => {
  const line = object([element('qty', 'int', { required: true })]);
  const body = object([element('order', object([element('lines', line, { occurs: 'many' })]))]);
  const rule = 'must be an integer from -2147483648 to 2147483647';
  const args = { order: { lines: [{ qty: 1 }, { qty: 2 }, { qty: 'canary' }] } };
  t.equal(refusal(body, args), `arguments.order.lines[2].qty: ${rule}`);
  const caught = caughtOf(() => write(request(body), args));
  t.strictSame([caught?.path, caught?.rule], [['arguments', 'order', 'lines', 2, 'qty'], rule]);
  t.equal(refusal(body, { order: [] }), 'arguments.order: must be an object');
  t.equal(refusal(body, { order: 'canary' }), 'arguments.order: must be an object');
  t.equal(refusal(body, { order: { lines: [[]] } }), 'arguments.order.lines[0]: must be an object');
});

t.test('recursive input is bounded and written without recursion', async (t) => {
  const children: EncodeElement[] = [element('leaf', 'string')];
  const node = object(children);
  children.push(element('node', node), element('nodes', node, { occurs: 'many' }));
  const nested = (levels: number, key: 'node' | 'nodes'): object => {
    let inner: object = { leaf: 'x' };
    for (let level = 1; level < levels; level++)
      inner = { [key]: key === 'node' ? inner : [inner] };
    return inner;
  };
  for (const key of ['node', 'nodes'] as const) {
    t.match(content(node, nested(64, key)), '<leaf>x</leaf>');
    t.match(refusal(node, nested(65, key)), /: nested deeper than allowed$/);
    t.match(refusal(node, nested(100_000, key)), /: nested deeper than allowed$/);
  }
});

t.test('limits can be set', async (t) => {
  const limits = { inputItems: 2, inputDepth: 4, stringChars: 1024, opaqueChars: 1024 };
  const plan = request(object([element('a', 'string', { occurs: 'many' })]));
  const of = (a: readonly string[]) => () =>
    encodeRequest(plan, DIALECTS['1.1'], { arguments: { a }, headers: {} }, limits).length;
  t.equal(caughtOf(of(['x', 'x'.repeat(1024)])), null);
  t.equal(caughtOf(of(['x', 'y', 'z']))?.rule, 'more items than allowed');
  t.equal(caughtOf(of(['x'.repeat(1025)]))?.rule, 'longer than allowed');
});

t.test('members that objects inherit are not values', async (t) => {
  const keys = ['__proto__', 'constructor', 'toString', 'valueOf'];
  const body = object(keys.map((key) => element(key, 'string')));
  t.equal(content(body, {}), '');
  const own = JSON.parse('{"__proto__":"v","constructor":"w"}');
  t.equal(
    content(object([element('o', body)]), { o: own }),
    '<o><__proto__>v</__proto__><constructor>w</constructor></o>',
  );
  t.notOk('polluted' in {});
});

t.test('the caller says which type an element is of (case 17)', async (t) => {
  const part = object([element('sku', 'string')]);
  const engine = object([element('sku', 'string'), element('power', 'int')], {
    attributes: [attribute('no', 'int')],
  });
  const members = new Map<string, EncodeVariant>([
    ['part', { type: null, value: part }],
    ['engine', { type: name('Engine', 'urn:other'), value: engine }],
    ['dot', { type: name('Dot'), value: { kind: 'scalar', scalar: scalar('string') } }],
  ]);
  const body = object([element('p', { kind: 'variants', members })]);
  t.equal(content(body, { p: { part: { sku: 'a' } } }), '<p><sku>a</sku></p>');
  const text = write(request(body), { p: { engine: { sku: 'a', power: 1, no: 2 } } });
  t.match(text, '<p xsi:type="n2:Engine" no="2"><sku>a</sku><power>1</power></p>');
  t.match(text, 'xmlns:n2="urn:other"');
  t.equal(content(body, { p: { dot: '' } }), '<p xsi:type="n1:Dot"/>');
  t.equal(
    refusal(body, { p: { engine: { power: 'x' } } }).split(':')[0],
    'arguments.p.engine.power',
  );
  const rule = 'arguments.p: exactly one must be provided of part, engine, dot';
  for (const p of [{}, { part: null }, { part: { sku: 'a' }, dot: '' }, { other: {} }])
    t.equal(refusal(body, { p }), rule);
  t.equal(refusal(body, { p: 'engine' }), 'arguments.p: must be an object');
  const whole = object([], { variant: { key: 'base', value: { kind: 'variants', members } } });
  t.match(
    write(request(whole), { base: { engine: { power: 1 } } }),
    '<n1:Op xsi:type="n2:Engine"><power>1</power></n1:Op>',
  );
  t.equal(refusal(whole, {}), 'arguments.base: must be an object');
});

t.test('encoded messages name every type, and what arrays hold', async (t) => {
  const int = name('int', 'http://www.w3.org/2001/XMLSchema');
  const item = object([element('a', 'int', { typeName: int })]);
  const array: EncodeValue = { kind: 'array', itemType: name('Item'), item };
  const body = object([
    element('x', 'int', { typeName: int }),
    element('list', array, { typeName: name('ArrayOfItem') }),
    element('anonymous', {
      kind: 'array',
      itemType: null,
      item: { kind: 'scalar', scalar: scalar('int') },
    }),
  ]);
  const plan: RequestPlan = { ...request(body), encoded: true };
  const args = { x: 1, list: [{ a: 1 }, null], anonymous: [7] };
  const [version11, version12, literal] = [
    write(plan, args),
    write(plan, args, {}, DIALECTS['1.2']),
    write(request(body), args),
  ];
  t.match(
    version11,
    '<n1:Op s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">' +
      '<x xsi:type="xsd:int">1</x>' +
      '<list xsi:type="n1:ArrayOfItem" enc:arrayType="n1:Item[2]"><item xsi:type="n1:Item">' +
      '<a xsi:type="xsd:int">1</a></item>' +
      '<item xsi:nil="true"/></list><anonymous enc:arrayType="xsd:anyType[1]">' +
      '<item>7</item></anonymous></n1:Op>',
  );
  t.match(version12, / (n\d):itemType="n1:Item" \1:arraySize="2"><item xsi:type="n1:Item">/);
  t.match(version12, 's:encodingStyle="http://www.w3.org/2003/05/soap-encoding"');
  t.match(
    literal,
    '<list><item><a>1</a></item><item xsi:nil="true"/></list><anonymous><item>7</item></anonymous>',
  );
  t.notMatch(literal, /type|Style/);
  t.equal(refusal(body, { list: [{ a: 'x' }] }).split(':')[0], 'arguments.list[0].a');
  t.equal(refusal(body, { anonymous: 'x' }), 'arguments.anonymous: must be a list');
});

t.test('arrays that hold themselves are bounded, and written without recursion', async (t) => {
  const array: { -readonly [K in keyof EncodeArray]: EncodeArray[K] } = {
    kind: 'array',
    itemType: null,
    item: { kind: 'scalar', scalar: scalar('int') },
  };
  array.item = array;
  const body = object([element('a', array)]);
  const nested = (levels: number): unknown => {
    let inner: unknown = [];
    for (let level = 0; level < levels; level++) inner = [inner];
    return inner;
  };
  t.equal(content(body, { a: nested(2) }), '<a><item><item/></item></a>');
  t.match(refusal(body, { a: nested(100_000) }), /: nested deeper than allowed$/);
});

t.test('members of different branches are not given together', async (t) => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const branch = (
    required: readonly string[],
    optional: readonly string[] = [],
    rules: readonly BranchRule[] = [],
  ) => ({
    keys: [...required, ...optional],
    required,
    rules,
  });
  const inner: BranchRule = { required: true, branches: [branch(['d']), branch(['e'])] };
  const rule: BranchRule = {
    required: false,
    branches: [branch(['a'], ['b']), branch(['c'], ['d', 'e'], [inner]), branch(['b'])],
  };
  const body = object(
    keys.map((key) => element(key, 'int')),
    { branches: [rule] },
  );
  const accepted = [[], ['a'], ['a', 'b'], ['b'], ['c', 'd'], ['c', 'e']];
  for (let bits = 0; bits < 2 ** keys.length; bits++) {
    const given = keys.filter((_, at) => (bits & (1 << at)) !== 0);
    const answer = refusal(body, Object.fromEntries(given.map((key) => [key, 1])));
    const isFine = accepted.some((set) => set.join() === given.join());
    t.equal(answer === 'accepted', isFine, `${given}: ${answer}`);
  }
});

t.test('null in a branch that is not taken is absent, in the one that is it is nil', (t) => {
  const branch = (required: readonly string[], optional: readonly string[] = []) => ({
    keys: [...required, ...optional],
    required,
    rules: [],
  });
  const nillable = (key: string) => element(key, 'int', { nillable: true });
  const body = object(['a', 'b', 'c'].map(nillable), {
    branches: [{ required: true, branches: [branch(['a'], ['b']), branch(['c'])] }],
  });
  t.equal(content(body, { a: 1, b: null, c: null }), '<a>1</a><b xsi:nil="true"/>');
  t.equal(content(body, { a: null, b: null, c: 1 }), '<c>1</c>');
  t.equal(content(body, { a: null }), '<a xsi:nil="true"/>');
  t.equal(refusal(body, { a: null, c: null }), 'arguments: only one may be provided of (a, b), c');
  t.end();
});

t.test('null is absent where nil would need attributes, and a nil list has none', (t) => {
  const item = object([], { attributes: [attribute('id', 'string', { required: true })] });
  const list = { occurs: { wrapped: name('item') }, nillable: true } as const;
  t.equal(content(object([element('w', item, list)]), { w: null }), '<w xsi:nil="true"/>');
  t.equal(
    content(object([element('w', item, { ...list, required: true })]), {}),
    '<w xsi:nil="true"/>',
  );
  t.equal(content(object([element('p', item, { nillable: true })]), { p: null }), '');
  const required = object([element('p', item, { nillable: true, required: true })]);
  t.equal(refusal(required, { p: null }), 'arguments.p.id: a value is required');
  t.end();
});

t.test('choosing is linear in what is given, however long the choice', async (t) => {
  const keys = Array.from({ length: 2000 }, (_, at) => `k${at}`);
  const one = object(
    keys.map((key) => element(key, 'int', { nillable: true })),
    { choices: [keys] },
  );
  const body = object([element('items', one, { occurs: 'many', transparent: true })]);
  const nulls = Object.fromEntries(keys.map((key) => [key, null]));
  const before = process.cpuUsage().user;
  t.match(refusal(body, { items: Array(200).fill(nulls) }), /exactly one must be provided/);
  t.match(content(body, { items: Array(200).fill({ ...nulls, k5: 1 }) }), /^(<k5>1<\/k5>)+$/);
  t.match(content(body, { items: Array(200).fill({ k7: 1 }) }), /^(<k7>1<\/k7>)+$/);
  t.ok(process.cpuUsage().user - before < 3_000_000);
});

t.test('a value from a claim or a header is checked like any other, and in no error', async (t) => {
  const from = (source: EncodeSource, builtIn = 'int') =>
    request(
      object([element('a', builtIn, { source, required: true })], {
        attributes: [attribute('b', builtIn, { source })],
      }),
    );
  const header = { from: 'header', header: 'x-tenant' } as const;
  const send = (
    plan: RequestPlan,
    headers: RequestContext['headers'],
    claims: RequestContext['claims'] = null,
  ) => {
    const values = { arguments: { a: 9, b: 9 }, headers: {}, context: { headers, claims } };
    return encodeRequest(plan, DIALECTS['1.1'], values).toString();
  };
  t.match(
    send(from(header), { 'x-tenant': '7' }),
    '<n1:Op b="7"><a>7</a></n1:Op>',
    'callers cannot give it themselves',
  );
  t.match(
    send(from({ from: 'constant', lexical: '007' }), {}),
    '<n1:Op b="007"><a>007</a></n1:Op>',
    'as it was written',
  );
  t.match(
    send(from(header, 'string'), { 'x-tenant': Buffer.from('Zoë<').toString('latin1') }),
    '<a>Zoë&lt;</a>',
  );
  const refused = (headers: RequestContext['headers'], builtIn = 'string') =>
    caughtOf(() => send(from(header, builtIn), headers))?.detail;
  t.equal(refused({}), 'arguments.a: the request header x-tenant is required');
  t.equal(
    refused(Object.create({ 'x-tenant': 'inherited' })),
    'arguments.a: the request header x-tenant is required',
  );
  for (const bad of ['a\nb', '\u0000', '\u007f', '\u00ff', 'x'.repeat(8193)]) {
    t.equal(
      refused({ 'x-tenant': bad }),
      'arguments.b: the request header x-tenant holds what cannot be a value',
    );
  }
  t.match(
    refused({ 'x-tenant': 'canary' }, 'int'),
    /^arguments\.b: the request header x-tenant must be an integer/,
  );
  t.notMatch(refused({ 'x-tenant': 'canary' }, 'int'), 'canary');

  const claim = { from: 'claim', claim: 'https://t/id' } as const;
  const claimed = (value: unknown, builtIn = 'string'): string => {
    try {
      return (
        /<n1:Op.*Op>/.exec(send(from(claim, builtIn), {}, { 'https://t/id': value }))?.[0] ?? ''
      );
    } catch (caught) {
      return caught instanceof Refusal ? `${caught.code} ${caught.detail}` : String(caught);
    }
  };
  t.equal(claimed('Zoë<'), '<n1:Op b="Zoë&lt;"><a>Zoë&lt;</a></n1:Op>');
  t.equal(claimed(7, 'int'), '<n1:Op b="7"><a>7</a></n1:Op>');
  t.equal(claimed(true, 'boolean'), '<n1:Op b="true"><a>true</a></n1:Op>');
  t.equal(
    claimed('canary', 'int').replace(/must.*/, ''),
    'BAD_USER_INPUT arguments.b: the claim https://t/id ',
  );
  for (const bad of ['a\nb', {}, ['a'], 2 ** 60, 'x'.repeat(8193)]) {
    t.equal(
      claimed(bad),
      'BAD_USER_INPUT arguments.b: the claim https://t/id holds what cannot be a value',
    );
  }
  for (const absent of [undefined, null]) {
    t.match(claimed(absent), /^FORBIDDEN /, 'no argument the caller could give');
  }
  const optional = request(
    object([element('a', 'int', { source: { from: 'claim', claim: 'toString' } })]),
  );
  t.match(send(optional, {}, {}), '<n1:Op/>');
  t.match(send(optional, {}, null), '<n1:Op/>');
});

t.test('a QName of the caller has a prefix of ours, or is a name without one', async (t) => {
  const body = object([element('q', 'QName', { occurs: 'many' })], {
    attributes: [attribute('k', 'QName')],
  });
  t.match(
    write(request(body), { q: ['{urn:x}a', 'b', '{}c'], k: '{urn:y}d' }),
    '<n1:Op k="n2:d"><q>n3:a</q><q>b</q><q>c</q></n1:Op>',
  );
  for (const bad of [
    'p:a',
    '{urn:x}',
    '{urn:x}a b',
    '{u"rn}a',
    '{http://www.w3.org/2000/xmlns/}a',
    '{urn:x',
  ]) {
    t.match(refusal(body, { q: [bad] }), /^arguments\.q\[0\]: must be/, bad);
  }
  const many = Array.from({ length: 17 }, (_, at) => `{urn:${at}}a`);
  t.equal(refusal(body, { q: many }), 'arguments.q[16]: more namespaces than allowed');
});

const INJECTIONS = [
  '</x><admin>1</admin><x>',
  '</a></n1:Op></s:Body><s:Body><evil/>',
  ']]>',
  '<![CDATA[x]]>',
  '<!--',
  '-->',
  '<?php ?>',
  '&lt;',
  '&#x41;',
  '" onload="',
  "' x='",
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  '{args.a} $\u007benv.HOME} {{x}}',
  'a\r\nb\rc\nd\te',
  '\u0085\u2028\u00a0 ',
  '  spaces  ',
  '\r',
  '😀\u{10ffff}',
];

t.test('a caller cannot become markup: same elements, same text (B01, B02, B04)', async (t) => {
  const body = object([
    element('a', 'string'),
    element('o', object([], { attributes: [attribute('k', 'string')] })),
  ]);
  for (const text of INJECTIONS)
    t.strictSame(readBack(write(request(body), { a: text, o: { k: text } })), [5, text, text]);
});

t.test('any text comes back equal, or is refused where XML cannot hold it (B03)', async () => {
  const body = object([
    element('a', 'string'),
    element('o', object([], { attributes: [attribute('k', 'string')] })),
  ]);
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...INJECTIONS, '\u0000', '\ud800', '\ufffe', '\u001f'),
      (a, b) => {
        const text = a + b;
        const writable = !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(
          text,
        );
        if (!writable)
          return (
            refusal(body, { a: text }) === 'arguments.a: holds a character that XML does not allow'
          );
        const back = readBack(write(request(body), { a: text, o: { k: text } }));
        return back[0] === 5 && back[1] === text && back[2] === text;
      },
    ),
    { numRuns: 500 },
  );
});

/** Number of elements, the text of `a`, the attribute `k`. */
function readBack(document: string): readonly [number, string, string | null] {
  let elements = 0;
  let text = '';
  let attribute: string | null = null;
  let current = '';
  const handler = {
    open(tag: StartTag): Interest {
      elements += 1;
      current = tag.local;
      attribute ??= tag.attribute('', 'k');
      return ALL;
    },
    close() {
      current = '';
    },
    text(piece: string) {
      if (current === 'a') text += piece;
    },
  };
  readXml(handler, document);
  return [elements, text, attribute];
}

/** A type of any shape, as both plans see it, with a value of it. */
interface Sample {
  readonly encode: EncodeElement;
  readonly decode: FieldSlot;
  readonly value: unknown;
}

const SCALARS: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
  ['string', fc.constantFrom(...INJECTIONS, 'plain', '00123', '')],
  ['int', fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })],
  ['long', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  ['decimal', fc.stringMatching(/^-?[0-9]{1,30}\.[0-9]{0,10}$/)],
  ['boolean', fc.boolean()],
  ['date', fc.constantFrom('2015-03-26+01:00', '2000-02-29')],
  ['double', fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n))],
];

const { sample } = fc.letrec<{ sample: Sample; object: Sample; scalar: Sample }>((tie) => ({
  sample: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('scalar'), tie('object')),
  scalar: fc
    .tuple(fc.constantFrom(...SCALARS), fc.constantFrom('one', 'many', 'wrapped', 'nil'))
    .chain(([[type, values], occurs]) =>
      fc
        .array(values, { maxLength: 3 })
        .chain((list) => values.map((single) => leaf(type, occurs, list, single))),
    ),
  object: fc.array(tie('sample'), { maxLength: 4 }).map(branch),
}));

function leaf(type: string, occurs: string, list: readonly unknown[], single: unknown): Sample {
  const local = { name: name('e') };
  if (occurs === 'many') {
    return {
      encode: element('e', type, { ...local, occurs: 'many' }),
      decode: slot('e', { from: 'child', ...local, default: null }, `[${type}]`),
      value: list,
    };
  }
  if (occurs === 'wrapped') {
    const item = name('i');
    return {
      encode: element('e', type, { ...local, occurs: { wrapped: item } }),
      decode: slot('e', { from: 'wrapped list', ...local, item, default: null }, `[${type}]`),
      value: list,
    };
  }
  return {
    encode: element('e', type, { ...local, nillable: true, required: true }),
    decode: slot('e', { from: 'child', ...local, default: null }, type),
    value: occurs === 'nil' ? null : single,
  };
}

function branch(members: readonly Sample[]): Sample {
  const keys = members.map((_, index) => `m${index}`);
  const renamed = <T extends { readonly key: string }>(
    of: (member: Sample) => T,
    apply: (each: T, key: string) => T,
  ) => members.map((member, index) => apply(of(member), keys[index] ?? ''));
  const children = renamed(
    (member) => member.encode,
    (each, key) => ({ ...each, key, name: name(key, each.name.uri) }),
  );
  const slots = renamed(
    (member) => member.decode,
    (each, key) => {
      const { source } = each;
      if (source.from !== 'child' && source.from !== 'wrapped list') return each;
      return { ...each, key, source: { ...source, name: name(key, source.name.uri) } };
    },
  );
  return {
    encode: element('e', object(children), { name: name('e'), required: true }),
    decode: slot('e', { from: 'child', name: name('e'), default: null }, 'T', objectPlan(...slots)),
    value: Object.fromEntries(members.map((member, index) => [keys[index], member.value])),
  };
}

t.test('what is written by a plan is read by its twin', async () => {
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 4 }), (members) => {
      const whole = branch(members);
      const { value: plan } = whole.encode;
      if (plan.kind !== 'object' || whole.decode.value.kind !== 'object') return false;
      const text = write(request(plan), { ...Object(whole.value) });
      // The operation element with the declarations of the envelope.
      const declarations = /<s:Envelope([^>]*)>/.exec(text)?.[1] ?? '';
      const inner = /<s:Body>(.*)<\/s:Body>/s.exec(text)?.[1] ?? '';
      const document = inner.replace(/^<n1:Op/, `<n1:Op${declarations}`);
      const decoded = readDocument(reply(whole.decode.value), document);
      return (
        decoded.errors.length === 0 && JSON.stringify(decoded.value) === JSON.stringify(whole.value)
      );
    }),
    { numRuns: 300 },
  );
});

const XML_SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

t.test('XML that names its own type has it once, which is the one it was given as', async (t) => {
  const variant = (type: EncodeVariant['type']): EncodeVariant => ({
    type,
    value: { kind: 'xml' },
  });
  const members = new Map([
    ['base', variant(null)],
    ['mixed', variant(name('Mixed'))],
  ]);
  const body = object([element('e', { kind: 'variants', members })]);
  const own = (type: string): string =>
    `<e xmlns:p="${URI}" xmlns:i="${INSTANCE}" i:type="${type}" k="1">x</e>`;
  t.equal(content(body, { e: { mixed: own('p:Mixed') } }), '<e xsi:type="n1:Mixed" k="1">x</e>');
  t.equal(content(body, { e: { base: own('p:Other') } }), '<e xsi:type="n1:Other" k="1">x</e>');
  t.equal(
    refusal(body, { e: { mixed: own('p:Other') } }),
    'arguments.e.mixed: must not have another type than the one it is provided as',
  );
});

t.test(
  'of encoded XML the type that it names counts, and a text for anything is a string',
  async (t) => {
    const anyType = name('anyType', XML_SCHEMA);
    const body = object([element('e', { kind: 'xml' }, { typeName: anyType })]);
    const encoded = (e: string): string => {
      const written = write({ ...request(body), encoded: true }, { e });
      return /<e[ >].*<\/e>/.exec(written)?.[0] ?? written;
    };
    const qName =
      `<e xmlns:p="urn:p" xmlns:s="${XML_SCHEMA}" xmlns:i="${INSTANCE}" ` +
      'i:type="s:QName">p:foo</e>';
    t.equal(encoded(qName), '<e xmlns:p="urn:p" xsi:type="xsd:QName">p:foo</e>');
    t.equal(encoded('<e><a/></e>'), '<e xsi:type="xsd:anyType"><a/></e>');
    t.equal(encoded('text'), '<e xsi:type="xsd:string">text</e>');
    // As replies hold it: under another name, with attributes of the encoding.
    const names =
      `xmlns:i="${INSTANCE}" xmlns:s="${XML_SCHEMA}" xmlns:E="${DIALECTS['1.1'].envelopeUri}" ` +
      `xmlns:c="${DIALECTS['1.1'].encodingUri}"`;
    t.equal(
      encoded(
        `<item ${names} c:root="0" E:encodingStyle="${DIALECTS['1.1'].encodingUri}" ` +
          'i:type="s:int">5</item>',
      ).replace(/ xmlns:\w+="[^"]*"/g, ''),
      '<e xsi:type="xsd:int">5</e>',
    );
    t.equal(
      refusal(body, { e: '<item/>' }),
      'arguments.e: must be an element e in no namespace',
      'of a literal message',
    );
  },
);

t.test('arrays of arrays say what the innermost ones hold', async (t) => {
  const strings: EncodeArray = {
    kind: 'array',
    itemType: name('string', XML_SCHEMA),
    item: { kind: 'scalar', scalar: scalar('string') },
  };
  const body = object([
    element('a', { kind: 'array', itemType: null, item: strings }, { typeName: name('Rows') }),
  ]);
  const plan: RequestPlan = { ...request(body), encoded: true };
  t.match(
    write(plan, { a: [['x'], []] }),
    '<a xsi:type="n1:Rows" enc:arrayType="xsd:string[][2]"><item xsi:type="enc:Array" ' +
      'enc:arrayType="xsd:string[1]">' +
      '<item xsi:type="xsd:string">x</item></item><item xsi:type="enc:Array" ' +
      'enc:arrayType="xsd:string[0]"/></a>',
  );
  t.match(
    write(plan, { a: [['x']] }, {}, DIALECTS['1.2']),
    /(n\d):itemType="\1:Array" \1:arraySize="1"><item xsi:type="\1:Array" /,
  );
});

t.test('prefixes that texts and values of XML may mean are declared again', async (t) => {
  const body = object([element('x', { kind: 'xml' }, { occurs: 'many' })]);
  const sent = (x: string): string => content(body, { x: [x] });
  t.equal(
    sent('<x xmlns:p="urn:p" xmlns:unused="urn:u" k="p:a"><y>see p:b, http://c</y><p:z/></x>'),
    '<x xmlns:p="urn:p" k="p:a"><y>see p:b, http://c</y><n2:z/></x>',
  );
  t.equal(
    sent(`<x xmlns:xsd="${XML_SCHEMA}" xmlns:i="${INSTANCE}" i:type="xsd:int" k="xsd:b">1</x>`),
    '<x xsi:type="xsd:int" k="xsd:b">1</x>',
    'what the envelope declares alike need not be',
  );
  t.equal(
    sent('<x><a xmlns:p="urn:1">p:a</a><a xmlns:p="urn:2">p:a</a></x>'),
    '<x><a xmlns:p="urn:1">p:a</a><a xmlns:p="urn:2">p:a</a></x>',
  );
  t.equal(
    sent('<x xmlns:p="urn:p">word<b/>p:a</x>'),
    '<x xmlns:p="urn:p">word<b/>p:a</x>',
    'behind a child',
  );
  const hiding = `<x xmlns:n1="urn:p" xmlns:s="urn:s"><n1:y>n1:b s:c</n1:y></x>`;
  t.match(
    write(request(body), { x: [hiding] }),
    `<n1_:Op><x xmlns:n1="urn:p" xmlns:s="urn:s"><n2:y>n1:b s:c</n2:y></x></n1_:Op></s_:Body>`,
    'ours give way',
  );
  const many = Array.from({ length: 17 }, (_, at) => `xmlns:p${at}="urn:${at}"`).join(' ');
  const used = Array.from({ length: 17 }, (_, at) => `p${at}:a`).join(' ');
  t.equal(
    refusal(body, { x: [`<x ${many}>${used}</x>`] }),
    'arguments.x[0]: more namespaces than allowed',
  );
  const inner = `<a xmlns:p="urn:1">p:a</a>${'<a>p:a</a>'.repeat(40)}`;
  const big = `<x xmlns:p="urn:${'x'.repeat(3000)}">${inner}</x>`;
  t.equal(refusal(body, { x: [big] }), 'arguments.x[0]: XML that is longer or deeper than allowed');
});
