import { once } from 'node:events';
import { connect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { ConnectionReuse } from '../../src/upstream/connection-reuse.js';
import { Guard } from '../../src/upstream/guard.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';

/** Answers over TLS that come before Node says that their request was written. */

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A server in a thread of its own: `answered` is set once the system has its answer. */
const SERVER = `
const { parentPort, workerData: { cert, key, answer, answered } } = require('node:worker_threads');
const { createServer } = require('node:tls');
const server = createServer({ cert, key }, (socket) => {
  socket.on('error', () => {}).on('data', () => socket.write(answer, () => {
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  }));
}).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

t.test(
  'an answer is no early one when the system has had all of its request',
  WITH_OPENSSL,
  async (t) => {
    const authority = new Authority(t.testdir());
    const answered = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(SERVER, {
      eval: true,
      workerData: { ...authority.sign('localhost'), answer: ANSWER, answered },
    });
    t.teardown(() => worker.terminate());
    const [port] = await once(worker, 'message');
    const socket = connect({
      port,
      host: '127.0.0.1',
      ca: authority.ca.cert,
      servername: 'localhost',
    });
    t.teardown(() => socket.destroy());
    await once(socket, 'secureConnect');
    const guard = new Guard(socket, new ConnectionReuse());
    for (let call = 0; call < 5; call++) {
      const read = new Promise((resolve) => {
        const look = (): void => {
          const chunk: unknown = socket.read();
          if (!(chunk instanceof Uint8Array)) return;
          socket.off('readable', look);
          resolve(String(chunk));
        };
        socket.on('readable', look).once('error', resolve);
      });
      await new Promise((resolve) => setImmediate(resolve));
      Atomics.store(answered, 0, 0);
      guard.begin(true);
      socket.write('GET / HTTP/1.1\r\n\r\n');
      guard.requestIsOut();
      // The answer is there before the turn in which the write is reported.
      Atomics.wait(answered, 0, 0, 5_000);
      t.ok(socket.writableLength > 0, 'the write is not reported yet');
      t.equal(await read, ANSWER);
      guard.end();
    }
    t.notOk(guard.isDesynced);
  },
);
