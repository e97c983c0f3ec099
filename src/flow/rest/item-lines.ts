import type { replyDecoding } from '../../codec/index.js';
import { KIB } from '../../core/index.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { StreamedAnswer } from '../http/streamed-answer.js';
import { ERRORS, MEDIA_TYPES } from './rest-form.js';

/**
 * Characters of lines that are held: an answer that ends before has one status for the whole of it.
 */
export const HELD_CHARS_MAX = 64 * KIB;

/** Characters of lines that are written as one part. */
const PART_CHARS = 64 * KIB;

/**
 * The items of a list as lines of JSON. The first are held; then the answer begins, and lines go
 * out as items come in.
 */
export class ItemLines implements replyDecoding.ItemReceiver {
  readonly isBounded = false;
  readonly #answer: StreamedAnswer;
  #text = '';

  constructor(asked: HttpExchange) {
    this.#answer = new StreamedAnswer(asked, [
      'content-type',
      MEDIA_TYPES.lines,
      'trailer',
      ERRORS,
    ]);
  }

  /** The status and the first lines are out. */
  get hasBegun(): boolean {
    return this.#answer.hasBegun;
  }

  /** The lines that are held. */
  get held(): string {
    return this.#text;
  }

  item(value: unknown): void {
    this.#text += `${JSON.stringify(value)}\n`;
    if (this.hasBegun ? this.#text.length > PART_CHARS : this.#text.length > HELD_CHARS_MAX) {
      this.#write();
    }
  }

  /**
   * The next part of the reply waits where the caller reads more slowly than the backend writes.
   */
  flush(): { onResume(resume: () => void): void } | null {
    if (this.hasBegun) {
      this.#write();
    }
    return this.#answer.waiting();
  }

  /**
   * Ends an answer that has begun. `errors`: of parts that are null for them, as a trailer field.
   */
  end(errors: string | null): void {
    this.#write();
    this.#answer.end(errors === null ? {} : { [ERRORS]: errors });
  }

  /** Ends an answer that has begun and fails. The problem is its last line. */
  fail(problem: string): void {
    this.#answer.fail(`${this.#text}${problem}\n`);
  }

  #write(): void {
    if (this.#text !== '') {
      this.#answer.write(this.#text);
    }
    this.#text = '';
  }
}
