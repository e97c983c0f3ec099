import { Buffer } from 'node:buffer';
import {
  type canonical,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  type QName,
  type ReaderPool,
  SKIP,
  type StartTag,
  type XmlHandler,
  type XmlReader,
} from '../../xml/index.js';
import { failedCheck } from '../security-refusals.js';
import { isEncryptedElement } from '../strict-elements.js';
import { writtenName } from './encrypted-head.js';

/** The place of what was encrypted: the message, and the elements around it, outermost first. */
export interface OpenedPlace {
  readonly readers: Pick<ReaderPool, 'take' | 'give'>;
  readonly head: Buffer;
  readonly around: readonly canonical.ElementNode[];
}

/**
 * Reads decrypted content between the tags of the elements around it, which it must not end: those
 * that verify and read the message know the same elements by it. Throws what is wrong.
 */
export class OpenedContent implements XmlHandler {
  /** The first element of the content; null for none. */
  root: QName | null = null;
  readonly #place: OpenedPlace;
  readonly #kind: 'element' | 'content';
  readonly #passesEncrypted: boolean;
  readonly #reader: XmlReader;
  #depth = 0;
  /** Elements around the content that have begun. */
  #begun = 0;

  /**
   * `element`: it is one element, with nothing but white space around it. `passesEncrypted`: it may
   * be encrypted once more.
   */
  constructor(place: OpenedPlace, kind: 'element' | 'content', passesEncrypted: boolean) {
    this.#place = place;
    this.#kind = kind;
    this.#passesEncrypted = passesEncrypted;
    this.#reader = place.readers.take(this, 'utf-8');
    for (const { offsetBytes, contentBytes } of place.around) {
      this.#reader.write(place.head.subarray(offsetBytes, contentBytes));
    }
  }

  write(bytes: Buffer): void {
    this.#reader.write(bytes);
  }

  end(): void {
    for (const element of this.#place.around.toReversed()) {
      this.#reader.write(Buffer.from(`</${writtenName(element)}>`));
    }
    this.#reader.end();
    this.#place.readers.give(this.#reader);
    if (this.#kind === 'element' && this.root === null) {
      throw failedCheck('decryption: a part that is no element');
    }
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    const outer = this.#place.around.length;
    if (this.#depth > outer) {
      if (!this.#passesEncrypted && isEncryptedElement(tag)) {
        throw failedCheck('decryption: content that is encrypted twice');
      }
      if (this.#depth > outer + 1) return SKIP;
      if (this.#kind === 'element' && this.root !== null) {
        throw failedCheck('decryption: a part of several elements');
      }
      this.root ??= { uri: tag.uri, local: tag.local };
      // The parts of a whole Body count as its content does.
      return this.#kind === 'element' && tag.local === 'Body' ? ELEMENTS_ONLY : SKIP;
    }
    // Where one of them ended, another one had to begin for the end tags to match.
    if (++this.#begun > outer) throw failedCheck('decryption: content that ends an element around');
    return this.#depth === outer && this.#kind === 'element' ? PRESENCE : ELEMENTS_ONLY;
  }

  close(): void {
    this.#depth--;
  }

  text(): void {
    throw failedCheck('decryption: text beside a part that is an element');
  }
}
