import { Buffer } from 'node:buffer';
import { KIB } from '../../base/limit.js';
import type { ItemReceiver } from '../../codec/read/item-receiver.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { linger, REQUEST_ID } from '../http/linger.js';
import { ERRORS, MEDIA_TYPES } from './rest-form.js';

/** Characters of lines that are held: an answer that ends before has one status for the whole of it. */
export const HELD_CHARS_MAX = 64 * KIB;

/** Characters of lines that are written as one part. */
const PART_CHARS = 64 * KIB;

/** The items of a list as lines of JSON. The first are held; then the answer begins, and lines go out as items come in. */
export class ItemLines implements ItemReceiver {
  readonly #asked: HttpExchange;
  #text = '';
  #hasBegun = false;
  #mustWait = false;

  constructor(asked: HttpExchange) {
    this.#asked = asked;
  }

  /** The status and the first lines are out. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The lines that are held. */
  get held(): string {
    return this.#text;
  }

  item(value: unknown): void {
    this.#text += `${JSON.stringify(value)}\n`;
    if (this.#hasBegun ? this.#text.length > PART_CHARS : this.#text.length > HELD_CHARS_MAX) this.#write();
  }

  /** The next part of the reply waits where the caller reads more slowly than the backend writes. */
  flush(): { onResume(resume: () => void): void } | null {
    if (this.#hasBegun) this.#write();
    if (!this.#mustWait) return null;
    const { response } = this.#asked;
    return {
      onResume: (resume) =>
        void response.once('drain', () => {
          this.#mustWait = false;
          resume();
        }),
    };
  }

  /** Ends an answer that has begun. `errors`: of parts that are null for them, as a trailer field. */
  end(errors: string | null): void {
    const { request, response } = this.#asked;
    this.#write();
    if (errors !== null) response.addTrailers({ [ERRORS]: errors });
    linger(request, response);
  }

  /**
   * Ends an answer that has begun and fails. The problem is its last line, and the connection closes without the last chunk: a
   * caller never takes half a list for a whole one. It is no reset, which could take the last lines away.
   */
  fail(problem: string): void {
    const { exchange, response } = this.#asked;
    this.#text += `${problem}\n`;
    const { socket } = response;
    exchange.bytesOut += Buffer.byteLength(this.#text);
    response.write(this.#text, () => socket?.destroySoon());
  }

  #write(): void {
    const { exchange, response } = this.#asked;
    if (this.#text === '') return;
    if (!this.#hasBegun) this.#begin();
    exchange.bytesOut += Buffer.byteLength(this.#text);
    this.#mustWait = !response.write(this.#text);
    this.#text = '';
  }

  #begin(): void {
    const { exchange, request, response } = this.#asked;
    this.#hasBegun = true;
    exchange.status = 200;
    if (!request.complete) response.shouldKeepAlive = false;
    response.writeHead(200, [
      ...['content-type', MEDIA_TYPES.lines],
      ...['x-content-type-options', 'nosniff'],
      ...['cache-control', 'no-store'],
      ...['trailer', ERRORS],
      ...[REQUEST_ID, exchange.id],
    ]);
  }
}
