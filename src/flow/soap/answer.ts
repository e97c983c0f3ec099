import { Buffer } from 'node:buffer';
import { Refusal } from '../../core/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { endLingering, linger, REQUEST_ID } from '../http/linger.js';
import { writePart } from '../http/write-part.js';
import type { RequestVerification } from '../reply/held-reply.js';

/** Changes the bytes of one answer as they go by. */
interface AnswerChange {
  write(bytes: Buffer): Buffer;
  end(): Buffer;
}

const PACKAGE = /^[ \t]*multipart\//i;

/** The answer to a SOAP caller: the only place that writes one, whole or flowing. */
export class SoapAnswer {
  readonly #asked: HttpExchange;
  /** Makes what changes the envelope; null: it goes out as it is. */
  #makeChange: (() => AnswerChange) | null = null;
  /** Until it is verified, nothing may be answered to the request; null: its content is plain. */
  verification: RequestVerification | null = null;
  /** Changes an answer that flows. */
  #change: AnswerChange | null = null;

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

  /** Envelopes go out as this changes them. */
  changeBy(make: () => AnswerChange): void {
    this.#makeChange = make;
  }

  /** `more` are further fields, names and values in turn. */
  whole(status: number, contentType: string, envelope: Buffer, more: readonly string[]): void {
    this.#requireVerified();
    const { exchange, response } = this.#asked;
    const change = this.#changeOf(contentType);
    const message =
      change === null ? envelope : Buffer.concat([change.write(envelope), change.end()]);
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
    this.#requireVerified();
    const { exchange, response } = this.#asked;
    // RFC 9110 section 8.6: 204 must not have a length.
    const length = status === 204 ? [] : ['content-length', '0'];
    endLingering(exchange, response, status, [...length, ...more], null);
  }

  begin(status: number, contentType: string, more: readonly string[]): void {
    this.#requireVerified();
    const { exchange, request, response } = this.#asked;
    exchange.status = status;
    this.#change = this.#changeOf(contentType);
    // A backend may answer before the request is all there: the rest of it is not read, and nothing
    // can follow.
    if (!request.complete) {
      response.shouldKeepAlive = false;
    }
    response.writeHead(status, ['content-type', contentType, ...more, REQUEST_ID, exchange.id]);
  }

  /** False when the caller reads more slowly than the backend writes: wait for `onDrain`. */
  data(chunk: Buffer): boolean {
    const changed = this.#change?.write(chunk) ?? chunk;
    return changed.length === 0 || writePart(this.#asked, changed);
  }

  end(): void {
    const last = this.#change?.end();
    if (last !== undefined && last.length > 0) {
      writePart(this.#asked, last);
    }
    linger(this.#asked.request, this.#asked.response);
  }

  /** Throws `UPSTREAM_INVALID_RESPONSE` for an answer whose parts would stay plain. */
  #changeOf(contentType: string): AnswerChange | null {
    if (this.#makeChange !== null && PACKAGE.test(contentType)) {
      const detail = 'a package of parts, which `answer.encrypt` would leave plain';
      throw new Refusal('UPSTREAM_INVALID_RESPONSE', detail);
    }
    return this.#makeChange?.() ?? null;
  }

  #requireVerified(): void {
    if (this.verification?.isUnverified === true) {
      throw new Refusal('wsse:FailedCheck', 'decryption: an answer before the content is verified');
    }
  }

  /** The caller left before the answer was complete. */
  onGone(then: () => void): void {
    this.#asked.ending.onGone(then);
  }

  onDrain(then: () => void): void {
    this.#asked.response.on('drain', then);
  }
}
