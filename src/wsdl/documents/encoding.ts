import { Buffer } from 'node:buffer';
import { decoderOf } from '../../xml/index.js';

/** Byte patterns by which the encoding of a document is detected (XML 1.0 appendix F). */
const BYTE_ORDER_MARKS: readonly {
  readonly bytes: readonly number[];
  readonly encoding: string;
}[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0x00, 0x3c, 0x00], encoding: 'utf-16be' },
  { bytes: [0x3c, 0x00, 0x3f, 0x00], encoding: 'utf-16le' },
  { bytes: [0x3c, 0x00], encoding: 'utf-16le' },
];

/**
 * The text of a document without its byte order mark, or a sentence with the reason why it cannot
 * be decoded.
 */
export function decodeDocument(
  bytes: Uint8Array,
  charset: string | null,
): { readonly text: string } | { readonly what: string } {
  const encoding = encodingOf(bytes, charset).toLowerCase();
  const decode = decoderOf(encoding);
  if (decode === null) {
    return { what: 'The document is in a character encoding that is not supported.' };
  }
  const text = decode(bytes);
  if (text !== null) return { text };
  // PHP sends every WSDL as utf-8, whatever its declaration is: then the declaration counts.
  if (charset !== null) return decodeDocument(bytes, null);
  return { what: `The document holds bytes that are not valid ${encoding}.` };
}

function encodingOf(bytes: Uint8Array, charset: string | null): string {
  const mark = BYTE_ORDER_MARKS.find((row) => row.bytes.every((byte, at) => bytes[at] === byte));
  if (mark !== undefined) return mark.encoding;
  const declared = declaredEncoding(Buffer.from(bytes.subarray(0, 256)).toString('latin1'));
  const named = charset ?? declared?.value ?? 'utf-8';
  // A document whose first byte is '<' is not UTF-16: .NET writers to strings leave such a
  // declaration.
  return /^utf-16/i.test(named) ? 'utf-8' : named;
}

/** The value of `encoding` in the XML declaration at the start of `text`, with its position. */
export function declaredEncoding(
  text: string,
): { readonly value: string; readonly start: number; readonly end: number } | null {
  if (!text.startsWith('<?xml')) return null;
  const declaration = text.slice(
    0,
    Math.min(256, text.indexOf('?>') === -1 ? 256 : text.indexOf('?>')),
  );
  const found = /encoding\s{0,20}=\s{0,20}["']([A-Za-z0-9._-]{1,40})["']/.exec(declaration);
  if (found === null) return null;
  const value = found[1] ?? '';
  const end = found.index + found[0].length - 1;
  return { value, start: end - value.length, end };
}
