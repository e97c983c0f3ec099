import type { Buffer } from 'node:buffer';

/** Names and comments of a gzip header are skipped. */
const HEADER_BYTES_MAX = 4096;

const FIXED_BYTES = 10;
const DEFLATE = 8;
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const RESERVED = 0xe0;

/** Reads past the header of a gzip member, cut anywhere: RFC 1952 section 2.3. */
export class GzipHeader {
  #read = 0;
  #flags = 0;
  /** Bytes to read past, before the next optional field. */
  #skip = 0;
  #extraBytes = 0;
  #step: 'fixed' | 'extra length' | 'extra' | 'name' | 'comment' | 'checksum' | 'over' = 'fixed';

  /** Takes the next bytes. Returns how many of them belong to the header, or -1 when it is none. */
  take(chunk: Buffer): number {
    let at = 0;
    while (this.#step !== 'over' && at < chunk.length) {
      if (++this.#read > HEADER_BYTES_MAX || !this.#byte(chunk[at++] ?? 0)) return -1;
    }
    return at;
  }

  #byte(byte: number): boolean {
    switch (this.#step) {
      case 'fixed':
        return this.#fixed(byte);
      case 'extra length':
        this.#extraBytes += this.#skip-- === 2 ? byte : byte << 8;
        if (this.#skip > 0) return true;
        if (this.#extraBytes > 0) {
          this.#enter('extra', this.#extraBytes);
        } else {
          this.#after('extra');
        }
        return true;
      case 'extra':
      case 'checksum':
        if (--this.#skip === 0) {
          this.#after(this.#step);
        }
        return true;
      case 'name':
      case 'comment':
        if (byte === 0) {
          this.#after(this.#step);
        }
        return true;
      case 'over':
        return true;
    }
  }

  #fixed(byte: number): boolean {
    if (this.#read === 1) return byte === 0x1f;
    if (this.#read === 2) return byte === 0x8b;
    if (this.#read === 3) return byte === DEFLATE;
    if (this.#read === 4) {
      this.#flags = byte;
      return (byte & RESERVED) === 0;
    }
    if (this.#read === FIXED_BYTES) {
      this.#after('fixed');
    }
    return true;
  }

  /** The next field that is there, in the order they stand in. */
  #after(step: 'fixed' | 'extra' | 'name' | 'comment' | 'checksum'): void {
    const flags = this.#flags;
    if (step === 'fixed' && (flags & HAS_EXTRA) !== 0) {
      this.#enter('extra length', 2);
    } else if ((step === 'fixed' || step === 'extra') && (flags & HAS_NAME) !== 0) {
      this.#enter('name', 0);
    } else if (step !== 'comment' && step !== 'checksum' && (flags & HAS_COMMENT) !== 0) {
      this.#enter('comment', 0);
    } else if (step !== 'checksum' && (flags & HAS_CHECKSUM) !== 0) {
      this.#enter('checksum', 2);
    } else {
      this.#step = 'over';
    }
  }

  #enter(step: 'extra length' | 'extra' | 'name' | 'comment' | 'checksum', skip: number): void {
    this.#step = step;
    this.#skip = skip;
  }
}
