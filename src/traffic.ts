import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';

import type { HttpLimits } from './config/http-limits.js';
import type { RequestHandler } from './request.js';

/** How often the deadlines of headers and requests are looked at: Node's default of 30 s makes 10 s into 40. */
const CHECK_MILLIS = 1000;

/** How long kept connections may still bring a request once nothing is in flight any more. */
const GRACE_MILLIS = 500;

/** The server for callers: Node's own, with its limits set, and a way to stop without losing a request. */
export class TrafficServer {
  readonly server: Server;
  /** Connections with a request that has not been answered to its end. */
  readonly #inFlight = new Set<Duplex>();
  #draining = false;

  /** `onBroken` is told of requests that Node's parser refused, with the status they were answered with. */
  constructor(handler: RequestHandler, limits: HttpLimits, onBroken: (client: string, status: number) => void) {
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#inFlight.add(request.socket);
      if (this.#draining) response.setHeader('connection', 'close');
      response.once('close', () => {
        this.#inFlight.delete(request.socket);
      });
      void handler(request, response);
    };
    this.server = createServer({
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headerMillis,
      requestTimeout: limits.totalMillis,
      keepAliveTimeout: limits.idleMillis,
      connectionsCheckingInterval: CHECK_MILLIS,
      insecureHTTPParser: false,
      requireHostHeader: true,
      noDelay: true,
    });
    // Node drops the fields beyond its own limit without a word, framing fields among them; ours refuses the request.
    this.server.maxHeadersCount = 0;
    this.server.maxRequestsPerSocket = limits.requestsPerConnection;
    this.server.maxConnections = limits.connections;
    this.server.on('request', serve).on('checkContinue', serve);
    this.server.on('checkExpectation', (_request, response: ServerResponse) => {
      response.writeHead(417, { 'content-length': 0, connection: 'close' }).end();
    });
    this.server.on('clientError', (error, socket) => {
      // It broke off inside a request that is known: that request ends by itself.
      if (this.#inFlight.has(socket)) {
        socket.destroy();
        return;
      }
      const client = 'remoteAddress' in socket && typeof socket.remoteAddress === 'string' ? socket.remoteAddress : '';
      const status = statusOf(error);
      if (socket.writable)
        socket.write(`HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      socket.destroy();
      onBroken(client, status);
    });
  }

  /**
   * Stops: no new connection, requests in flight finish, and a request that comes on a kept connection meanwhile is
   * answered with `Connection: close`. Resolves to the number of connections that had to be cut at the deadline.
   */
  async drain(deadlineMillis: number): Promise<number> {
    this.#draining = true;
    // Not http.Server.close(): it would cut kept connections on which a request may be on its way.
    const closed = new Promise<void>((resolve) => {
      this.server.once('close', () => resolve());
    });
    NetServer.prototype.close.call(this.server);
    let forced = 0;
    const deadline = setTimeout(() => {
      this.server.getConnections((_error, count) => {
        forced = count;
      });
      this.server.closeAllConnections();
    }, deadlineMillis);
    const idle = setInterval(() => {
      if (this.#inFlight.size === 0) this.server.closeIdleConnections();
    }, GRACE_MILLIS);
    await closed;
    clearTimeout(deadline);
    clearInterval(idle);
    return forced;
  }
}

/** What Node's parser says of a request it cannot read, as a status (RFC 9110, RFC 6585). */
function statusOf(error: Error): keyof typeof REASONS {
  const code = 'code' in error ? error.code : null;
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

const REASONS = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' } as const;
