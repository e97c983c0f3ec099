import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Cancellation } from '../../../core/index.js';

import type { SubscriptionLimits } from '../../../pubsub/limits.js';
import { LINGER_MILLIS } from '../../http/linger.js';
import { readTarget } from '../../http/target.js';
import { chooseProtocol } from '../wire/graphql-ws.js';
import { keepAsking, makeSocketServer, type Socket, wsText } from '../wire/ws.js';
import { type OutgoingLimits, SendQueue } from './send-queue.js';
import type { Protocol } from './socket-protocol.js';

export type SocketLimits = Pick<SubscriptionLimits, 'messageBytes' | 'pingMillis'> & OutgoingLimits;

/**
 * The WebSockets of this process: frames, pings and close frames. Messages are for the protocol.
 */
export class WebSockets {
  readonly #server: ReturnType<typeof makeSocketServer>;
  readonly #protocol: Protocol;
  readonly #limits: SocketLimits;
  readonly #open = new Set<Socket>();

  constructor(protocol: Protocol, limits: SocketLimits) {
    this.#protocol = protocol;
    this.#limits = limits;
    this.#server = makeSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: limits.messageBytes,
      autoPong: false,
      handleProtocols: chooseProtocol,
    });
    // With a listener the package does not answer an invalid handshake: `open` returns false.
    this.#server.on('wsClientError', () => {});
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Takes a connection over from HTTP; false for an invalid handshake, which is not answered here.
   */
  open(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const address = request.socket.remoteAddress ?? '';
    let isOpen = false;
    // Synchronous: there is no `verifyClient`.
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      isOpen = true;
      this.#opened(webSocket, request, address);
    });
    return isOpen;
  }

  /**
   * Closes all; a connection whose client does not answer in time is cut. Resolves when all are
   * gone.
   */
  async close(): Promise<void> {
    const gone = [...this.#open].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          closeInTime(socket, 1001, 'Going away');
        }),
    );
    await Promise.all(gone);
  }

  #opened(socket: Socket, request: IncomingMessage, address: string): void {
    const { headers, socket: connection } = request;
    const { path } = readTarget(request);
    const departure = new Cancellation();
    // A client that reads on gets the close code; it may come again.
    const stalled = (): void => {
      stopPinging();
      closeInTime(socket, 1013, 'Read too slowly');
    };
    const outgoing = new SendQueue(socket, connection, this.#limits, stalled);
    const session = this.#protocol(
      {
        protocol: socket.protocol,
        send: (data) => outgoing.send(data),
        close: (code, reason) => closeInTime(socket, code, reason),
        pause: () => socket.pause(),
        // The send queue may be full as well.
        resume: () => outgoing.isPaused || socket.resume(),
      },
      { address, path, connection, headers, signal: departure },
    );
    const { pingMillis } = this.#limits;
    const stopPinging = keepAsking(socket, pingMillis, () => {
      // The answer may not be read yet, or the ping not have been reached.
      if (outgoing.drainedMillis >= pingMillis) {
        socket.terminate();
      }
    });
    this.#open.add(socket);
    socket.on('message', (data, isBinary) => {
      // A client may go on sending until it has the close frame.
      if (socket.readyState !== socket.OPEN) return;
      if (isBinary) {
        session.refuse(1003, 'Text only');
      }
      // It keeps to itself what goes wrong for reasons of its own; anything else is a bug of ours.
      else {
        session.message(wsText(data)).catch(() => socket.close(4500, 'Unexpected error'));
      }
    });
    socket.on('ping', (data) => outgoing.pong(data));
    // It is being closed for that already.
    socket.on('error', () => session.refuse(1002, 'Protocol error'));
    socket.once('close', (code) => {
      this.#open.delete(socket);
      stopPinging();
      outgoing.close();
      departure.abort();
      session.closed(code).catch(() => {});
    });
  }
}

/** Closes a connection, and cuts it if its client does not answer in time. */
function closeInTime(socket: Socket, code: number, reason: string): void {
  if (socket.readyState !== socket.OPEN) return;
  const timer = setTimeout(() => socket.terminate(), LINGER_MILLIS);
  socket.once('close', () => clearTimeout(timer));
  socket.close(code, reason);
}
