import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

import type { SubscriptionLimits } from '../../events/limits.js';
import { LINGER_MILLIS } from '../body/linger.js';
import { chooseProtocol, type Protocol } from './socket-protocol.js';

/** A message comes in at most so many frames: each costs more than its bytes. */
const FRAMES_MAX = 1024;

/** The WebSockets of this process: frames, pings and farewells. What is said over them is for the protocol. */
export class WebSockets {
  readonly #server: WebSocketServer;
  readonly #protocol: Protocol;
  readonly #limits: SubscriptionLimits;
  readonly #open = new Set<WebSocket>();

  constructor(protocol: Protocol, limits: SubscriptionLimits) {
    this.#protocol = protocol;
    this.#limits = limits;
    const options = {
      noServer: true,
      clientTracking: false,
      // A few bytes can be made into a lot, and both sides keep a window for each connection.
      perMessageDeflate: false,
      maxPayload: limits.messageBytes,
      maxFragments: FRAMES_MAX,
      handleProtocols: chooseProtocol,
    };
    this.#server = new WebSocketServer(options);
    // Nobody hears what is wrong with a handshake: a status says it.
    this.#server.on('wsClientError', (_error, socket) => {
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  }

  get count(): number {
    return this.#open.size;
  }

  /** Takes a connection over from HTTP; false where the handshake is none, which it was told. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const address = request.socket.remoteAddress ?? '';
    let isOpen = false;
    // At once: nobody else is asked.
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      isOpen = true;
      this.#opened(webSocket, request, address);
    });
    return isOpen;
  }

  /** Says farewell to all; who does not answer in time is cut. Resolves when all are gone. */
  async close(): Promise<void> {
    const gone = [...this.#open].map(
      (socket) =>
        new Promise<void>((resolve) => {
          const timer = setTimeout(() => socket.terminate(), LINGER_MILLIS);
          socket.once('close', () => {
            clearTimeout(timer);
            resolve();
          });
          socket.close(1001, 'Going away');
        }),
    );
    await Promise.all(gone);
  }

  #opened(socket: WebSocket, { headers }: IncomingMessage, address: string): void {
    const departure = new AbortController();
    const session = this.#protocol(
      {
        protocol: socket.protocol,
        send: (data) => sent(socket, data),
        close: (code, reason) => socket.close(code, reason),
      },
      { address, headers, signal: departure.signal },
    );
    const stopPinging = this.#ping(socket);
    this.#open.add(socket);
    socket.on('message', (data, isBinary) => {
      if (this.#isTakingNothing(socket)) return;
      if (isBinary) socket.close(1003, 'Text only');
      // It keeps to itself what goes wrong for reasons of its own; anything else is a bug of ours.
      else session.message(textOf(data)).catch(() => socket.close(4500, 'Unexpected error'));
    });
    socket.on('ping', () => this.#isTakingNothing(socket));
    // It has been closed for that already.
    socket.on('error', () => {});
    socket.once('close', (code) => {
      this.#open.delete(socket);
      stopPinging();
      departure.abort();
      session.closed(code).catch(() => {});
    });
  }

  /** Whoever asks on and on and does not read the answers would have them all kept here. */
  #isTakingNothing(socket: WebSocket): boolean {
    if (socket.bufferedAmount <= this.#limits.queueBytes) return false;
    socket.terminate();
    return true;
  }

  #ping(socket: WebSocket): () => void {
    let isAlive = true;
    const timer = setInterval(() => {
      if (isAlive) {
        isAlive = false;
        socket.ping();
      } else socket.terminate();
    }, this.#limits.pingMillis);
    timer.unref();
    socket.on('pong', () => {
      isAlive = true;
    });
    return () => clearInterval(timer);
  }
}

function sent(socket: WebSocket, data: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  // An error is told by `close` as well.
  return new Promise((resolve) => socket.send(data, () => resolve()));
}

const textOf = (data: Buffer | ArrayBuffer | readonly Buffer[]): string =>
  (data instanceof ArrayBuffer
    ? Buffer.from(data)
    : Buffer.isBuffer(data)
      ? data
      : Buffer.concat([...data])
  ).toString();
