import { buildSchema } from 'graphql';
import t, { type Test } from 'tap';
import { MCP_LIMITS } from '../../src/config/mcp/mcp-limits.js';
import { boundValue } from '../../src/flow/mcp/bound-value.js';
import { type Crm, clientsOf, keyOf, useCrm } from '../kit/crm.js';
import { postJson } from '../kit/graphql-client.js';

/** MCP: the operations of services as tools for agents. */

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  readonly json: any;
}

const ALL = 'mcp: { operations: [crm.GetCustomer, crm.FindCustomers], write: [crm.SetCustomer] }\n';

const start = (t: Test, more = ALL): Promise<Crm> => useCrm(t, '', more);

async function post(
  crm: Crm,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const accept = 'application/json, text/event-stream';
  const response = await postJson(`${crm.gateway.url}/mcp`, body, { accept, ...headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? null : JSON.parse(text),
  };
}

const ask = (
  crm: Crm,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> =>
  post(
    crm,
    { jsonrpc: '2.0', id: 1, method, params },
    { 'mcp-protocol-version': '2025-11-25', ...headers },
  );

const call = (
  crm: Crm,
  name: string,
  values: object,
  headers: Record<string, string> = {},
): Promise<Answer> => ask(crm, 'tools/call', { name, arguments: values }, headers);

const STATELESS = '2026-07-28';

/** A message of the revision without sessions. */
function stateless(
  crm: Crm,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
  capabilities: object = {},
): Promise<Answer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return post(
    crm,
    { jsonrpc: '2.0', id: 'a', method, params: { ...params, _meta } },
    { 'mcp-protocol-version': STATELESS, 'mcp-method': method, ...headers },
  );
}

t.test('a client of the revisions with a handshake', async (t) => {
  const crm = await start(t);
  const initialize = (params: object) =>
    post(crm, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  for (const version of ['2025-11-25', '2025-06-18']) {
    const clientInfo = { name: 'test', version: '1' };
    const hello = await initialize({ protocolVersion: version, capabilities: {}, clientInfo });
    t.equal(hello.status, 200);
    t.match(hello.json, {
      jsonrpc: '2.0',
      id: 0,
      result: { protocolVersion: version, capabilities: { tools: {} } },
    });
    t.match(hello.json.result.serverInfo, { name: 'soapstone', version: String });
  }
  const older = await initialize({ protocolVersion: '2024-11-05' });
  t.equal(older.json.result.protocolVersion, '2025-11-25', 'the client decides whether it goes on');
  const told = await post(crm, { jsonrpc: '2.0', method: 'notifications/initialized' });
  t.equal(told.status, 202);
  t.equal(told.json, null);
  t.same((await ask(crm, 'ping')).json, { jsonrpc: '2.0', id: 1, result: {} });
});

t.test('tools are listed with their schemas and annotations', async (t) => {
  const crm = await start(t);
  const { json } = await ask(crm, 'tools/list');
  const { tools } = json.result;
  t.same(tools.map(({ name }: { name: string }) => name).sort(), [
    'findCustomers',
    'getCustomer',
    'setCustomer',
  ]);
  const byName = (name: string) => tools.find((each: { name: string }) => each.name === name);
  t.match(byName('getCustomer'), {
    description: 'Does GetCustomer.',
    annotations: { readOnlyHint: true, destructiveHint: false },
    inputSchema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        code: { type: 'string', pattern: /\[A-Z\]\{2\}/ },
        fields: { type: 'string' },
      },
    },
    outputSchema: { type: 'object', properties: { name: { type: 'string' } } },
  });
  t.match(byName('setCustomer').annotations, { readOnlyHint: false, destructiveHint: true });
});

t.test('a tool is called, and its answer is structured and text', async (t) => {
  const crm = await start(t);
  const { status, json } = await call(crm, 'getCustomer', { id: 7 });
  t.equal(status, 200);
  t.match(json.result.structuredContent, {
    id: 7,
    name: 'Ada "A" Ghent',
    address: { city: 'Ghent' },
  });
  t.same(JSON.parse(json.result.content[0].text), json.result.structuredContent);
  t.notOk(json.result.isError);
  const chosen = await call(crm, 'getCustomer', { id: 7, fields: 'name,address/city' });
  t.same(chosen.json.result.structuredContent, {
    name: 'Ada "A" Ghent',
    address: { city: 'Ghent' },
  });
  const list = await call(crm, 'findCustomers', { ids: [1, 2], fields: 'id' });
  t.same(
    list.json.result.structuredContent,
    { result: [{ id: 1 }, { id: 2 }] },
    'no object is the member `result` of one',
  );
  t.same((await call(crm, 'setCustomer', { id: 7, name: 'B' })).json.result.structuredContent, {
    result: true,
  });
});

t.test('what goes wrong with a tool is a result that the agent reads', async (t) => {
  const crm = await start(t);
  const errorOf = async (name: string, values: object): Promise<string> => {
    const { status, json } = await call(crm, name, values);
    t.equal(status, 200);
    t.equal(json.result.isError, true);
    return json.result.content[0].text;
  };
  t.equal(await errorOf('getCustomer', { id: 404 }), 'No such customer');
  t.match(await errorOf('getCustomer', { id: 500 }), 'The database is away');
  const sent = crm.backend.complete.length;
  const text = await errorOf('getCustomer', { id: 'x', code: 'ab', other: 1 });
  for (const pointer of ['/id', '/code', '/other']) t.match(text, pointer);
  t.match(await errorOf('getCustomer', { id: 1, fields: 'nam' }), /did you mean `name`/);
  t.match(await errorOf('getCustomer', { id: 1, fields: 7 }), '/fields');
  t.equal(crm.backend.complete.length, sent, 'nothing was sent');
});

t.test('errors of the protocol', async (t) => {
  const crm = await start(t);
  t.match((await ask(crm, 'tools/other')).json, { id: 1, error: { code: -32601 } });
  t.match((await call(crm, 'deleteCustomer', {})).json.error, {
    code: -32602,
    message: 'Unknown tool',
  });
  t.match((await ask(crm, 'tools/call', { name: 'getCustomer', arguments: [] })).json.error, {
    code: -32602,
  });
  const broken = await post(crm, '{"jsonrpc":');
  t.equal(broken.status, 400);
  t.match(broken.json.error, { code: -32700 });
  t.match(await post(crm, []), { status: 400, json: { error: { code: -32600 } } });
  t.match(await post(crm, { id: 1, method: 'ping' }), {
    status: 400,
    json: { id: 1, error: { code: -32600 } },
  });
  const version = await ask(crm, 'ping', {}, { 'mcp-protocol-version': '1999-01-01' });
  t.equal(version.status, 400);
  t.match(version.json.error, {
    code: -32022,
    data: { supported: [STATELESS, '2025-11-25', '2025-06-18'] },
  });
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${crm.gateway.url}/mcp`, {
      method,
      headers: { accept: 'text/event-stream' },
    });
    t.equal(response.status, 405);
    t.equal(response.headers.get('allow'), 'POST');
    await response.body?.cancel();
  }
  t.equal((await post(crm, '{}', { 'content-type': 'text/plain' })).status, 415);
});

t.test('the revision without sessions repeats parts of the message in header fields', async (t) => {
  const crm = await start(t);
  const found = await stateless(crm, 'server/discover');
  t.match(found, {
    status: 200,
    json: { id: 'a', result: { resultType: 'complete', capabilities: { tools: {} } } },
  });
  t.same(found.json.result.supportedVersions, [STATELESS, '2025-11-25', '2025-06-18']);
  const { result } = (await stateless(crm, 'tools/list')).json;
  t.equal(result.tools.length, 3);
  t.match(result, { ttlMs: Number, cacheScope: 'public' });
  const called = { name: 'getCustomer', arguments: { id: 7 } };
  t.match(
    (await stateless(crm, 'tools/call', called, { 'mcp-name': 'getCustomer' })).json.result
      .structuredContent,
    {
      id: 7,
    },
  );
  for (const headers of [{}, { 'mcp-name': 'setCustomer' }]) {
    const refused = await stateless(crm, 'tools/call', called, headers);
    t.equal(refused.status, 400);
    t.match(refused.json.error, { code: -32020 });
  }
  t.match(await stateless(crm, 'tools/list', {}, { 'mcp-method': 'tools/call' }), { status: 400 });
  t.match(await stateless(crm, 'ping'), { status: 404, json: { error: { code: -32601 } } });
});

t.test('Origin, then credentials, then the protocol', async (t) => {
  const crm = await start(
    t,
    `${ALL}${clientsOf({ full: '{}', some: '{ allow: [crm.GetCustomer] }' })}`,
  );
  const bad = { 'mcp-protocol-version': '1999-01-01', origin: 'https://evil.example' };
  t.equal((await ask(crm, 'ping', {}, bad)).status, 403);
  t.equal((await ask(crm, 'ping', {}, { 'mcp-protocol-version': '1999-01-01' })).status, 401);
  const full = { 'x-api-key': keyOf('full') };
  t.equal((await ask(crm, 'ping', {}, full)).status, 200);
  t.equal(
    (await ask(crm, 'ping', {}, { ...full, origin: crm.gateway.url })).status,
    200,
    'a page of the gateway itself',
  );
  const some = { 'x-api-key': keyOf('some') };
  const { tools } = (await ask(crm, 'tools/list', {}, some)).json.result;
  t.same(
    tools.map(({ name }: { name: string }) => name),
    ['getCustomer'],
  );
  t.match((await call(crm, 'setCustomer', { id: 1, name: 'A' }, some)).json.error, {
    code: -32602,
    message: 'Unknown tool',
  });
  t.equal((await call(crm, 'getCustomer', { id: 7 }, some)).json.result.structuredContent.id, 7);
  t.equal(crm.backend.complete.length, 1);
});

t.test('above twenty tools there are groups and a search', async (t) => {
  const many = Array.from({ length: 10 }, (_, at) => `c${at}`);
  const all = (operation: string): string => many.map((name) => `${name}.${operation}`).join(', ');
  const crm = await useCrm(
    t,
    '',
    `mcp: { operations: [${all('*')}], write: [${all('SetCustomer')}] }\n`,
    many,
  );
  const { tools } = (await ask(crm, 'tools/list')).json.result;
  t.same(
    tools.map(({ name }: { name: string }) => name),
    ['search_tools', 'call_tool', 'call_writing_tool'],
  );
  t.match(tools[0].description, 'c0 (3)');
  const found = (await call(crm, 'search_tools', { query: 'set a customer', group: 'c3' })).json
    .result;
  const [first] = found.structuredContent.tools;
  t.match(first, { name: /set/i, inputSchema: { type: 'object' } });
  const set = { name: first.name, arguments: { id: 1, name: 'A' } };
  t.match((await call(crm, 'call_tool', set)).json.result, { isError: true });
  t.same((await call(crm, 'call_writing_tool', set)).json.result.structuredContent, {
    result: true,
  });
  t.match(
    (await call(crm, 'search_tools', { group: 'c3' })).json.result.structuredContent.names.length,
    3,
  );
});

const SCHEMA = buildSchema(`
  scalar Base64
  scalar Long
  interface Row { id: Long name: String file: Base64 }
  type One implements Row { id: Long name: String file: Base64 files: [Base64] }
  type Query { rows: [One] row: Row file: Base64! }
`);

const bound = (field: string, value: unknown, answerBytes = 4096) => {
  const type = SCHEMA.getQueryType()?.getFields()[field]?.type;
  if (type === undefined) throw new Error(field);
  return boundValue(value, answerBytes, type, SCHEMA);
};

t.test('a long answer is shortened, and a note tells what was left out', async (t) => {
  const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: 'x'.repeat(20) }));
  const { default: answerBytes } = MCP_LIMITS.answerBytes;
  const short = bound('rows', rows, answerBytes);
  t.ok(Array.isArray(short.value) && short.value.length > 0);
  t.ok(
    Buffer.byteLength(JSON.stringify(short.value)) +
      Buffer.byteLength(JSON.stringify(short.text)) <=
      answerBytes,
  );
  t.match(short.note, /of 5000 items of the list/);
  const whole = bound('rows', [{ id: 1 }], answerBytes);
  t.same(whole, { value: [{ id: 1 }], text: '[{"id":1}]', note: null });
  const crm = await start(t, `${ALL}limits: { mcp: { answerBytes: 2KiB } }\n`);
  const { json } = await call(crm, 'findCustomers', { ids: Array.from({ length: 50 }, () => 1) });
  t.ok(Buffer.byteLength(JSON.stringify(json)) <= 2048);
});

t.test('a text may be cut, any other value is whole or left out', (t) => {
  const file = 'QUJD'.repeat(2000);
  for (const [name, field, value, kept, note] of [
    [
      'Base64 beside a text',
      'rows',
      [{ id: '1', name: 'A', file }],
      [{ id: '1', name: 'A' }],
      '/*/file',
    ],
    ['items of a list', 'rows', [{ files: ['QUJD', file] }], [{ files: ['QUJD'] }], '/*/files/*'],
    [
      'a type behind an interface',
      'row',
      { __typename: 'One', id: '1', file },
      { __typename: 'One', id: '1' },
      '/file',
    ],
    ['an interface', 'row', { id: '1', file }, { id: '1' }, '/file'],
    ['a long number', 'row', { id: '9'.repeat(4000) }, {}, '/id'],
    ['the whole answer', 'file', file, undefined, 'the answer'],
  ] as const) {
    const { value: shortened, note: said } = bound(field, value);
    t.same(shortened, kept, name);
    t.match(said, `characters of ${note}.`, name);
  }
  const { value, note } = bound('row', { id: '1', name: 'x'.repeat(4000) });
  t.match(value, { id: '1', name: /^x+…$/ });
  t.match(note, 'the ends of 1 texts');
  t.end();
});

t.test('the log and metrics', async (t) => {
  const crm = await start(t);
  await call(crm, 'getCustomer', { id: 7 });
  await call(crm, 'nothing', {});
  t.match(await crm.gateway.accessLine(1), {
    route: 'mcp',
    operationName: 'getCustomer',
    status: 200,
    outcome: 'ok',
  });
  t.match(await crm.gateway.accessLine(2), {
    outcome: 'refused',
    code: 'UNKNOWN_OPERATION',
    status: 200,
  });
  t.match(await crm.gateway.metrics(), /soapstone_requests_total\{[^}]*route="mcp"[^}]*\} 1/);
});

t.test('keys of the configuration', async (t) => {
  const problems = (mcp: string): Promise<string> =>
    start(t, `mcp: ${mcp}\n`).then(() => '', String);
  t.match(
    await problems('{ operations: [crm.GetCustomr] }'),
    /no operation `crm\.GetCustomr`.*crm\.GetCustomer/s,
  );
  t.match(await problems('{ operations: [crm.SetCustomer] }'), /`mcp\.write` does not name it/);
  t.equal(await problems('{ operations: [crm.SetCustomer], write: [crm.SetCustomer] }'), '');
  t.match(await problems('{}'), /names no operation/);
  t.match(await problems('{ path: /graphql, operations: [crm.GetCustomer] }'), /path/);
});

t.test(
  'clients in pages of allowed origins may send its header fields, and read the challenge',
  async (t) => {
    const origin = 'https://agent.example';
    const crm = await start(t, `${ALL}graphql: { cors: { origins: ["${origin}"] } }\n`);
    const preflightOf = (path: string): Promise<Response> =>
      fetch(`${crm.gateway.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const preflight = await preflightOf('/mcp');
    t.equal(preflight.status, 204);
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    for (const name of [
      'mcp-protocol-version',
      'mcp-session-id',
      'mcp-method',
      'mcp-name',
      'authorization',
    ])
      t.ok(allowed.includes(name), name);
    const { status, headers } = await ask(crm, 'tools/list', {}, { origin });
    t.equal(status, 200);
    t.equal(
      headers.get('access-control-expose-headers'),
      'x-request-id, www-authenticate, retry-after, mcp-session-id',
    );
    const graphql = await preflightOf('/graphql');
    t.notMatch(
      graphql.headers.get('access-control-allow-headers'),
      /mcp/,
      'GraphQL needs none of them',
    );
  },
);

t.test('what is to be confirmed must be a tool', async (t) => {
  await t.rejects(
    start(t, 'mcp: { operations: [crm.GetCustomer], confirm: [crm.SetCustomer] }\n'),
    /SetCustomer.*no tool/,
  );
});
