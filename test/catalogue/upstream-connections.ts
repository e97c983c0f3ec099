import { createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';

import { listen } from '../kit/listen.js';
import { chunked, post, RawClient, type RawReply } from '../kit/raw-client.js';
import { expectAnswer } from './expect.js';
import type { Rows } from './rows.js';
import {
  answerOf,
  closed,
  envelope,
  http,
  requestOf,
  type Scripted,
  startScripted,
  turn,
} from './upstream-kit.js';

const FINE = http(envelope(answerOf('Ping')));
const STRANGER = http(envelope('<stranger xmlns="urn:m"/>'));
const WSA = 'xmlns:w="http://www.w3.org/2005/08/addressing"';

/** What happens between the exchanges of a connection. */
export function testConnections(rows: Rows): void {
  const expect = (t: Test, reply: RawReply, row: string, name: string): void => {
    expectAnswer(t, reply, rows.answer(row, name), '1.1', `${row} ${name}`);
    t.notMatch(reply.body, 'stranger', `${row} ${name}: nothing of a stranger's`);
  };

  t.test('U01: an answer without a request reaches no client', async (t) => {
    const scripted = await startScripted(t);
    let first = await warm(scripted);
    first.write(STRANGER);
    await closed(first);
    expect(t, await scripted.ask('Ping'), 'U01', 'while the connection is idle');
    t.equal(scripted.connections(), 2, 'on another connection');

    for (const [name, bytes] of [
      ['one byte while the connection is idle', ' '],
      ['a line end while the connection is idle', '\r\n'],
    ] as const) {
      first = await warm(scripted);
      first.write(bytes);
      await closed(first);
      expect(t, await scripted.ask('Ping'), 'U01', name);
    }

    first = await warm(scripted);
    const client = await RawClient.connect(scripted.gateway.url);
    // Both are in the system before the gateway looks at either.
    first.write(STRANGER);
    client.socket.write(requestOf('Ping'));
    expect(t, await client.reply(), 'U01', 'at the same moment as the next request');
    client.close();
  });

  t.test('U01: two answers to one request, which cannot be matched', async (t) => {
    for (const [name, bytes] of [
      ['in one packet with the next answer', Buffer.concat([STRANGER, FINE])],
      [
        'garbage behind the answer on a used connection',
        Buffer.concat([FINE, Buffer.from('garbage')]),
      ],
    ] as const) {
      const scripted = await startScripted(t);
      const socket = await warm(scripted);
      scripted.play((other) => other.write(bytes));
      expect(t, await scripted.ask('Ping'), 'U01', name);
      await closed(socket);
    }
  });

  t.test('U01: the name tells what the connection cannot', async (t) => {
    const scripted = await startScripted(t);
    scripted.play((socket) => socket.write(http(envelope(answerOf('GetOrder')))));
    t.equal((await scripted.ask('GetOrder')).status, 200);
    scripted.play((socket) => {
      socket.write(http(envelope(answerOf('DropOrder'))));
      setImmediate(() => socket.write(http(envelope(answerOf('GetOrder')))));
    });
    expect(t, await scripted.ask('GetOrder'), 'U01', 'with the next request, where a WSDL tells');
    scripted.play((socket) => socket.write(http(envelope(answerOf('DropOrder')))));
    const { errors } = await scripted.graphql('{ order }');
    t.equal(`G:${errors?.[0]?.extensions.code}`, rows.answer('U01', 'GraphQL'));
    t.notMatch(JSON.stringify(errors), 'stranger');
  });

  t.test('U01: without a WSDL connections need not be used again', async (t) => {
    const scripted = await startScripted(t, { limits: 'requestsPerConnection: 1' });
    let before: Socket | null = null;
    scripted.play((socket) => {
      before?.write(STRANGER);
      before = socket;
      socket.write(FINE);
    });
    for (let count = 0; count < 3; count++) {
      expect(
        t,
        await scripted.ask('Ping'),
        'U01',
        'with the next request, where no connection is used again',
      );
    }
    t.equal(scripted.connections(), 3);
  });

  t.test('U01: a reply relates to its request', async (t) => {
    const scripted = await startScripted(t);
    const relating = (id: string): Buffer =>
      http(envelope(answerOf('Ping'), '1.1', `<w:RelatesTo ${WSA}>${id}</w:RelatesTo>`));
    const header = `<w:MessageID ${WSA}>urn:uuid:1</w:MessageID>`;
    scripted.play((socket) => socket.write(relating('urn:uuid:2')));
    expect(t, await scripted.ask('Ping', { header }), 'U01', 'relates to another message');
    expect(t, await scripted.ask('Ping'), 'U01', 'relates to something, and nothing was named');
    scripted.play((socket) => socket.write(relating(' urn:uuid:1 ')));
    expect(t, await scripted.ask('Ping', { header }), 'U01', 'relates to its request');
    scripted.play((socket) => socket.write(FINE));
    expect(t, await scripted.ask('Ping', { header }), 'U01', 'relates to nothing');
  });

  t.test(
    'U08: what dies without an answer is asked again only where that does no harm',
    async (t) => {
      const scripted = await startScripted(t);
      const dying = async (operation: string, deaths: number): Promise<RawReply> => {
        const fine = http(envelope(answerOf(operation)));
        scripted.play((socket) => socket.write(fine));
        await scripted.ask(operation);
        let left = deaths;
        scripted.play((socket) => (left-- > 0 ? socket.end() : socket.write(fine)));
        return scripted.ask(operation);
      };
      const cases = [
        ['GetOrder', 1, 'idempotent', 3],
        ['DropOrder', 1, 'not idempotent', 2],
        ['GetOrder', 2, 'idempotent, and twice', 3],
      ] as const;
      for (const [operation, deaths, name, asked] of cases) {
        const before = scripted.requests();
        for (let count = 0; count < 5; count++) scripted.play((socket) => socket.write(http('')));
        expect(t, await dying(operation, deaths), 'U08', name);
        t.equal(scripted.requests() - before, asked, `${name}: requests that arrived`);
      }
      const socket = await warm(scripted);
      socket.end();
      await closed(socket);
      expect(t, await scripted.ask('Ping'), 'U08', 'closed before the request');
    },
  );

  t.test('U20: an answer before the end of the request', async (t) => {
    const early = http(
      envelope('<E:Fault><faultcode>E:Client</faultcode><faultstring>big</faultstring></E:Fault>'),
      {},
      '413 Too Large',
    );
    let isClosed: Promise<void> = Promise.resolve();
    let taken = 0;
    const server = createServer((socket) => {
      isClosed = closed(socket);
      socket.on('data', (chunk) => {
        if (taken === 0) socket.write(early);
        taken += chunk.length;
      });
    });
    const scripted = await startScripted(t, { url: `${(await listen(t, server)).url}/` });
    const client = await RawClient.connect(scripted.gateway.url);
    const head = envelope(`<a xmlns="urn:m">${'a'.repeat(200_000)}`).slice(0, 200_000);
    await client.send(
      post('/soap/s11', 'text/xml', '', { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }),
    );
    await client.send(chunked(head).subarray(0, -5));
    expect(t, await client.reply(), 'U20', 'answered early');
    await isClosed;
    t.ok(taken < 300_000, 'the upload is over');
    await client.ended();
    client.close();
  });

  t.test('U27 and U29: connections are given up before they are old', async (t) => {
    const scripted = await startScripted(t, { limits: 'ageMillis: 30' });
    await warm(scripted);
    const made = performance.now();
    while (performance.now() - made < 60) await turn();
    expect(t, await scripted.ask('Ping'), 'U27', 'old connection');
    t.equal(scripted.connections(), 2, 'a new one');

    const hinting = await startScripted(t);
    for (const [timeout, connections] of [
      [1, 2],
      [30, 3],
    ] as const) {
      hinting.play((socket) =>
        socket.write(http(envelope(answerOf('Ping')), { 'Keep-Alive': `timeout=${timeout}` })),
      );
      expect(t, await hinting.ask('Ping'), 'U29', `the backend closes after ${timeout} s`);
      expect(t, await hinting.ask('Ping'), 'U29', `the backend closes after ${timeout} s`);
      t.equal(hinting.connections(), connections, `${timeout} s: connections`);
    }
  });
}

/** One good exchange; the connection it was on is idle then. */
async function warm(scripted: Scripted): Promise<Socket> {
  let used: Socket | null = null;
  scripted.play((socket) => {
    used = socket;
    // Else what it writes next waits until the gateway says something on this connection.
    socket.setNoDelay(true);
    socket.write(FINE);
  });
  await scripted.ask('Ping');
  // The answer is out before the connection is back in its place.
  for (let turns = 0; turns < 5; turns++) await turn();
  if (used === null) throw new Error('nobody asked');
  return used;
}
