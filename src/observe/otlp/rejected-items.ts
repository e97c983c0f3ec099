import type { Buffer } from 'node:buffer';

/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

/**
 * The rejected items of an `Export*ServiceResponse` (`partial_success`) in protobuf; 0 where it has
 * none, or is none.
 */
export function readRejected(answer: Buffer): number {
  let rejected = 0;
  for (const { field, bytes } of fieldsOf(answer)) {
    if (field !== 1 || bytes === null) continue;
    for (const inner of fieldsOf(bytes)) {
      if (inner.field === 1 && inner.bytes === null) {
        rejected = inner.value;
      }
    }
  }
  return rejected;
}

interface Field {
  readonly field: number;
  /** The value of a varint, or the length of `bytes`; 0 for fields of fixed size. */
  readonly value: number;
  /** The bytes of a text or a message; null for other fields. */
  readonly bytes: Buffer | null;
}

/** The fields of a message, up to where it breaks the format. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  /** NaN beyond the end, and for more than 53 bits. */
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; factor < 2 ** 53; factor *= 0x80) {
      const byte = message[at++] ?? Number.NaN;
      value += (byte % 0x80) * factor;
      if (!(byte >= 0x80)) return value;
    }
    return Number.NaN;
  };
  while (at < message.length) {
    const tag = varint();
    const field = Math.floor(tag / 8);
    const type = tag % 8;
    const value = type === VARINT || type === LENGTH ? varint() : 0;
    const length =
      type === LENGTH
        ? value
        : type === FIXED64
          ? 8
          : type === FIXED32
            ? 4
            : type === VARINT
              ? 0
              : Number.NaN;
    if (!(value <= Number.MAX_SAFE_INTEGER && at + length <= message.length)) return;
    yield { field, value, bytes: type === LENGTH ? message.subarray(at, at + length) : null };
    at += length;
  }
}
