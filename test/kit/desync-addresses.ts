import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';

import { envelope } from './envelope.js';

/**
 * A backend at many addresses, over TLS, that now and then sends a second answer: to the same
 * connection, at once or later, or to another one that is idle. Each reply holds the id of its
 * request and the port of its address.
 */

/** One request in so many gets a second answer. */
const ODD_SHARE = 20;
/** The longest time after which a second answer is sent. */
const LATE_MILLIS = 30;

const NAMESPACE = 'urn:calls';
const BODY = /<(?:\w+:)?Get[ >][\s\S]*?<(?:\w+:)?id[^>]*>(\d+)<[\s\S]*Envelope>(\r\n0\r\n\r\n)?/;

/** Where and when a second answer is sent. */
const WAYS = ['at once', 'later', 'elsewhere'] as const;
export type Way = (typeof WAYS)[number];

/** How many second answers were sent, by the way of sending. */
export type SecondAnswers = Record<Way, number>;

/** The way of the second answer to the request with this id, if it gets one. */
export const wayOf = (id: number): Way => WAYS[hash(id, 1) % WAYS.length] ?? 'later';

/** A number from 0 to 2^32 - 1 for each pair. */
function hash(id: number, purpose: number): number {
  let mixed = Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** The answer to the request with this id at the address with this port. */
function answerOf(id: string, port: number): string {
  const body = envelope(
    `<GetResponse xmlns="${NAMESPACE}"><value>${id}@${port}</value></GetResponse>`,
  );
  return (
    'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Starts one address. */
function startAddress(
  cert: string,
  key: string,
  noDelay: boolean,
  sent: SecondAnswers,
): Promise<number> {
  const idle = new Set<Socket>();
  let port = 0;
  const server = createServer({ cert, key, noDelay }, (socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      idle.delete(socket);
      text += chunk.toString('latin1');
      const [, id] = BODY.exec(text) ?? [];
      if (id === undefined || (/transfer-encoding/i.test(text) && !text.endsWith('0\r\n\r\n')))
        return;
      text = '';
      const answer = answerOf(id, port);
      socket.write(answer);
      answerAgain(Number(id), answer, socket);
      idle.add(socket);
    });
    socket.on('close', () => idle.delete(socket)).on('error', () => {});
  });
  const answerAgain = (id: number, answer: string, socket: Socket): void => {
    if (hash(id, 0) % ODD_SHARE !== 0) return;
    const way = wayOf(id);
    const others = [...idle].filter((other) => other !== socket);
    const to = way === 'elsewhere' ? others[hash(id, 2) % others.length] : socket;
    if (to === undefined) return;
    sent[way]++;
    const write = (): void => void (to.writable && to.write(answer));
    if (way === 'later') setTimeout(write, hash(id, 3) % LATE_MILLIS);
    else setImmediate(write);
  };
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      ({ port } = server.address() as AddressInfo);
      resolve(port);
    });
  });
}

const [, program, count, certFile = '', keyFile = ''] = process.argv;
if (program === new URL(import.meta.url).pathname) {
  const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
  const sent: SecondAnswers = { 'at once': 0, later: 0, elsewhere: 0 };
  const ports = await Promise.all(
    Array.from({ length: Number(count) }, (_, index) =>
      startAddress(cert, key, index % 2 === 0, sent),
    ),
  );
  process.on('message', () => process.send?.(sent));
  process.on('disconnect', () => process.exit());
  process.send?.(ports);
}
