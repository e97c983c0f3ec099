import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { envelope } from '../kit/envelope.js';
import { startTestGateway } from '../kit/gateway.js';
import { listen } from '../kit/listen.js';
import { post, RawClient, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MISSING } from '../redis/kit.js';
import { expectAnswer } from './expect.js';
import {
  crashes,
  deepInput,
  reloads,
  signals,
  subscriptions,
  uploads,
} from './lifecycle-process.js';
import { resumption } from './resumption-process.js';
import { Rows } from './rows.js';

const rows = new Rows('lifecycle');

const CALL = envelope('<m:GetOrder xmlns:m="urn:desk"/>');

/** A gateway with a backend that answers when it is told to. */
async function start(t: Test, more = '') {
  const held: (() => void)[] = [];
  const backend = await useBackend(t, (_message, response) => {
    held.push(() =>
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(envelope('<GetOrderResponse xmlns="urn:desk"/>')),
    );
  });
  const gateway = await startTestGateway(
    `services: { desk: { url: "${backend.url}/desk" } }\n${more}`,
  );
  /** Sends a call, and resolves when the backend has it. */
  const begin = async (): Promise<RawClient> => {
    const client = await RawClient.connect(gateway.url);
    const { length } = held;
    await client.send(post('/soap/desk', 'text/xml', CALL));
    await until(() => held.length > length);
    return client;
  };
  const release = (): void => {
    for (const answer of held.splice(0)) answer();
  };
  return { gateway, begin, release, held };
}

t.test('L01, L02: a drain under load', async (t) => {
  const { gateway, begin, release, held } = await start(t);
  const [first, kept] = [await begin(), await begin()];
  const drained = gateway.drain();
  const ready = await sendRaw(
    gateway.adminUrl,
    'GET /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  t.equal(String(ready.status), rows.answer('L01', 'readiness'));
  await kept.send(post('/soap/desk', 'text/xml', CALL));
  release();
  const reply = await first.reply();
  t.match(
    [reply.status, reply.headers.get('connection')],
    [200, 'close'],
    rows.answer('L01', 'a request in flight'),
  );
  t.equal((await kept.reply()).status, 200, rows.answer('L02', 'a request on a kept connection'));
  const answering = setInterval(release, 5);
  t.equal(await drained, 0, 'none is cut');
  await t.rejects(RawClient.connect(gateway.url), rows.answer('L01', 'a new connection after it'));
  clearInterval(answering);
  t.same(held, []);
});

t.test('L06: a drain that takes too long', async (t) => {
  const { gateway, begin } = await start(t, 'limits: { http: { drainMillis: 200 } }\n');
  const client = await begin();
  t.equal(await gateway.drain(), 1, rows.answer('L06', 'a request that does not end'));
  t.ok((await client.reply()).isCut);
});

t.test('L07, L09, L10, L11: reloads', async (t) => {
  const { gateway, begin, release } = await start(t);
  t.teardown(() => gateway.close());
  const client = await begin();
  await gateway.reload((yaml) => yaml.replace('desk: {', 'desk: { path: /soap/other,'));
  t.equal(gateway.generations(), 2);
  release();
  t.equal((await client.reply()).status, 200, rows.answer('L07', 'a request in flight'));
  t.equal(rows.answer('L11', 'a request in flight'), '200');
  const gone = await sendRaw(gateway.url, post('/soap/desk', 'text/xml', CALL));
  t.equal(String(gone.status), rows.answer('L11', 'the next request'));
  client.close();

  await gateway.reload((yaml) => `${yaml}limits: { xml: { depth: 4 } }\n`);
  const deep = envelope('<a><b><c><d/></c></b></a>');
  const refused = await sendRaw(gateway.url, post('/soap/desk', 'text/xml', deep));
  expectAnswer(t, refused, rows.answer('L09', 'a lower depth'), '1.1', 'L09');

  await Promise.all(Array.from({ length: 100 }, () => gateway.reload()));
  await until(() => gateway.generations() === 1);
  t.pass(rows.answer('L10', '100 reloads'));
});

t.test('L08: reloads of a broken configuration', async (t) => {
  const { gateway } = await start(t);
  t.teardown(() => gateway.close());
  const before = gateway.compiled();
  for (const [name, edit] of [
    ['syntax', () => 'services: ['],
    [
      'a WSDL that is missing',
      (yaml: string) => yaml.replace('desk: {', 'desk: { wsdl: absent.wsdl,'),
    ],
  ] as const)
    await t.rejects(
      gateway.reload(edit),
      ConfigurationError,
      `${name}: ${rows.answer('L08', name)}`,
    );
  t.equal(gateway.compiled(), before);
});

t.test('L14: a start without others', async (t) => {
  const services = 'services: { desk: { url: "http://127.0.0.1:9/desk" } }\n';
  const gateway = await useGateway(
    t,
    `${services}redis: { url: "redis://127.0.0.1:9", secret: 0123456789abcdef0123456789abcdef }\n`,
  );
  const ready = await sendRaw(
    gateway.adminUrl,
    'GET /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  t.equal(ready.status, 200, rows.answer('L14', 'no Redis, no backend'));
  const { port } = await listen(t, createServer());
  const hanging = await useGateway(
    t,
    `${services}redis: { url: "redis://127.0.0.1:${port}", secret: ` +
      '0123456789abcdef0123456789abcdef }\n',
  );
  const state = await sendRaw(
    hanging.adminUrl,
    'GET /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  );
  t.equal(state.status, 200, rows.answer('L14', 'a Redis that does not answer'));
  const call = await sendRaw(hanging.url, post('/soap/desk', 'text/xml', CALL));
  expectAnswer(t, call, rows.answer('L14', 'a call to a backend that is missing'), '1.1', 'L14');
  const broken = services.replace('desk: {', 'desk: { wsdl: absent.wsdl,');
  await t.rejects(startTestGateway(broken), ConfigurationError, rows.answer('L14', 'no WSDL'));
});

t.test('L03, L06: uploads at the end', (t) => uploads(t, rows));
t.test('L04: subscriptions at the end', (t) => subscriptions(t, rows));
const resumed = rows.answer('L04', 'events while a client of server-sent events comes again');
t.test(`L04: ${resumed}`, { skip: MISSING }, resumption);
t.test('L05: signals', (t) => signals(t, rows));
t.test('L08, L10: reloads of a process', (t) => reloads(t, rows));
t.test('L12, L13: crashes', (t) => crashes(t, rows));
t.test('L15: depth', (t) => deepInput(t, rows));

t.test('the part is complete', async (t) => rows.assertComplete(t));
