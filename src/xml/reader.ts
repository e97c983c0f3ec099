import { Buffer } from 'node:buffer';
import { Refusal, refusals } from '../core/index.js';
import { sequenceBytes, unfinishedBytes } from './chars.js';
import { refuse } from './elements.js';
import type { Encoding } from './encodings.js';
import type { XmlHandler } from './events.js';
import { refuseByXmlLimit, type XmlLimits } from './limits.js';
import { Locator } from './locator.js';
import { commonDeclarationBytes, Prolog } from './prolog.js';
import { Scanner } from './scanner.js';

/**
 * Reads one XML message in chunks cut anywhere, and reports events to a handler. XML 1.0 fifth
 * edition with Namespaces 1.0, without DTD. Time is linear in the bytes; memory is bounded by the
 * limits.
 *
 * `write`, `end` and `begin` throw a `Refusal` (`XML_*`) or the error of the handler. After that
 * the reader stays failed: it throws the same again until `reset`.
 */
export class XmlReader {
  /** Bytes read so far. */
  bytes = 0;
  readonly #messageBytes: number;
  readonly #scanner: Scanner;
  #charset: string | null = null;
  /** Reads the beginning of the message where its declaration is not a common one. */
  #prolog: Prolog | null = null;
  /** Chunks go to the scanner as they are. */
  #isDirect = false;
  /** The beginning of a character whose rest has not come. */
  readonly #held: Buffer = Buffer.alloc(4);
  #heldBytes = 0;
  readonly #ownLocator = new Locator();
  /** Null where refusals need no place. */
  #locator: Locator | null = null;
  #hasFailed = false;
  #failure: unknown = null;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.#messageBytes = limits.messageBytes;
    this.#scanner = new Scanner(handler, limits);
    this.#scanner.reset(handler);
  }

  /** Attributes that an element may have, until `reset`. */
  set mostAttributes(count: number) {
    this.#scanner.mostAttributes = count;
  }

  /** Elements begun so far. */
  get elements(): number {
    return this.#scanner.elements.count;
  }

  /** Bytes inside elements for which the handler answered `SKIP`. */
  get skippedBytes(): number {
    return this.#scanner.elements.skippedBytes;
  }

  /** The encoding of the message, or null while unknown. */
  get encoding(): Encoding | null {
    return this.#isDirect ? 'utf-8' : (this.#prolog?.encoding ?? null);
  }

  /** Makes the reader ready for another message, as new. */
  reset(handler: XmlHandler, charset: string | null = null): void {
    this.bytes = 0;
    this.#scanner.reset(handler);
    this.#heldBytes = 0;
    this.#hasFailed = false;
    this.#failure = null;
    this.#locator = null;
    this.begin(charset);
  }

  /**
   * Before the first `write`: refusals are to have the line and the byte, as the sender of the
   * message counts them.
   */
  locateRefusals(): void {
    this.#locator = this.#ownLocator;
    this.#locator.reset();
  }

  /**
   * Ends a message, complete or not: lets go of the handler and the last chunk. Only `reset` may
   * follow.
   */
  release(): void {
    this.#hasFailed = true;
    this.#failure = RELEASED;
    this.#locator?.reset();
    this.#locator = null;
    this.#scanner.release();
  }

  /**
   * Before the first `write`: the charset of the Content-Type header in lower case, or null when it
   * names none.
   */
  begin(charset: string | null): void {
    this.#charset = charset;
    this.#prolog = null;
    this.#isDirect = false;
  }

  /** Reads the next bytes of the message. They are not kept. */
  write(chunk: Uint8Array): void {
    if (this.#hasFailed) throw this.#failure;
    try {
      const bytes = Buffer.isBuffer(chunk)
        ? chunk
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const room = this.#messageBytes - this.bytes;
      const taken = bytes.length > room ? bytes.subarray(0, room) : bytes;
      this.bytes += taken.length;
      if (taken.length > 0) {
        this.#decode(taken);
      }
      if (taken !== bytes) {
        throw refuseByXmlLimit('messageBytes', this.#scanner.elements.limits, this.#messageBytes);
      }
    } catch (caught) {
      this.#fail(caught);
    }
  }

  /** The message is over. Throws a `Refusal` when it is not complete. */
  end(): void {
    if (this.#hasFailed) throw this.#failure;
    try {
      if (!this.#isDirect) {
        this.#finishBeginning();
      }
      if (this.#heldBytes > 0) {
        throw refuse('XML_ENCODING', 'bytes that are not UTF-8', this.bytes - this.#heldBytes);
      }
      this.#scanner.finish();
    } catch (caught) {
      this.#fail(caught);
    }
  }

  #fail(caught: unknown): never {
    if (caught instanceof Refusal && this.#locator !== null) {
      this.#locate(caught, this.#locator);
    }
    this.#hasFailed = true;
    this.#failure = caught;
    throw caught;
  }

  /** A refusal of the handler is that of the last event. */
  #locate(refusal: Refusal, locator: Locator): void {
    if (!refusals.showsPlace(refusal.code) || refusal.place?.line != null) return;
    refusal.locate(locator.place(refusal.place?.byte ?? this.#scanner.elements.eventBytes));
  }

  #decode(chunk: Buffer): void {
    if (this.#isDirect) {
      this.#scan(chunk, viewOf(chunk), 0);
      return;
    }
    if (this.#prolog === null) {
      const view = viewOf(chunk);
      const declarationBytes = commonDeclarationBytes(view, this.#charset);
      if (declarationBytes >= 0) {
        this.#isDirect = true;
        this.#scanner.skip(declarationBytes);
        this.#scan(chunk, view, declarationBytes);
        return;
      }
    }
    const prolog = this.#beginning();
    const known = prolog.consumed;
    const bytes = prolog.take(chunk);
    if (prolog.consumed > known) {
      this.#scanner.skip(prolog.consumed - known);
      this.#locator?.addLines(prolog.lines);
    }
    this.#isDirect = prolog.transparent;
    this.#scan(bytes, viewOf(bytes), 0);
    if (prolog.failure !== null) throw this.#atEnd(prolog.failure);
  }

  #finishBeginning(): void {
    let bytes: Buffer;
    try {
      bytes = this.#beginning().finish();
    } catch (caught) {
      throw caught instanceof Refusal ? this.#atEnd(caught) : caught;
    }
    this.#scan(bytes, viewOf(bytes), 0);
  }

  /**
   * A refusal of the transcoder counts the bytes of the message already, and is behind all that has
   * been read.
   */
  #atEnd(refusal: Refusal): Refusal {
    if (this.#locator !== null && refusal.place !== null) {
      refusal.locate(this.#locator.placeAtEnd(refusal.place.byte));
    }
    return refusal;
  }

  #beginning(): Prolog {
    this.#prolog ??= new Prolog(this.#charset);
    return this.#prolog;
  }

  /** Gives whole characters to the scanner, from `start` on. */
  #scan(chunk: Buffer, view: DataView, start: number): void {
    const from = this.#heldBytes === 0 ? start : this.#completeHeld(chunk);
    const unfinished = unfinishedBytes(chunk, from);
    const whole = chunk.length - unfinished;
    if (whole > from) {
      const scanner = this.#scanner;
      const transcoder = this.#prolog?.transcoder ?? null;
      this.#locator?.next(chunk, from, whole, scanner.offset - from, scanner.elements, transcoder);
      scanner.scan(chunk, view, from, whole);
    }
    if (unfinished === 0) return;
    chunk.copy(this.#held, 0, whole);
    this.#heldBytes = unfinished;
  }

  /** Completes the character that was held back; returns how many bytes that took. */
  #completeHeld(chunk: Buffer): number {
    const missing = sequenceBytes(this.#held[0]!) - this.#heldBytes;
    const taken = Math.min(missing, chunk.length);
    chunk.copy(this.#held, this.#heldBytes, 0, taken);
    this.#heldBytes += taken;
    const held = this.#held.subarray(0, this.#heldBytes);
    if (taken === missing || unfinishedBytes(held, 0) < held.length) {
      this.#heldBytes = 0;
      this.#scanner.scan(held, viewOf(held), 0, held.length);
    }
    return taken;
  }
}

const viewOf = (chunk: Buffer): DataView =>
  new DataView(chunk.buffer, chunk.byteOffset, chunk.length);

/** Thrown by a reader without a message: writing to it is a bug. */
const RELEASED = new Error('The reader was released');
