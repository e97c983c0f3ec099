import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t, { type Test } from 'tap';
import { defaultsOf } from '../../../src/core/limit.js';
import type { ProtocolSocket } from '../../../src/flow/subscriptions/transports/socket-parts.js';
import {
  type SocketLimits,
  WebSockets,
} from '../../../src/flow/subscriptions/transports/web-socket.js';
import { SUBSCRIPTION_LIMITS } from '../../../src/pubsub/limits.js';
import { listen } from '../../kit/listen.js';
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

/** The same, of which nothing is read but what is asked for. */
async function dialledSlowly(t: Test, port: number): Promise<Socket> {
  const socket = await dialled(t, port);
  socket.pause();
  return socket;
}

/** WebSockets of whose messages `message` is told. */
async function startHall(
  t: Test,
  message: (data: string, socket: ProtocolSocket) => void,
  limits: Partial<SocketLimits> = {},
) {
  const said: ProtocolSocket[] = [];
  const sockets = new WebSockets(
    (socket) => {
      said.push(socket);
      return {
        message: async (data) => message(data, socket),
        refuse: (code, reason) => socket.close(code, reason),
        closed: async () => {},
      };
    },
    { ...defaultsOf(SUBSCRIPTION_LIMITS), stallMillis: 30_000, ...limits },
  );
  let last: Socket | null = null;
  const server = createServer().on('upgrade', (request, socket, head) => {
    last = request.socket;
    sockets.open(request, socket, head);
  });
  const { port } = await listen(t, server);
  t.teardown(() => sockets.close());
  return {
    port,
    /** The end of the gateway of the last connection. */
    socket: (): Socket | null => last,
    said,
  };
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

const LONG = 'x'.repeat(24 * 1024 * 1024);

/** Reads until the other end closes: how many bytes came, and the last of them. */
async function readAll(socket: Socket): Promise<{ bytes: number; last: string }> {
  let bytes = 0;
  let last = '';
  socket.on('data', (piece) => {
    bytes += piece.length;
    last = (last + piece.toString('latin1')).slice(-100);
  });
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  return { bytes, last };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

t.test('messages of a slow reader are read once it has read more', async (t) => {
  const heard: string[] = [];
  const hall = await startHall(
    t,
    (data, socket) => {
      heard.push(data);
      if (data === 'long') void socket.send(LONG);
      if (data === 'last') socket.close(4400, 'over');
    },
    // Longer than a busy machine keeps anybody waiting: when all has been read an answer is due
    // in this time.
    { pingMillis: 250 },
  );
  const client = await dialledSlowly(t, hall.port);
  client.write(frame('long'));
  while (heard.length < 1) await turns(1);
  client.write(Buffer.concat([frame('?', 9), frame('more')]));
  // Three pings, of which it answers none.
  await new Promise((resolve) => setTimeout(resolve, 800));
  t.same(heard, ['long'], 'not read');
  client.write(frame('last'));
  const { bytes, last } = await readAll(client);
  t.same(heard, ['long', 'more', 'last']);
  t.ok(bytes > LONG.length, `${bytes} bytes`);
  t.match(last, '\x8a\x01?', 'the pong');
  t.ok(last.endsWith('over'));
});

t.test('a client that reads nothing for a while gets the reason, and is cut', async (t) => {
  const hall = await startHall(t, (_data, socket) => void socket.send(LONG), {
    pingMillis: 50,
    stallMillis: 200,
  });
  const client = await dialledSlowly(t, hall.port);
  client.write(frame('long'));
  while ((hall.socket()?.writableLength ?? 0) === 0) await turns(1);
  const closed = new Promise((resolve) => hall.socket()?.once('close', resolve));
  await closed;
  const { bytes } = await readAll(client);
  t.ok(bytes < LONG.length);

  const other = await dialledSlowly(t, hall.port);
  other.write(frame('long'));
  while ((hall.socket()?.writableLength ?? 0) === 0) await turns(1);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const { last } = await readAll(other);
  t.match(last, '\x03\xf5Read too slowly', '1013, who begins to read in time');
});

t.test('a client that keeps reading, however slowly, is not cut', async (t) => {
  const hall = await startHall(
    t,
    (_data, socket) => {
      void socket.send(LONG).then(() => socket.close(4400, 'over'));
    },
    { pingMillis: 50, stallMillis: 300 },
  );
  const client = await dialledSlowly(t, hall.port);
  client.write(frame('long'));
  const started = performance.now();
  let bytes = 0;
  client.on('data', (piece) => {
    bytes += piece.length;
    if (performance.now() - started > 1200) return;
    client.pause();
    setTimeout(() => client.resume(), 5);
  });
  client.resume();
  await new Promise((resolve) => client.once('close', resolve));
  t.ok(bytes > LONG.length, `${bytes} bytes`);
});

t.test(
  'without a reader pings are not all answered, and small messages not kept without bound',
  async (t) => {
    let handled = 0;
    const hall = await startHall(t, (data, socket) => {
      handled++;
      void socket.send(data === 'long' ? LONG : 'pong');
    });
    const client = await dialledSlowly(t, hall.port);
    const length = (): number => hall.socket()?.writableLength ?? 0;
    client.write(frame('fill'));
    client.write(frame('long'));
    while (length() === 0) await turns(1);
    const before = length();
    client.write(Buffer.concat(Array.from({ length: 100_000 }, () => frame('', 9))));
    await turns(3000);
    t.ok(length() - before < 10_000, `${length() - before} bytes`);

    const small = await startHall(
      t,
      (data, socket) => {
        handled++;
        void socket.send(data.repeat(20));
      },
      { queueBytes: 256 * 1024 * 1024 },
    );
    const other = await dialledSlowly(t, small.port);
    handled = 0;
    const text = 'x'.repeat(100);
    const sent = Buffer.concat(Array.from({ length: 20_000 }, () => frame(text)));
    other.write(sent);
    let still = 0;
    for (let last = -1; still < 1000; still = handled === last ? still + 1 : 0) {
      last = handled;
      await turns(1);
    }
    t.ok(handled < 20_000, `${handled} messages read`);
    t.ok(
      (small.socket()?.writableLength ?? 0) < 4 * 1024 * 1024,
      `${small.socket()?.writableLength} bytes wait`,
    );
    other.resume();
    while (handled < 20_000) await turns(1);
  },
);
