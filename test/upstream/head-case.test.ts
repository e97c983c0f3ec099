import { connect, createServer, type Socket } from 'node:net';
import { t } from 'tap';
import { spelledHead, writeUsualNames } from '../../src/upstream/head-case.js';

/** Heads as undici writes them, and as they go out. */
const HEADS: readonly (readonly [title: string, head: string, written: string])[] = [
  [
    'a length',
    'POST /a HTTP/1.1\r\nhost: b\r\nconnection: keep-alive\r\nX-A: c\r\ncontent-length: 5\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: b\r\nConnection: keep-alive\r\nX-A: c\r\nContent-Length: 5\r\n\r\n',
  ],
  [
    'chunks',
    'POST /a HTTP/1.1\r\nhost: b\r\nconnection: close\r\ntransfer-encoding: chunked\r\n',
    'POST /a HTTP/1.1\r\nHost: b\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n',
  ],
  [
    'no content',
    'GET /a HTTP/1.1\r\nhost: b\r\nconnection: close\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n',
  ],
  [
    'names in values, and in the target',
    'GET /host:%20content-length:%20 HTTP/1.1\r\nhost: b\r\nconnection: close\r\n' +
      'X-A: content-length: 5\r\nX-B: host: c\r\n\r\n',
    'GET /host:%20content-length:%20 HTTP/1.1\r\nHost: b\r\nConnection: close\r\n' +
      'X-A: content-length: 5\r\nX-B: host: c\r\n\r\n',
  ],
  [
    'names that only begin like these',
    'POST /a HTTP/1.1\r\nhost: b\r\nconnection: close\r\nhost-a: b\r\ncontent-length-a: 5\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: b\r\nConnection: close\r\nhost-a: b\r\ncontent-length-a: 5\r\n\r\n',
  ],
  [
    'a value beyond US-ASCII',
    'POST /a HTTP/1.1\r\nhost: b\r\nconnection: close\r\n' +
      'X-A: \xe9\xff\r\ncontent-length: 5\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: b\r\nConnection: close\r\n' +
      'X-A: \xe9\xff\r\nContent-Length: 5\r\n\r\n',
  ],
  [
    'another form',
    'GET /a HTTP/1.1\r\nx: host: b\r\n\r\n',
    'GET /a HTTP/1.1\r\nx: host: b\r\n\r\n',
  ],
];

t.test('The names that undici writes are spelled, and no value', (t) => {
  for (const [title, head, written] of HEADS) {
    t.equal(spelledHead(head).toString('latin1'), written, title);
  }
  t.end();
});

t.test('Content and chunk sizes pass a connection as they are', async (t) => {
  let received = '';
  const server = createServer((socket) =>
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const socket: Socket = connect(
    typeof address === 'object' ? (address?.port ?? 0) : 0,
    '127.0.0.1',
  );
  writeUsualNames(socket);
  const content = 'POST /a HTTP/1.1\r\nhost: b\r\nconnection: close\r\n\r\n';
  socket.write(HEADS[1]?.[1] ?? '', 'latin1');
  socket.write(`\r\n${content.length.toString(16)}\r\n`, 'latin1');
  socket.write(Buffer.from(content));
  await new Promise<void>((resolve) => socket.end('\r\n0\r\n\r\n', 'latin1', resolve));
  await new Promise<void>((resolve) => server.close(() => resolve()));
  const size = content.length.toString(16);
  t.equal(received, `${HEADS[1]?.[2]}\r\n${size}\r\n${content}\r\n0\r\n\r\n`);
});
