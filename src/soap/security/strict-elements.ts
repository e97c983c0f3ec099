import { Buffer } from 'node:buffer';

import { CommentNode, ElementNode } from '../../xml/canonical/element-tree.js';
import { invalidSecurity } from './refusals.js';

/** Whether this is the name of the element. */
export const isNamed = (node: ElementNode, uri: string, local: string): boolean =>
  node.local === local && node.uri === uri;

/** The child elements of an element that has no other content. Throws `wsse:InvalidSecurity`. */
export function partsOf(node: ElementNode): readonly ElementNode[] {
  const parts: ElementNode[] = [];
  for (const child of node.children) {
    if (child instanceof ElementNode) parts.push(child);
    else if (child instanceof CommentNode) throw invalidSecurity('a comment in the Security block');
    else if (/[^ \t\r\n]/.test(child)) throw invalidSecurity(`text between the parts of ${node.local}`);
  }
  return parts;
}

/** The text of an element without child elements. Throws `wsse:InvalidSecurity`. */
export function textOf(node: ElementNode): string {
  let text = '';
  for (const child of node.children) {
    if (typeof child !== 'string') {
      throw invalidSecurity(
        `${child instanceof CommentNode ? 'a comment' : 'an element'} in the text of ${node.local}`,
      );
    }
    text += child;
  }
  return text;
}

/** The attribute without a namespace. Throws `wsse:InvalidSecurity` where there is none. */
export function attributeOf(node: ElementNode, local: string): string {
  const value = node.attribute('', local);
  if (value === null) throw invalidSecurity(`${node.local} has no ${local}`);
  return value;
}

/** Decodes base64 as it is written canonically, with white space anywhere (XSD part 2 section 3.2.16). */
export function base64Of(node: ElementNode): Buffer {
  const letters = textOf(node).replaceAll(/[ \t\r\n]/g, '');
  const bytes = Buffer.from(letters, 'base64');
  // The decoder passes over what is no base64: only its own spelling is taken.
  if (letters === '' || bytes.toString('base64') !== letters) throw invalidSecurity(`${node.local} is no base64`);
  return bytes;
}
