import { Refusal, refuseByLimit } from '../../core/index.js';
import type { QName, StartTag } from '../../xml/index.js';

const XML = 'http://www.w3.org/XML/1998/namespace';
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const UTILITY: ReadonlySet<string> = new Set([
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'http://schemas.xmlsoap.org/ws/2002/07/utility',
  'http://schemas.xmlsoap.org/ws/2003/06/utility',
]);

/** The namespaces of `wsu:Id` and `xml:id`. */
export const ID_NAMESPACES: ReadonlySet<string> = new Set([...UTILITY, XML]);

/** Whether an element is the signature of a message. */
export const isSignature = ({ uri, local }: QName): boolean =>
  local === 'Signature' && uri === SIGNATURE;

/** An Id is a name: longer ones are none, so that few bytes of a long message are kept. */
const ID_CHARS_MAX = 1024;

/**
 * Keeps the Ids of one message. A signature is verified on the element with its Id; a service acts
 * on the element at its place in the message: with one Id twice these are two elements (signature
 * wrapping). Throws `WSSE_DUPLICATE_ID`, and `WSSE_STRUCTURE` for more Ids than allowed.
 *
 * `wsu:Id` and `xml:id` are always unique. An unqualified `Id` may be data of the application: it
 * counts where a signature refers to it.
 */
export class SignedIds {
  /** There is a signature in the Header. */
  isSigned = false;
  readonly #max: number;
  readonly #ids = new Set<string>();
  readonly #references = new Set<string>();
  /** Unqualified ones of the Header, with how often they came. */
  readonly #unqualified = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds an element of the Header that `hasId`. */
  add(tag: StartTag): void {
    if (tag.uri === SIGNATURE) {
      this.#addSignature(tag);
    }
    this.#addIds(tag, false);
  }

  #addSignature(tag: StartTag): void {
    if (isSignature(tag)) {
      this.isSigned = true;
    }
    if (tag.local !== 'Reference') return;
    const uri = tag.attribute('', 'URI');
    if (uri?.startsWith('#') !== true) return;
    this.#references.add(uri.slice(1));
    this.#checkLimit();
  }

  /** Ends the Header: an element may have come before the reference to it. */
  checkReferences(): void {
    for (const reference of this.#references) {
      const times = (this.#unqualified.get(reference) ?? 0) + (this.#ids.has(reference) ? 1 : 0);
      if (times > 1) throw new Refusal('WSSE_DUPLICATE_ID', 'Header');
      if (times === 1) {
        this.#ids.add(reference);
      }
    }
  }

  /** Adds the Body, or an element in it. */
  addContentIds(tag: StartTag): void {
    this.#addIds(tag, true);
  }

  /** `isHeaderOver`: every reference is known. */
  #addIds(tag: StartTag, isHeaderOver: boolean): void {
    for (let index = 0; index < tag.attributeCount; index++) {
      const uri = tag.attributeUri(index);
      const local = tag.attributeLocal(index);
      if (isOwnId(uri, local)) {
        this.#add(tag.attributeValue(index));
      } else if (isUnqualifiedId(uri, local)) {
        this.#addUnqualified(tag.attributeValue(index).trim(), isHeaderOver);
      }
    }
  }

  #addUnqualified(value: string, isHeaderOver: boolean): void {
    if (isHeaderOver) {
      if (this.#references.has(value)) {
        this.#add(value);
      }
      return;
    }
    this.#unqualified.set(value, (this.#unqualified.get(value) ?? 0) + 1);
    this.#checkLimit();
  }

  #add(written: string): void {
    // A reader that knows its type takes the blanks around it away.
    const id = written.trim();
    if (id.length > ID_CHARS_MAX) throw new Refusal('WSSE_STRUCTURE', 'an Id is too long');
    if (this.#ids.has(id)) throw new Refusal('WSSE_DUPLICATE_ID');
    this.#ids.add(id);
    this.#checkLimit();
  }

  #checkLimit(): void {
    if (this.#ids.size + this.#unqualified.size + this.#references.size > this.#max) {
      throw refuseByLimit('WSSE_STRUCTURE', 'limits.soap.ids', this.#max);
    }
  }
}

const isOwnId = (uri: string, local: string): boolean =>
  (local === 'Id' && UTILITY.has(uri)) || (uri === XML && local === 'id');

/** SAML 1.1 has names of its own for it. */
const UNQUALIFIED: ReadonlySet<string> = new Set(['Id', 'ID', 'id', 'AssertionID']);
const isUnqualifiedId = (uri: string, local: string): boolean =>
  uri === '' && UNQUALIFIED.has(local);

/** Whether this element has an Id, or belongs to a signature. */
export function hasSignatureId(tag: StartTag): boolean {
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    if (isOwnId(uri, local) || isUnqualifiedId(uri, local)) return true;
  }
  return tag.uri === SIGNATURE;
}
