import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { type BodyTaker, Incoming } from '../../../src/flow/http/incoming-request.js';
import { listen } from '../../kit/listen.js';
import { chunked, post, RawClient } from '../../kit/raw-client.js';
import { until } from '../../kit/until.js';

/**
 * A server of such requests: the pieces of each as a reader hears them, and what came in too many.
 */
async function start(t: Test) {
  const tinyChunksFound: IncomingMessage[] = [];
  class Request extends Incoming {
    protected override tinyChunksFound(): void {
      tinyChunksFound.push(this);
    }
  }
  const server = createServer<typeof IncomingMessage>({ IncomingMessage: Request });
  return { server, tinyChunksFound, url: (await listen(t, server)).url };
}

const CHUNKED_HEAD = post('/', 'text/xml', '', {
  'Content-Length': null,
  'Transfer-Encoding': 'chunked',
});
const bytesOf = (text: string): Uint8Array[] =>
  Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));
const request = (...chunks: Uint8Array[]): Buffer =>
  Buffer.concat([CHUNKED_HEAD, chunked(...chunks)]);

async function received(
  server: Awaited<ReturnType<typeof start>>['server'],
): Promise<readonly string[]> {
  const [incoming, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const pieces: string[] = [];
  incoming.on('data', (piece) => pieces.push(String(piece)));
  await once(incoming, 'end');
  response.end();
  return pieces;
}

t.test(
  'chunks of a few bytes that arrive together are delivered together, in their order',
  async (t) => {
    const { server, url, tinyChunksFound } = await start(t);
    const client = await RawClient.connect(url);
    const long = 'x'.repeat(64);
    const all = received(server);
    await client.send(request(...bytesOf('before'), Buffer.from(long), ...bytesOf('after')));
    const pieces = await all;
    t.equal(pieces.join(''), `before${long}after`);
    t.ok(pieces.length < 10, `in ${pieces.length} pieces`);
    const next = received(server);
    await client.send(request(...bytesOf('the next')));
    t.equal((await next).join(''), 'the next', 'each request by itself');
    t.same(tinyChunksFound, []);
    client.close();
  },
);

t.test(
  'as many tiny chunks are taken as allowed, and with one more no byte of the rest',
  async (t) => {
    const { server, url, tinyChunksFound } = await start(t);
    const client = await RawClient.connect(url);
    const all = received(server);
    await client.send(request(...bytesOf('x'.repeat(4096))));
    t.equal((await all).join('').length, 4096);
    t.same(tinyChunksFound, []);
    const told: unknown[] = [];
    server.once('request', (incoming) =>
      incoming.on('data', (piece) => told.push(piece)).on('end', () => told.push('end')),
    );
    await client.send(request(...bytesOf('x'.repeat(4097)), Buffer.from('y'.repeat(1000))));
    await until(() => tinyChunksFound.length > 0);
    t.equal(tinyChunksFound.length, 1, 'told once');
    t.notOk(told.includes('end'));
    t.ok(Buffer.concat(told as Buffer[]).length <= 4096);
    client.close();
  },
);

t.test('small chunks between larger ones are no tiny chunks', async (t) => {
  const { server, url, tinyChunksFound } = await start(t);
  const client = await RawClient.connect(url);
  const all = received(server);
  const chunks = Array.from({ length: 6000 }, (_, n) =>
    Buffer.from(n % 8 === 7 ? 'x'.repeat(64) : 'y'),
  );
  await client.send(request(...chunks));
  t.equal((await all).join(''), chunks.join(''));
  t.same(tinyChunksFound, []);
  client.close();
});

t.test('while small chunks are not taken, no more of them are read', async (t) => {
  const { server, url } = await start(t);
  const client = await RawClient.connect(url);
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const count = 100_000;
  const chunk = `3f\r\n${'x'.repeat(63)}\r\n`;
  const sent = client.send(
    Buffer.concat([CHUNKED_HEAD, Buffer.from(`${chunk.repeat(count)}0\r\n\r\n`)]),
  );
  const [incoming] = await asked;
  // Until nothing more comes in, however many turns it is given.
  for (let turns = 0, before = -1; turns < 100; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (incoming.readableLength !== before) turns = 0;
    before = incoming.readableLength;
  }
  t.ok(incoming.readableLength < 512 * 1024, `${incoming.readableLength} bytes wait`);
  let bytes = 0;
  for await (const piece of incoming) bytes += (piece as Buffer).length;
  t.equal(bytes, count * 63, 'all of it comes in the end');
  await sent;
  client.close();
});

/** Writes down what it is given. */
class Taker implements BodyTaker {
  readonly pieces: string[] = [];
  readonly whole: Promise<string>;
  #resolve: (body: string) => void = () => {};

  constructor() {
    this.whole = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  piece(bytes: Buffer): void {
    this.pieces.push(String(bytes));
  }

  ended(): void {
    this.#resolve(this.pieces.join(''));
  }
}

const given = (incoming: IncomingMessage, taker: BodyTaker): boolean =>
  incoming instanceof Incoming && incoming.giveBody(taker);
const BODY = 'a body that is longer than what waits for company: '.repeat(3);

t.test('a body goes to its own taker, request by request, and not to the stream', async (t) => {
  const { server, url } = await start(t);
  const client = await RawClient.connect(url);
  for (const sent of [[BODY], [...BODY], [BODY.slice(0, 70), BODY.slice(70)], ['']]) {
    const taker = new Taker();
    const heard: string[] = [];
    const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    server.once('request', (incoming) => {
      t.ok(given(incoming, taker));
      for (const event of ['end', 'aborted', 'error', 'close'])
        incoming.on(event, () => heard.push(event));
    });
    await client.send(
      post('/', 'text/xml', '', {
        'Content-Length': String(BODY.length * Math.sign(sent.join('').length)),
      }),
    );
    for (const piece of sent) await client.send(Buffer.from(piece));
    const [, response] = await asked;
    t.equal(await taker.whole, sent.join(''));
    response.end('done');
    t.match(await client.reply(), { status: 200 });
    t.same(heard, [], 'neither its end, nor that it was thrown away');
  }
  client.close();
});

t.test('what comes after somebody left a body goes to the stream', async (t) => {
  const { server, url } = await start(t);
  const client = await RawClient.connect(url);
  const taker = new Taker();
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  server.once('request', (incoming) => given(incoming, taker));
  await client.send(post('/', 'text/xml', '', { 'Content-Length': String(2 * BODY.length) }));
  await client.send(Buffer.from(BODY));
  const [incoming, response] = await asked;
  await until(() => taker.pieces.length > 0);
  if (incoming instanceof Incoming) incoming.leaveBody();
  await client.send(Buffer.from(BODY.toUpperCase()));
  let rest = '';
  for await (const piece of incoming) rest += String(piece);
  t.equal(rest, BODY.toUpperCase());
  t.same(taker.pieces, [BODY]);
  response.end();
  client.close();
});

t.test('a body that waits in the stream already, or is over, is not given', async (t) => {
  const { server, url } = await start(t);
  const client = await RawClient.connect(url);
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  await client.send(post('/', 'text/xml', BODY));
  const [incoming, response] = await asked;
  await until(() => incoming.complete);
  const taker = new Taker();
  t.notOk(given(incoming, taker));
  let all = '';
  for await (const piece of incoming) all += String(piece);
  t.equal(all, BODY);
  t.same(taker.pieces, []);
  response.end();
  client.close();
});

t.test('the taker of a body gets an error when the caller has left', async (t) => {
  const { server, url } = await start(t);
  const client = await RawClient.connect(url);
  const taker = new Taker();
  const gone = new Promise<Error>((resolve) => {
    server.once('request', (incoming) => {
      given(incoming, taker);
      incoming.once('error', resolve);
    });
  });
  await client.send(post('/', 'text/xml', '', { 'Content-Length': '1000' }));
  await client.send(Buffer.from(BODY));
  client.close();
  t.match(await gone, { code: 'ECONNRESET' });
});
