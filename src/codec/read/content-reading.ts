import type { Buffer } from 'node:buffer';
import { Base64Decoder } from './base64-decoder.js';
import { type ContentReceiver, contentPlaceOf, differs, shownObject } from './content-receiver.js';
import type { SlotProgram } from './program.js';
import type { Reading } from './reading.js';

/** The reading of the one binary content of a reply that goes to a receiver; no other is read. */
export class ContentReading {
  readonly #receiver: ContentReceiver;
  readonly #hiddenNames: number;
  readonly #base64 = new Base64Decoder();
  /** The reading of the content, and of the object around it; null before it has come. */
  #target: Reading | null = null;
  #object: Reading | null = null;

  constructor(receiver: ContentReceiver, hiddenNames: number) {
    this.#receiver = receiver;
    this.#hiddenNames = hiddenNames;
  }

  /** Whether the value of `slot` of `owner` is the content. */
  isWanted(owner: Reading, slot: SlotProgram, index: number): boolean {
    if (this.#target !== null) return false;
    const { names, indexes } = contentPlaceOf(owner, slot, index, this.#hiddenNames);
    const { place } = this.#receiver;
    return areEqual(names, place.names) && areEqual(indexes, place.indexes);
  }

  /**
   * Returns false where the content is another than that for which the address was made, and is not
   * read.
   */
  begin(target: Reading, owner: Reading): boolean {
    this.#target = target;
    const object = shownObject(owner);
    if (differs(object, this.#receiver.place.beside, false)) {
      this.#receiver.changed();
      return false;
    }
    this.#object = object;
    this.#receiver.begin();
    return true;
  }

  /** Whether this is the reading of the content, which is handed out. */
  is(reading: Reading): boolean {
    return reading === this.#target && this.#object !== null;
  }

  text(chars: string): void {
    const bytes = this.#base64.add(chars);
    if (bytes.length > 0) {
      this.#receiver.bytes(bytes);
    }
  }

  readonly take = (piece: Buffer): void => this.#receiver.bytes(piece);

  /** Called when an element ends, before its value is made. */
  end(reading: Reading): void {
    if (this.is(reading) && reading.deferred === null) {
      reading.broken ??= this.#base64.end();
    }
    if (reading !== this.#object) return;
    this.#object = null;
    if (differs(reading, this.#receiver.place.beside, true)) {
      this.#receiver.changed();
    }
  }
}

const areEqual = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, at) => each === others[at]);
