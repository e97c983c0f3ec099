import type { Buffer } from 'node:buffer';

/** One element of DER (X.690): its tag, and where its content begins and ends. */
export interface DerElement {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OBJECT_IDENTIFIER = 0x06;
export const SEQUENCE = 0x30;
export const UTC_TIME = 0x17;
export const GENERALIZED_TIME = 0x18;

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
