import type { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { byteBuffers, KIB, Refusal } from '../../../core/index.js';

/** Bytes of a file that wait between its sender and the backend. */
const WAITING_BYTES = 64 * KIB;

/** A file of a form. Its bytes wait in it until it is opened. */
export class UploadedFile extends byteBuffers.FileContent {
  hasBegun = false;
  isOpen = false;
  /** Bytes that came before it was opened. */
  heldBytes = 0;
  readonly #wanted: () => void;
  readonly #stream: FileStream;

  /** `wanted` is called when more of it is wanted, or none any more. */
  constructor(wanted: () => void) {
    super();
    this.#wanted = wanted;
    this.#stream = new FileStream(wanted);
  }

  /** It has a reader, which has room. */
  get isWanted(): boolean {
    return this.isOpen && this.#stream.hasRoom && !this.isDropped;
  }

  /** No reader wants more of its bytes. */
  get isDropped(): boolean {
    return this.#stream.destroyed;
  }

  open(): Readable {
    if (this.isOpen) {
      return new Readable({ read() {} })
        .on('error', () => {})
        .destroy(new Refusal('BAD_REQUEST', 'A file is used twice.'));
    }
    this.isOpen = true;
    this.#wanted();
    return this.#stream;
  }

  add(piece: Buffer): void {
    if (this.isDropped) return;
    if (!this.isOpen) {
      this.heldBytes += piece.length;
    }
    this.#stream.add(piece);
  }

  end(): void {
    if (!this.isDropped) {
      this.#stream.push(null);
    }
  }

  fail(refusal: Refusal | null): void {
    this.#stream.destroy(refusal ?? undefined);
  }
}

class FileStream extends Readable {
  hasRoom = true;
  readonly #wanted: () => void;

  constructor(wanted: () => void) {
    super({ highWaterMark: WAITING_BYTES });
    this.#wanted = wanted;
    this.once('close', wanted);
    // It may fail before anyone reads it.
    this.on('error', () => {});
  }

  add(piece: Buffer): void {
    this.hasRoom = this.push(piece);
  }

  override _read(): void {
    if (this.hasRoom) return;
    this.hasRoom = true;
    this.#wanted();
  }
}
