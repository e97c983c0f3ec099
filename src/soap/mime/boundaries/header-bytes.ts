import { Buffer } from 'node:buffer';
import type { Refusal } from '../../../core/index.js';
import type { LineEnd } from './boundary-line.js';

const CR = 13;
const LF = 10;

/** The header of a part, collected as its bytes come in, cut anywhere. Memory is bounded. */
export class HeaderBytes {
  readonly #bytes: Buffer;
  readonly #refuse: (problem: 'too long' | 'bare line feed') => Refusal;
  #length = 0;
  #lineStart = 0;
  #isWhole = false;
  #lineEnd: LineEnd = 'CR LF';

  constructor(bytesMax: number, refuse: (problem: 'too long' | 'bare line feed') => Refusal) {
    this.#bytes = Buffer.allocUnsafe(bytesMax);
    this.#refuse = refuse;
  }

  /**
   * All of it, its empty line included; null where more is to come. It is overwritten by the next
   * header.
   */
  get whole(): Buffer | null {
    return this.#isWhole ? this.#bytes.subarray(0, this.#length) : null;
  }

  /** Its lines end with CR LF, or in some packages all with LF. */
  begin(lineEnd: LineEnd = 'CR LF'): void {
    this.#lineEnd = lineEnd;
    this.#length = 0;
    this.#lineStart = 0;
    this.#isWhole = false;
  }

  /**
   * Takes the bytes of a chunk from `start` on, as far as they belong to it. Returns the offset
   * behind them.
   */
  take(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && !this.#isWhole) {
      if (this.#length === this.#bytes.length) throw this.#refuse('too long');
      const byte = chunk[at++] ?? 0;
      this.#bytes[this.#length++] = byte;
      if (byte !== LF) continue;
      const isReturn = this.#bytes[this.#length - 2] === CR;
      if (isReturn === (this.#lineEnd === 'LF')) throw this.#refuse('bare line feed');
      this.#isWhole = this.#length - this.#lineStart === (isReturn ? 2 : 1);
      this.#lineStart = this.#length;
    }
    return at;
  }
}
