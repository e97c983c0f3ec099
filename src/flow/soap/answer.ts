import type { Buffer } from 'node:buffer';
import type { HttpExchange } from '../calls/http-exchange.js';
import { endLingering, linger, REQUEST_ID } from '../http/linger.js';
import { writePart } from '../http/write-part.js';

/** The answer to a SOAP caller: the only place that writes one, whole or flowing. */
export class SoapAnswer {
  readonly #asked: HttpExchange;

  constructor(asked: HttpExchange) {
    this.#asked = asked;
  }

  /** The request that is answered. */
  get request(): HttpExchange['request'] {
    return this.#asked.request;
  }

  /** Part of the answer is out. */
  get hasBegun(): boolean {
    return this.#asked.response.headersSent;
  }

  /** `more` are further fields, names and values in turn. */
  whole(status: number, contentType: string, message: Buffer, more: readonly string[]): void {
    const { exchange, response } = this.#asked;
    exchange.bytesOut += message.length;
    const headers = [
      'content-type',
      contentType,
      'content-length',
      String(message.length),
      ...more,
    ];
    endLingering(exchange, response, status, headers, message);
  }

  empty(status: number, more: readonly string[] = []): void {
    const { exchange, response } = this.#asked;
    // RFC 9110 section 8.6: 204 must not have a length.
    const length = status === 204 ? [] : ['content-length', '0'];
    endLingering(exchange, response, status, [...length, ...more], null);
  }

  begin(status: number, contentType: string, more: readonly string[]): void {
    const { exchange, request, response } = this.#asked;
    exchange.status = status;
    // A backend may answer before the request is all there: the rest of it is not read, and nothing
    // can follow.
    if (!request.complete) {
      response.shouldKeepAlive = false;
    }
    response.writeHead(status, ['content-type', contentType, ...more, REQUEST_ID, exchange.id]);
  }

  /** False when the caller reads more slowly than the backend writes: wait for `onDrain`. */
  data(chunk: Buffer): boolean {
    return writePart(this.#asked, chunk);
  }

  end(): void {
    linger(this.#asked.request, this.#asked.response);
  }

  /** The caller left before the answer was complete. */
  onGone(then: () => void): void {
    this.#asked.ending.onGone(then);
  }

  onDrain(then: () => void): void {
    this.#asked.response.on('drain', then);
  }
}
