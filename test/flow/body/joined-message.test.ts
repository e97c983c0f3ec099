import { once } from 'node:events';
import { createServer, IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';

import { joining } from '../../../src/flow/body/joined-message.js';
import { chunked, post, RawClient } from '../../kit/raw-client.js';

/** A server of such requests: the pieces of each as a reader hears them, and what came in too many. */
async function start(t: Test) {
  const crumbled: IncomingMessage[] = [];
  const server = createServer({ IncomingMessage: joining(IncomingMessage, (request) => crumbled.push(request)) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { server, crumbled, url: `http://127.0.0.1:${port}` };
}

const CHUNKED_HEAD = post('/', 'text/xml', '', { 'Content-Length': null, 'Transfer-Encoding': 'chunked' });
const bytesOf = (text: string): Uint8Array[] => Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));
const request = (...chunks: Uint8Array[]): Buffer => Buffer.concat([CHUNKED_HEAD, chunked(...chunks)]);

async function received(server: Awaited<ReturnType<typeof start>>['server']): Promise<readonly string[]> {
  const [incoming, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const pieces: string[] = [];
  incoming.on('data', (piece) => pieces.push(String(piece)));
  await once(incoming, 'end');
  response.end();
  return pieces;
}

t.test('chunks of a few bytes that come together are told together, in their order', async (t) => {
  const { server, url, crumbled } = await start(t);
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
  t.same(crumbled, []);
  client.close();
});

t.test('as many crumbs are taken as allowed, and with one more no byte of the rest', async (t) => {
  const { server, url, crumbled } = await start(t);
  const client = await RawClient.connect(url);
  const all = received(server);
  await client.send(request(...bytesOf('x'.repeat(4096))));
  t.equal((await all).join('').length, 4096);
  t.same(crumbled, []);
  const told: unknown[] = [];
  server.once('request', (incoming) =>
    incoming.on('data', (piece) => told.push(piece)).on('end', () => told.push('end')),
  );
  const tooMany = new Promise<void>((resolve) => {
    const look = (): void => void (crumbled.length > 0 ? resolve() : setImmediate(look));
    look();
  });
  await client.send(request(...bytesOf('x'.repeat(4097)), Buffer.from('y'.repeat(1000))));
  await tooMany;
  t.equal(crumbled.length, 1, 'told once');
  t.notOk(told.includes('end'));
  t.ok(Buffer.concat(told as Buffer[]).length <= 4096);
  client.close();
});

t.test('small chunks between larger ones are no crumbs', async (t) => {
  const { server, url, crumbled } = await start(t);
  const client = await RawClient.connect(url);
  const all = received(server);
  const chunks = Array.from({ length: 6000 }, (_, n) => Buffer.from(n % 8 === 7 ? 'x'.repeat(64) : 'y'));
  await client.send(request(...chunks));
  t.equal((await all).join(''), chunks.join(''));
  t.same(crumbled, []);
  client.close();
});

t.test('while nobody takes small chunks, no more of them are read', async (t) => {
  const { server, url } = await start(t);
  const client = await RawClient.connect(url);
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const count = 100_000;
  const chunk = `3f\r\n${'x'.repeat(63)}\r\n`;
  const sent = client.send(Buffer.concat([CHUNKED_HEAD, Buffer.from(`${chunk.repeat(count)}0\r\n\r\n`)]));
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
