import { textOf, trimXml } from './lexical.js';
import { LexicalError, type Scalar } from './plan.js';

/** `xs:base64Binary` without white space (XML Schema allows it inside, and several stacks break lines). */
export const BASE64_SCALAR: Scalar = {
  name: 'Base64',
  decode: base64,
  encode: (value) => base64(textOf(value)),
};

/** `xs:hexBinary` as it is written. */
export const HEX_SCALAR: Scalar = {
  name: 'Hex',
  decode: hex,
  encode: (value) => hex(textOf(value)),
};

// The last character before the padding holds two or four bits that must be zero.
const PADDED: ReadonlyMap<string, RegExp> = new Map([
  ['', /$/],
  ['=', /[AEIMQUYcgkosw048]$/],
  ['==', /[AQgw]$/],
]);

function base64(lexical: string): string {
  const text = lexical.replace(/[ \t\n\r]+/g, '');
  const end = text.search(/[^A-Za-z0-9+/]/);
  const padding = end === -1 ? '' : text.slice(end, end + 3);
  const last = PADDED.get(padding)?.test(end === -1 ? text.slice(-1) : text.slice(Math.max(0, end - 1), end)) ?? false;
  if (text.length % 4 !== 0 || !last || (end !== -1 && end + padding.length !== text.length)) {
    throw new LexicalError('must be base64');
  }
  return text;
}

function hex(lexical: string): string {
  const text = trimXml(lexical);
  if (text.length % 2 !== 0 || /[^0-9A-Fa-f]/.test(text)) throw new LexicalError('must be pairs of hexadecimal digits');
  return text;
}
