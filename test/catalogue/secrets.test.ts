import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { hashPassword } from '../../src/access/passwords/password-hash.js';
import { Log } from '../../src/observe/log/log.js';
import { answerWith } from '../kit/backend.js';
import { areAnswering, childrenOf, startProcess } from '../kit/gateway-process.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';
import { Rows } from './rows.js';

const rows = new Rows('secrets');

const FOUND = /canary|Y2FuYXJ5|jYW5hcn|Y2FuYX/i;
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';

const envelope = (
  header = '',
  body = '<m:GetOrder xmlns:m="urn:desk"><m:id>1</m:id></m:GetOrder>',
): string =>
  `<E:Envelope xmlns:E="${SOAP}"><E:Header>${header}</E:Header><E:Body>` +
  `${body}</E:Body></E:Envelope>`;

/** A gateway whose backend cannot be reached. */
async function start(t: Test, more = '') {
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: http://127.0.0.1:9/desk
    namespace: urn:desk
    auth: { basic: { username: web, password: canary-backend } }
    headers: { x-system: canary-field }
    types: |
      type Query { order(id: ID): ID }
    operations: { GetOrder: { field: Query.order } }
${more}`,
  );
  return {
    gateway,
    soap: (headers: Record<string, string>, message = envelope()): Promise<RawReply> =>
      sendRaw(gateway.url, post('/soap/desk', 'text/xml', message, headers)),
    graphql: (
      headers: Record<string, string>,
      body: unknown = { query: '{ order(id: 1) }' },
    ): Promise<RawReply> =>
      sendRaw(gateway.url, post('/graphql', 'application/json', JSON.stringify(body), headers)),
    get: (url: string, path: string): Promise<RawReply> =>
      sendRaw(url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
  };
}

t.test('K01: secrets of callers and of the configuration', async (t) => {
  const hash = await hashPassword('canary-password');
  const spans = await useBackend(t, answerWith('{}', 'application/json'));
  const audit = join(t.testdir({}), 'audit.log');
  const { gateway, soap, graphql, get } = await start(
    t,
    `traces: { otlp: "${spans.url}/v1/traces", sample: 1, headers: { authorization: \
canary-collector } }
audit: { file: "${audit}" }
admin: { address: "127.0.0.1:0", bearer: { tokens: [canary-admin-0123456789, \
other-token-0123456789] } }
redis: { url: "redis://127.0.0.1:9", username: web, password: canary-redis, secret: \
canary-secret-0123456789-0123456789 }
clients:
  apiKeys: { clients: { erp: { class: all, keys: [canary-key-0123456789] } } }
  basic: { users: { erp: { class: all, password: "${hash}" } } }
  introspection: { url: "http://127.0.0.1:9/introspect", clientId: web, clientSecret: \
canary-client, class: all }
  address: { class: all }
  classes: { all: {} }
`,
  );
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
  const wsse =
    `<w:Security xmlns:w="${WSSE}"><w:UsernameToken><w:Username>canary-user</w:Username>` +
    '<w:Password>canary-wsse</w:Password><w:Nonce>Y2FuYXJ5LW5vbmNl</w:Nonce>' +
    '</w:UsernameToken></w:Security>';
  const credentials: Record<string, string>[] = [
    {},
    { Authorization: basic('erp:canary-password') },
    { Authorization: basic('erp:canary-wrong') },
    { Authorization: basic('canary-unknown:x') },
    { Authorization: 'Basic canary' },
    { Authorization: 'Bearer canary-opaque' },
    { Authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJjYW5hcnkifQ.canary' },
    { Authorization: 'Bearer canary canary' },
    { Authorization: 'Digest username="canary"' },
    { Authorization: 'Negotiate Y2FuYXJ5' },
    { 'X-Api-Key': 'canary-key-0123456789' },
    { 'X-Api-Key': 'canary-key-wrong-0123456789' },
    { Cookie: 'session=canary-cookie' },
    { 'Proxy-Authorization': 'Basic Y2FuYXJ5' },
  ];
  for (const headers of credentials) {
    for (const reply of [
      await soap(headers, envelope(wsse)),
      await soap(headers, envelope(wsse).replace('</E:Body>', '')),
      await graphql(headers),
      await graphql(headers, { query: '{ order(id: "canary-argument") { nothing } }' }),
    ])
      t.notMatch(`${[...reply.headers]}${reply.body}`, FOUND, JSON.stringify(headers));
  }
  t.equal((await get(gateway.adminUrl, '/metrics')).status, 401);
  await sendRaw(
    gateway.adminUrl,
    'GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer canary-wrong\r\n\r\n',
  );
  const metrics = await sendRaw(
    gateway.adminUrl,
    'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
      'Authorization: Bearer other-token-0123456789\r\n\r\n',
  );
  t.match(metrics.body, 'soapstone_requests_total');
  await until(
    () => spans.complete.length > 0 && readFileSync(audit, 'utf8').includes('UNAUTHENTICATED'),
  );
  const page = await sendRaw(
    gateway.adminUrl,
    'GET /console/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
      'Authorization: Bearer other-token-0123456789\r\n\r\n',
  );
  t.equal(page.status, 200);
  for (const [name, text] of [
    ['credentials of callers', JSON.stringify(gateway.logLines())],
    ['secrets of the configuration', metrics.body],
    ['in spans', spans.complete.map(({ body }) => body.toString()).join()],
    ['in the record of decisions', readFileSync(audit, 'utf8')],
    ['on the page of operators', page.body],
  ] as const) {
    t.ok(text.length > 100, name);
    t.notMatch(text, FOUND, rows.answer('K01', name));
  }
});

t.test('K02, K03: what reaches the log', async (t) => {
  const lines: string[] = [];
  const log = new Log('debug', { write: (line: string) => lines.push(line) });
  const hostile = 'a\r\n{"level":"error"}\u001b[31m\u2028\u2029\u0085\u007f\0b';
  log.event('warn', 'an event', { found: hostile });
  const [first = ''] = lines;
  const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
  t.equal(lines.length, 1);
  t.notMatch(first.replace(/\n$/, ''), CONTROLS, rows.answer('K02', 'an event'));
  t.equal(JSON.parse(first).found, hostile);

  const { gateway, graphql, soap } = await start(t);
  await graphql({}, { query: 'query A { order(id: 1) }', operationName: hostile });
  await soap({ SOAPAction: '"urn:\u001b[31m\u0085"' });
  const requests = gateway.logLines().filter(({ msg }) => msg === 'request');
  t.equal(requests.length, 2);
  for (const line of requests)
    t.ok(JSON.stringify(line).length < 1000, rows.answer('K02', 'a request'));
  const long = 'x'.repeat(1_000_000);
  await graphql({}, { query: 'query A { order(id: 1) }', operationName: long });
  const named = {
    'apollographql-client-name': long.slice(0, 7000),
    'apollographql-client-version': long.slice(0, 7000),
  };
  await graphql(named);
  await soap({ 'User-Agent': long.slice(0, 15_000) });
  for (const [count, name] of [
    [3, 'a long operationName'],
    [4, 'a long name and version of a client'],
    [5, 'a User-Agent within the limit'],
  ] as const) {
    const line = await gateway.accessLine(count);
    for (const [field, value] of Object.entries(line))
      t.ok(
        typeof value !== 'string' || value.length <= 256,
        `${field}: ${rows.answer('K03', name)}`,
      );
  }
  log.event('warn', 'an event', { found: long, records: [long] });
  t.equal(rows.answer('K03', 'a field of an event'), 'cut to 256');
  t.match(JSON.parse(lines[1] ?? ''), { found: long.slice(0, 256), records: [long.slice(0, 256)] });
  t.equal(JSON.parse(lines[1] ?? '').found.length, 256);
  t.equal(
    `H${(await graphql({ 'User-Agent': 'x'.repeat(100_000) })).status}`,
    rows.answer('K03', 'a long User-Agent'),
  );
});

t.test('K09, K10, K11: what addresses give away', async (t) => {
  const { gateway, get, soap, graphql } = await start(t);
  for (const path of [
    '/debug',
    '/debug/pprof/heap',
    '/heapdump',
    '/json/list',
    '/.env',
    '/actuator/env',
    '/config',
  ]) {
    t.equal(
      (await get(gateway.url, path)).status,
      404,
      rows.answer('K09', 'addresses of debuggers'),
    );
    t.equal((await get(gateway.adminUrl, path)).status, 404, path);
  }
  const replies = [
    await get(gateway.url, '/'),
    await get(gateway.url, '/absent'),
    await get(gateway.adminUrl, '/absent'),
    await get(gateway.adminUrl, '/ready'),
    await sendRaw(gateway.url, 'nonsense\r\n\r\n'),
    await soap({}),
    await soap({}, '<a'),
    await graphql({}),
    await graphql({}, {}),
  ];
  for (const reply of replies) {
    for (const name of ['server', 'x-powered-by', 'via']) t.notOk(reply.headers.has(name), name);
    t.notMatch(
      reply.body,
      /node|v\d+\.\d+\.\d+|127\.0\.0\.1:9/i,
      rows.answer('K10', 'answers of every kind'),
    );
  }
  for (const [name, path] of [
    ['ready and live', '/live'],
    ['a backend that fails', '/ready'],
  ] as const)
    t.equal((await get(gateway.adminUrl, path)).body, `${rows.answer('K11', name)}\n`);
});

t.test('K09: the signal that opens a debugger', async (t) => {
  const services = 'services: { desk: { url: "http://127.0.0.1:9/desk" } }\n';
  for (const workers of [1, 2]) {
    const gateway = await startProcess(t, `${services}workers: ${workers}\n`);
    const { child, lines } = gateway;
    // Until a process has begun, the signal is Node's.
    if (workers > 1) await areAnswering(gateway, workers);
    const pids = [child.pid ?? 0, ...childrenOf(child)];
    t.equal(pids.length, workers === 1 ? 1 : 3);
    for (const pid of pids) process.kill(pid, 'SIGUSR1');
    await until(
      () =>
        lines.filter(({ msg }) => /SIGUSR1 is ignored/.test(String(msg))).length === pids.length,
    );
    const listening = readFileSync(`/proc/${child.pid}/net/tcp`, 'latin1');
    t.notMatch(listening, / 0100007F:240D 00000000:0000 0A /, rows.answer('K09', 'SIGUSR1'));
  }
});

t.test('K12: trace contexts of callers', async (t) => {
  const spans = await useBackend(t, answerWith('{}', 'application/json'));
  const backend = await useBackend(
    t,
    answerWith(envelope('', '<m:GetOrderResponse xmlns:m="urn:desk"/>')),
  );
  const good = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const wrong: readonly string[] = [
    'x',
    'x'.repeat(10_240),
    `${good}-more`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01-${'x'.repeat(512)}`,
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    good.toUpperCase(),
    `${good}, ${good}`,
    `${good}\r\ntraceparent: ${good}`,
  ];
  for (const traces of ['', `traces: { otlp: "${spans.url}/v1/traces", sample: 1 }\n`]) {
    const gateway = await useGateway(
      t,
      `services:
  desk:
    url: ${backend.url}/desk
    namespace: urn:desk
    types: |
      type Query { order(id: ID): ID }
    operations: { GetOrder: { field: Query.order } }
routes: [{ path: /files, url: "${backend.url}" }]
${traces}`,
    );
    const ways: readonly ((headers: Readonly<Record<string, string>>) => Promise<RawReply>)[] = [
      (headers) => sendRaw(gateway.url, post('/soap/desk', 'text/xml', envelope(), headers)),
      (headers) =>
        sendRaw(
          gateway.url,
          post('/graphql', 'application/json', '{"query":"{ order(id: 1) }"}', headers),
        ),
      (headers) => sendRaw(gateway.url, post('/files', 'text/plain', 'x', headers)),
    ];
    for (const send of ways) {
      const sent = async (headers: Readonly<Record<string, string>>) => {
        t.equal((await send(headers)).status, 200);
        const { headers: fields = {} } = backend.complete.at(-1) ?? {};
        t.equal(fields['baggage'], undefined, rows.answer('K12', 'baggage'));
        return fields;
      };
      const state = { tracestate: 'of=another', baggage: 'user=canary,role=admin' };
      for (const traceparent of wrong) {
        const fields = await sent({ traceparent, ...state });
        t.equal(fields['tracestate'], undefined);
        if (traces === '')
          t.equal(fields['traceparent'], undefined, rows.answer('K12', 'a context that is none'));
        else
          t.match(
            fields['traceparent'],
            /^00-(?!a{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/,
            'a new trace',
          );
      }
      const fields = await sent({ traceparent: good, ...state });
      t.match(
        fields['traceparent'],
        `00-${'a'.repeat(32)}-`,
        rows.answer('K12', 'a context that is one'),
      );
      t.equal(fields['tracestate'], 'of=another');
      t.equal(
        (await sent({ traceparent: good, tracestate: `a=${'x'.repeat(511)}` }))['tracestate'],
        undefined,
      );
      t.equal(rows.answer('K12', 'a tracestate of more than 512 B'), 'dropped');
    }
  }
  await until(() => spans.complete.length > 0);
  t.notMatch(
    spans.complete.map(({ body }) => body.toString()).join(),
    FOUND,
    'no baggage in spans',
  );
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
