import { createServer, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { IssuerKeys } from '../../src/access/tokens/issuer-keys.js';
import { answerWith } from '../kit/backend.js';
import { envelope } from '../kit/envelope.js';
import { listen } from '../kit/listen.js';
import { holdAnswers } from '../kit/live-desk.js';
import { post, RawClient, type RawReply, sendRaw } from '../kit/raw-client.js';
import { AUDIENCE, ISSUER, makeIssuer } from '../kit/token-issuer.js';
import { useBackend, useGateway } from '../kit/use.js';
import { tokenVectors } from './access-vectors.js';
import { expectAnswer } from './expect.js';
import { keyedRequests } from './keyed-vectors.js';
import { runMessages, startPerimeter } from './messages.js';
import { fieldRights } from './rights-vectors.js';
import { Rows } from './rows.js';

const rows = new Rows('access');

const call = (operation: string): string =>
  envelope(`<m:${operation} xmlns:m="urn:desk"><m:id>1</m:id></m:${operation}>`);

const DESK = (url: string): string => `services:
  desk:
    url: ${url}/desk
    namespace: urn:desk
    types: |
      type Query { order(id: ID): Order, secret(id: ID): Order }
      type Order { id: ID, secretId: ID }
    operations:
      GetOrder: { field: Query.order }
      GetSecret: { field: Query.secret }
links:
  Order.secret: { operation: desk.GetSecret, arguments: { id: secretId } }
`;

type Endpoints = Awaited<ReturnType<typeof startEndpoints>>;

async function startEndpoints(t: Test, clients: string) {
  const backend = await useBackend(t, (message, response) => {
    const operation = /Body><(?:\w+:)?(\w+)/.exec(message.body.toString())?.[1] ?? '';
    answerWith(
      envelope(
        `<r:${operation}Response xmlns:r="urn:desk"><r:id>1</r:id></r:${operation}Response>`,
      ),
    )(message, response);
  });
  const gateway = await useGateway(t, DESK(backend.url) + clients);
  return {
    backend,
    gateway,
    soap: (
      headers: Record<string, string>,
      message: string = call('GetOrder'),
    ): Promise<RawReply> => sendRaw(gateway.url, post('/soap/desk', 'text/xml', message, headers)),
    graphql: (
      headers: Record<string, string>,
      query: string = '{ order(id: 1) { id } }',
    ): Promise<RawReply> =>
      sendRaw(
        gateway.url,
        post('/graphql', 'application/json', JSON.stringify({ query }), headers),
      ),
  };
}

/** `401 / F:Client/CODE` by both endpoints, or `pass`. */
async function expectBoth(
  t: Test,
  { backend, soap, graphql }: Endpoints,
  headers: Record<string, string>,
  answer: string,
  name: string,
): Promise<void> {
  const before = backend.begun;
  const [first = '', second = ''] = answer.split(' / ');
  expectAnswer(t, await soap(headers), second === '' ? first : second, '1.1', `${name}, SOAP`);
  const reply = await graphql(headers);
  t.equal(reply.status, first === 'pass' ? 200 : Number(first), `${name}, GraphQL`);
  if (first !== 'pass') {
    t.match(reply.body, '"code":"UNAUTHENTICATED"', name);
    t.ok(reply.headers.has('www-authenticate'), name);
  }
  t.equal(backend.begun - before, first === 'pass' ? 2 : 0, `${name}: heard by the backend`);
}

t.test('B15: callers that speak in the name of the gateway', async (t) => {
  const perimeter = await startPerimeter(t);
  const message = (blocks: string): string =>
    `<E:Envelope xmlns:E="{env}" xmlns:c="{enc}"><E:Header>${blocks}</E:Header><E:Body>` +
    '<m:Ping xmlns:m="urn:m"/></E:Body></E:Envelope>';
  await runMessages(t, perimeter, rows, [
    {
      row: 'B15',
      case: "a block of the gateway's namespace",
      message: message('<g:user xmlns:g="urn:soapstone:client">admin</g:user>'),
    },
    {
      row: 'B15',
      case: 'for another actor',
      dialects: ['1.1'],
      message: message('<g:user xmlns:g="urn:soapstone:client" E:actor="urn:x">admin</g:user>'),
    },
    {
      row: 'B15',
      case: 'beside others',
      message: message('<a:b xmlns:a="urn:a"/><user xmlns="urn:soapstone:">admin</user>'),
    },
    {
      row: 'B15',
      case: 'a namespace that only looks like it',
      message: message('<a:b xmlns:a="urn:soapstones"/>'),
    },
  ]);
});

t.test('B16: what is permitted is the operation, not the name it goes by', async (t) => {
  const { backend, soap, graphql } = await startEndpoints(
    t,
    'clients:\n  address: { class: all }\n  classes: { all: { deny: [desk.GetSecret] } }\n',
  );
  const both = envelope('<m:GetOrder xmlns:m="urn:desk"/><m:GetSecret xmlns:m="urn:desk"/>');
  for (const [name, message, headers] of [
    ['SOAP', call('GetSecret'), {}],
    ['SOAP with the action of another operation', call('GetSecret'), { SOAPAction: '""' }],
    ['beside an operation that is permitted', both, {}],
  ] as const) {
    expectAnswer(t, await soap(headers, message), rows.answer('B16', name), '1.1', name);
  }
  for (const [name, query] of [
    ['the field', '{ secret(id: 1) { id } }'],
    ['an alias', '{ order: secret(id: 1) { id } }'],
    ['a fragment', '{ ...F } fragment F on Query { secret(id: 1) { id } }'],
    [
      'fragments in fragments',
      '{ ... { ...F } } fragment F on Query { ... on Query { order: secret { id } } }',
    ],
    [
      'behind @include by a variable',
      'query($yes: Boolean = true) { secret @include(if: $yes) { id } }',
    ],
    ['a link', '{ order(id: 1) { id other: secret { id } } }'],
    ['beside a field that is permitted', '{ order(id: 1) { id } secret(id: 1) { id } }'],
  ] as const) {
    const reply = await graphql({}, query);
    t.equal(
      `${reply.status} G:${JSON.parse(reply.body).errors[0].extensions.code}`,
      rows.answer('B16', name),
      name,
    );
  }
  t.equal(backend.begun, 0, 'the backend hears of none');
  t.equal((await graphql({})).status, 200);
});

t.test('B16: fields of a class, by every way to their values', (t) => fieldRights(t, rows));

t.test('B20: idempotency keys of another asker', (t) => keyedRequests(t, rows));

t.test('K05: keys that are nearly right', async (t) => {
  const key = 'right-key-0123456789';
  const endpoints = await startEndpoints(
    t,
    `clients:\n  apiKeys: { clients: { erp: { class: all, keys: [${key}] } } }\n` +
      '  classes: { all: {} }\n',
  );
  const wrong: Record<string, string> = {
    'another first character': `x${key.slice(1)}`,
    'another last character': `${key.slice(0, -1)}x`,
    'one character less': key.slice(0, -1),
    'one more': `${key}0`,
    'white space around it': `"${key} "`,
    'another case': key.toUpperCase(),
    'no characters': '',
    '10 KB': key.repeat(500),
  };
  for (const [name, text] of Object.entries(wrong)) {
    await expectBoth(t, endpoints, { 'X-Api-Key': text }, rows.answer('K05', name), name);
  }
  await expectBoth(t, endpoints, { 'X-Api-Key': key }, 'pass', 'the right one');
  t.notMatch(JSON.stringify(endpoints.gateway.logLines()), 'right-key');
});

const tokenClients = (keys: string): string => `clients:
  jwt: { issuer: "${ISSUER}", audience: ${AUDIENCE}, class: all, requireNotBefore: true, ${keys} }
  classes: { all: {} }
`;

t.test('K06, K07: forged tokens, and those out of time', async (t) => {
  const issuer = await makeIssuer();
  const endpoints = await startEndpoints(t, tokenClients(`jwks: '${issuer.keySet}'`));
  for (const { row, case: name, token } of await tokenVectors(issuer)) {
    await expectBoth(
      t,
      endpoints,
      { Authorization: `Bearer ${token}` },
      rows.answer(row, name),
      `${row} ${name}`,
    );
  }
  const good = await issuer.sign();
  await expectBoth(t, endpoints, { Authorization: `Bearer ${good}` }, 'pass', 'a good one');
  await expectBoth(t, endpoints, {}, '401 / F:Client/wsse:FailedAuthentication', 'none');
  const lines = JSON.stringify(endpoints.gateway.logLines());
  t.notMatch(lines, 'alice', 'who it is, the log does not tell');
  t.notMatch(lines, good.slice(-30), 'nor its token');
});

t.test('K08: the keys of the issuer', async (t) => {
  const issuer = await makeIssuer();
  const authorization = { Authorization: `Bearer ${await issuer.sign()}` };
  let answer: (response: ServerResponse) => void = (response) => response.writeHead(503).end();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    answer(response);
  });
  const { url } = await listen(t, server);
  const start = () => startEndpoints(t, tokenClients(`jwksUrl: "${url}/keys"`));

  const down = await start();
  await expectBoth(t, down, authorization, rows.answer('K08', 'down from the start'), 'down');
  t.equal(asked, 1, 'asked once for both');

  const slow = await start();
  answer = () => {};
  await expectBoth(t, slow, authorization, rows.answer('K08', 'slow'), 'slow');
  t.equal(asked, 2);

  const flooded = await start();
  answer = (response) => response.end(issuer.keySet);
  await expectBoth(t, flooded, authorization, 'pass', 'up');
  t.equal(asked, 3);
  for (let at = 0; at < 20; at++) {
    const token = await issuer.sign({}, { kid: `unknown ${at}` });
    t.equal((await flooded.graphql({ Authorization: `Bearer ${token}` })).status, 401);
  }
  t.equal(asked, 3, rows.answer('K08', 'a flood of unknown keys'));
  answer = (response) => response.writeHead(503).end();
  const other = { Authorization: `Bearer ${await issuer.sign({ jti: 'another' })}` };
  t.equal((await flooded.graphql(other)).status, 200, rows.answer('K08', 'down later'));

  const clock = { millis: 0 };
  let shown = 'old';
  const keys = new IssuerKeys({
    fetch: async () => shown,
    read: (text) => ({ text }),
    clock: () => clock.millis,
  });
  const old = await keys.current();
  if (old === null) throw new Error('no keys');
  shown = 'new';
  t.equal(await keys.newer(old), old);
  clock.millis += 30_000;
  t.same(await keys.newer(old), { text: 'new' }, rows.answer('K08', 'rotated'));
});

const BUDGET = `clients:
  apiKeys: { clients: { a: { class: all, keys: [key-of-client-a-0001] }, b: { class: all, keys: \
[key-of-client-b-0001] } } }
  classes: { all: { budget: { maximum: 100, restoreRate: 1 } } }
`;
const A = { 'X-Api-Key': 'key-of-client-a-0001' };
const B = { 'X-Api-Key': 'key-of-client-b-0001' };

/** What the answer of the GraphQL endpoint is in the words of the table. */
function result({ status, body, headers }: RawReply): string {
  const { errors, extensions } = JSON.parse(body);
  const complete =
    headers.has('retry-after') && extensions?.cost?.throttleStatus?.maximumAvailable === 100;
  return `${status} G:${errors?.[0]?.extensions?.code}${complete ? '' : ' and incomplete'}`;
}

t.test('G14: a bucket that is empty', async (t) => {
  const endpoints = await startEndpoints(t, BUDGET);
  let reply = await endpoints.graphql(A);
  t.same(JSON.parse(reply.body).data, { order: { id: '1' } });
  while (reply.status === 200) reply = await endpoints.graphql(A);
  t.equal(result(reply), rows.answer('G14', 'GraphQL'));
  const heard = endpoints.backend.begun;
  const { requestedQueryCost } = JSON.parse(reply.body).extensions.cost;
  t.ok(
    heard * requestedQueryCost <= 101 && (heard + 1) * requestedQueryCost > 100,
    `${heard} of ${requestedQueryCost}`,
  );
  // What is left may be enough for one call of SOAP.
  await endpoints.soap(A);
  expectAnswer(t, await endpoints.soap(A), rows.answer('G14', 'SOAP'), '1.1', 'SOAP');
  t.match((await endpoints.soap(A)).headers.get('retry-after'), /^\d+$/);

  const other = await startEndpoints(t, BUDGET);
  for (let time = 0; time < 10; time++) t.equal((await other.soap(A)).status, 200);
  t.equal(result(await other.graphql(A)), rows.answer('G14', 'spent by the other endpoint'));
  t.equal((await other.graphql(B)).status, 200, 'another client');

  const third = await startEndpoints(t, BUDGET);
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? third.soap(A) : third.graphql(A))),
  );
  const passed = replies.filter(({ status }) => status === 200).length;
  t.ok(passed <= 11 && passed >= 5, `${rows.answer('G14', 'many at once')}: ${passed}`);
  t.equal(third.backend.begun, passed);
});

t.test('G15: what costs more than was thought', async (t) => {
  const backend = await useBackend(t, (message, response) => {
    const items = Array.from({ length: 100 }, (_, at) => `<orders><id>${at}</id></orders>`).join(
      '',
    );
    answerWith(envelope(`<ListOrdersResponse xmlns="urn:desk">${items}</ListOrdersResponse>`))(
      message,
      response,
    );
  });
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: ${backend.url}/desk
    namespace: urn:desk
    types: |
      type Query { orders: [Order!] }
      type Order { id: ID }
    operations:
      ListOrders: { field: Query.orders }
${BUDGET}`,
  );
  const ask = (headers: Record<string, string>): Promise<RawReply> => {
    const body = JSON.stringify({ query: '{ orders { id } }' });
    return sendRaw(gateway.url, post('/graphql', 'application/json', body, headers));
  };
  const first = JSON.parse((await ask(A)).body);
  t.equal(first.data.orders.length, 100);
  const { requestedQueryCost, actualQueryCost, throttleStatus } = first.extensions.cost;
  t.ok(
    actualQueryCost > 100 && requestedQueryCost < 50,
    `${requestedQueryCost} and ${actualQueryCost}`,
  );
  t.ok(throttleStatus.currentlyAvailable <= 101 - actualQueryCost, 'below zero, once');
  const denied = await ask(A);
  t.equal(denied.status, 429, rows.answer('G15', 'a list ten times as long'));
  t.ok(
    Number(denied.headers.get('retry-after')) >= requestedQueryCost,
    'until the debt is restored too',
  );
  t.equal((await ask(B)).status, 200);
  t.equal(backend.begun, 2);
  const metrics = await gateway.metrics();
  t.match(
    metrics,
    `soapstone_budget_points_total{class="all",outcome="spent"} ${2 * actualQueryCost}`,
  );
});

t.test('O06: one floods, the others do not notice', async (t) => {
  const endpoints = await startEndpoints(t, BUDGET.replace('restoreRate: 1 ', 'restoreRate: 10 '));
  const startedMillis = performance.now();
  let over = false;
  let sent = 0;
  const flood = Array.from({ length: 20 }, async () => {
    while (!over) {
      sent++;
      await endpoints.soap(A);
    }
  });
  for (let time = 0; time < 10; time++) t.equal((await endpoints.soap(B)).status, 200);
  over = true;
  await Promise.all(flood);
  const seconds = (performance.now() - startedMillis) / 1000;
  const most = 10 + 10 + Math.ceil(seconds);
  t.ok(sent > 20);
  t.ok(
    endpoints.backend.begun <= most,
    `${rows.answer('O06', 'a flood beyond its budget')}: ${endpoints.backend.begun} of ${sent}`,
  );
});

t.test('O06: one holds a slow backend', async (t) => {
  const endpoints = await startEndpoints(
    t,
    BUDGET.replace(
      '{ all: { budget: { maximum: 100, restoreRate: 1 } } }',
      '{ all: { requestsAtOnce: 4 } }',
    ),
  );
  const { answer } = endpoints.backend;
  const { held, arrived } = holdAnswers(endpoints);
  const slow = [endpoints.soap(A), endpoints.soap(A), endpoints.graphql(A), endpoints.soap(A)];
  await arrived(4);
  const fault = await endpoints.soap(A);
  expectAnswer(t, fault, 'F:Client/RATE_LIMITED', '1.1', 'the fifth');
  t.equal(fault.headers.get('retry-after'), '1');
  t.equal((await endpoints.graphql(A)).status, 429);
  const other = endpoints.soap(B);
  await arrived(5);
  t.equal(endpoints.backend.begun, 5, rows.answer('O06', 'slow calls of one client'));
  endpoints.backend.answer = answer;
  for (const release of held) release();
  for (const reply of await Promise.all([...slow, other])) t.equal(reply.status, 200);
  t.equal((await endpoints.soap(A)).status, 200, 'when they are over there is room again');
  endpoints.backend.answer = (message, response) => held.push(() => answer(message, response));
  for (let time = 0; time < 8; time++) {
    const leaving = await RawClient.connect(endpoints.gateway.url);
    const before = held.length;
    await leaving.send(post('/soap/desk', 'text/xml', call('GetOrder'), A));
    await arrived(before + 1);
    leaving.close();
    await endpoints.gateway.accessLine(
      endpoints.gateway.logLines().filter((line) => line['msg'] === 'request').length + 1,
    );
  }
  t.pass('who leaves gives its place back');
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
