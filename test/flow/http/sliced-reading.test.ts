import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { Incoming } from '../../../src/flow/http/incoming-request.js';
import { SlicedReading } from '../../../src/flow/http/sliced-reading.js';
import { listen } from '../../kit/listen.js';
import { chunked, post, RawClient } from '../../kit/raw-client.js';
import { until } from '../../kit/until.js';

class Request extends Incoming {
  protected override tinyChunksFound(): void {}
}

/**
 * A server whose connections are read in slices, one of its connections, and the pieces of each
 * body by its request.
 */
async function start(t: Test) {
  const bodies: string[][] = [];
  const server = createServer<typeof IncomingMessage>(
    { IncomingMessage: Request },
    (request, response: ServerResponse) => {
      const pieces: string[] = [];
      bodies.push(pieces);
      request.on('data', (piece) => pieces.push(String(piece))).on('end', () => response.end());
    },
  );
  const { url } = await listen(t, server);
  const connected = once(server, 'connection');
  const client = await RawClient.connect(url);
  const [socket] = (await connected) as [Socket];
  const reading = new SlicedReading(socket);
  t.teardown(() => client.close());
  /**
   * As if these bytes had come in one packet. Returns whether some of them wait for a turn of their
   * own.
   */
  const receive = (...parts: (string | Uint8Array)[]): boolean => {
    socket.push(
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
    );
    return reading.isBehind;
  };
  return { bodies, client, receive };
}

const BODY = 'x'.repeat(10_000);
const CHUNKED = post('/', 'text/xml', '', {
  'Content-Length': null,
  'Transfer-Encoding': 'chunked',
});

/** A chunk whose content looks like the end of a head. */
const LINES = 'a\r\nContent-Length: 60000\r\n\r\n';
const LIE = `${LINES.length.toString(16)}\r\n${LINES}\r\n`;

const tinyChunks = (text: string): Uint8Array =>
  chunked(...Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte)));

t.test('a request that came whole, with its length, is parsed at once', async (t) => {
  const { bodies, receive } = await start(t);
  t.notOk(receive(post('/', 'text/xml', BODY)));
  await until(() => bodies[0]?.join('') === BODY);
  t.equal(bodies[0]?.length, 1, 'in one piece');
  t.notOk(
    receive(post('/', 'text/xml', BODY), post('/', 'text/xml', BODY)),
    'two that were sent ahead',
  );
  await until(() => bodies[2]?.join('') === BODY);
  t.same([bodies[1]?.length, bodies[2]?.length], [1, 1], 'each in one piece');
});

t.test('tiny chunks wait for their turns, whatever stands in them or before them', async (t) => {
  for (const [what, ...parts] of [
    ['behind their head', CHUNKED, tinyChunks(BODY)],
    ['behind a chunk that looks like a head', CHUNKED, LIE, tinyChunks(BODY)],
    ['behind another request', post('/', 'text/xml', 'short'), CHUNKED, tinyChunks(BODY)],
  ] as const) {
    const { bodies, receive } = await start(t);
    t.ok(receive(...parts), what);
    await until(() => bodies.at(-1)?.join('').endsWith('xxx') === true);
  }
  const { bodies, receive } = await start(t);
  receive(CHUNKED, '5\r\nfirst\r\n');
  t.ok(receive(LIE, tinyChunks(BODY)), 'in a packet that begins within the body');
  await until(() => bodies[0]?.join('').endsWith('xxx') === true);
});

t.test(
  'the end of a head that comes later begins no request, whatever the first chunk looks like',
  async (t) => {
    const { bodies, receive } = await start(t);
    receive(CHUNKED.subarray(0, -2));
    t.ok(receive('\r\n', LIE, tinyChunks(BODY)), 'in the next packet');
    await until(() => bodies[0]?.join('').endsWith('xxx') === true);
    const padded = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX: '.padEnd(
      4094,
      'p',
    );
    const other = await start(t);
    t.ok(other.receive(padded, '\r\n', '\r\n', LIE, tinyChunks(BODY)), 'in the next slice');
    await until(() => other.bodies[0]?.join('').endsWith('xxx') === true);
  },
);

t.test('what was known of the length of one request says nothing about the next', async (t) => {
  const { bodies, receive } = await start(t);
  const long = post('/', 'text/xml', 'y'.repeat(30_000));
  // Pieces of less than a kilobyte after the first.
  receive(long.subarray(0, 2_000));
  for (let at = 2_000; at < long.length - 1; at += 900)
    receive(long.subarray(at, Math.min(at + 900, long.length - 1)));
  t.ok(receive(long.subarray(-1), CHUNKED, tinyChunks(BODY)));
  await until(() => bodies[1]?.join('').endsWith('xxx') === true);
  t.equal(bodies[0]?.join('').length, 30_000);
});

t.test(
  'a length in the next packet does not make one slice of chunks: both are refused',
  async (t) => {
    const { bodies, client, receive } = await start(t);
    receive('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX-A: ');
    receive('b\r\nContent-Length: 60000\r\n\r\n', tinyChunks(BODY));
    t.equal((await client.reply()).status, 400);
    t.same(bodies, []);
  },
);
