import { Buffer } from 'node:buffer';
import { type Duplex, PassThrough } from 'node:stream';
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws';
import { httpFields } from '../../../core/index.js';
import type { Connector } from '../../../upstream/index.js';

/**
 * WebSockets, from either end: the only file that imports `ws`. A server emits one frame of a
 * socket a turn of the event loop, and reads no more meanwhile: small ones are many to a packet,
 * and each is work.
 */
export const makeSocketServer = (options: ServerOptions): WebSocketServer =>
  new WebSocketServer({ ...COMMON, allowSynchronousEvents: false, ...options });

export type Socket = WebSocket;

export interface DialOptions {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly messageBytesMax: number;
  /** Makes the connection. */
  readonly connect: Connector;
}

/** Opens one at a service. Redirects are not followed. */
export function dial(
  url: string,
  protocol: string,
  { headers, messageBytesMax, connect }: DialOptions,
): Socket {
  const fields: Record<string, string> = Object.create(null);
  for (let index = 0; index + 1 < headers.length; index += 2) {
    fields[httpFields.usualName(headers[index] ?? '')] = headers[index + 1] ?? '';
  }
  const { protocol: scheme, hostname, port, host } = new URL(url.replace(/^ws/i, 'http'));
  const to = { protocol: scheme, hostname: hostname.replace(/^\[|\]$/g, ''), port, host };
  const options = {
    headers: fields,
    maxPayload: messageBytesMax,
    maxHeaderSize: HEAD_BYTES_MAX,
    createConnection(_options: unknown, done: (error: Error | null, socket: Duplex) => void) {
      connect(to, (...[error, socket]) => {
        // The type wants a socket beside the error; Node looks at the error first.
        if (error === null) {
          done(null, socket);
        } else {
          done(error, new PassThrough());
        }
      });
      return undefined;
    },
  };
  return new WebSocket(url, protocol, { ...COMMON, ...options });
}

/** Bytes of the head of the answer to a handshake. */
const HEAD_BYTES_MAX = 16 * 1024;

const COMMON = {
  // A few bytes can be made into a lot, and both sides keep a window for each connection.
  perMessageDeflate: false,
  // A message comes in at most so many frames: each costs more than its bytes.
  maxFragments: 1024,
};

/** Calls `dead` when a ping has no answer by the next. The answer stops it. */
export function keepAsking(socket: Socket, everyMillis: number, dead: () => void): () => void {
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) return dead();
    isAlive = false;
    socket.ping();
  }, everyMillis);
  timer.unref();
  socket.on('pong', () => {
    isAlive = true;
  });
  return () => clearInterval(timer);
}

/** The text of a message. */
export const wsText = (data: Buffer | ArrayBuffer | readonly Buffer[]): string =>
  (data instanceof ArrayBuffer
    ? Buffer.from(data)
    : Buffer.isBuffer(data)
      ? data
      : Buffer.concat([...data])
  ).toString();
