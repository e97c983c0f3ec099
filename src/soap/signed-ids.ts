import { Refusal, refuseByLimit } from '../base/refusal.js';
import type { StartTag } from '../xml/events.js';

const XML = 'http://www.w3.org/XML/1998/namespace';
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const UTILITY: ReadonlySet<string> = new Set([
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  'http://schemas.xmlsoap.org/ws/2002/07/utility',
  'http://schemas.xmlsoap.org/ws/2003/06/utility',
]);

/** An Id is a name: longer ones are none, and what is kept of a long message is bounded. */
const ID_CHARS_MAX = 1024;

/**
 * Keeps the Ids of one message. Whoever verifies a signature finds what is signed by its Id, and whoever acts on the
 * message finds it by its place: with one Id twice these are two elements (signature wrapping). Throws
 * `WSSE_DUPLICATE_ID`, and `WSSE_STRUCTURE` for more Ids than allowed.
 *
 * `wsu:Id` and `xml:id` are unique whatever they are for. An unqualified `Id` may be data of the application: it counts
 * where a signature refers to it.
 */
export class SignedIds {
  /** There is a signature in the Header. */
  isSigned = false;
  readonly #most: number;
  readonly #ids = new Set<string>();
  readonly #references = new Set<string>();
  /** Unqualified ones of the Header, with how often they came. */
  readonly #plain = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** An element of the Header that `hasId`. */
  note(tag: StartTag): void {
    if (tag.uri === SIGNATURE) this.#noteSignature(tag);
    this.#noteIds(tag, false);
  }

  #noteSignature(tag: StartTag): void {
    if (tag.local === 'Signature') this.isSigned = true;
    if (tag.local !== 'Reference') return;
    const uri = tag.attribute('', 'URI');
    if (uri?.startsWith('#') !== true) return;
    this.#references.add(uri.slice(1));
    this.#bound();
  }

  /** The Header is over: what was referred to may have come before the reference. */
  judge(): void {
    for (const reference of this.#references) {
      const times = (this.#plain.get(reference) ?? 0) + (this.#ids.has(reference) ? 1 : 0);
      if (times > 1) throw new Refusal('WSSE_DUPLICATE_ID', 'Header');
      if (times === 1) this.#ids.add(reference);
    }
  }

  /** The Body, or an element in it. */
  noteContent(tag: StartTag): void {
    this.#noteIds(tag, true);
  }

  /** `isJudged`: every reference is known. */
  #noteIds(tag: StartTag, isJudged: boolean): void {
    for (let index = 0; index < tag.attributeCount; index++) {
      const uri = tag.attributeUri(index);
      const local = tag.attributeLocal(index);
      if (isOwnId(uri, local)) this.#add(tag.attributeValue(index));
      else if (isPlainId(uri, local)) this.#notePlain(tag.attributeValue(index).trim(), isJudged);
    }
  }

  #notePlain(value: string, isJudged: boolean): void {
    if (isJudged) {
      if (this.#references.has(value)) this.#add(value);
      return;
    }
    this.#plain.set(value, (this.#plain.get(value) ?? 0) + 1);
    this.#bound();
  }

  #add(written: string): void {
    // A reader that knows its type takes the blanks around it away.
    const id = written.trim();
    if (id.length > ID_CHARS_MAX) throw new Refusal('WSSE_STRUCTURE', 'length of an Id');
    if (this.#ids.has(id)) throw new Refusal('WSSE_DUPLICATE_ID');
    this.#ids.add(id);
    this.#bound();
  }

  #bound(): void {
    if (this.#ids.size + this.#plain.size + this.#references.size > this.#most) {
      throw refuseByLimit('WSSE_STRUCTURE', 'limits.soap.ids', this.#most);
    }
  }
}

const isOwnId = (uri: string, local: string): boolean =>
  (local === 'Id' && UTILITY.has(uri)) || (uri === XML && local === 'id');

/** SAML 1.1 has names of its own for it. */
const PLAIN: ReadonlySet<string> = new Set(['Id', 'ID', 'id', 'AssertionID']);
const isPlainId = (uri: string, local: string): boolean => uri === '' && PLAIN.has(local);

/** Whether anything of this element is to be noted. */
export function hasId(tag: StartTag): boolean {
  for (let index = 0; index < tag.attributeCount; index++) {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    if (isOwnId(uri, local) || isPlainId(uri, local)) return true;
  }
  return tag.uri === SIGNATURE;
}
