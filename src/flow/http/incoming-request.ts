import { Buffer } from 'node:buffer';
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { SlicedReading } from './sliced-reading.js';

/** Pieces smaller than this wait for those that come with them. */
const SMALL_BYTES = 64;

/**
 * Pieces of a body, and their average size, beyond which it is not taken apart any more: they cost
 * a hundred times what sending them does. A short message may come byte by byte.
 */
const TINY_CHUNKS_MAX = 4096;
const TINY_CHUNK_BYTES = 8;

/** Pieces from this on are looked at for how much of the body is to come without chunks. */
const PLAIN_BYTES = 1024;

/** Takes a body piece by piece, as fast as it comes. Does not throw. */
export interface BodyTaker {
  piece(bytes: Buffer): void;
  /** That was all. */
  ended(): void;
}

/**
 * A request as the server hands it on. The chunks of one packet are emitted together: a stream with
 * an event for each byte takes ten times as long as the parser does. And a short body need not go
 * through the stream at all, which costs more than to validate it.
 */
export abstract class Incoming extends IncomingMessage {
  #pieces = 0;
  #bytes = 0;
  #small: Buffer[] | null = null;
  #hasTinyChunks = false;
  #taker: BodyTaker | null = null;
  readonly #reading: SlicedReading | null;

  constructor(socket: Socket) {
    super(socket);
    this.#reading = SlicedReading.of(socket);
    this.#reading?.begin();
  }

  /**
   * Called when the body comes in tiny chunks: the rest of it is dropped, and its end is not
   * reported.
   */
  protected abstract tinyChunksFound(): void;

  /**
   * Passes the whole body to `taker` instead of the stream, which emits neither data nor end; until
   * `leaveBody`. It cannot be paused, so this is for bodies whose length is known and small. False
   * where some of it is in the stream.
   */
  giveBody(taker: BodyTaker): boolean {
    if (this.readableLength > 0 || this.complete) return false;
    this.#taker = taker;
    // Marks the body as wanted: else Node drops it.
    this._read(0);
    return true;
  }

  /** Passes the rest of the body to the stream. */
  leaveBody(): void {
    this.#taker = null;
  }

  /**
   * Called by the server: a piece of the body, or null for its end. False: it takes no more for
   * now.
   */
  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#reading?.end();
    }
    if (this.#hasTinyChunks) return false;
    if (piece !== null) {
      this.#bytes += piece.length;
      if (this.#reading !== null) {
        this.#count(this.#reading, piece.length);
      }
      if (++this.#pieces > TINY_CHUNKS_MAX && this.#bytes < this.#pieces * TINY_CHUNK_BYTES) {
        return this.#dropTinyChunks();
      }
    }
    if (piece === null || piece.length >= SMALL_BYTES) {
      this.#emitSmall();
      return this.#emit(piece);
    }
    if (this.#small === null) {
      this.#small = [piece];
      setImmediate(() => this.#emitSmall());
    } else {
      this.#small.push(piece);
    }
    // Small chunks wait here for one turn only. Bytes that are not read wait in the stream, whose
    // fill stops reading.
    return this.readableLength < this.readableHighWaterMark;
  }

  #count(reading: SlicedReading, pieceBytes: number): void {
    reading.chunks++;
    if (pieceBytes < PLAIN_BYTES) {
      reading.plainBytes = Math.max(0, reading.plainBytes - pieceBytes);
      return;
    }
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers;
    reading.plainBytes = coding === undefined ? Math.max(0, Number(length ?? 0) - this.#bytes) : 0;
  }

  #dropTinyChunks(): boolean {
    this.#hasTinyChunks = true;
    this.#small = null;
    this.tinyChunksFound();
    return false;
  }

  #emitSmall(): void {
    const small = this.#small;
    if (small === null) return;
    this.#small = null;
    if (!this.destroyed) {
      this.#emit(Buffer.concat(small));
    }
  }

  #emit(piece: Buffer | null): boolean {
    const taker = this.#taker;
    if (taker === null) return super.push(piece);
    if (piece === null) {
      taker.ended();
    } else {
      taker.piece(piece);
    }
    return true;
  }
}
