import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { asRefusal, KIB, Refusal } from '../core/index.js';
import { type Challenge, readChallenges } from './credentials/challenges.js';
import type { ConnectionAuthentication, Handshake } from './credentials/handshake.js';
import type { ExchangeHandler, ExchangeRequest } from './exchange.js';
import { fieldValues } from './reply.js';
import { EarlyStatus, refusalOfError } from './upstream-refusals.js';

/**
 * Handshakes that are begun for one request: the backend may close the connection, or want another
 * scheme.
 */
const HANDSHAKES_MAX = 3;
/** The most bytes that are read of the answer to the first request of a handshake. */
const DISCARDED_BYTES_MAX = 64 * KIB;

const NOW = Promise.resolve();
/** The request would be written to another socket than the one of its handshake. */
const MOVED = new Error('another socket');

/** The connection that is authenticated. */
export interface Transport {
  /** The latest socket. */
  readonly socket: Socket | null;
  readonly isDesynced: boolean;
  dispatch(request: ExchangeRequest, handler: ExchangeHandler): void;
  begin(): void;
  requestIsOut(): void;
  end(status: number): void;
}

/**
 * Authenticates the sockets of one connection: a handshake comes before the first byte of a
 * request.
 */
export class Authenticator {
  readonly transport: Transport;
  readonly authentication: ConnectionAuthentication;
  readonly hostname: string;
  /** The socket that needs no handshake. */
  authenticated: Socket | null = null;

  constructor(transport: Transport, authentication: ConnectionAuthentication, hostname: string) {
    this.transport = transport;
    this.authentication = authentication;
    this.hostname = hostname;
  }

  send(request: ExchangeRequest, handler: ExchangeHandler): void {
    new AuthenticatedExchange(this, request, handler).begin();
  }
}

/** One request, on a socket that is authenticated before. */
class AuthenticatedExchange implements ExchangeHandler {
  readonly #owner: Authenticator;
  readonly #request: ExchangeRequest;
  readonly #handler: ExchangeHandler;
  /** The socket of the handshake, or the one that is authenticated. */
  #socket: Socket | null = null;
  #handshakes = 0;
  /** The request carries the end of a handshake. */
  #isProof = false;
  #hasBegun = false;
  #givenUp: Error | null = null;
  #abortLeg: ((error: Error) => void) | null = null;

  constructor(owner: Authenticator, request: ExchangeRequest, handler: ExchangeHandler) {
    this.#owner = owner;
    this.#request = request;
    this.#handler = handler;
  }

  begin(): void {
    const { authenticated, transport } = this.#owner;
    if (authenticated !== null && authenticated === transport.socket && !authenticated.destroyed) {
      this.#socket = authenticated;
      this.#send(null);
    } else {
      this.#shakeHands();
    }
  }

  onConnect(abort: (error: Error) => void): void {
    if (this.#owner.transport.socket !== this.#socket) throw MOVED;
    this.#handler.onConnect(abort);
    this.#hasBegun = true;
  }

  onRequestSent(): void {
    this.#handler.onRequestSent();
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    if (status >= 200) {
      this.#noteStatus(status);
    }
    return this.#handler.onHeaders(status, headers, resume);
  }

  onData(chunk: Buffer): boolean {
    return this.#handler.onData(chunk);
  }

  onComplete(): void {
    this.#handler.onComplete();
  }

  onError(error: unknown): void {
    if (error === MOVED && !this.#hasBegun) {
      this.#shakeHands();
      return;
    }
    if (error instanceof EarlyStatus) {
      this.#noteStatus(error.status);
    }
    this.#handler.onError(error);
  }

  #noteStatus(status: number): void {
    this.#owner.authenticated = status === 401 ? null : this.#socket;
    if (this.#isProof) {
      this.#owner.authentication.ended(status !== 401);
    }
  }

  #shakeHands(): void {
    const { authentication, hostname, transport } = this.#owner;
    this.#owner.authenticated = null;
    try {
      if (++this.#handshakes > HANDSHAKES_MAX) {
        throw new Refusal('UPSTREAM_AUTH', 'no handshake came to its end');
      }
      this.#handler.onHandshake?.((error) => {
        this.#givenUp = error;
        this.#abortLeg?.(error);
      });
      const handshake = authentication.begin(hostname);
      const { method, path } = this.#request;
      const headers = [...fieldsOf(this.#request.headers), 'authorization', handshake.first];
      transport.dispatch({ method, path, headers, body: null }, this.#leg(handshake));
    } catch (caught) {
      this.#fail(caught);
    }
  }

  #leg(handshake: Handshake): HandshakeLeg {
    const { transport } = this.#owner;
    return new HandshakeLeg(transport, {
      begin: (abort) => {
        if (this.#givenUp !== null) throw this.#givenUp;
        this.#abortLeg = abort;
        this.#socket = transport.socket;
      },
      end: (status, challenges) => {
        this.#abortLeg = null;
        if (this.#givenUp === null) {
          this.#answer(handshake, status, challenges);
        }
      },
      failed: (error) => {
        const hasBegun = this.#abortLeg !== null;
        this.#abortLeg = null;
        const wasClosed = hasBegun && refusalOfError(error, false).code === 'UPSTREAM_RESET';
        if (wasClosed && this.#givenUp === null) {
          this.#shakeHands();
        } else {
          this.#fail(error);
        }
      },
    });
  }

  #answer(handshake: Handshake, status: number, challenges: readonly Challenge[]): void {
    const socket = this.#socket;
    // Without a challenge the backend wants no handshake.
    if (status !== 401) {
      this.#send(null);
    } else if (socket === null || socket.destroyed) {
      this.#shakeHands();
    } else {
      try {
        const proof = handshake.answer(challenges, socket);
        if (proof === null) {
          this.#shakeHands();
        } else {
          this.#send(proof);
        }
      } catch (caught) {
        this.#fail(caught);
      }
    }
  }

  #send(proof: string | null): void {
    const request = this.#request;
    this.#isProof = proof !== null;
    const headers = proof === null ? request.headers : [...request.headers, 'authorization', proof];
    this.#owner.transport.dispatch({ ...request, headers }, this);
  }

  #fail(caught: unknown): void {
    const error = caught instanceof Error ? caught : asRefusal(caught);
    // Later: the caller must hold the call before it can end.
    queueMicrotask(() => this.#handler.onError(error));
  }
}

interface LegEvents {
  /** An exception ends the exchange before anything is written. */
  readonly begin: (abort: (error: Error) => void) => void;
  readonly end: (status: number, challenges: readonly Challenge[]) => void;
  readonly failed: (error: unknown) => void;
}

/** The first request of a handshake, which has no body, and the challenge that it gets. */
class HandshakeLeg implements ExchangeHandler {
  readonly #transport: Transport;
  readonly #events: LegEvents;
  #status = 0;
  #challenges: readonly Challenge[] = [];
  #bytes = 0;

  constructor(transport: Transport, events: LegEvents) {
    this.#transport = transport;
    this.#events = events;
  }

  onConnect(abort: (error: Error) => void): void {
    this.#events.begin(abort);
    this.#transport.begin();
  }

  onRequestSent(): void {
    this.#transport.requestIsOut();
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    if (status < 200) return true;
    this.#status = status;
    this.#challenges = readChallenges(fieldValues(headers, 'www-authenticate'));
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > DISCARDED_BYTES_MAX) throw new Refusal('UPSTREAM_AUTH', 'a long answer');
    return true;
  }

  onComplete(): void {
    this.#transport.end(this.#status);
    // Bytes behind the answer are read after this: of two answers neither can be trusted.
    void NOW.then(() => {
      if (this.#transport.isDesynced) {
        this.#events.failed(new Refusal('UPSTREAM_DESYNC', 'two answers'));
      } else {
        this.#events.end(this.#status, this.#challenges);
      }
    });
  }

  onError(error: unknown): void {
    this.#events.failed(error);
  }
}

/** The header fields of a request without those that describe its body. */
function fieldsOf(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    if (name.startsWith('content-') || name === 'soapaction' || name === 'authorization') continue;
    kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}
