import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '../../gateway/exchange.js';
import { linger, REQUEST_ID } from './linger.js';
import { writePart } from './write-part.js';

/** The request that an answer in parts is for. */
interface Answered {
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * An answer of status 200 that is written in parts, while a backend still sends. It begins with the
 * first part.
 */
export class StreamedAnswer {
  readonly #answered: Answered;
  readonly #fields: readonly string[];
  #hasBegun = false;
  #mustWait = false;

  /** `fields`: names and values of its header fields. */
  constructor(answered: Answered, fields: readonly string[]) {
    this.#answered = answered;
    this.#fields = fields;
  }

  /** The status and the first part are out. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  write(part: string | Buffer): void {
    if (!this.#hasBegun) {
      this.#begin();
    }
    this.#mustWait = !writePart(this.#answered, part);
  }

  /**
   * The next part waits where the caller reads more slowly than the backend writes; null where it
   * need not.
   */
  waiting(): { onResume(resume: () => void): void } | null {
    if (!this.#mustWait) return null;
    const { response } = this.#answered;
    return {
      onResume: (resume) =>
        void response.once('drain', () => {
          this.#mustWait = false;
          resume();
        }),
    };
  }

  /** Ends an answer that has begun. `trailers`: fields behind it. */
  end(trailers: Readonly<Record<string, string>> = {}): void {
    const { request, response } = this.#answered;
    if (Object.keys(trailers).length > 0) {
      response.addTrailers(trailers);
    }
    linger(request, response);
  }

  /**
   * Ends an answer that has begun and fails. After `last` the connection closes without the last
   * chunk: a caller never takes half an answer for a whole one. It is no reset, which could take
   * the last part away.
   */
  fail(last: string): void {
    const { exchange, response } = this.#answered;
    const { socket } = response;
    exchange.bytesOut += Buffer.byteLength(last);
    response.write(last, () => socket?.destroySoon());
  }

  #begin(): void {
    const { exchange, request, response } = this.#answered;
    this.#hasBegun = true;
    exchange.status = 200;
    if (!request.complete) {
      response.shouldKeepAlive = false;
    }
    const common = [
      'x-content-type-options',
      'nosniff',
      'cache-control',
      'no-store',
      REQUEST_ID,
      exchange.id,
    ];
    response.writeHead(200, [...this.#fields, ...common]);
  }
}
