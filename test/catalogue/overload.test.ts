import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { parse } from 'graphql';
import t from 'tap';
import { Exchange } from '../../src/gateway/exchange.js';
import { AdmittedDocument, DocumentCache } from '../../src/graphql/admission/document-cache.js';
import { Metrics } from '../../src/observe/metrics/metrics.js';
import { envelope } from '../kit/envelope.js';
import { startTestGateway } from '../kit/gateway.js';
import { startProcess, terminate } from '../kit/gateway-process.js';
import { listen } from '../kit/listen.js';
import { holdAnswers } from '../kit/live-desk.js';
import { metricsText } from '../kit/metrics-text.js';
import { post, RawClient, type RawReply, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';
import { expectAnswer } from './expect.js';
import { contentTypeOf, replyOf, startPerimeter } from './messages.js';
import { startStallingBackend } from './overload-kit.js';
import { Rows } from './rows.js';

const rows = new Rows('overload');
const TYPE = contentTypeOf('1.1');
const DEMO = resolve('config/demo/legacy.wsdl');
const MIB = 1024 * 1024;

/** An envelope of about so many bytes, in elements of a thousand each. */
const messageOf = (bytes: number): string =>
  envelope(`<m:Ping xmlns:m="urn:m">${`<i>${'x'.repeat(993)}</i>`.repeat(bytes / 1000)}</m:Ping>`);

t.test('O03: an event loop that comes too late to its work', async (t) => {
  const limits = 'limits: { overload: { eventLoopMillis: 60, recoverMillis: 30 } }\n';
  const { backend, gateway } = await startPerimeter(t, '', limits);
  const ask = (path: string): Promise<RawReply> =>
    sendRaw(gateway.url, post(path, TYPE, replyOf('1.1')));
  let reply = await ask('/soap/s11');
  t.equal(reply.status, 200);
  // Requests in progress, which the backend answers in the end.
  const { answer: good } = backend;
  const { held, arrived } = holdAnswers({ backend });
  const waiting = Array.from({ length: 20 }, () => ask('/soap/s11'));
  await arrived(20);
  backend.answer = good;
  /** The loop of the gateway is that of this test: it is held up until the gateway says so. */
  const refused = async (path: string): Promise<RawReply> => {
    for (;;) {
      const end = performance.now() + 200;
      while (performance.now() < end);
      backend.complete.length = 0;
      const answered = await ask(path);
      if (answered.headers.has('retry-after')) return answered;
    }
  };
  reply = await refused('/soap/s11');
  expectAnswer(t, reply, rows.answer('O03', 'a SOAP request'), '1.1', 'SOAP');
  t.equal(reply.headers.get('retry-after'), '1');
  t.equal(backend.complete.length, 0, 'the backend hears nothing of it');
  const other = await refused('/graphql');
  expectAnswer(t, other, rows.answer('O03', 'any other request'), '1.1', 'GraphQL');
  t.equal(other.headers.get('retry-after'), '1');
  t.match(await gateway.metrics(), /^soapstone_shedding 1$/m);
  for (const release of held) release();
  t.same(
    new Set((await Promise.all(waiting)).map(({ status }) => status)),
    new Set([200]),
    'those in progress are served',
  );
  const answer = rows.answer('O03', 'after the loop has recovered');
  await until(async () => {
    reply = await ask('/soap/s11');
    return reply.status === 200;
  });
  expectAnswer(t, reply, answer, '1.1', 'recovered');
});

t.test('O04: many long uploads at once', async (t) => {
  rows.answer(
    'O04',
    '200 uploads of 2 MiB to a backend that does not read, with a heap of 128 MiB',
  );
  const backend = await startStallingBackend(t, () => {});
  const { url, metric, child } = await startProcess(
    t,
    `services: { orders: { url: "${backend.url}/" } }\nlog: { level: error }\n` +
      'limits: { upstream: { connections: 256 }, http: { connectionsPerClient: ' +
      '1000 }, overload: { eventLoopMillis: 0 } }\n',
    { nodeOptions: ['--max-old-space-size=128'] },
  );
  await sendRaw(url, post('/soap/none', TYPE, messageOf(1000)));
  const resident = (): Promise<number> => metric('soapstone_process_resident_memory_bytes');
  const before = await resident();
  const bytes = post('/soap/orders', TYPE, messageOf(2 * MIB));
  const clients = await Promise.all(Array.from({ length: 200 }, () => RawClient.connect(url)));
  t.teardown(() => {
    for (const client of clients) client.close();
  });
  // Not all of it is taken: that is the point.
  for (const client of clients) void client.send(bytes);
  await backend.begun(200);
  const growths: number[] = [];
  await until(async () => growths.push((await resident()) - before) === 20);
  const growth = Math.max(...growths);
  t.comment(`${(growth / MIB).toFixed(0)} MiB more for 400 MiB offered`);
  // 110 to 132 on Node 20, 86 on 24.
  t.ok(growth < 160 * MIB, `${(growth / MIB).toFixed(0)} MiB`);
  t.equal(child.exitCode, null, 'the process lives');
  t.equal((await sendRaw(url, 'GET /none HTTP/1.1\r\nHost: a\r\n\r\n')).status, 404, 'and answers');
});

t.test('O05: both peers stall', async (t) => {
  const limits =
    'limits: { http: { stallMillis: 200, bodyGraceMillis: 200, idleMillis: 200 },' +
    ' upstream: { headersMillis: 300, idleMillis: 300, totalMillis: 1000 } }\n';
  const long = messageOf(4 * MIB);
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 100000000\r\n\r\n';
  const schedules: Readonly<
    Record<string, { readonly reply: string; readonly sends: number; readonly reads: boolean }>
  > = {
    'the backend does not read, the caller does not stop': { reply: '', sends: 1, reads: true },
    'the caller stops in the middle, the backend waits': { reply: '', sends: 0.5, reads: true },
    'the backend answers half, the caller reads': {
      reply: head + long.slice(0, 100_000),
      sends: 1,
      reads: true,
    },
    'the caller does not read, the backend does not stop': {
      reply: head + long,
      sends: 1,
      reads: false,
    },
    'neither reads what the other sends': { reply: head + long, sends: 0.5, reads: false },
  };
  for (const [name, { reply, sends, reads }] of Object.entries(schedules)) {
    rows.answer('O05', name);
    const backend = await startStallingBackend(t, (socket) => socket.write(reply));
    const gateway = await startTestGateway(
      `services: { a: { url: "${backend.url}/" } }\n${limits}`,
    );
    const request = post('/soap/a', TYPE, reply === '' ? long : messageOf(80_000));
    const clients = await Promise.all(
      Array.from({ length: 8 }, () => RawClient.connect(gateway.url)),
    );
    for (const client of clients) {
      if (!reads) client.socket.pause();
      void client.send(request.subarray(0, Math.ceil(request.length * sends)));
    }
    // One line for each request: none is stuck. Nothing is left at the backend either.
    await gateway.accessLine(clients.length);
    const outcomes = gateway
      .logLines()
      .flatMap(({ msg, outcome }) => (msg === 'request' ? [outcome] : []));
    t.notOk(outcomes.includes('ok'), `${name}: ${outcomes}`);
    await until(async () =>
      /^soapstone_upstream_calls_active\{[^}]*\} 0$/m.test(await gateway.metrics()),
    );
    t.pass(`${name}: every call has ended`);
    for (const client of clients) client.close();
    await gateway.close();
  }
});

t.test('O08: a log without a reader', async (t) => {
  const services =
    `services: { orders: { url: "http://127.0.0.1:1/", wsdl: "${DEMO}" } }\n` +
    'limits: { overload: { logBacklogBytes: 65536, eventLoopMillis: 0 } }\n';
  const fifo = join(t.testdir({}), 'log');
  t.equal(spawnSync('mkfifo', [fifo]).status, 0);
  const unread = openSync(fifo, constants.O_RDWR);
  const full = openSync('/dev/full', 'w');
  t.teardown(() => {
    closeSync(unread);
    closeSync(full);
  });
  for (const [name, log, exit] of [
    ['a pipe that is full', unread, 0],
    ['a disk that is full', full, 1],
    ['a socket whose other end does not read', 'unread', 0],
  ] as const) {
    rows.answer('O08', name);
    const { url, metric, child } = await startProcess(t, services, { log });
    let answered = 0;
    while ((await metric('soapstone_log_lines_dropped_total')) === 0) {
      const client = await RawClient.connect(url);
      for (let n = 0; n < 100; n++) {
        await client.send('GET /soap/orders?wsdl HTTP/1.1\r\nHost: a\r\n\r\n');
        if ((await client.reply()).status === 200) answered++;
      }
      client.close();
    }
    t.equal(answered % 100, 0, `${name}: ${answered} requests answered, every one`);
    const { code, millis } = await terminate(child);
    t.equal(code, exit, `${name}: it ends as it should`);
    t.ok(millis < 10_000, `after ${millis.toFixed(0)} ms`);
  }
});

t.test('O09: names that never come again', async (t) => {
  const { gateway } = await startPerimeter(t, `    wsdl: ${DEMO}\n`);
  const ask = (bytes: Buffer | string): Promise<RawReply> => sendRaw(gateway.url, bytes);
  rows.answer('O09', 'operations, dialects and codes that callers make up');
  const lines = (text: string, name: string): number => text.split(`\n${name}{`).length - 1;
  for (let n = 0; n < 300; n++) {
    const body = replyOf('1.1')
      .replaceAll('PingResponse', `Ping${n}`)
      .replaceAll('urn:m', `urn:${n}`);
    await ask(post('/soap/s11', TYPE, body, { SOAPAction: `"a${n}"`, Host: `h${n}` }));
  }
  rows.answer('O09', 'hosts that ask for the WSDL');
  for (let n = 0; n < 300; n++)
    await ask(`GET /soap/s11?wsdl HTTP/1.1\r\nHost: host${n}.example\r\n\r\n`);
  for (let n = 0; n < 100; n++) await ask(`GET /path${n} HTTP/1.1\r\nHost: h${n}\r\n\r\n`);
  const text = await gateway.metrics();
  for (const name of ['requests_total', 'refusals_total', 'faults_total', 'bytes_total'])
    t.ok(
      lines(text, `soapstone_${name}`) < 10,
      `${name}: ${lines(text, `soapstone_${name}`)} rows`,
    );
  t.notMatch(text, /Ping\d|urn:\d|host\d|path\d/, 'nothing that a caller made up is a label');
  rows.answer('O09', 'more operations than a table may have rows');
  const metrics = new Metrics(() => []);
  for (let n = 0; n < 5000; n++) {
    const exchange = Object.assign(new Exchange('id', '127.0.0.1', 'POST'), {
      route: 'r',
      operation: `o${n}`,
    });
    metrics.observe(exchange, 0.1);
  }
  t.equal(lines(await metricsText(metrics), 'soapstone_requests_total'), 1000);
  rows.answer('O09', 'GraphQL documents that are each sent once');
  const documents = new DocumentCache();
  const texts = Array.from({ length: 3000 }, (_, n) => `{ a${n}: order(id: 1) { id } }`);
  for (const each of texts) documents.set(each, new AdmittedDocument(parse(each)));
  const kept = texts.filter((each) => documents.get(each) !== undefined).length;
  t.ok(kept > 0 && kept <= 1000, `${kept} are kept`);
});

t.test('O11: a long message is never one step', async (t) => {
  const bytes = 8 * MIB;
  const long = Buffer.from(messageOf(bytes));
  let arrived = 0;
  const backend = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      arrived += chunk.length;
    });
    request.once('end', () => {
      response.writeHead(200, { 'content-type': TYPE, 'content-length': long.length });
      response.end(long);
    });
  });
  const { url } = await listen(t, backend);
  const gateway = await useGateway(t, `services: { a: { url: "${url}/" } }\n`);
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  let returned = 0;
  socket.on('data', (chunk) => {
    returned += chunk.length;
  });
  socket.write(post('/soap/a', TYPE, long));
  // What gets through between two turns of the loop is what one step took, of both ways and of all
  // who take part. The system hands out 32 reads of 64 KiB in one turn at most.
  const most = { up: 0, down: 0 };
  while (returned < long.length) {
    const before = { arrived, returned };
    await new Promise((resolve) => setImmediate(resolve));
    most.up = Math.max(most.up, arrived - before.arrived);
    most.down = Math.max(most.down, returned - before.returned);
  }
  rows.answer('O11', 'a request of 8 MiB');
  t.ok(most.up <= 2.5 * MIB, `up: ${most.up} bytes in one turn of the loop`);
  rows.answer('O11', 'a reply of 8 MiB');
  t.ok(most.down <= 2.5 * MIB, `down: ${most.down} bytes in one turn of the loop`);
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
