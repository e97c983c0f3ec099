import { createServer } from 'node:net';
import type { Test } from 'tap';
import { startScriptedBackend } from '../kit/backend.js';
import { listen } from '../kit/listen.js';
import { RawClient, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { expectAnswer } from './expect.js';
import {
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

const REPLY = replyOf('1.1');
const OF_CONNECTION = [
  'Keep-Alive: timeout=77',
  'Proxy-Authenticate: Basic',
  'Trailer: X-Sum',
  'Connection: X-Inner, keep-alive',
  'X-Inner: 1',
  'X-Outer: 1',
];

/** F02, F07: fields of one connection, both ways, and cookies. */
export async function hopByHop(t: Test, rows: Rows): Promise<void> {
  const seen: string[] = [];
  const backend = await startScriptedBackend((socket, received) => {
    seen.push(received);
    const fields = [
      ...OF_CONNECTION,
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
      `Content-Type: ${contentTypeOf('1.1')}`,
    ];
    socket.end(
      `HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\nContent-Length: ${REPLY.length}\r\n\r\n` +
        `${REPLY}`,
    );
  });
  t.teardown(() => backend.close());
  const gateway = await startGatewayBefore(t, backend.url);
  for (const endpoint of [SOAP, PLAIN]) {
    seen.length = 0;
    const client = await RawClient.connect(gateway.url);
    let raw = '';
    client.socket.on('data', (chunk) => {
      raw += chunk.toString('latin1');
    });
    const fields = {
      Trailer: 'X-Sum',
      TE: 'trailers',
      'Keep-Alive': 'timeout=5',
      'Proxy-Authorization': 'Basic YTpi',
      'Proxy-Connection': 'keep-alive',
      Expect: '100-continue',
      Connection: 'X-Inner, TE',
      'X-Inner': '1',
      'X-Outer': '1',
    };
    await client.send(goodRequest(endpoint, fields));
    t.equal((await client.reply()).status, 100);
    expectAnswer(
      t,
      await client.reply(),
      rows.answer('F02', 'both ways'),
      '1.1',
      `F02 ${endpoint}`,
    );
    client.close();
    t.notMatch(
      seen[0],
      /^(?:trailer|te|keep-alive|proxy-.*|expect|x-inner):/im,
      `${endpoint}: forth`,
    );
    t.match(seen[0], new RegExp(`^content-length: ${ENVELOPE.length}\\r$`, 'im'));
    if (endpoint === PLAIN) t.match(seen[0], /^x-outer: 1\r$/im);
    t.equal(seen.length, 1);
    t.notMatch(raw, /^(?:trailer|proxy-.*|x-inner):|timeout=77/im, `${endpoint}: back`);
    if (endpoint === PLAIN) t.match(raw, /^x-outer: 1\r$/im);
    const cookies = raw.match(/^set-cookie: .*$/gim) ?? [];
    t.equal(
      String(cookies.length),
      rows.answer('F07', endpoint === SOAP ? 'SOAP' : 'plain'),
      `F07 ${endpoint}`,
    );
    if (endpoint === PLAIN) t.same(cookies, ['Set-Cookie: a=1', 'Set-Cookie: b=2']);
    t.equal((await sendRaw(gateway.url, goodRequest('/nowhere'))).status, 404, 'the process lives');
  }
}

/** F03: a backend that dies in its reply; and what else is no reply. */
export async function brokenReplies(t: Test, rows: Rows): Promise<void> {
  let answer = '';
  let silent = false;
  let lines = 0;
  const backend = await startScriptedBackend((socket) => {
    if (!silent) socket.write(answer, () => answer !== '' && socket.destroy());
  });
  t.teardown(() => backend.close());
  const gateway = await startGatewayBefore(t, backend.url, '  upstream: { headersMillis: 300 }\n');
  for (const [name, text] of [
    ['inside its length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['inside a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf'],
    ['between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ['with status 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['with status 000', 'HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'],
    ['with no HTTP', 'hello\r\n\r\n'],
  ] as const) {
    answer = text;
    lines++;
    const reply = await sendRaw(gateway.url, `GET ${PLAIN} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expectAnswer(t, reply, rows.answer('F03', name), '1.1', `F03 ${name}`);
    t.notMatch(reply.body, /127\.0\.0\.1|\d{5}/, 'no address in it');
    if (reply.isCut)
      t.match(
        await gateway.accessLine(lines),
        { outcome: 'aborted', code: 'UPSTREAM_TRUNCATED' },
        name,
      );
  }
  silent = true;
  const reply = await sendRaw(gateway.url, `GET ${PLAIN} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expectAnswer(t, reply, rows.answer('F03', 'in silence'), '1.1', 'F03 silence');
}

/** F04: a caller that goes. */
export async function departures(t: Test, rows: Rows): Promise<void> {
  t.equal(rows.answer('F04', 'while it waits'), 'the request upstream is aborted');
  t.equal(rows.answer('F04', 'in its upload'), 'the request upstream is aborted');
  for (const endpoint of [SOAP, PLAIN]) {
    let gone = 0;
    const { gateway, backend } = await startEndpoints(t, '', (_message, response) =>
      response.once('close', () => gone++),
    );
    const waiting = await RawClient.connect(gateway.url);
    await waiting.send(goodRequest(endpoint));
    await until(() => backend.begun === 1);
    waiting.close();
    await until(() => gone === 1);
    const { head, body } = longRequest(300_000, endpoint);
    const uploading = await RawClient.connect(gateway.url);
    await uploading.send(Buffer.concat([head, body.subarray(0, 200_000)]));
    await until(() => backend.begun === 2);
    uploading.close();
    await until(() => backend.aborted === 1);
    t.equal(backend.complete.length, 1, `${endpoint}: the upload is no message`);
    t.match(await gateway.accessLine(1), { outcome: 'aborted', code: 'CLIENT_GONE' });
    t.match(await gateway.accessLine(2), { outcome: 'refused', code: 'HTTP_BAD_REQUEST' });
  }
}

/** F05: an answer before the request is all there. */
export async function earlyAnswers(t: Test, rows: Rows): Promise<void> {
  for (const [endpoint, status] of [
    [SOAP, '200 OK'],
    [PLAIN, '413 Too Large'],
  ] as const) {
    const server = createServer((socket) => {
      socket.once('data', () => {
        const fields = `Content-Type: text/xml\r\nContent-Length: ${REPLY.length}`;
        socket.write(`HTTP/1.1 ${status}\r\n${fields}\r\n\r\n${REPLY}`);
        socket.resume();
      });
    });
    const gateway = await startGatewayBefore(t, (await listen(t, server)).url);
    const { head, body } = longRequest(300_000, endpoint);
    const client = await RawClient.connect(gateway.url);
    await client.send(Buffer.concat([head, body.subarray(0, 100_000)]));
    const reply = await client.reply();
    expectAnswer(
      t,
      reply,
      rows.answer('F05', endpoint === SOAP ? 'an envelope' : 'a 413'),
      '1.1',
      `F05 ${endpoint}`,
    );
    t.equal(reply.body, REPLY, `${endpoint}: whole`);
    t.equal(reply.headers.get('connection')?.toLowerCase(), 'close', `${endpoint}: the last one`);
    await client.send(body.subarray(100_000));
    await client.ended();
    client.close();
  }
}

/** F08, H17: one invitation, and only for a head that is in order. */
export async function invitations(t: Test, rows: Rows): Promise<void> {
  const { gateway, backend } = await startEndpoints(t);
  const types = { [SOAP]: 'text/xml', [PLAIN]: 'text/plain', [GRAPHQL]: 'application/json' };
  for (const [endpoint, type] of Object.entries(types)) {
    const client = await RawClient.connect(gateway.url);
    const body = endpoint === GRAPHQL ? '{"query":"{__typename}"}' : ENVELOPE;
    const fields =
      `Host: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n` +
      'Expect: 100-Continue\r\n';
    await client.send(`POST ${endpoint} HTTP/1.1\r\n${fields}\r\n`);
    t.equal((await client.reply()).status, 100, `${endpoint}: one invitation`);
    await client.send(body);
    expectAnswer(
      t,
      await client.reply(),
      rows.answer('F08', 'one invitation'),
      '1.1',
      `F08 ${endpoint}`,
    );
    await client.send(goodRequest());
    t.equal((await client.reply()).status, 200, `${endpoint}: and no other`);
    client.close();
  }
  t.ok(
    backend.complete.every(({ headers }) => headers['expect'] === undefined),
    'it is not passed on',
  );
  const old =
    `POST ${SOAP} HTTP/1.0\r\nHost: a\r\nContent-Type: text/xml\r\n` +
    `Content-Length: ${ENVELOPE.length}\r\nExpect: 100-continue\r\n\r\n${ENVELOPE}`;
  expectAnswer(
    t,
    await sendRaw(gateway.url, old),
    rows.answer('F08', 'HTTP/1.0'),
    '1.1',
    'F08 HTTP/1.0',
  );
}
