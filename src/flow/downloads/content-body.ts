import type { Buffer } from 'node:buffer';
import type { replyDecoding } from '../../codec/index.js';
import { byteBuffers, KIB } from '../../core/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { StreamedAnswer } from '../http/streamed-answer.js';

/** Bytes that are held: content that ends before is sent once all of the reply is read. */
const HELD_BYTES_MAX = 64 * KIB;

/** Nothing of it is run or shown at the address of the gateway, whatever it is. */
const FIELDS = [
  ...['content-type', 'application/octet-stream'],
  ...['content-disposition', 'attachment'],
  ...['content-security-policy', "sandbox; default-src 'none'"],
];

/**
 * Binary content as the body of an answer. The first bytes are held; then the answer begins, and
 * bytes go out as they come.
 */
export class ContentBody implements replyDecoding.ContentReceiver {
  readonly place: replyDecoding.ContentPlace;
  /** The reply has such content. */
  isFound = false;
  /** The content is not that for which its address was made. */
  hasChanged = false;
  readonly #answer: StreamedAnswer;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(asked: HttpExchange, place: replyDecoding.ContentPlace) {
    this.place = place;
    this.#answer = new StreamedAnswer(asked, FIELDS);
  }

  get hasBegun(): boolean {
    return this.#answer.hasBegun;
  }

  begin(): void {
    this.isFound = true;
  }

  bytes(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > HELD_BYTES_MAX) {
      this.#write();
    }
  }

  changed(): void {
    this.hasChanged = true;
  }

  flush(): { onResume(resume: () => void): void } | null {
    if (this.hasBegun) {
      this.#write();
    }
    return this.#answer.waiting();
  }

  end(): void {
    this.#write();
    this.#answer.end();
  }

  #write(): void {
    if (this.#heldBytes === 0 && this.hasBegun) return;
    this.#answer.write(byteBuffers.joinBuffers(this.#held));
    this.#held = [];
    this.#heldBytes = 0;
  }
}
