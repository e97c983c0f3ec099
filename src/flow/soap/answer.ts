import type { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import type { Ending } from '../http/ending.js';
import { endLingering, linger, REQUEST_ID } from '../http/linger.js';

/** The answer to a SOAP caller: the only place that writes one, whole or flowing. */
export class SoapAnswer {
  readonly #response: ServerResponse;
  readonly #exchange: Exchange;
  readonly #ending: Ending;

  constructor(response: ServerResponse, exchange: Exchange, ending: Ending) {
    this.#response = response;
    this.#exchange = exchange;
    this.#ending = ending;
  }

  /** `more` are further fields, names and values in turn. */
  whole(status: number, contentType: string, message: Buffer, more: readonly string[]): void {
    this.#count(status, message.length);
    const headers = ['content-type', contentType, 'content-length', String(message.length), ...more];
    endLingering(this.#exchange, this.#response, status, headers, message);
  }

  empty(status: number, more: readonly string[] = []): void {
    this.#count(status, 0);
    endLingering(this.#exchange, this.#response, status, ['content-length', '0', ...more], null);
  }

  begin(status: number, contentType: string, more: readonly string[]): void {
    this.#count(status, 0);
    // A backend may answer before the request is all there: the rest of it is not read, and nothing can follow.
    if (!this.#response.req.complete) this.#response.shouldKeepAlive = false;
    this.#response.writeHead(status, ['content-type', contentType, ...more, REQUEST_ID, this.#exchange.id]);
  }

  /** False when the caller reads more slowly than the backend writes: wait for `onDrain`. */
  data(chunk: Buffer): boolean {
    this.#exchange.bytesOut += chunk.length;
    return this.#response.write(chunk);
  }

  end(): void {
    linger(this.#response.req, this.#response);
  }

  /** The caller left before the answer was complete. */
  onGone(then: () => void): void {
    this.#ending.onGone(then);
  }

  onDrain(then: () => void): void {
    this.#response.on('drain', then);
  }

  #count(status: number, bytes: number): void {
    this.#exchange.status = status;
    this.#exchange.bytesOut += bytes;
  }
}
