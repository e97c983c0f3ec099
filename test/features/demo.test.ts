import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { startDemoBackend } from '../../config/demo/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';

/** The demonstration, which `npm start` runs: each capability that it shows. */

async function startDemo(t: Test): Promise<TestGateway> {
  const folder = t.testdir();
  cpSync('config/demo', join(folder, 'demo'), { recursive: true });
  const backend = await startDemoBackend('127.0.0.1', 0);
  t.teardown(() => backend.close());
  const yaml = readFileSync('config/soapstone.yaml', 'utf8')
    .replaceAll('127.0.0.1:8081', new URL(backend.url).host)
    .replace(/^(?:listen|admin|demo): .*\n/gm, '');
  const gateway = await startTestGateway(yaml, folder);
  t.teardown(() => gateway.close());
  return gateway;
}

const PARTNER = { 'x-api-key': 'demo-key-of-the-shop' };
const OFFICE = { 'x-api-key': 'demo-key-of-the-office' };

async function query(
  { url }: TestGateway,
  text: string,
  headers: Record<string, string> = {},
): Promise<{ data: Record<string, Record<string, unknown>> }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: text }),
  });
  return JSON.parse(await response.text());
}

t.test('REST and tools of agents beside SOAP and GraphQL', async (t) => {
  const gateway = await startDemo(t);
  t.equal((await fetch(`${gateway.url}/rest/openapi.json`)).status, 200);
  const order = await fetch(`${gateway.url}/rest/orders/GetOrder?id=7&fields=status`);
  t.same(await order.json(), { status: 'SHIPPED' });
  const tool = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'order', arguments: { id: 7, fields: 'status' } },
    }),
  });
  t.match(await tool.json(), { result: { structuredContent: { status: 'SHIPPED' } } });
});

t.test('a list in pages, a mask by class, and two API keys', async (t) => {
  const gateway = await startDemo(t);
  const text = '{ documents(first: 2) { nodes { id owner } pageInfo { hasNextPage } } }';
  t.match(await query(gateway, text, OFFICE), {
    data: { documents: { nodes: [{ id: 1, owner: 'bo@desk.example' }, { id: 2 }] } },
    errors: undefined,
  });
  for (const headers of [{}, PARTNER])
    t.match(await query(gateway, text, headers), {
      data: { documents: { nodes: [{ owner: /^\*+mple$/ }, {}], pageInfo: { hasNextPage: true } } },
    });
  t.match(await query(gateway, text, { 'x-api-key': 'demo-key-of-another' }), {
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  });
});

t.test('a file goes up and comes down', async (t) => {
  const gateway = await startDemo(t);
  const form = new FormData();
  const text =
    'mutation ($file: Base64!) { storeDocument(title: "a", content: $file) { id bytes } }';
  form.set('operations', JSON.stringify({ query: text, variables: { file: null } }));
  form.set('map', '{"0":["variables.file"]}');
  form.set('0', new Blob(['content of a file']), 'a.txt');
  const stored = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'graphql-require-preflight': '1' },
    body: form,
  });
  const { data } = JSON.parse(await stored.text());
  t.match(data, { storeDocument: { id: Number, bytes: 17 } });
  const asked = await query(gateway, `{ document(id: ${data.storeDocument.id}) { content @url } }`);
  const downloaded = await fetch(`${gateway.url}${asked.data['document']?.['content']}`);
  t.equal(await downloaded.text(), 'content of a file');
});

t.test('an order that is placed twice under one key is placed once', async (t) => {
  const gateway = await startDemo(t);
  const text =
    'mutation { placeOrder(order: { customerCode: "C001", lines: [{ no: 1, sku: "KN-7", ' +
    'quantity: 1, price: "1.00" }] }) { orderId } }';
  const place = async (key: string): Promise<string> =>
    JSON.stringify((await query(gateway, text, { 'idempotency-key': key })).data);
  const first = await place('one');
  t.match(first, /"orderId":\d+/);
  t.equal(await place('one'), first);
  t.not(await place('two'), first);
});

t.test('signed messages alone reach the approvals', async (t) => {
  const { url } = await startDemo(t);
  const signed = readFileSync('config/demo/signed-call.xml', 'utf8');
  const post = async (body: string): Promise<string> => {
    const headers = { 'content-type': 'text/xml' };
    return (await fetch(`${url}/soap/approvals`, { method: 'POST', headers, body })).text();
  };
  t.match(await post(signed), '<a:approved>true</a:approved>');
  t.match(await post(signed.replace('<id>7<', '<id>8<')), 'wsse:');
  t.match(await post(signed.replace(/<wsse:Security.*<\/wsse:Security>/s, '')), 'wsse:');
});

t.test('the backend fails when it is asked to', async (t) => {
  const gateway = await startDemo(t);
  for (const [failure, code] of [
    ['unavailable', 'UPSTREAM_OVERLOADED'],
    ['reset', 'UPSTREAM_RESET'],
    ['html', 'UPSTREAM_INVALID_RESPONSE'],
    ['fault', 'SOAP_FAULT'],
  ]) {
    t.match(await query(gateway, `mutation { failNext(failure: ${failure}, calls: 1) }`), {
      data: { failNext: 1 },
    });
    t.match(await query(gateway, '{ order(id: 7) { id } }'), {
      errors: [{ extensions: { code } }],
    });
    t.match(await query(gateway, '{ order(id: 7) { id } }'), { data: { order: { id: 7 } } });
  }
});

t.test('an event for each order that is placed', async (t) => {
  const gateway = await startDemo(t);
  const abort = new AbortController();
  t.teardown(() => abort.abort());
  const events = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { orderPlaced { note } }' }),
    signal: abort.signal,
  });
  t.equal(events.status, 200);
  await query(
    gateway,
    'mutation { placeOrder(order: { customerCode: "C001", note: "by hand", lines: [] }) ' +
      '{ orderId } }',
  );
  let text = '';
  for await (const chunk of events.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('by hand')) break;
  }
  t.match(text, '"note":"by hand"');
});
