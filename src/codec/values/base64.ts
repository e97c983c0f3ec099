import { Buffer } from 'node:buffer';
import { Rewriting, rewriteText } from '../../xml/index.js';
import { hold, textOf, trimXml } from '../plan/lexical.js';
import type { Scalar } from '../plan/scalar.js';

/**
 * `xs:base64Binary` without white space (XML Schema allows it inside, and several stacks break
 * lines).
 */
export const BASE64_SCALAR: Scalar = {
  name: 'Base64',
  binary: 'base64',
  decode: base64,
  encode: (value) => base64(textOf(value)),
};

/** `xs:hexBinary` as it is written. */
export const HEX_SCALAR: Scalar = {
  name: 'Hex',
  decode: hex,
  encode: (value) => hex(textOf(value)),
};

function base64(lexical: string): string {
  const text = bareBase64(lexical);
  hold(base64Rule(text));
  return text;
}

function hex(lexical: string): string {
  const text = trimXml(lexical);
  hold(hexRule(text));
  return text;
}

/** Base64 without its white space, which may stand anywhere in it. */
export const bareBase64 = (lexical: string): string =>
  SPACE.test(lexical) ? rewriteText(lexical, WITHOUT_SPACES) : lexical;

const SPACE = /[ \t\n\r]/;
const WITHOUT_SPACES = new Rewriting([
  [' ', ''],
  ['\t', ''],
  ['\n', ''],
  ['\r', ''],
]);

// The last character before the padding holds two or four bits that must be zero.
const PADDED: ReadonlyMap<string, RegExp> = new Map([
  ['', /$/],
  ['=', /[AEIMQUYcgkosw048]$/],
  ['==', /[AQgw]$/],
]);

/** The rule that bare base64 breaks, or null. */
export function base64Rule(text: string): string | null {
  const end = text.search(/[^A-Za-z0-9+/]/);
  const padding = end === -1 ? '' : text.slice(end, end + 3);
  const last =
    PADDED.get(padding)?.test(
      end === -1 ? text.slice(-1) : text.slice(Math.max(0, end - 1), end),
    ) ?? false;
  const isWhole = end === -1 || end + padding.length === text.length;
  return text.length % 4 === 0 && last && isWhole ? null : 'must be base64';
}

/** How many bytes valid bare base64 stands for. */
export const base64Bytes = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);

/** The rule that a trimmed text breaks as `xs:hexBinary`, or null. */
export const hexRule = (text: string): string | null =>
  text.length % 2 !== 0 || /[^0-9A-Fa-f]/.test(text) ? 'must be pairs of hexadecimal digits' : null;

/** The text in UTF-8 that these bytes are; as it is where they are none. */
export function textOfBase64(lexical: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(lexical, 'base64'));
  } catch {
    return lexical;
  }
}
