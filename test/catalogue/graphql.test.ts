import t, { type Test } from 'tap';

import { defaultsOf } from '../../src/core/limit.js';
import { GRAPHQL_LIMITS } from '../../src/graphql/limits.js';
import { createGraphqlHandler } from '../../src/graphql/run/operations/http.js';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import { INT, one, operation } from '../graphql/models.js';
import { answerWith } from '../kit/backend.js';
import { post, RawClient } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { batchesThatAreOn, newLimits, persistedDocuments } from './graphql-documents.js';
import {
  ask,
  askByGet,
  askRaw,
  codesOf,
  getRaw,
  type Reply,
  type Shop,
  startShop,
} from './graphql-kit.js';
import { OPERATIONS, type OperationVector, SECRETS, TYPOS } from './graphql-vectors.js';
import { Rows } from './rows.js';

const rows = new Rows('graphql');

/** Longer addresses have an answer of their own. */
const ADDRESS_CHARS = 7000;

const JSON_ONLY = { Accept: 'application/json' };

/** Catalogue convention D3. Malformed requests have their status whatever is accepted. */
function expectRefused(
  t: Test,
  { raw, result }: Reply,
  code: string,
  isTyped: boolean,
  name: string,
): void {
  t.same(codesOf(result), [code], `${name}: code`);
  t.equal(raw.status, isTyped || MALFORMED.has(code) ? 400 : 200, `${name}: status`);
  t.notOk('data' in result, `${name}: no data`);
}

const MALFORMED = new Set(['BAD_REQUEST', 'BATCHING_NOT_SUPPORTED', 'CSRF_PREVENTED']);

/** Asks by every way, and expects the same. Whatever is refused reaches no backend. */
async function expectOperation(
  t: Test,
  shop: Shop,
  asked: OperationVector,
  answer: string,
): Promise<void> {
  const { backend } = shop;
  const address =
    encodeURIComponent(asked.query).length + JSON.stringify(asked.variables ?? '').length * 3;
  const ways: readonly (readonly [string, boolean, () => Promise<Reply>])[] = [
    ['POST', true, () => ask(shop, asked)],
    ['POST, plain JSON', false, () => ask(shop, asked, JSON_ONLY)],
    ['POST once more, the document known', true, () => ask(shop, asked)],
    ...(address > ADDRESS_CHARS ? [] : [['GET', true, () => askByGet(shop, asked)] as const]),
  ];
  for (const [way, isTyped, send] of ways) {
    const name = `${asked.row} ${asked.case}, ${way}`;
    const before = backend.begun;
    const reply = await send();
    if (answer === 'pass') {
      t.equal(reply.raw.status, 200, `${name}: status`);
      t.same(reply.result.errors, undefined, `${name}: no errors`);
      continue;
    }
    expectRefused(t, reply, answer.replace('G:', ''), isTyped, name);
    t.equal(backend.begun, before, `${name}: nothing is called`);
  }
}

t.test('operations within the limits and beyond, by every way', async (t) => {
  const shop = await startShop(t);
  for (const each of OPERATIONS)
    await expectOperation(t, shop, each, rows.answer(each.row, each.case));
  const metrics = await shop.gateway.metrics();
  for (const limit of [
    'depth',
    'aliases',
    'rootFields',
    'directives',
    'tokens',
    'cost',
    'fragmentHeight',
    'selections',
    'operations',
    'listItems',
  ]) {
    t.match(
      metrics,
      new RegExp(`soapstone_graphql_limit_refusals_total\\{limit="${limit}"\\} [1-9]`),
      `${limit} is counted`,
    );
  }
});

t.test('limits that are measured count, and let pass', async (t) => {
  const shop = await startShop(t, 'graphql: { measure: [depth, aliases, cost, variableDepth] }\n');
  const beyond: readonly (readonly [string, string, string])[] = [
    ['G01', '11 levels', 'depth'],
    ['G04', '16', 'aliases'],
    ['G08', 'a literal', 'cost'],
    ['G22', '51 levels in the document', 'variableDepth'],
  ];
  for (const [row, name, limit] of beyond) {
    const asked = OPERATIONS.find((each) => each.row === row && each.case === name);
    if (asked === undefined) throw new Error(`no vector ${row} ${name}`);
    for (const count of [1, 2]) {
      const { raw, result } = await ask(shop, asked);
      t.equal(raw.status, 200, `${row} ${name} passes`);
      t.same(result.errors, undefined);
      t.match(
        await shop.gateway.metrics(),
        `soapstone_graphql_would_refuse_total{limit="${limit}"} ${count}`,
      );
    }
  }
  t.match(await shop.gateway.logLine('would be refused by a limit'), { limits: ['depth'] });
  const deeper = await ask(shop, {
    query: `{article{${'related{'.repeat(100)}sku${'}'.repeat(100)}}}`,
  });
  t.same(codesOf(deeper.result), ['MAX_DEPTH_LIMIT'], 'not beyond the ceiling');
  const other = await ask(shop, { query: `{${'article{sku} '.repeat(6)}}` });
  t.same(codesOf(other.result), ['MAX_ROOT_FIELDS_LIMIT'], 'other limits are enforced');
});

t.test('G07: what is long', async (t) => {
  const shop = await startShop(t);
  const long = { query: `{article{${'sku '.repeat(480_000)}}}` };
  expectRefused(
    t,
    await ask(shop, long),
    rows.answer('G07', 'a query of 1.9 MB').replace('G:', ''),
    true,
    '1.9 MB',
  );
  const comments = { query: `{article{sku}}${'#\n'.repeat(100_000)}` };
  expectRefused(
    t,
    await ask(shop, comments),
    rows.answer('G07', '100,000 comments').replace('G:', ''),
    true,
    'comments',
  );
  const longer = await askRaw(
    shop,
    JSON.stringify({ query: `{article{${'sku '.repeat(520_000)}}}` }),
  );
  t.equal(`H${longer.raw.status}`, rows.answer('G07', 'a query of 2.1 MB'));
  t.equal(shop.backend.begun, 0);
});

t.test('G13: batches', async (t) => {
  const shop = await startShop(t);
  const one = { query: '{article{sku}}' };
  for (const [name, body] of [
    ['of one', [one]],
    ['of eleven', Array(11).fill(one)],
    ['within a batch', [[one]]],
    ['of nothing', []],
  ] as const) {
    expectRefused(
      t,
      await askRaw(shop, JSON.stringify(body)),
      rows.answer('G13', name).replace('G:', ''),
      true,
      name,
    );
  }
  t.equal(shop.backend.begun, 0);
});

t.test('G13: batches that are on', (t) => batchesThatAreOn(t, rows));
t.test('G24: documents by their hash', (t) => persistedDocuments(t, rows));
t.test('G25: documents of another generation', (t) => newLimits(t, rows));

t.test('G16: introspection that is off', async (t) => {
  const shop = await startShop(t, 'graphql: { introspection: false }\n');
  for (const [name, query] of [
    ['__schema', '{__schema{queryType{name}}}'],
    ['__type', '{__type(name:"Article"){name}}'],
    ['beside other fields', '{article{sku} __schema{queryType{name}}}'],
    ['by an alias', '{a:__schema{queryType{name}}}'],
    ['in a fragment', '{...F} fragment F on Query{__type(name:"Article"){name}}'],
    ['__typename', '{__typename article{__typename}}'],
  ] as const) {
    await expectOperation(t, shop, { row: 'G16', case: name, query }, rows.answer('G16', name));
  }
});

t.test('G17: nothing helps to guess', async (t) => {
  const open = await startShop(t);
  const closed = await startShop(t, 'graphql: { introspection: false }\n');
  for (const [name, query, variables] of TYPOS) {
    t.equal(rows.answer('G17', name), 'nothing of the schema');
    const { raw, result } = await ask(closed, { query, variables: variables ?? {} });
    t.equal(raw.status, 400, name);
    t.ok((result.errors ?? []).length > 0, name);
    const texts = (result.errors ?? []).map(({ message }) => message).join('\n');
    for (const secret of SECRETS) t.notMatch(texts, secret, `${name}: ${texts}`);
    t.equal(
      (await ask(open, { query, variables: variables ?? {} })).raw.status,
      400,
      `${name}, introspection on`,
    );
  }
  for (const query of [
    '{search{sku}}',
    '{search(first:1 last:1){sku}}',
    'query($n:Int){search(first:$n){sku}}',
  ]) {
    const [error] = (await ask(closed, { query })).result.errors ?? [];
    t.equal(error?.extensions['code'], 'BAD_USER_INPUT', query);
    t.notMatch(error?.message, /first|last|page|size/, query);
    t.match(
      (await ask(open, { query })).result.errors?.[0]?.message,
      /"first", "last", "page.size"/,
      query,
    );
  }
  t.match(
    (await ask(open, { query: '{articl{sku}}' })).result.errors?.[0]?.message,
    /Did you mean/,
    'where it is on',
  );
});

const numbered = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

t.test('G18: a flood of errors', async (t) => {
  const shop = await startShop(t);
  for (const [name, asked] of [
    ['unknown fields', { query: `{article{${numbered(900, (at) => `x${at}`)}}}` }],
    [
      'wrong values in a variable',
      {
        query: 'query($f:Filter){article(filter:$f){sku}}',
        variables: { f: { and: Array(300).fill({ inStock: 'x' }) } },
      },
    ],
    [
      'variables without a value',
      {
        query: `query(${numbered(30, (at) => `$v${at}:Int!`)}){article(filter:{and:[${numbered(30, (at) => `{hiddenFlag:$v${at}}`)}]}){sku}}`,
        variables: {},
      },
    ],
  ] as const) {
    t.equal(rows.answer('G18', name), '10 errors, then TOO_MANY_ERRORS');
    const { result } = await ask(shop, asked);
    t.equal(result.errors?.length, 11, name);
    t.equal(result.errors?.at(-1)?.extensions['code'], 'TOO_MANY_ERRORS', name);
  }
  t.equal(shop.backend.begun, 0);
});

t.test('G19: what goes wrong inside tells nothing', async (t) => {
  const shop = await startShop(t);
  shop.backend.answer = answerWith('<html>at com.acme.Db (10.1.2.3)</html>', 'text/html', 500);
  const { result } = await ask(shop, { query: '{article{sku}}' });
  t.equal(`G:${codesOf(result)}`, rows.answer('G19', 'a page of a backend'));
  t.notMatch(JSON.stringify(result), /acme|10\.1|127\.0|localhost|at /, 'nothing of it');
  const handler = createGraphqlHandler({
    built: buildSchema([
      {
        name: 'a',
        operations: [operation('GetIt', [], [one('x', INT)])],
        mapping: new Map(),
        naming: 'camel',
      },
    ]),
    limits: defaultsOf(GRAPHQL_LIMITS),
    introspection: true,
  });
  const callField = (): never => {
    throw new TypeError('at com.acme.Db (10.1.2.3)');
  };
  const body = async (): Promise<string> => '{"query":"{getIt}"}';
  const request = {
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    body,
  };
  const { body: told } = await handler(request, {
    id: 'r-1',
    signal: new AbortController().signal,
    callField,
  });
  t.equal(rows.answer('G19', 'an exception'), 'Unexpected error. and a reference');
  t.match(told, '"message":"Unexpected error."');
  t.match(told, '"extensions":{"code":"INTERNAL","id":"r-1"}');
  t.notMatch(told, /acme|10\.1/);
  await shop.backend.close();
  const away = await ask(shop, { query: '{article{sku}}' });
  t.equal(`G:${codesOf(away.result)}`, rows.answer('G19', 'a backend that is away'));
  t.notMatch(
    JSON.stringify(away.result),
    /ECONN|127\.0|localhost|:\d{4}/,
    'nothing of its address',
  );
});

t.test('G20: requests that a page of another site can send', async (t) => {
  const shop = await startShop(t);
  const body = '{"query":"{article{sku}}"}';
  const types: readonly (readonly [string, string | null])[] = [
    ['text/plain', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['multipart', 'multipart/form-data; boundary=x'],
    ['no type', null],
    ['an empty type', ''],
    ['text/plain with JSON as its parameter', 'text/plain; application/json'],
    ['JSON behind a comma', 'text/plain, application/json'],
    ['another charset', 'application/json; charset=utf-16'],
    ['application/graphql', 'application/graphql'],
    ['a suffix', 'application/x+json'],
  ];
  for (const [name, type] of types) {
    const { raw } = await askRaw(shop, body, { 'Content-Type': type });
    t.equal(`H${raw.status}`, rows.answer('G20', name), name);
    const sentence =
      name === 'another charset'
        ? 'The charset is not accepted. Send UTF-8, with charset=utf-8 in the Content-Type.\n'
        : 'Send application/json; this service speaks GraphQL.\n';
    t.equal(raw.body, sentence, `${name}: a sentence`);
  }
  for (const [name, headers] of [
    ['GET of another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['GET of a neighbour', { 'Sec-Fetch-Site': 'same-site' }],
  ] as const) {
    const reply = await askByGet(
      shop,
      { query: '{article{sku}}' },
      { Accept: 'application/graphql-response+json', ...headers },
    );
    expectRefused(t, reply, rows.answer('G20', name).replace('G:', ''), true, name);
    const asked = { Accept: '*/*', ...headers, 'GraphQL-Require-Preflight': '1' };
    t.equal(
      (await askByGet(shop, { query: '{__typename}' }, asked)).raw.status,
      200,
      `${name}, asked for first`,
    );
  }
  const own = await askByGet(
    shop,
    { query: '{__typename}' },
    { Accept: '*/*', 'Sec-Fetch-Site': 'same-origin' },
  );
  t.equal(own.raw.status === 200 ? 'pass' : 'refused', rows.answer('G20', 'GET of the same site'));
  t.equal(shop.backend.begun, 0);
});

t.test('G21: GET never changes anything', async (t) => {
  const shop = await startShop(t);
  for (const [name, query, operationName] of [
    ['a mutation', 'mutation{rename(sku:"a"){sku}}', undefined],
    ['a mutation among queries', 'query A{article{sku}} mutation B{rename(sku:"a"){sku}}', 'B'],
  ] as const) {
    const { raw } = await askByGet(
      shop,
      operationName === undefined ? { query } : { query, operationName },
    );
    t.equal(`${raw.status}`, rows.answer('G21', name));
    t.equal(raw.headers.get('allow'), 'POST', `${name}: Allow`);
  }
  t.equal(shop.backend.begun, 0);
});

t.test('G22: malformed requests', async (t) => {
  const shop = await startShop(t);
  const query = '"query":"query($v:Filter){article(filter:$v){sku}}"';
  const bodies: readonly (readonly [string, string])[] = [
    ['two queries', '{"query":"{article{sku}}","query":"mutation{rename(sku:\\"a\\"){sku}}"}'],
    ['two queries, one with escapes', '{"query":"{article{sku}}","qu\\u0065ry":"{__typename}"}'],
    ['two members in a variable', `{${query},"variables":{"v":{"inStock":true,"inStock":false}}}`],
    ['__proto__ in variables', `{${query},"variables":{"__proto__":{"v":1}}}`],
    ['__proto__ inside a variable', `{${query},"variables":{"v":{"__proto__":{"inStock":true}}}}`],
    [
      '100,000 lists within each other',
      `{${query},"variables":{"v":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    ],
    ['10,001 values', `{${query},"variables":{"v":{"and":[${'1,'.repeat(10_000)}1]}}}`],
    ['a query that is no string', '{"query":{"a":1}}'],
    ['variables that are a list', `{${query},"variables":[]}`],
    ['extensions that are a string', `{${query},"extensions":"a"}`],
    ['an operation name that is a number', `{${query},"operationName":1}`],
    ['no JSON', '{"query":'],
    ['NaN', `{${query},"variables":{"v":NaN}}`],
    ['a comment', `/**/{${query}}`],
    ['nothing', ''],
    ['null', 'null'],
  ];
  for (const [name, body] of bodies) {
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      const reply = await askRaw(shop, body, { Accept: accept });
      expectRefused(
        t,
        reply,
        rows.answer('G22', name).replace('G:', ''),
        true,
        `${name}, ${accept}`,
      );
    }
  }
  for (const [name, target] of [
    ['two queries in the address', '/graphql?query=%7B__typename%7D&query=%7Barticle%7Bsku%7D%7D'],
    [
      'two variables in the address',
      '/graphql?query=%7B__typename%7D&variables=%7B%7D&variables=%7B%7D',
    ],
    ['no query in the address', '/graphql?variables=%7B%7D'],
  ] as const) {
    expectRefused(
      t,
      await getRaw(shop.gateway, target),
      rows.answer('G22', name).replace('G:', ''),
      true,
      name,
    );
  }
  const long = await askRaw(shop, `{${query},"variables":{"v":"${'a'.repeat(10_000_000)}"}}`);
  t.equal(`H${long.raw.status}`, rows.answer('G22', 'a string of 10 MB'));
  t.equal(({} as Record<string, unknown>)['inStock'], undefined);
  t.equal(shop.backend.begun, 0);
});

t.test('G33: what the caller accepts', async (t) => {
  const shop = await startShop(t);
  const body = '{"query":"{__typename}"}';
  for (const [name, accept] of [
    ['what is not offered', 'text/html, application/xml'],
    ['anything', '*/*'],
    ['not told', null],
    ['JSON', 'application/json'],
    ['the type of its own', 'application/graphql-response+json'],
  ] as const) {
    const { raw } = await askRaw(shop, body, { Accept: accept });
    const type = raw.headers.get('content-type')?.split(';')[0];
    t.equal(raw.status === 200 ? type : `${raw.status}`, rows.answer('G33', name), name);
  }
});

t.test('G34: a caller that leaves', async (t) => {
  const shop = await startShop(t);
  const client = await RawClient.connect(shop.gateway.url);
  let cut = false;
  shop.backend.answer = (_message, response) => {
    response.once('close', () => {
      cut = true;
    });
    client.close();
  };
  await client.send(
    post('/graphql', 'application/json', '{"query":"{a:article{sku} b:article{sku}}"}'),
  );
  await until(() => cut);
  t.equal(rows.answer('G34', 'in the middle'), 'the calls are cut');
  t.match(await shop.gateway.accessLine(), { outcome: 'aborted', code: 'CLIENT_GONE' });
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
