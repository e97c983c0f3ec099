import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';

import type { CanonicalSink } from '../../xml/canonical/canonical-writer.js';
import type { DigestName } from './algorithms.js';

/** Characters that are collected before they are hashed: a call of the hash costs as much as some hundred bytes. */
const COLLECTED_CHARS = 16 * 1024;
/** From here on bytes are hashed where they lie. */
const DIRECT_BYTES = 1024;

/** Hashes canonical XML as it is written. */
export class DigestSink implements CanonicalSink {
  readonly #hash: Hash;
  #text = '';

  constructor(digest: DigestName) {
    this.#hash = createHash(digest);
  }

  write(chars: string): void {
    this.#text += chars;
    if (this.#text.length > COLLECTED_CHARS) this.#flush();
  }

  writeAscii(bytes: Uint8Array, start: number, end: number): void {
    const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
    if (part.length < DIRECT_BYTES) {
      this.write(part.latin1Slice(0, part.length));
      return;
    }
    this.#flush();
    this.#hash.update(part);
  }

  /** The digest; nothing may be written any more. */
  digest(): Buffer {
    this.#flush();
    return this.#hash.digest();
  }

  #flush(): void {
    if (this.#text !== '') this.#hash.update(this.#text, 'utf8');
    this.#text = '';
  }
}

/** Keeps canonical XML, of an element that is kept as well. */
export class TextSink implements CanonicalSink {
  text = '';

  write(chars: string): void {
    this.text += chars;
  }

  writeAscii(bytes: Uint8Array, start: number, end: number): void {
    this.text += Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).latin1Slice(0, end - start);
  }
}
