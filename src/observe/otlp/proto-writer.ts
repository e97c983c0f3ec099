import { Buffer } from 'node:buffer';

/** Texts from outside are cut to this many UTF-16 units, as in the log. */
const TEXT_UNITS_MAX = 256;
/** Wire types of protobuf. */
const FIXED64 = 1;
const LENGTH = 2;
/** Bytes of the length of a message: up to 16 KiB, and up to 256 MiB. */
const SHORT = 2;
const LONG = 4;
const TWO_32 = 0x1_0000_0000;
const NANOS_PER_SECOND = 1_000_000_000;

const HEX = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
}

/**
 * Writes the fields of protobuf messages one after the other. Numbers of fields are below 16, so
 * that their tags take one byte. Nothing is made for a field: no text, no array.
 */
export class ProtoWriter {
  readonly bytes: Buffer;
  length = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get free(): number {
    return this.bytes.length - this.length;
  }

  /**
   * Begins a message in a field; returns what `end` needs. Its length will take so many bytes,
   * however long it is.
   */
  begin(field: number, lengthBytes = LONG): number {
    this.bytes[this.length] = (field << 3) | LENGTH;
    this.length += 1 + lengthBytes;
    return this.length;
  }

  /** Ends the message: writes its length, with as many bytes as were left for it. */
  end(start: number, lengthBytes = LONG): void {
    const { bytes } = this;
    let rest = this.length - start;
    for (let at = start - lengthBytes; at < start - 1; at++) {
      bytes[at] = (rest & 0x7f) | 0x80;
      rest >>= 7;
    }
    bytes[start - 1] = rest;
  }

  /** Fields that are written already. */
  copy(fields: Uint8Array): void {
    this.bytes.set(fields, this.length);
    this.length += fields.length;
  }

  /** Bytes in a field, from lower-case hexadecimal digits. */
  hex(field: number, digits: string): void {
    const { bytes } = this;
    const count = digits.length >> 1;
    let at = this.length;
    bytes[at++] = (field << 3) | LENGTH;
    bytes[at++] = count;
    for (let index = 0; index < digits.length; index += 2) {
      bytes[at++] =
        ((HEX[digits.charCodeAt(index)] ?? 0) << 4) | (HEX[digits.charCodeAt(index + 1)] ?? 0);
    }
    this.length = at;
  }

  /** A number from 0 in a field, rounded to a whole one. */
  number(field: number, value: number): void {
    this.bytes[this.length++] = field << 3;
    this.#varint(value);
  }

  /** A time in nanoseconds since 1970 (fixed64). */
  time(field: number, unixMillis: number): void {
    const seconds = Math.floor(unixMillis / 1000);
    const nanos = Math.min(
      NANOS_PER_SECOND - 1,
      Math.floor((unixMillis - seconds * 1000) * 1_000_000),
    );
    // The product has 61 bits: the lower half by whole-number multiplication, the upper one from
    // what is left.
    const product = Math.imul(seconds, NANOS_PER_SECOND) >>> 0;
    const upper = Math.round((seconds * NANOS_PER_SECOND - product) / TWO_32);
    const lower = product + nanos;
    const { bytes } = this;
    const at = this.length;
    bytes[at] = (field << 3) | FIXED64;
    bytes.writeUInt32LE(lower % TWO_32, at + 1);
    bytes.writeUInt32LE(lower < TWO_32 ? upper : upper + 1, at + 5);
    this.length = at + 9;
  }

  /** A number in a field (double). */
  float(field: number, value: number): void {
    this.bytes[this.length] = (field << 3) | FIXED64;
    this.bytes.writeDoubleLE(value, this.length + 1);
    this.length += 9;
  }

  /** Whole numbers from 0 in a field (repeated fixed64, packed). */
  counts(field: number, values: readonly number[]): void {
    this.bytes[this.length++] = (field << 3) | LENGTH;
    this.#varint(8 * values.length);
    for (const value of values) {
      this.bytes.writeUInt32LE(value % TWO_32, this.length);
      this.bytes.writeUInt32LE(Math.floor(value / TWO_32), this.length + 4);
      this.length += 8;
    }
  }

  /** A whole number from 0 in a field (fixed64). */
  count(field: number, value: number): void {
    this.bytes[this.length] = (field << 3) | FIXED64;
    this.bytes.writeUInt32LE(value % TWO_32, this.length + 1);
    this.bytes.writeUInt32LE(Math.floor(value / TWO_32), this.length + 5);
    this.length += 9;
  }

  /** Numbers in a field (repeated double, packed). */
  floats(field: number, values: readonly number[]): void {
    this.bytes[this.length++] = (field << 3) | LENGTH;
    this.#varint(8 * values.length);
    for (const value of values) {
      this.bytes.writeDoubleLE(value, this.length);
      this.length += 8;
    }
  }

  /** A text in a field, cut to so many units. */
  text(field: number, value: string, unitsMax = TEXT_UNITS_MAX): void {
    const text = value.length > unitsMax ? value.slice(0, unitsMax) : value;
    const { bytes } = this;
    const start = this.length;
    bytes[start] = (field << 3) | LENGTH;
    if (text.length < 0x80) {
      let at = start + 2;
      let index = 0;
      while (index < text.length) {
        const unit = text.charCodeAt(index++);
        if (unit >= 0x80) break;
        bytes[at++] = unit;
      }
      if (at - start - 2 === text.length) {
        bytes[start + 1] = text.length;
        this.length = at;
        return;
      }
    }
    this.length = start + 1;
    this.#varint(Buffer.byteLength(text));
    this.length += bytes.write(text, this.length);
  }

  /** An attribute (`KeyValue`) in a field. A text has at most 4,096 units. */
  attribute(
    field: number,
    key: string,
    value: string | number | boolean,
    unitsMax = TEXT_UNITS_MAX,
  ): void {
    const attribute = this.begin(field, SHORT);
    this.text(1, key);
    const any = this.begin(2, SHORT);
    if (typeof value === 'string') {
      this.text(1, value, unitsMax);
    } else if (typeof value === 'boolean') {
      this.number(2, value ? 1 : 0);
    } else {
      this.number(3, value);
    }
    this.end(any, SHORT);
    this.end(attribute, SHORT);
  }

  /** An attribute in a field whose value is no whole number. */
  double(field: number, key: string, value: number): void {
    const attribute = this.begin(field, SHORT);
    this.text(1, key);
    const any = this.begin(2, SHORT);
    this.float(4, value);
    this.end(any, SHORT);
    this.end(attribute, SHORT);
  }

  #varint(value: number): void {
    const { bytes } = this;
    let at = this.length;
    let rest = Math.min(Number.MAX_SAFE_INTEGER, Math.round(value));
    while (rest >= 0x80) {
      bytes[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[at++] = rest;
    this.length = at;
  }
}
