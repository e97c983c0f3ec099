import { Buffer } from 'node:buffer';

import { canonical, type QName } from '../xml/index.js';
import { invalidSecurity } from './security-refusals.js';
import { WSSE11, XENC } from './wsse-names.js';

/** Whether this is the name of the element. */
export const isNamed = (node: canonical.ElementNode, uri: string, local: string): boolean =>
  node.local === local && node.uri === uri;

/** The child elements of an element that has no other content. Throws `wsse:InvalidSecurity`. */
export function elementParts(node: canonical.ElementNode): readonly canonical.ElementNode[] {
  const parts: canonical.ElementNode[] = [];
  for (const child of node.children) {
    if (child instanceof canonical.ElementNode) {
      parts.push(child);
    } else if (child instanceof canonical.CommentNode) {
      throw invalidSecurity('a comment in the Security block');
    } else if (/[^ \t\r\n]/.test(child)) {
      throw invalidSecurity(`text between the parts of ${node.local}`);
    }
  }
  return parts;
}

/** The text of an element without child elements. Throws `wsse:InvalidSecurity`. */
export function elementText(node: canonical.ElementNode): string {
  let text = '';
  for (const child of node.children) {
    if (typeof child !== 'string') {
      throw invalidSecurity(
        `${child instanceof canonical.CommentNode ? 'a comment' : 'an element'} in the text ` +
          `of ${node.local}`,
      );
    }
    text += child;
  }
  return text;
}

/**
 * The attribute without a namespace, without white space around it; null for none. The schemas of
 * signatures and tokens type their attributes (`xs:ID`, `xs:anyURI`, `xs:dateTime`, `xs:boolean`),
 * and these types collapse white space.
 */
export const typedAttribute = (
  node: canonical.ElementNode | undefined,
  local: string,
): string | null => node?.attribute('', local)?.replace(AROUND, '') ?? null;

const AROUND = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** As `typedAttribute`. Throws `wsse:InvalidSecurity` where there is none. */
export function requiredAttribute(node: canonical.ElementNode, local: string): string {
  const value = typedAttribute(node, local);
  if (value === null) throw invalidSecurity(`${node.local} has no ${local}`);
  return value;
}

/** The text of an element without white space. */
export const lettersOf = (node: canonical.ElementNode): string => {
  const text = elementText(node);
  return WHITE.test(text) ? text.replaceAll(ALL_WHITE, '') : text;
};

const WHITE = /[ \t\r\n]/;
const ALL_WHITE = /[ \t\r\n]/g;

/**
 * Decodes base64 as it is written canonically; null for another text. The decoder itself passes
 * over what is no base64.
 */
export function decodeBase64(letters: string): Buffer | null {
  const bytes = Buffer.from(letters, 'base64');
  return letters === '' || bytes.toString('base64') !== letters ? null : bytes;
}

/**
 * Decodes the base64 of an element, with white space anywhere (XSD part 2 section 3.2.16). Throws
 * `wsse:InvalidSecurity`.
 */
export function base64Of(node: canonical.ElementNode): Buffer {
  const bytes = decodeBase64(lettersOf(node));
  if (bytes === null) throw invalidSecurity(`${node.local} is no base64`);
  return bytes;
}

/** XML Encryption 1.1 section 3.4. */
export const isEncryptedData = ({ uri, local }: QName): boolean =>
  uri === XENC && local === 'EncryptedData';
/** SOAP Message Security 1.1 section 9.2. */
export const isEncryptedHeader = ({ uri, local }: QName): boolean =>
  uri === WSSE11 && local === 'EncryptedHeader';

/** Whether this is an element that is encrypted. */
export const isEncryptedElement = (tag: QName): boolean =>
  isEncryptedHeader(tag) || isEncryptedData(tag);
