import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';

import { Refusal } from '../../src/core/refusals/refusal.js';
import { ConnectionReuse } from '../../src/upstream/connection-reuse.js';
import { Guard } from '../../src/upstream/guard.js';
import { startScriptedBackend } from '../kit/backend.js';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

async function startGuarded(t: Test) {
  let accepted: (socket: Socket) => void = () => {};
  const backend = new Promise<Socket>((resolve) => {
    accepted = resolve;
  });
  const server = await startScriptedBackend((socket) => accepted(socket));
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  t.teardown(async () => {
    socket.destroy();
    await server.close();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  const guard = new Guard(socket, new ConnectionReuse());
  let failure: Error | null = null;
  socket.on('error', (error) => {
    failure = error;
  });
  guard.begin(false);
  socket.write('GET / HTTP/1.1\r\n\r\n');
  guard.requestIsOut();
  return {
    socket,
    guard,
    /** The other end. */
    backend: await backend,
    /**
     * Resolves to what was read: the next bytes, or the error the socket ended with, or null for an
     * end without one.
     */
    next: (): Promise<string | Error | null> =>
      new Promise((resolve) => {
        const look = (): void => {
          const chunk: unknown = socket.read();
          if (chunk instanceof Uint8Array && chunk.length > 0)
            resolve(Buffer.from(chunk).toString());
        };
        socket.on('readable', look).once('close', () => resolve(failure));
        look();
      }),
  };
}

const codeOf = (what: unknown): unknown => (what instanceof Refusal ? what.code : what);

t.test(
  'an answer passes as it is, and what comes behind it ends the connection without an error',
  async (t) => {
    const { socket, guard, backend, next } = await startGuarded(t);
    backend.write(ANSWER);
    t.equal(await next(), ANSWER);
    guard.end();
    backend.write('H');
    t.equal(await next(), null);
    t.ok(socket.destroyed);
    t.ok(guard.isDesynced);
  },
);

t.test('an answer before its request is out', async (t) => {
  const used = await startGuarded(t);
  used.guard.begin(true);
  used.backend.write(ANSWER);
  t.equal(
    codeOf(await used.next()),
    'UPSTREAM_DESYNC',
    'on a connection that was used before: of a stranger',
  );

  const half = await startGuarded(t);
  half.guard.begin(true);
  half.socket.cork();
  half.socket.write('half of it is still here');
  half.guard.requestIsOut();
  half.backend.write(ANSWER);
  t.equal(
    codeOf(await half.next()),
    'UPSTREAM_DESYNC',
    'given to the socket, but not to the system',
  );

  const fresh = await startGuarded(t);
  fresh.guard.begin(false);
  fresh.backend.write(ANSWER);
  t.equal(await fresh.next(), ANSWER, 'on a new connection: nobody else has asked');
});

t.test('interim answers are taken out, wherever they are cut', async (t) => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  for (let cut = 1; cut < interim.length; cut += 3) {
    const { backend, next } = await startGuarded(t);
    backend.setNoDelay(true);
    backend.write(interim.slice(0, cut));
    const answer = next();
    setImmediate(() => backend.write(interim.slice(cut) + ANSWER));
    t.equal(await answer, ANSWER, `cut at ${cut}`);
  }
});

t.test(
  'a status that HTTP does not have is refused, before the parser asserts that there is none',
  async (t) => {
    for (const status of ['000', '099', '600', '999', 'abc', '-20', ' 200']) {
      const { backend, next } = await startGuarded(t);
      backend.write(ANSWER.replace('200', status));
      t.equal(codeOf(await next()), 'UPSTREAM_INVALID_RESPONSE', status);
    }
    for (const status of ['200', '299', '404', '599']) {
      const { backend, next } = await startGuarded(t);
      const answer = ANSWER.replace('200', status);
      backend.write(answer);
      t.equal(await next(), answer);
    }
  },
);

t.test('what is no answer of HTTP/1 is refused at the first byte that says so', async (t) => {
  for (const wrong of [
    'S',
    'HTTQ',
    'HTTP/2.0 200',
    '\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  ]) {
    const { backend, next } = await startGuarded(t);
    backend.write(wrong);
    t.equal(codeOf(await next()), 'UPSTREAM_INVALID_RESPONSE', JSON.stringify(wrong));
  }
});
