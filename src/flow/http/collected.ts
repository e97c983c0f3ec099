import { Buffer } from 'node:buffer';
import { refuseByLimit } from '../../core/index.js';

/** A request that is sent on in one piece: some stacks refuse what has no Content-Length. */
export class Collected {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Throws `HTTP_TOO_LARGE`. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) {
      throw refuseByLimit('HTTP_TOO_LARGE', 'limits.soap.bufferBytes', this.#bytesMax);
    }
    this.#chunks.push(chunk);
  }

  message(): Buffer {
    return Buffer.concat(this.#chunks, this.#bytes);
  }
}
