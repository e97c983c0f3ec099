import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t, { type Test } from 'tap';

import { defaultsOf } from '../../../src/base/limit.js';
import { SUBSCRIPTION_LIMITS } from '../../../src/events/limits.js';
import type { ProtocolSocket } from '../../../src/flow/events/socket-protocol.js';
import { WebSockets } from '../../../src/flow/events/web-socket.js';
import { startDesk } from '../../kit/live-desk.js';

const HANDSHAKE = [
  'GET /graphql HTTP/1.1',
  'Host: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** A frame of a client, with a mask that changes nothing. */
function frame(text: string, opcode = 1): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

const COMPLETE = frame('{"type":"complete","id":"1"}');

/** A connection of which nothing is known but its bytes. */
async function dialled(t: Test, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(`${HANDSHAKE.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

interface Hall {
  readonly port: number;
  /** The end of the gateway of the last connection. */
  socket(): Socket | null;
  readonly said: ProtocolSocket[];
}

/** WebSockets of whose messages `message` is told. */
async function startHall(t: Test, message: (data: string, socket: ProtocolSocket) => void): Promise<Hall> {
  const said: ProtocolSocket[] = [];
  const sockets = new WebSockets((socket) => {
    said.push(socket);
    return { message: async (data) => message(data, socket), closed: async () => {} };
  }, defaultsOf(SUBSCRIPTION_LIMITS));
  let last: Socket | null = null;
  const server = createServer().on('upgrade', (request, socket, head) => {
    last = request.socket;
    sockets.open(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    await sockets.close();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, socket: () => last, said };
}

t.test('one message of a WebSocket a turn, and no more is read than is taken', async (t) => {
  let turn = 0;
  let lastTurn = -1;
  let handled = 0;
  let isTwice = false;
  let ahead = 0;
  const counting = setInterval(() => {}, 1000);
  const count = (): void => {
    turn++;
    if (counting.hasRef()) setImmediate(count);
  };
  setImmediate(count);
  const hall = await startHall(t, () => {
    handled++;
    isTwice ||= lastTurn === turn;
    lastTurn = turn;
    ahead = Math.max(ahead, (hall.socket()?.bytesRead ?? 0) - handled * COMPLETE.length);
  });
  const client = await dialled(t, hall.port);
  const total = 20_000;
  client.write(Buffer.concat(Array.from({ length: total }, () => COMPLETE)));
  while (handled < total) await new Promise((resolve) => setImmediate(resolve));
  counting.unref();
  clearInterval(counting);
  t.notOk(isTwice, 'others have their turn between two of them');
  t.ok(ahead < 256 * 1024, `${ahead} bytes read ahead of ${total * COMPLETE.length}`);
});

t.test('nothing is taken of a WebSocket that is closing', async (t) => {
  let handled = 0;
  const hall = await startHall(t, (_data, socket) => {
    if (++handled === 100) socket.close(4408, 'Connection initialisation timeout');
  });
  const client = await dialled(t, hall.port);
  client.write(Buffer.concat(Array.from({ length: 5000 }, () => COMPLETE)));
  // The answer to its farewell comes after all of them.
  client.write(frame('', 8));
  await new Promise((resolve) => client.once('close', resolve));
  t.equal(handled, 100);
});

t.test('ending what was never begun costs no memory', async (t) => {
  const { gateway } = await startDesk(t);
  const client = await dialled(t, Number(new URL(gateway.url).port));
  client.write(frame('{"type":"connection_init"}'));
  await new Promise((resolve) => client.once('data', resolve));
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const frames = Buffer.concat(Array.from({ length: 40_000 }, () => COMPLETE));
  collect();
  const before = process.memoryUsage().heapUsed;
  client.write(frames);
  // As many turns as it takes to read them all, and many fewer than there are of them.
  for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve));
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  t.ok(grown < 8 * 1024 * 1024, `${grown} bytes`);
});
