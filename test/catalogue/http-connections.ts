import type { Test } from 'tap';

import { answerWith, startScriptedBackend } from '../kit/backend.js';
import { chunked, RawClient, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { expectAnswer } from './expect.js';
import {
  ENDPOINTS,
  ENVELOPE,
  GRAPHQL,
  goodRequest,
  longRequest,
  PLAIN,
  SOAP,
  startEndpoints,
  startGatewayBefore,
} from './http-endpoints.js';
import { contentTypeOf, replyOf } from './messages.js';
import type { Rows } from './rows.js';

/** H22: bodies that are longer than they may be, or than they say, or shorter. */
export async function lyingBodies(t: Test, rows: Rows): Promise<void> {
  const { gateway, backend } = await startEndpoints(
    t,
    '  xml: { messageBytes: 100000 }\n  graphql: { bodyBytes: 5000 }\n',
  );
  for (const endpoint of [SOAP, GRAPHQL]) {
    const type = endpoint === GRAPHQL ? 'application/json' : 'text/xml';
    const head = `POST ${endpoint} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n`;
    const announced = await sendRaw(gateway.url, `${head}Content-Length: 100001\r\n\r\n`);
    expectAnswer(
      t,
      announced,
      rows.answer('H22', 'too long by its length'),
      '1.1',
      `H22 announced, ${endpoint}`,
    );
  }
  const { body } = longRequest(100_000);
  const soap =
    `POST ${SOAP} HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n` +
    'Transfer-Encoding: chunked\r\n\r\n';
  const inChunks = await sendRaw(gateway.url, Buffer.concat([Buffer.from(soap), chunked(body)]));
  expectAnswer(t, inChunks, rows.answer('H22', 'too long in chunks'), '1.1', 'H22 in chunks');
  const graphql =
    `POST ${GRAPHQL} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
    'Transfer-Encoding: chunked\r\n\r\n';
  const json = await sendRaw(
    gateway.url,
    Buffer.concat([Buffer.from(graphql), chunked(' '.repeat(5001))]),
  );
  expectAnswer(
    t,
    json,
    rows.answer('H22', 'too long in chunks, GraphQL'),
    '1.1',
    'H22 in chunks, GraphQL',
  );
  t.equal(backend.complete.length, 0);

  for (const endpoint of ENDPOINTS) {
    const client = await RawClient.connect(gateway.url);
    const type = endpoint === GRAPHQL ? 'application/json' : 'text/xml';
    client.socket.end(
      `POST ${endpoint} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ` +
        `4000\r\n\r\n${ENVELOPE}`,
    );
    expectAnswer(
      t,
      await client.reply(),
      rows.answer('H22', 'shorter than its length'),
      '1.1',
      `H22 short, ${endpoint}`,
    );
    client.close();
    const broken = await RawClient.connect(gateway.url);
    broken.socket.end(
      `POST ${endpoint} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: ` +
        'chunked\r\n\r\n5\r\n   ',
    );
    expectAnswer(
      t,
      await broken.reply(),
      rows.answer('H22', 'ends inside a chunk'),
      '1.1',
      `H22 chunk, ${endpoint}`,
    );
    broken.close();
  }
  const aborted = backend.aborted;
  const long = longRequest(90_000);
  const flowing = await RawClient.connect(gateway.url);
  const { begun } = backend;
  await flowing.send(Buffer.concat([long.head, long.body.subarray(0, 80_000)]));
  await until(() => backend.begun > begun);
  flowing.socket.end();
  expectAnswer(
    t,
    await flowing.reply(),
    rows.answer('H22', 'ends while it flows'),
    '1.1',
    'H22 flowing',
  );
  flowing.close();
  await until(() => backend.aborted > aborted);
  t.equal(backend.complete.length, 0, 'D4: nothing ended at the backend');

  const client = await RawClient.connect(gateway.url);
  await client.send(Buffer.concat([goodRequest(), Buffer.from('surplus\r\n\r\n')]));
  t.equal((await client.reply()).status, 200, 'the message itself');
  expectAnswer(
    t,
    await client.reply(),
    rows.answer('H22', 'longer than its length'),
    '1.1',
    'H22 long',
  );
  client.close();
  t.equal(backend.complete.length, 1);
}

/** H24: requests ahead of their turn. */
export async function pipelined(t: Test, rows: Rows): Promise<void> {
  let present = 0;
  let most = 0;
  const { gateway, backend } = await startEndpoints(t, '', (message, response) => {
    most = Math.max(most, ++present);
    setImmediate(() => {
      present--;
      answerWith(replyOf('1.1').replace('urn:m', `urn:${message.target}`), contentTypeOf('1.1'))(
        message,
        response,
      );
    });
  });
  const client = await RawClient.connect(gateway.url);
  const count = 1000;
  const requests = Array.from({ length: count + 50 }, (_, index) =>
    goodRequest(index % 2 === 0 ? `${SOAP}?n=${index}.` : `${PLAIN}?n=${index}.`),
  );
  const sending = client.send(Buffer.concat(requests));
  let inOrder = true;
  for (let index = 0; index < count; index++) {
    const reply = await client.reply();
    inOrder &&= reply.status === 200 && reply.body.includes(`?n=${index}.`);
    if (index === count - 1)
      t.equal(reply.headers.get('connection')?.toLowerCase(), 'close', 'the last one says so');
    else if (reply.headers.get('connection')?.toLowerCase() === 'close') inOrder = false;
  }
  t.ok(inOrder, 'every answer in its place');
  t.equal(most, 1, 'one at a time upstream');
  expectAnswer(
    t,
    await client.reply(),
    rows.answer('H24', 'what follows the thousandth'),
    '1.1',
    'H24',
  );
  t.equal(backend.complete.length, count);
  await sending;
  client.close();

  const broken = await RawClient.connect(gateway.url);
  await broken.send(Buffer.concat([goodRequest(), goodRequest(), Buffer.from('nonsense\r\n\r\n')]));
  t.equal((await broken.reply()).status, 200);
  t.equal((await broken.reply()).status, 200);
  expectAnswer(
    t,
    await broken.reply(),
    rows.answer('H24', 'nonsense behind two requests'),
    '1.1',
    'H24 nonsense',
  );
  broken.close();
  const refused = await RawClient.connect(gateway.url);
  const arrived = backend.complete.length;
  await refused.send(Buffer.concat([goodRequest('/nowhere'), goodRequest()]));
  expectAnswer(
    t,
    await refused.reply(),
    rows.answer('H24', 'a refused one before another'),
    '1.1',
    'H24 refused',
  );
  t.ok((await refused.reply()).isCut, 'the other has no answer');
  t.equal(backend.complete.length, arrived, 'and never arrives');
  refused.close();
}

/** H25: what was not read is not the next request. */
export async function unread(t: Test, rows: Rows): Promise<void> {
  const { gateway, backend } = await startEndpoints(t);
  const smuggled = goodRequest().toString();
  for (const endpoint of [SOAP, GRAPHQL]) {
    const head =
      `POST ${endpoint} HTTP/1.1\r\nHost: a\r\nContent-Type: text/html\r\n` +
      `Content-Length: ${100 + smuggled.length}\r\n\r\n`;
    for (const [name, rest] of [
      ['its body is the next request', `${' '.repeat(100)}${smuggled}`],
      ['its body never comes', ''],
      ['its body and then another request', `${' '.repeat(100 + smuggled.length)}${smuggled}`],
    ] as const) {
      const client = await RawClient.connect(gateway.url);
      const started = performance.now();
      await client.send(head);
      expectAnswer(
        t,
        await client.reply(),
        rows.answer('H25', name),
        '1.1',
        `H25 ${name}, ${endpoint}`,
      );
      await client.send(rest);
      await client.ended();
      t.ok(performance.now() - started < 4000, 'the connection ends soon');
      client.close();
    }
  }
  t.equal(backend.begun, 0);
}

/** H26: how many connections there may be. */
export async function manyConnections(t: Test, rows: Rows): Promise<void> {
  const few = await startEndpoints(t, '  http: { connectionsPerClient: 3 }\n');
  const clients = await Promise.all([1, 2, 3].map(() => RawClient.connect(few.gateway.url)));
  const fourth = await RawClient.connect(few.gateway.url);
  await fourth.send(goodRequest());
  const [eldest] = clients;
  if (eldest === undefined) throw new Error('no client');
  expectAnswer(
    t,
    await eldest.reply(),
    rows.answer('H26', 'one more from one client'),
    '1.1',
    'H26 client',
  );
  t.equal((await fourth.reply()).status, 200, 'the one that brings a request is served');
  t.match(await few.gateway.accessLine(), {
    status: 429,
    code: 'HTTP_CONNECTIONS',
    client: '127.0.0.1',
  });
  const crowd = await Promise.all(
    Array.from({ length: 20 }, () => RawClient.connect(few.gateway.url)),
  );
  const answers = await Promise.all(crowd.slice(0, -2).map((client) => client.reply()));
  t.ok(
    answers.every((answer) => answer.status === 429 || answer.isCut),
    'a crowd gets no further',
  );
  await fourth.send(goodRequest());
  t.equal((await fourth.reply()).status, 200, 'a connection that has brought something good stays');
  t.equal(
    (await sendRaw(few.gateway.url, goodRequest())).status,
    200,
    'a new one is served among those that wait',
  );
  for (const client of [...crowd, ...clients, fourth]) client.close();
  t.equal(few.backend.begun, 3);

  const small = await startEndpoints(t, '  http: { connections: 2 }\n');
  const two = await Promise.all([1, 2].map(() => RawClient.connect(small.gateway.url)));
  const third = await RawClient.connect(small.gateway.url);
  await third.send(goodRequest());
  expectAnswer(t, await third.reply(), rows.answer('H26', 'one more of all'), '1.1', 'H26 all');
  third.close();
  t.match(
    await small.gateway.metrics(),
    /^soapstone_client_connections_dropped_total 1$/m,
    'and is counted',
  );
  for (const client of two) {
    await client.send(goodRequest());
    t.equal((await client.reply()).status, 200, 'the others are served');
    client.close();
  }
}

/** H33: a reset in the middle. */
export async function resets(t: Test, rows: Rows): Promise<void> {
  t.equal(rows.answer('H33', 'in the upload'), 'the request upstream is aborted');
  t.equal(rows.answer('H33', 'in the answer'), 'the request upstream is aborted');
  t.equal(rows.answer('H33', 'while it waits'), 'the request upstream is aborted');
  for (const endpoint of [SOAP, PLAIN]) {
    let gone = 0;
    const { gateway, backend } = await startEndpoints(t, '', (message, response) => {
      response.once('close', () => gone++);
      if (message.target.includes('wait')) return;
      response.writeHead(200, { 'content-type': 'text/xml', 'content-length': 1_000_000 });
      response.write(replyOf('1.1').replace('/>', `>${'x'.repeat(200_000)}`));
    });
    const { head, body } = longRequest(300_000, endpoint);
    const uploading = await RawClient.connect(gateway.url);
    await uploading.send(Buffer.concat([head, body.subarray(0, 200_000)]));
    await until(() => backend.begun === 1);
    uploading.socket.resetAndDestroy();
    await until(() => backend.aborted === 1);
    // A message that is short, or a connection that is gone: whichever the system tells first.
    const { code } = await gateway.accessLine(1);
    t.match(code, /^(?:CLIENT_GONE|HTTP_BAD_REQUEST)$/, `${endpoint}: upload`);
    const waiting = await RawClient.connect(gateway.url);
    await waiting.send(goodRequest(`${endpoint}?wait`));
    await until(() => backend.begun === 2);
    waiting.socket.resetAndDestroy();
    await until(() => gone === 1);
    t.match(
      await gateway.accessLine(2),
      { outcome: 'aborted', code: 'CLIENT_GONE' },
      `${endpoint}: waiting`,
    );
    const reading = await RawClient.connect(gateway.url);
    await reading.send(goodRequest(endpoint));
    await new Promise((resolve) => reading.socket.once('data', resolve));
    reading.socket.resetAndDestroy();
    await until(() => gone === 2);
    t.match(await gateway.accessLine(3), { outcome: 'aborted' }, `${endpoint}: reading`);
    t.equal(backend.complete.length, 2, 'the upload is no message');
    t.equal(
      (await sendRaw(gateway.url, 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n')).status,
      404,
      'the gateway lives',
    );
  }
}

/** H34: nobody is believed who says for whom he speaks. */
export async function forwardedFor(t: Test, rows: Rows): Promise<void> {
  const { gateway, backend } = await startEndpoints(t);
  const fields = {
    'X-Forwarded-For': '203.0.113.9',
    'X-Forwarded-Host': 'inner',
    'X-Forwarded-Proto': 'https',
    'X-Real-IP': '203.0.113.9',
    Forwarded: 'for=203.0.113.9',
    Via: '1.1 inner',
  };
  for (const [index, endpoint] of [SOAP, PLAIN].entries()) {
    const answer = rows.answer('H34', 'fields of proxies');
    expectAnswer(
      t,
      await sendRaw(gateway.url, goodRequest(endpoint, fields)),
      answer,
      '1.1',
      `H34 ${endpoint}`,
    );
    const headers: Readonly<Record<string, unknown>> = backend.complete[index]?.headers ?? {};
    t.notMatch(
      JSON.stringify(headers),
      /203\.0\.113|inner|https/,
      `${endpoint}: nothing of it arrives`,
    );
    if (endpoint === PLAIN) t.equal(headers['x-forwarded-for'], '127.0.0.1');
    t.equal((await gateway.accessLine(index + 1))['client'], '127.0.0.1');
  }
}

/** F09: what was sent once is not sent again. */
export async function noRetry(t: Test, rows: Rows): Promise<void> {
  let begun = 0;
  const backend = await startScriptedBackend((socket) => {
    begun++;
    socket.destroy();
  });
  t.teardown(() => backend.close());
  const gateway = await startGatewayBefore(t, backend.url);
  for (const endpoint of [SOAP, PLAIN]) {
    begun = 0;
    const answer = rows.answer(
      'F09',
      endpoint === SOAP ? 'a POST of SOAP' : 'a POST of a plain route',
    );
    expectAnswer(
      t,
      await sendRaw(gateway.url, goodRequest(endpoint)),
      answer,
      '1.1',
      `F09 ${endpoint}`,
    );
    t.equal(begun, 1, `${endpoint}: once`);
  }
}
