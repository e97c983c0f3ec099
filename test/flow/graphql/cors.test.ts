import t, { type Test } from 'tap';
import WebSocket from 'ws';
import { answerWith } from '../../kit/backend.js';
import { missingBrowser, startBrowser } from '../../kit/browser.js';
import { envelope } from '../../kit/envelope.js';
import type { TestGateway } from '../../kit/gateway.js';
import { sendRaw } from '../../kit/raw-client.js';
import { startSite } from '../../kit/site.js';
import { useBackend, useGateway } from '../../kit/use.js';

const SHOP = 'https://shop.example';
const KEY = 'key-of-the-shop-00001';
const SERVICES = `services:
  orders:
    url: http://127.0.0.1:9/orders
    namespace: urn:orders
    callerHeaders: [X-Tenant]
    types: "type Query { stock(sku: String): Int }"
    operations: { GetStock: { field: Query.stock } }
`;
const CLIENTS = `clients:
  apiKeys: { clients: { shop: { class: web, keys: [${KEY}] } } }
  classes: { web: { budget: { maximum: 10, restoreRate: 1 } } }
`;
const CORS =
  `graphql: { cors: { origins: ["${SHOP}", "https://Other.Example:443"], credentials: ` +
  'true, maxAgeMillis: 600000 } }\n';

async function start(t: Test, more: string, services = SERVICES): Promise<TestGateway> {
  return useGateway(t, services + more);
}

const preflight = (
  gateway: TestGateway,
  origin: string,
  fields: Record<string, string> = {},
): Promise<Response> =>
  ask(gateway, 'OPTIONS', {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,x-evil',
    ...fields,
  });

/** By hand, because fetch keeps some of these header fields to itself. */
async function ask(
  gateway: TestGateway,
  method: string,
  fields: Record<string, string>,
  { path = '/graphql', body = '' } = {},
): Promise<Response> {
  const head = Object.entries({
    host: 'gateway.test',
    'content-length': String(body.length),
    ...fields,
  });
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const reply = await sendRaw(
    gateway.url,
    `${method} ${path} HTTP/1.1\r\n${lines}connection: close\r\n\r\n${body}`,
  );
  const headers = new Headers([...reply.headers]);
  return new Response(reply.status === 204 ? null : reply.body, { status: reply.status, headers });
}

const query = (gateway: TestGateway, fields: Record<string, string>): Promise<Response> =>
  ask(
    gateway,
    'POST',
    { 'content-type': 'application/json', ...fields },
    { body: '{"query":"{ __typename }"}' },
  );

t.test(
  'a preflight of a listed origin is answered without credentials, cost and charge',
  async (t) => {
    const gateway = await start(t, CLIENTS + CORS);
    for (let time = 0; time < 20; time++) {
      const { status, headers } = await preflight(gateway, SHOP);
      t.equal(status, 204);
      t.equal(headers.get('access-control-allow-origin'), SHOP);
      t.equal(headers.get('access-control-allow-credentials'), 'true');
      t.equal(headers.get('access-control-allow-methods'), 'GET, POST');
      t.equal(headers.get('access-control-max-age'), '600');
      t.equal(headers.get('vary'), 'origin');
      t.equal(headers.get('content-length'), null, 'RFC 9110 section 8.6');
      const names = headers.get('access-control-allow-headers')?.split(', ') ?? [];
      for (const name of [
        'content-type',
        'authorization',
        'x-api-key',
        'x-tenant',
        'traceparent',
        'last-event-id',
      ]) {
        t.ok(names.includes(name), name);
      }
      t.notOk(names.includes('x-evil'), 'names are not echoed');
    }
    const line = await gateway.accessLine();
    t.match(line, { status: 204, operation: 'preflight' });
    t.equal(
      (await query(gateway, { origin: SHOP, 'x-api-key': KEY })).status,
      200,
      'the whole budget is there',
    );
  },
);

t.test('answers and refusals name the origin, and the header field a page may read', async (t) => {
  const gateway = await start(t, CLIENTS + CORS);
  for (const [key, status] of [
    [KEY, 200],
    ['key-of-another-000001', 401],
  ] as const) {
    const answer = await query(gateway, { origin: SHOP, 'x-api-key': key });
    t.equal(answer.status, status);
    t.equal(answer.headers.get('access-control-allow-origin'), SHOP);
    t.equal(answer.headers.get('access-control-expose-headers'), 'x-request-id');
    t.match(answer.headers.get('vary'), /origin/);
  }
  const other = await query(gateway, { origin: 'https://other.example', 'x-api-key': KEY });
  t.equal(
    other.headers.get('access-control-allow-origin'),
    'https://other.example',
    'as browsers write it',
  );
  const events = await query(gateway, {
    origin: SHOP,
    'x-api-key': KEY,
    accept: 'text/event-stream',
  });
  t.equal(events.headers.get('access-control-allow-origin'), SHOP);
  t.match(events.headers.get('content-type'), /event-stream/);
});

t.test('other origins get no field that allows anything', async (t) => {
  const gateway = await start(t, CORS);
  for (const origin of [
    'https://evil.example',
    `${SHOP}.evil.example`,
    'http://shop.example',
    `${SHOP}:8443`,
    'null',
  ]) {
    const [before, answer] = [await preflight(gateway, origin), await query(gateway, { origin })];
    t.equal(before.status, 204, origin);
    for (const { headers } of [before, answer]) {
      const names = [...headers.keys()].filter((name) => name.startsWith('access-control'));
      t.same(names, [], origin);
      t.match(headers.get('vary'), /origin/);
    }
  }
  const plain = await ask(gateway, 'OPTIONS', { origin: SHOP });
  t.equal(plain.status, 405, 'no preflight');
  const soap = await ask(
    gateway,
    'OPTIONS',
    { origin: SHOP, 'access-control-request-method': 'POST' },
    { path: '/soap/orders' },
  );
  t.equal(soap.status, 405, 'GraphQL only');
  t.equal(soap.headers.get('access-control-allow-origin'), null);
});

t.test('a GET of a listed page needs no preflight, and its WebSocket opens', async (t) => {
  const gateway = await start(t, CORS);
  const get = (origin: string): Promise<Response> =>
    ask(
      gateway,
      'GET',
      { origin, 'sec-fetch-site': 'cross-site', accept: 'text/event-stream' },
      { path: '/graphql?query=%7B__typename%7D' },
    );
  t.match(await (await get(SHOP)).text(), /"data":\{"__typename":"Query"\}/);
  t.match(await (await get('https://evil.example')).text(), /CSRF_PREVENTED/);
  const opens = (origin: string): Promise<boolean> =>
    new Promise((resolve) => {
      const url = `${gateway.url.replace('http', 'ws')}/graphql`;
      const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { origin } });
      socket.once('open', () => resolve(true)).once('error', () => resolve(false));
      t.teardown(() => socket.terminate());
    });
  t.equal(await opens(SHOP), true);
  t.equal(await opens('https://evil.example'), false);
});

t.test('every origin may read answers without credentials, if `*` says so', async (t) => {
  const gateway = await start(t, 'graphql: { cors: { origins: ["*"] } }\n');
  const { headers } = await preflight(gateway, 'https://any.example');
  t.equal(headers.get('access-control-allow-origin'), '*');
  t.equal(headers.get('access-control-allow-credentials'), null);
  t.equal(headers.get('vary'), null);
});

t.test('without `cors` nothing changes', async (t) => {
  const gateway = await start(t, '');
  t.equal((await preflight(gateway, SHOP)).status, 405);
  const answer = await query(gateway, { origin: SHOP });
  t.same(
    [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  );
});

t.test('a browser on pages of other origins', { skip: missingBrowser() }, async (t) => {
  const [shop, evil] = [await startSite(t), await startSite(t)];
  const reply =
    '<r:GetStockResponse xmlns:r="urn:orders"><r:stock>7</r:stock></r:GetStockResponse>';
  const backend = await useBackend(t, answerWith(envelope(reply)));
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const services =
    `${SERVICES.replace('http://127.0.0.1:9/orders', backend.url)}subscriptions: { polled: ` +
    '{ poll: { operation: orders.GetStock, everyMillis: 1000 } } }\n';
  const cors = (credentials: boolean): string =>
    `graphql: { cors: { origins: ["${shop}"], credentials: ${credentials} } }\n`;
  const [strict, open] = [
    await start(t, CLIENTS + cors(false), services),
    await start(t, cors(true), services),
  ];
  const key = `'x-api-key': '${KEY}'`;
  /** What a page gets of a request: its status and body, or `blocked`. */
  const fetched = (gateway: TestGateway, options: string): string =>
    `fetch('${gateway.url}/graphql', ${options}).then(async (answer) => answer.status + ' ' + ` +
    "await answer.text(), () => 'blocked')";
  const query = (headers: string, credentials: string): string =>
    `{ method: 'POST', credentials: '${credentials}', headers: { 'content-type': ` +
    `'application/json', ${headers} }, body: '{"query":"{ stock(sku: \\\\"a\\\\") }"}' }`;
  const socket = (gateway: TestGateway): string =>
    'new Promise((resolve) => { const socket = new ' +
    `WebSocket('${gateway.url.replace('http', 'ws')}/graphql', 'graphql-transport-ws'); ` +
    "socket.onopen = () => resolve('open'); socket.onerror = () => resolve('blocked'); })";
  const events = (gateway: TestGateway): string =>
    'new Promise((resolve) => { const source = new ' +
    `EventSource('${gateway.url}/graphql?query=' + encodeURIComponent('subscription { ` +
    `polled(sku: "a") }')); source.addEventListener('next', (event) => { source.close(); ` +
    'resolve(event.data); }); source.onerror = () => { source.close(); ' +
    "resolve('blocked'); }; })";

  const page = await browser.open(shop);
  await page.until('document.title === "shop"');
  t.match(
    await page.evaluate(fetched(strict, query(key, 'omit'))),
    /^200 .*"stock":7/,
    'with a key',
  );
  t.match(
    await page.evaluate(fetched(strict, query('', 'omit'))),
    /^401 .*UNAUTHENTICATED/,
    'a refusal can be read',
  );
  t.equal(
    await page.evaluate(fetched(strict, query(key, 'include'))),
    'blocked',
    'with credentials, which are not allowed',
  );
  t.match(
    await page.evaluate(fetched(open, query('', 'include'))),
    /^200 .*"stock":7/,
    'where they are',
  );
  t.equal(
    await page.evaluate(fetched(open, query("'x-evil': '1'", 'omit'))),
    'blocked',
    'a header field that is not listed',
  );
  t.equal(await page.evaluate(socket(open)), 'open');
  t.match(await page.evaluate(events(open)), '"polled":7', 'events');

  const heard = backend.begun;
  const stranger = await browser.open(evil);
  await stranger.until('document.title === "shop"');
  for (const [gateway, headers] of [
    [strict, key],
    [open, ''],
  ] as const) {
    for (const credentials of ['omit', 'include'])
      t.equal(
        await stranger.evaluate(fetched(gateway, query(headers, credentials))),
        'blocked',
        credentials,
      );
    // Without a preflight, as a form could send it: the page reads nothing, and the gateway does
    // nothing.
    const simple = `{ method: 'POST', mode: 'no-cors', body: '{"query":"{ stock }"}' }`;
    t.match(await stranger.evaluate(fetched(gateway, simple)), /^0 $|blocked/);
    t.equal(await stranger.evaluate(socket(gateway)), 'blocked', 'a WebSocket');
    t.equal(await stranger.evaluate(events(gateway)), 'blocked', 'events');
  }
  t.equal(backend.begun, heard, 'the backend hears of none');
});
