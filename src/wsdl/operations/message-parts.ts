import { getOrMake } from '../../core/index.js';
import { WSDL } from '../documents/namespaces.js';
import { childrenOf, nameOfNode, type XmlNode } from '../documents/xml-tree.js';

/**
 * Parts of all messages over all their uses in one WSDL: any number of operations can name one
 * message of any number of parts, and the work would be the product.
 */
const MOST = 500_000;

/** The parts of messages, looked up once. */
export class MessageParts {
  readonly #parts = new Map<XmlNode, readonly XmlNode[]>();
  readonly #named = new Map<XmlNode, ReadonlyMap<string, XmlNode>>();
  #left = MOST;

  /** All parts of a message; null beyond the limit for all uses. */
  of(message: XmlNode): readonly XmlNode[] | null {
    const parts = this.#list(message);
    this.#left -= parts.length;
    return this.#left < 0 ? null : parts;
  }

  named(message: XmlNode, name: string): XmlNode | null {
    const known = this.#named.get(message);
    if (known !== undefined) return known.get(name) ?? null;
    const named = new Map<string, XmlNode>();
    // The first of several parts with the same name counts.
    for (const part of this.#list(message).toReversed()) {
      named.set(nameOfNode(part), part);
    }
    this.#named.set(message, named);
    return named.get(name) ?? null;
  }

  /** The first part and how many there are. */
  first(message: XmlNode): { readonly part: XmlNode | null; readonly count: number } {
    const parts = this.#list(message);
    return { part: parts[0] ?? null, count: parts.length };
  }

  #list(message: XmlNode): readonly XmlNode[] {
    return getOrMake(this.#parts, message, () => childrenOf(message, WSDL, 'part'));
  }
}
