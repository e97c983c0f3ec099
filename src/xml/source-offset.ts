import type { Buffer } from 'node:buffer';
import { invariant } from '../core/index.js';
import { characterTable, type Encoding, isWide } from './encodings.js';

/**
 * Converts an offset of the reader's events (`StartTag.offsetBytes`, `contentBytes`, the two of
 * `close`) into one of the message: events count UTF-8, into which the reader turns the other
 * encodings. `bytes` are the message from its first byte on, byte order mark and all, at least up
 * to that place; the offset is that of the beginning of a character.
 */
export function sourceOffset(bytes: Buffer, encoding: Encoding, utf8Offset: number): number {
  if (encoding === 'utf-8' || encoding === 'us-ascii') return utf8Offset;
  const wide = isWide(encoding);
  const step = wide ? 2 : 1;
  const table = wide ? null : characterTable(encoding);
  const low = encoding === 'utf-16le' ? 0 : 1;
  // The mark of UTF-16 is not counted by the reader.
  let at = wide && bytes[low] === 0xff && bytes[1 - low] === 0xfe ? 2 : 0;
  let counted = 0;
  while (counted < utf8Offset && at + step <= bytes.length) {
    counted +=
      table === null
        ? utf8BytesOfUnit(bytes[at + low]! | (bytes[at + 1 - low]! << 8))
        : utf8Bytes(bytes[at]! < 0x80 ? 0 : table[bytes[at]! - 0x80]!);
    at += step;
  }
  invariant(counted === utf8Offset, 'an offset at the beginning of a character of the message');
  return at;
}

const utf8Bytes = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : 3);

/** Each half of a surrogate pair stands for two of the four bytes of its character. */
const utf8BytesOfUnit = (unit: number): number =>
  unit >= 0xd800 && unit <= 0xdfff ? 2 : utf8Bytes(unit);
