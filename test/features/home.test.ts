import { resolve } from 'node:path';
import t from 'tap';

import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { sendRaw } from '../kit/raw-client.js';

/** The page `/` for callers: what they may use, and nothing that they may not know. */

const WSDL = resolve('config/demo/legacy.wsdl');
const SERVICES = `services:
  orders: { wsdl: ${WSDL}, url: "http://127.0.0.1:1/", rest: true }
  hidden: { url: "http://127.0.0.1:1/" }
mcp: { operations: [orders.GetOrder] }
routes: [{ path: /files, url: "http://127.0.0.1:1/" }]
`;
const CLIENTS = `clients:
  apiKeys: { header: x-api-key, clients: {
    all: { class: all, keys: [key-of-the-one-with-all-rights] },
    few: { class: few, keys: [key-of-the-one-with-few-rights] },
    none: { class: none, keys: [key-of-the-one-without-rights] } } }
  classes: { all: {}, few: { allow: [orders.ListOrders] }, none: { allow: [] } }
`;

const get = (gateway: TestGateway, key: string | null = null, method = 'GET'): Promise<Response> =>
  fetch(`${gateway.url}/`, { method, headers: key === null ? {} : { 'x-api-key': key } });

const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => href);

t.test('the page lists services, endpoints and documentation', async (t) => {
  const gateway = await startTestGateway(SERVICES);
  t.teardown(() => gateway.close());
  const response = await get(gateway);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  t.match(response.headers.get('content-security-policy'), /default-src 'none'/);
  t.match(response.headers.get('cache-control'), /no-store/);
  const html = await response.text();
  t.same(linksIn(html), [
    './soap/orders',
    './soap/orders?wsdl',
    './soap/hidden',
    './graphql',
    './rest/openapi.html',
    './rest/openapi.json',
    './files',
  ]);
  t.match(html, '<code>/mcp</code>');
  for (const path of ['/rest/openapi.json', '/soap/orders?wsdl', '/soap/orders']) {
    t.equal((await fetch(gateway.url + path)).status, 200, path);
  }
  const head = await get(gateway, null, 'HEAD');
  t.equal(head.headers.get('content-length'), String(Buffer.byteLength(html)));
  t.match(await gateway.accessLine(5), { route: 'home', operation: 'page', status: 200 });
});

t.test('a caller sees what it has rights to', async (t) => {
  const gateway = await startTestGateway(SERVICES + CLIENTS);
  t.teardown(() => gateway.close());
  const seen = async (key: string): Promise<string> => (await get(gateway, key)).text();
  t.match(linksIn(await seen('key-of-the-one-with-all-rights')), ['./soap/orders']);
  const few = await seen('key-of-the-one-with-few-rights');
  t.same(linksIn(few), [
    './soap/orders',
    './soap/orders?wsdl',
    './graphql',
    './rest/openapi.html',
    './rest/openapi.json',
  ]);
  t.notMatch(few, /hidden|mcp|files/);
  const none = await seen('key-of-the-one-without-rights');
  t.same(linksIn(none), []);
  t.match(none, 'There is nothing here that you may call.');
  t.equal((await get(gateway)).status, 401);
});

t.test('names are text in the page', async (t) => {
  const gateway = await startTestGateway(
    `services: { a: { url: "http://127.0.0.1:1/", path: '/x"y&amp;<b>' } }`,
  );
  t.teardown(() => gateway.close());
  t.notMatch(await (await get(gateway)).text(), '<b>');
});

t.test('`home: false` takes the page away, and a route of its path comes before it', async (t) => {
  const without = await startTestGateway(`home: false\n${SERVICES}`);
  t.teardown(() => without.close());
  t.equal((await get(without)).status, 404);
  const routed = await startTestGateway(
    'services: { a: { url: "http://127.0.0.1:1/" } }\n' +
      'routes: [{ path: /, url: "http://127.0.0.1:1/" }]\n',
  );
  t.teardown(() => routed.close());
  t.equal((await get(routed)).status, 502, 'the backend of the route does not answer');
});

t.test('a request for another host is refused once the gateway has a name', async (t) => {
  const gateway = await startTestGateway(`publicUrl: https://api.example\n${SERVICES}`);
  t.teardown(() => gateway.close());
  t.equal((await get(gateway)).status, 200, 'the name of the listener');
  const rebound = await sendRaw(gateway.url, 'GET / HTTP/1.1\r\nHost: other.example\r\n\r\n');
  t.equal(rebound.status, 421);
});
