import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import { dialectOfUri } from '../dialect.js';

const DEPTH_MAX = 16;
const NAMES_MAX = 64;

/**
 * Reads the names of a Fault: its code, its subcodes, and the elements of its detail. Empty for
 * another message.
 */
export class FaultNames implements XmlHandler {
  readonly names = new Set<string>();
  isFault = false;
  #depth = 0;
  #detailDepth = 0;
  #text: string | null = null;

  open(tag: StartTag): Interest {
    const depth = ++this.#depth;
    if (depth <= 2) return ELEMENTS_ONLY;
    if (depth === 3) {
      this.isFault = tag.local === 'Fault' && dialectOfUri(tag.uri) !== null;
      return this.isFault ? ELEMENTS_ONLY : SKIP;
    }
    if (this.#detailDepth > 0) {
      this.#add(tag.local);
      return SKIP;
    }
    if (depth === 4 && (tag.local === 'detail' || tag.local === 'Detail')) {
      this.#detailDepth = depth;
      return ELEMENTS_ONLY;
    }
    if (tag.local === 'faultcode' || tag.local === 'Value') {
      this.#text = '';
      return ALL;
    }
    return depth < DEPTH_MAX ? ELEMENTS_ONLY : SKIP;
  }

  close(): void {
    if (this.#text !== null) {
      const code = this.#text.trim();
      const local = code.slice(code.indexOf(':') + 1);
      this.#add(local);
      // SOAP 1.1 writes subcodes behind dots.
      this.#add(local.slice(local.lastIndexOf('.') + 1));
      this.#text = null;
    }
    if (this.#depth === this.#detailDepth) {
      this.#detailDepth = 0;
    }
    this.#depth--;
  }

  text(piece: string): void {
    if (this.#text !== null && this.#text.length < 256) {
      this.#text += piece;
    }
  }

  #add(name: string): void {
    if (this.names.size < NAMES_MAX) {
      this.names.add(name);
    }
  }
}
