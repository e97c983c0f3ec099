import { Buffer } from 'node:buffer';
import { createHash, type Hash, hash } from 'node:crypto';

import { invariant } from '../core/index.js';
import { canonical } from '../xml/index.js';
import type { DigestName } from './algorithms.js';

/**
 * Bytes that are collected before they are hashed: a call of the hash costs as much as some hundred
 * of them.
 */
const COLLECTED_BYTES = 16 * 1024;
/** From here on bytes are hashed where they lie, and texts are encoded by a call of Node. */
const DIRECT_BYTES = 256;

/** Buffers that are in no use. A message that is cut off keeps its own. */
const FREE: Buffer[] = [];
const FREE_MAX = 64;

/** Collects canonical XML as bytes. What is collected goes to `flush` where it is full. */
abstract class ByteSink implements canonical.CanonicalSink {
  readonly #bytes: Buffer = FREE.pop() ?? Buffer.allocUnsafeSlow(COLLECTED_BYTES);
  #length = 0;
  #isOver = false;

  protected abstract flush(bytes: Buffer): void;

  write(chars: string): void {
    const { length } = chars;
    if (length > DIRECT_BYTES) {
      this.#writeLong(chars);
      return;
    }
    if (this.#length + length > this.#bytes.length) {
      this.empty();
    }
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < length; index++) {
      const unit = chars.charCodeAt(index);
      if (unit >= 0x80) {
        this.#writeLong(chars);
        return;
      }
      bytes[at++] = unit;
    }
    this.#length = at;
  }

  writeTag(before: '<' | '</', name: string): void {
    const { length } = name;
    if (length > DIRECT_BYTES || this.#length + length + 3 > this.#bytes.length) {
      this.write(before);
      this.write(name);
      this.write('>');
      return;
    }
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = 0x3c;
    if (before === '</') {
      bytes[at++] = 0x2f;
    }
    for (let index = 0; index < length; index++) {
      const unit = name.charCodeAt(index);
      if (unit >= 0x80) {
        this.#writeLong(`${before}${name}>`);
        return;
      }
      bytes[at++] = unit;
    }
    bytes[at++] = 0x3e;
    this.#length = at;
  }

  writeAscii(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (length > DIRECT_BYTES) {
      const direct = Buffer.from(bytes.buffer, bytes.byteOffset + start, length);
      // Node searches many bytes at once.
      if (direct.includes(canonical.GREATER) || direct.includes(canonical.RETURN)) return false;
      this.empty();
      this.flush(direct);
      return true;
    }
    if (this.#length + length > this.#bytes.length) {
      this.empty();
    }
    const own = this.#bytes;
    let at = this.#length;
    // One loop looks and copies: what is copied counts only once all of it is plain.
    for (let index = start; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (byte === canonical.GREATER || byte === canonical.RETURN) return false;
      own[at++] = byte;
    }
    this.#length = at;
    return true;
  }

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length > DIRECT_BYTES) {
      this.empty();
      this.flush(Buffer.from(bytes.buffer, bytes.byteOffset + start, length));
      return;
    }
    if (this.#length + length > this.#bytes.length) {
      this.empty();
    }
    const own = this.#bytes;
    let at = this.#length;
    for (let index = start; index < end; index++) {
      own[at++] = bytes[index] ?? 0;
    }
    this.#length = at;
  }

  protected empty(): void {
    if (this.#length > 0) {
      this.flush(this.#bytes.subarray(0, this.#length));
    }
    this.#length = 0;
  }

  /** What is collected and has not been flushed, lent. */
  protected get collected(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Nothing may be written any more. */
  protected release(): void {
    invariant(!this.#isOver, 'a buffer is given back once');
    this.#isOver = true;
    this.#length = 0;
    if (FREE.length < FREE_MAX) {
      FREE.push(this.#bytes);
    }
  }

  /** Texts are at most three bytes for each unit. */
  #writeLong(chars: string): void {
    const room = this.#bytes.length - this.#length;
    if (chars.length * 3 <= room) {
      this.#length += this.#bytes.write(chars, this.#length, room, 'utf8');
      return;
    }
    this.empty();
    this.flush(Buffer.from(chars));
  }
}

/** Hashes canonical XML as it is written. */
export class DigestSink extends ByteSink {
  readonly #name: DigestName;
  /** Null while all is collected: then one call is enough. */
  #hash: Hash | null = null;

  constructor(digest: DigestName) {
    super();
    this.#name = digest;
  }

  /** The digest, once: nothing may be written any more. */
  digest(): Buffer {
    let digest: Buffer;
    if (this.#hash === null) {
      digest = hash(this.#name, this.collected, 'buffer');
    } else {
      this.empty();
      digest = this.#hash.digest();
    }
    this.release();
    return digest;
  }

  protected override flush(bytes: Buffer): void {
    this.#hash ??= createHash(this.#name);
    this.#hash.update(bytes);
  }
}

/** Keeps canonical XML, of an element that is kept as well. */
export class BytesSink extends ByteSink {
  readonly #kept: Buffer[] = [];

  /** The bytes, once: nothing may be written any more. */
  bytes(): Buffer {
    this.empty();
    this.release();
    const [only, ...others] = this.#kept;
    return only !== undefined && others.length === 0 ? only : Buffer.concat(this.#kept);
  }

  protected override flush(bytes: Buffer): void {
    this.#kept.push(Buffer.from(bytes));
  }
}
