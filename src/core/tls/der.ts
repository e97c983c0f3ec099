import type { Buffer } from 'node:buffer';

/** One element of DER (X.690): its tag, and where its content begins and ends. */
export interface DerElement {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Tags of its types. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** The element that begins at this byte; null for what is no DER. */
export function elementAt(der: Buffer, at: number): DerElement | null {
  if (at + 2 > der.length) return null;
  const [tag = 0, first = 0] = [der[at], der[at + 1]];
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  if (bytes > 4 || at + 2 + bytes > der.length) return null;
  const length = bytes === 0 ? first : der.readUIntBE(at + 2, bytes);
  const start = at + 2 + bytes;
  return start + length > der.length ? null : { tag, start, end: start + length };
}

/** The elements between two bytes; null for what is no DER, or more than `most`. */
export function elementsBetween(
  der: Buffer,
  start: number,
  end: number,
  most: number,
): readonly DerElement[] | null {
  const found: DerElement[] = [];
  for (let at = start; at < end; ) {
    const element = found.length === most ? null : elementAt(der, at);
    if (element === null || element.end > end) return null;
    found.push(element);
    at = element.end;
  }
  return found;
}
