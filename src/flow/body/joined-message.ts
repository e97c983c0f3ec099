import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Pieces smaller than this wait for those that come with them. */
const SMALL_BYTES = 64;

/**
 * Pieces of a body, and their average size, beyond which it is not taken apart any more: they cost a hundred times what
 * sending them does. A short message may come byte by byte.
 */
const CRUMBS_MAX = 4096;
const CRUMB_BYTES = 8;

type RequestClass = typeof IncomingMessage;

/**
 * Requests of which the chunks that come in one packet are told together: a stream that is told of each byte takes ten
 * times as long as the parser does. `tooMany` is called of one whose body comes in
 * crumbs: the rest of it is dropped, and its end is not told.
 */
export function joining(Base: RequestClass, tooMany: (request: IncomingMessage) => void): RequestClass {
  return class extends Base {
    #pieces = 0;
    #bytes = 0;
    #small: Buffer[] | null = null;
    #isCrumbled = false;

    /** Called by the server: a piece of the body, or null for its end. False: it takes no more for now. */
    override push(piece: Buffer | null): boolean {
      if (this.#isCrumbled) return false;
      if (piece !== null) {
        this.#bytes += piece.length;
        if (++this.#pieces > CRUMBS_MAX && this.#bytes < this.#pieces * CRUMB_BYTES) return this.#crumble();
      }
      if (piece === null || piece.length >= SMALL_BYTES) {
        this.#tell();
        return super.push(piece);
      }
      if (this.#small === null) {
        this.#small = [piece];
        setImmediate(() => this.#tell());
      } else this.#small.push(piece);
      // What waits here is of this turn alone; what nobody takes waits in the stream, and is what reading stops for.
      return this.readableLength < this.readableHighWaterMark;
    }

    #crumble(): boolean {
      this.#isCrumbled = true;
      this.#small = null;
      tooMany(this);
      return false;
    }

    #tell(): void {
      const small = this.#small;
      if (small === null) return;
      this.#small = null;
      if (!this.destroyed) super.push(Buffer.concat(small));
    }
  };
}
