import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

import { httpFields, KIB } from '../core/index.js';
import { Authenticator, type Transport } from './authenticator.js';
import { ConnectionReuse } from './connection-reuse.js';
import type { ConnectionAuthentication } from './credentials/handshake.js';
import type { ExchangeHandler, ExchangeRequest } from './exchange.js';
import { Guard } from './guard.js';
import { writeUsualNames } from './head-case.js';
import type { UpstreamLimits } from './limits.js';
import { type Connector, HttpClient, readBlanksBehindChunkSizes } from './undici.js';

/**
 * How much earlier than the backend an idle connection is closed, when the backend sends
 * `Keep-Alive: timeout=5`.
 */
const KEEP_ALIVE_MARGIN_MILLIS = 1_500;
/**
 * A request of more bytes may be answered before the backend has read it all: the system takes it
 * at once.
 */
const LONG_REQUEST_BYTES = 16 * KIB;

/** How a connection is used. */
export interface ConnectionUse {
  /**
   * It belongs to one connection of a caller: its socket is never replaced by another before it
   * breaks.
   */
  readonly isBound?: boolean;
  /** Authenticates its sockets; null or absent where that is not needed. */
  readonly authentication?: ConnectionAuthentication | null;
  /**
   * Whether sockets are used for more than one exchange; that of all connections to the address.
   */
  readonly reuse?: ConnectionReuse;
  /** How names of header fields are written; absent: in their usual case. */
  readonly fieldCase?: httpFields.FieldCase;
  /** Spellings of fields that the configuration names. */
  readonly spellings?: httpFields.FieldSpellings;
}

/**
 * A connection to one address, for one exchange at a time: its socket is made when it is needed and
 * kept while it may be used again.
 */
export class UpstreamConnection implements Transport {
  readonly #origin: string;
  readonly #connector: Connector;
  readonly #limits: UpstreamLimits;
  readonly #isBound: boolean;
  readonly #reuse: ConnectionReuse;
  readonly #fieldCase: httpFields.FieldCase;
  readonly #spellings: httpFields.FieldSpellings | null;
  /** Null where requests need no handshake before them. */
  readonly #authenticator: Authenticator | null;
  /**
   * Null until it is needed, and after a connection could not be made: a client that failed there
   * may count wrong.
   */
  #client: HttpClient | null = null;
  #socket: Socket | null = null;
  #guard: Guard | null = null;
  #madeMillis = 0;
  /** When the last exchange was asked for. */
  sentMillis = 0;
  /** Exchanges begun on the socket there is. */
  #exchanges = 0;
  /** How long the next request waits, so that a second answer to the last one comes before it. */
  restMillis = 0;
  /** The latest request was long. */
  isLong = false;
  /** When it may be used again after that. */
  #settledMillis = 0;
  #answeredMillis = 0;

  constructor(
    origin: string,
    connector: Connector,
    limits: UpstreamLimits,
    use: ConnectionUse = {},
  ) {
    const { isBound = false, authentication = null, reuse = new ConnectionReuse() } = use;
    this.#origin = origin;
    this.#connector = connector;
    this.#limits = limits;
    this.#reuse = reuse;
    this.#isBound = isBound;
    this.#fieldCase = use.fieldCase ?? 'usual';
    this.#spellings = use.spellings ?? null;
    this.#authenticator =
      authentication === null
        ? null
        : new Authenticator(this, authentication, new URL(origin).hostname);
  }

  get socket(): Socket | null {
    return this.#socket;
  }

  /** The exchange there is, or the last one, was not the first on its socket. */
  get isReused(): boolean {
    return this.#exchanges > 1;
  }

  /** How long ago the last answer was complete; without end where its socket is not used again. */
  idleMillis(nowMillis: number): number {
    const isUsedAgain =
      this.#hasUsedSocket && !this.#isBound && !this.#reuse.isSuspended(nowMillis);
    return isUsedAgain ? nowMillis - this.#answeredMillis : Number.POSITIVE_INFINITY;
  }

  /** Something came behind the complete answer. */
  get isDesynced(): boolean {
    return this.#guard?.isDesynced ?? false;
  }

  /**
   * Sends a request, on the socket there is unless that is old or unsafe. Where the address is not
   * proven it first lets the socket rest, and reads what came meanwhile: that belongs to no
   * request.
   */
  send(request: ExchangeRequest, handler: ExchangeHandler, nowMillis: number): void {
    const { restMillis } = this;
    this.restMillis = 0;
    this.#dropUnsafe(nowMillis);
    const isUsedAgain = this.#hasUsedSocket && !this.#isBound;
    if (!isUsedAgain || this.#reuse.isProven) {
      this.#send(request, handler, nowMillis);
    } else {
      // A turn of the event loop runs timers first, then reads what was received, then sends this.
      const sendNow = (): void => {
        const laterMillis = performance.now();
        this.#dropUnsafe(laterMillis);
        this.#send(request, handler, laterMillis);
      };
      if (restMillis === 0) {
        setImmediate(sendNow);
      } else {
        setTimeout(() => setImmediate(sendNow), restMillis);
      }
    }
  }

  get #hasUsedSocket(): boolean {
    return this.#socket !== null && !this.#socket.destroyed && this.#exchanges > 0;
  }

  /**
   * Closes a socket that must not be used again. The client makes a new one for its next request.
   */
  #dropUnsafe(nowMillis: number): void {
    if (!this.#hasUsedSocket || this.#isBound) return;
    const { ageMillis, requestsPerConnection } = this.#limits;
    const isOld =
      nowMillis - this.#madeMillis >= ageMillis || this.#exchanges >= requestsPerConnection;
    const isUnsafe = this.#reuse.isSuspended(nowMillis) || !this.isSettled(nowMillis);
    if (isOld || isUnsafe) {
      this.#socket?.destroy();
    }
  }

  #send(request: ExchangeRequest, handler: ExchangeHandler, nowMillis: number): void {
    this.sentMillis = nowMillis;
    const { body } = request;
    this.isLong = body !== null && !('length' in body && body.length <= LONG_REQUEST_BYTES);
    if (this.#authenticator === null) {
      this.dispatch(request, handler);
    } else {
      this.#authenticator.send(request, handler);
    }
  }

  /** Sends a request on the socket there is, or on a new one. */
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void {
    this.#client ??= this.#makeClient();
    if (this.#fieldCase === 'lower') {
      this.#client.dispatch(request, handler);
      return;
    }
    const headers = httpFields.spellNames(
      request.headers,
      request.spellings ?? null,
      this.#spellings,
    );
    this.#client.dispatch({ ...request, headers }, handler);
  }

  /** Called by the handler when the request is about to be written. */
  begin(): void {
    this.#exchanges++;
    this.#guard?.begin(this.#exchanges > 1);
  }

  requestIsOut(): void {
    this.#guard?.requestIsOut();
  }

  /** Whether the rest of the answer waits until the handler takes more. */
  hold(isPaused: boolean): void {
    if (this.#guard !== null) {
      this.#guard.isPaused = isPaused;
    }
  }

  /** The answer, of this status, is complete. */
  end(status: number): void {
    this.#answeredMillis = performance.now();
    if (this.isLong) {
      this.#settledMillis = this.#answeredMillis + this.#reuse.answeredLong(status);
    } else {
      this.#reuse.answeredShort();
    }
    this.#guard?.end();
  }

  /** Whether it was idle for long enough after a long request, or was not used for one. */
  isSettled(nowMillis: number): boolean {
    return !this.isLong || nowMillis >= this.#settledMillis;
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
          if (made[0] === null) {
            this.#adopt(made[1]);
          }
          callback(...made);
        }),
      headersTimeout: limits.headersMillis,
      bodyTimeout: limits.idleMillis,
      keepAliveTimeout: Math.max(1, limits.keepAliveMillis),
      keepAliveMaxTimeout: Math.max(1, limits.keepAliveMillis),
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MILLIS,
      maxHeaderSize: limits.headerBytes,
      allowH2: false,
    });
    client.on('connect', () => {
      if (this.#socket !== null) {
        readBlanksBehindChunkSizes(this.#socket);
      }
    });
    client.on('connectionError', () => {
      if (this.#client === client) {
        this.#client = null;
      }
    });
    return client;
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.#guard = new Guard(socket, this.#reuse);
    if (this.#fieldCase === 'usual') {
      writeUsualNames(socket);
    }
    this.#madeMillis = performance.now();
    this.#exchanges = 0;
  }
}
