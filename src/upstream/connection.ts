import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';

import { Guard } from './guard.js';
import type { UpstreamLimits } from './limits.js';
import { type Connector, HttpClient } from './undici.js';

/** How much earlier than the backend an idle connection is closed, when the backend sends `Keep-Alive: timeout=5`. */
const KEEP_ALIVE_MARGIN_MILLIS = 1_500;
/** Bytes of the head of an answer (catalogue U13). */
const HEAD_BYTES_MAX = 16 * 1024;

/** The low-level handler of undici 7, which makes no objects of its own for each exchange. */
export interface ExchangeHandler {
  /** The request is about to be written. An exception ends the exchange before that. */
  onConnect(abort: (error: Error) => void): void;
  onRequestSent(): void;
  /** Names and values in turn. False pauses until `resume` is called. */
  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(): void;
  onError(error: unknown): void;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
}

/**
 * A connection to one address, for one exchange at a time: its socket is made when it is needed and kept while it may be
 * used again.
 */
export class Connection {
  readonly #origin: string;
  readonly #connector: Connector;
  readonly #limits: UpstreamLimits;
  /** Null until it is needed, and after a connection could not be made: a client that failed there may count wrong. */
  #client: HttpClient | null = null;
  #socket: Socket | null = null;
  #guard: Guard | null = null;
  #madeMillis = 0;
  /** Exchanges begun on the socket there is. */
  #exchanges = 0;

  constructor(origin: string, connector: Connector, limits: UpstreamLimits) {
    this.#origin = origin;
    this.#connector = connector;
    this.#limits = limits;
  }

  /** The exchange there is, or the last one, was not the first on its socket. */
  get isReused(): boolean {
    return this.#exchanges > 1;
  }

  /** Something came behind the complete answer. */
  get isDesynced(): boolean {
    return this.#guard?.isDesynced ?? false;
  }

  /**
   * Sends a request. `isFresh` asks for an unused socket: an early answer can only be matched to its request there.
   */
  send(request: ExchangeRequest, handler: ExchangeHandler, isFresh: boolean, nowMillis: number): void {
    const socket = this.#socket;
    if (socket !== null && !socket.destroyed && this.#exchanges > 0) {
      const { ageMillis, requestsPerConnection } = this.#limits;
      const isOld = nowMillis - this.#madeMillis >= ageMillis || this.#exchanges >= requestsPerConnection;
      // The client makes a new one for its next request.
      if (isFresh || isOld) socket.destroy();
    }
    this.#client ??= this.#makeClient();
    this.#client.dispatch(request, handler);
  }

  /** Called by the handler when the request is about to be written. */
  begin(): void {
    this.#exchanges++;
    this.#guard?.begin(this.#exchanges > 1);
  }

  requestIsOut(): void {
    this.#guard?.requestIsOut();
  }

  /** The answer is complete. */
  end(): void {
    this.#guard?.end();
  }

  async close(): Promise<void> {
    await this.#client?.destroy();
  }

  #makeClient(): HttpClient {
    const limits = this.#limits;
    const client = new HttpClient(this.#origin, {
      pipelining: 1,
      connect: (options, callback) =>
        this.#connector(options, (...made) => {
          if (made[0] === null) this.#adopt(made[1]);
          callback(...made);
        }),
      headersTimeout: limits.headersMillis,
      bodyTimeout: limits.idleMillis,
      keepAliveTimeout: Math.max(1, limits.keepAliveMillis),
      keepAliveMaxTimeout: Math.max(1, limits.keepAliveMillis),
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MILLIS,
      maxHeaderSize: HEAD_BYTES_MAX,
      allowH2: false,
    });
    client.on('connectionError', () => {
      if (this.#client === client) this.#client = null;
    });
    return client;
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.#guard = new Guard(socket);
    this.#madeMillis = performance.now();
    this.#exchanges = 0;
  }
}
