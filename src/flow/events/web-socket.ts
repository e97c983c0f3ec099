import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { SubscriptionLimits } from '../../events/limits.js';
import { LINGER_MILLIS } from '../body/linger.js';
import { chooseProtocol } from '../wire/graphql-ws.js';
import { keepAsking, makeSocketServer, type Socket, textOf } from '../wire/ws.js';
import type { Protocol } from './socket-protocol.js';

/** The WebSockets of this process: frames, pings and farewells. What is said over them is for the protocol. */
export class WebSockets {
  readonly #server: ReturnType<typeof makeSocketServer>;
  readonly #protocol: Protocol;
  readonly #limits: SubscriptionLimits;
  readonly #open = new Set<Socket>();

  constructor(protocol: Protocol, limits: SubscriptionLimits) {
    this.#protocol = protocol;
    this.#limits = limits;
    this.#server = makeSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: limits.messageBytes,
      handleProtocols: chooseProtocol,
    });
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

  #opened(socket: Socket, { headers }: IncomingMessage, address: string): void {
    const departure = new AbortController();
    const session = this.#protocol(
      {
        protocol: socket.protocol,
        send: (data) => sent(socket, data),
        close: (code, reason) => socket.close(code, reason),
      },
      { address, headers, signal: departure.signal },
    );
    const stopPinging = keepAsking(socket, this.#limits.pingMillis, () => socket.terminate());
    this.#open.add(socket);
    socket.on('message', (data, isBinary) => {
      // Whoever is told farewell may go on saying things until it has heard that.
      if (socket.readyState !== socket.OPEN || this.#isTakingNothing(socket)) return;
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
  #isTakingNothing(socket: Socket): boolean {
    if (socket.bufferedAmount <= this.#limits.queueBytes) return false;
    socket.terminate();
    return true;
  }
}

function sent(socket: Socket, data: string): Promise<void> {
  if (socket.readyState !== socket.OPEN) return Promise.resolve();
  // An error is told by `close` as well.
  return new Promise((resolve) => socket.send(data, () => resolve()));
}
