import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { answerWith } from '../kit/backend.js';
import { listen } from '../kit/listen.js';
import { RawClient } from '../kit/raw-client.js';
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

/** Sends a byte now and then until the connection ends. */
function drip(client: RawClient, bytes: string): void {
  let index = 0;
  const timer = setInterval(() => void client.send(bytes.charAt(index++ % bytes.length)), 20);
  client.socket.once('close', () => clearInterval(timer)).once('end', () => clearInterval(timer));
}

/** H19: the head of a request has its time. */
export async function slowHeads(t: Test, rows: Rows): Promise<void> {
  const { gateway, backend } = await startEndpoints(t, '  http: { headerMillis: 200 }\n');
  for (const [name, start, more] of [
    ['half a head', 'GET /soap/s11 HTTP/1.1\r\nHost: a\r\nX', ''],
    ['half a line', 'GE', ''],
    ['a byte now and then', 'GET /soap/s11 HTTP/1.1\r\nHost: a\r\nX:', 'x'],
    ['no byte', '', ''],
  ] as const) {
    const client = await RawClient.connect(gateway.url);
    if (start !== '') await client.send(start);
    if (more !== '') drip(client, more);
    expectAnswer(t, await client.reply(), rows.answer('H19', name), '1.1', `H19 ${name}`);
    client.close();
  }
  const kept = await RawClient.connect(gateway.url);
  await kept.send(goodRequest());
  t.equal((await kept.reply()).status, 200);
  await kept.send('POST /soap');
  const answer = rows.answer('H19', 'half the head of a second request');
  expectAnswer(t, await kept.reply(), answer, '1.1', 'the second request of a connection');
  kept.close();
  t.equal(backend.begun, 1);
  const lines = await gateway.accessLine(5);
  t.match(lines, { outcome: 'refused', code: 'HTTP_TIMEOUT', status: 408 });
}

const PACES = '  http: { bodyGraceMillis: 200, bodyRateBytes: 500 }\n';

/** H20: a body has its pace. */
export async function slowBodies(t: Test, rows: Rows): Promise<void> {
  const { gateway, backend } = await startEndpoints(t, PACES);
  let lines = 0;
  for (const endpoint of ENDPOINTS) {
    const head =
      `POST ${endpoint} HTTP/1.1\r\nHost: a\r\n` +
      `Content-Type: ${endpoint === GRAPHQL ? 'application/json' : 'text/xml'}\r\n`;
    for (const [name, start, more] of [
      ['nothing of it', `${head}Content-Length: 100000\r\n\r\n`, ''],
      ['some of it', `${head}Content-Length: 100000\r\n\r\n${ENVELOPE}`, ''],
      ['a byte now and then', `${head}Content-Length: 100000\r\n\r\n`, ' '],
      ['chunks of a byte', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ] as const) {
      const client = await RawClient.connect(gateway.url);
      await client.send(start);
      if (more !== '') drip(client, more);
      expectAnswer(
        t,
        await client.reply(),
        rows.answer('H20', name),
        '1.1',
        `H20 ${name}, ${endpoint}`,
      );
      client.close();
      t.match(await gateway.accessLine(++lines), { code: 'HTTP_TIMEOUT', status: 408 });
    }
  }
  t.equal(backend.complete.length, 0, 'nothing arrived');
  const aborted = backend.aborted;
  const { head, body } = longRequest();
  const client = await RawClient.connect(gateway.url);
  await client.send(head);
  await client.send(body.subarray(0, 200_000));
  expectAnswer(
    t,
    await client.reply(),
    rows.answer('H20', 'the rest of a flowing one'),
    '1.1',
    'while it flows',
  );
  client.close();
  await until(() => backend.aborted > aborted);
  t.equal(backend.complete.length, 0, 'D4: what began at the backend did not end');

  const steady = await RawClient.connect(gateway.url);
  const reply = steady.reply();
  await steady.send(head);
  const piece = 2000;
  for (let at = 0; at < 60_000; at += piece) {
    await steady.send(body.subarray(at, at + piece));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await steady.send(body.subarray(60_000));
  expectAnswer(
    t,
    await reply,
    rows.answer('H20', 'slow, but not too slow'),
    '1.1',
    'a steady body',
  );
  steady.close();
}

/** H20: a caller is not to blame for a backend that does not read. */
export async function slowBackend(t: Test, rows: Rows): Promise<void> {
  let arrived = (_read: () => void): void => {};
  const server = createServer((request, response) => {
    arrived(() => {
      request.resume().once('end', () => {
        response.writeHead(200, {
          'content-type': 'text/xml',
          'content-length': replyOf('1.1').length,
        });
        response.end(replyOf('1.1'));
      });
    });
  });
  const { url } = await listen(t, server);
  const limits = '  http: { bodyGraceMillis: 600 }\n  xml: { messageBytes: 104857600 }\n';
  for (const endpoint of [SOAP, PLAIN]) {
    const gateway = await startGatewayBefore(t, url, limits);
    const client = await RawClient.connect(gateway.url);
    const reading = new Promise<() => void>((resolve) => {
      arrived = resolve;
    });
    const { head, body } = longRequest(64_000_000, endpoint);
    const sent = client.send(Buffer.concat([head, body]));
    const read = await reading;
    // Longer than the grace, with everything between caller and backend full.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    read();
    await sent;
    expectAnswer(
      t,
      await client.reply(),
      rows.answer('H20', 'a backend that does not read'),
      '1.1',
      `H20 ${endpoint}`,
    );
    client.close();
  }
}

const GIB = 1024 ** 3;

/** H21: who does not read is cut; the backend waits. */
export async function slowReaders(t: Test, rows: Rows): Promise<void> {
  for (const endpoint of [SOAP, PLAIN]) {
    let written = 0;
    let gone = (): void => {};
    const cut = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const endless = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': contentTypeOf('1.1'), 'content-length': GIB });
      const [start = ''] = replyOf('1.1').split('<m:PingResponse');
      response.write(`${start}<m:PingResponse xmlns:m="urn:m">`);
      const more = Buffer.alloc(65_536, 'x');
      const fill = (): void => {
        do written += more.length;
        while (!response.destroyed && response.write(more));
      };
      response.on('drain', fill).once('close', gone);
      fill();
    };
    const { gateway } = await startEndpoints(
      t,
      '  http: { stallMillis: 300 }\n  xml: { messageBytes: 2147483648 }\n',
      (_message, response) => endless(response),
    );
    const client = await RawClient.connect(gateway.url);
    client.socket.pause();
    await client.send(goodRequest(endpoint));
    await cut;
    t.ok(written < 64 * 1024 * 1024, `${endpoint}: the backend had to wait after ${written} bytes`);
    t.match(await gateway.accessLine(), {
      outcome: 'aborted',
      code: 'CLIENT_GONE',
      detail: 'stalled',
    });
    client.socket.resume();
    const answer = rows.answer('H21', 'a reader that stops');
    expectAnswer(t, await client.reply(), answer, '1.1', `H21 ${endpoint}`);
    client.close();
  }
}

/** H32: connections that nobody is behind any more. */
export async function deadConnections(t: Test, rows: Rows): Promise<void> {
  const { gateway } = await startEndpoints(
    t,
    '  http: { idleMillis: 100 }\n',
    answerWith(replyOf('1.1')),
  );
  const client = await RawClient.connect(gateway.url);
  await client.send(goodRequest());
  t.equal((await client.reply()).status, 200);
  const { localPort = 0 } = client.socket;
  t.equal(rows.answer('H32', 'the kernel asks after 60 s'), 'the timer of the connection is set');
  if (existsSync('/proc/net/tcp')) {
    const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
    const ports = `:${hex(Number(new URL(gateway.url).port))} 0100007F:${hex(localPort)} `;
    const line = readFileSync('/proc/net/tcp', 'latin1')
      .split('\n')
      .find((each) => each.includes(ports));
    // State, queues, then `02:` for a keepalive timer with its hundredths of a second.
    const [, kind, ticks] =
      / 01 [0-9A-F]+:[0-9A-F]+ ([0-9A-F]{2}):([0-9A-F]+) /.exec(line ?? '') ?? [];
    t.equal(kind, '02', 'a keepalive timer');
    t.ok(Number.parseInt(ticks ?? '', 16) <= 6000, 'of at most 60 s');
  }
  expectAnswer(
    t,
    await client.reply(),
    rows.answer('H32', 'nothing more comes'),
    '1.1',
    'H32 idle',
  );
}
