import type { ServerResponse } from 'node:http';

import type { Exchange } from '../base/exchange.js';

/** The answer to a SOAP caller: the only place that writes one, whole or flowing. */
export class SoapAnswer {
  readonly #response: ServerResponse;
  readonly #exchange: Exchange;

  constructor(response: ServerResponse, exchange: Exchange) {
    this.#response = response;
    this.#exchange = exchange;
  }

  /** Something is out already: a failure can only be told by cutting the connection. */
  get isBegun(): boolean {
    return this.#response.headersSent;
  }

  whole(status: number, contentType: string, message: Buffer): void {
    this.#count(status, message.length);
    this.#response.writeHead(status, ['content-type', contentType, 'content-length', String(message.length)]);
    this.#response.end(message);
  }

  empty(status: number): void {
    this.#count(status, 0);
    this.#response.writeHead(status, ['content-length', '0']);
    this.#response.end();
  }

  begin(status: number, contentType: string): void {
    this.#count(status, 0);
    this.#response.writeHead(status, ['content-type', contentType]);
  }

  /** False when the caller reads more slowly than the backend writes: wait for `onDrain`. */
  data(chunk: Buffer): boolean {
    this.#exchange.bytesOut += chunk.length;
    return this.#response.write(chunk);
  }

  end(): void {
    this.#response.end();
  }

  /** The caller left before the answer was complete. */
  onGone(then: () => void): void {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) then();
    });
  }

  onDrain(then: () => void): void {
    this.#response.on('drain', then);
  }

  #count(status: number, bytes: number): void {
    this.#exchange.status = status;
    this.#exchange.bytesOut += bytes;
  }
}
