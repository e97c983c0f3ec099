import { Buffer } from 'node:buffer';
import { invariant, Refusal } from '../core/index.js';
import { isNcName } from './chars.js';
import { XML_NAMESPACE, XMLNS_NAMESPACE } from './namespaces.js';
import { Rewriting, rewriteText, writeInAscii } from './rewrite-text.js';

/**
 * Writes XML text; nothing else here does. Values are escaped, so that a reader gets them back and
 * they cannot become markup. Whatever names it is given, it writes one document that namespaces
 * have a meaning for: names are `NCName`s, no attribute stands twice on an element, and `namespace`
 * alone declares. A call that would break this is a bug of its caller, which refuses such names
 * first.
 *
 * A value that XML cannot carry (control characters, lone surrogates, U+FFFE, U+FFFF) throws
 * `Refusal('BAD_USER_INPUT')`; nothing is ever dropped.
 */
export class XmlWriter {
  #text = '';
  /** Names of the open elements as written. */
  readonly #open: string[] = [];
  /** True between a start tag's name and its `>`. */
  #inTag = false;
  /** Names of the attributes and declarations of the start tag. */
  readonly #attributes = new Set<string>();
  #begun = false;

  /** Begins an element; `prefix` null or '' for none. Attributes and namespaces may follow. */
  open(prefix: string | null, local: string): this {
    this.#endTag();
    invariant(this.#open.length > 0 || !this.#begun, 'one document element');
    const name = nameOf(prefix, local);
    this.#begun = true;
    this.#inTag = true;
    if (this.#attributes.size > 0) {
      this.#attributes.clear();
    }
    this.#open.push(name);
    this.#text += `<${name}`;
    return this;
  }

  /** Declares a namespace on the element just opened; `prefix` null or '' for the default. */
  namespace(prefix: string | null, uri: string): this {
    invariant(uri !== XMLNS_NAMESPACE && uri !== XML_NAMESPACE, 'a namespace may be bound');
    const isDefault = prefix === null || prefix === '';
    invariant(isDefault || (isPrefix(prefix) && uri !== ''), 'a prefix is bound to a namespace');
    return this.#attribute(isDefault ? 'xmlns' : `xmlns:${prefix}`, uri);
  }

  /**
   * Adds an attribute to the element just opened. Throws a `Refusal` for a value that XML cannot
   * carry.
   */
  attribute(prefix: string | null, local: string, value: string): this {
    const name = nameOf(prefix, local);
    invariant(name !== 'xmlns', 'an attribute declares no namespace');
    return this.#attribute(name, value);
  }

  /** Adds text to the element open. Throws a `Refusal` for a text that XML cannot carry. */
  text(value: string): this {
    invariant(this.#open.length > 0, 'text inside the document element');
    this.#endTag();
    this.#text += escapeText(value);
    return this;
  }

  /** Ends the element opened last. */
  close(): this {
    const name = this.#open.pop();
    invariant(name !== undefined, 'an element to close');
    this.#text += this.#inTag ? '/>' : `</${name}>`;
    this.#inTag = false;
    return this;
  }

  /** Writes an empty element. */
  empty(prefix: string | null, local: string): this {
    return this.open(prefix, local).close();
  }

  /** The document, in UTF-8. */
  finish(): Buffer {
    invariant(this.#begun && this.#open.length === 0, 'a complete document');
    return Buffer.from(this.#text, 'utf8');
  }

  #attribute(name: string, value: string): this {
    invariant(this.#inTag, 'attributes stand in a start tag');
    invariant(!this.#attributes.has(name), 'an attribute stands once');
    this.#attributes.add(name);
    this.#text += ` ${name}="${escapeAttribute(value)}"`;
    return this;
  }

  #endTag(): void {
    if (this.#inTag) {
      this.#text += '>';
    }
    this.#inTag = false;
  }
}

function nameOf(prefix: string | null, local: string): string {
  invariant(isName(local), 'a local name is an NCName');
  if (prefix === null || prefix === '') return local;
  invariant(prefix === 'xml' || isPrefix(prefix), 'a prefix is an NCName that may be bound');
  return `${prefix}:${local}`;
}

/** Whether the prefix may be bound (Namespaces in XML 1.0 section 3). */
const isPrefix = (prefix: string): boolean =>
  isName(prefix) && prefix !== 'xmlns' && prefix !== 'xml';

/** Names that were checked: those of a schema come again with each message. */
const CHECKED = new Set<string>();
const CHECKED_MAX = 4096;
const CHECKED_CHARS_MAX = 64;

/** Whether it is an NCName. */
function isName(name: string): boolean {
  if (CHECKED.has(name)) return true;
  if (!isNcName(name)) return false;
  if (CHECKED.size < CHECKED_MAX && name.length <= CHECKED_CHARS_MAX) {
    CHECKED.add(name);
  }
  return true;
}

/** Escapes text between tags. Throws a `Refusal` for characters that XML cannot carry. */
export function escapeText(value: string): string {
  refuseUnwritable(value);
  return TEXT_SPECIAL.test(value) ? rewriteText(value, TEXT_ESCAPES) : value;
}

/**
 * Escapes a value between double quotes. Throws a `Refusal` for characters that XML cannot carry.
 */
function escapeAttribute(value: string): string {
  refuseUnwritable(value);
  return ATTRIBUTE_SPECIAL.test(value) ? rewriteText(value, ATTRIBUTE_ESCAPES) : value;
}

/**
 * XML with its characters beyond ASCII as references: the encoding of the message may not have
 * them.
 */
export const referencesFor = (xml: string): string => writeInAscii(xml);

/** Escapes a constant text between tags or quotes of either kind, in XML and in HTML. */
export const escapeQuoted = (text: string): string => rewriteText(text, QUOTED_ESCAPES);

function refuseUnwritable(value: string): void {
  if (UNWRITABLE.test(value)) throw new Refusal('BAD_USER_INPUT', 'not an XML character');
}

const TEXT_SPECIAL = /[&<>\r]/;
const ATTRIBUTE_SPECIAL = /[&<>"\t\n\r]/;
/** What XML cannot carry. With the flag `u` a surrogate matches only when it is alone. */
export const UNWRITABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]/u;

const TEXT_ESCAPES = new Rewriting([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\r', '&#13;'],
]);
const ATTRIBUTE_ESCAPES = new Rewriting([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
]);
const QUOTED_ESCAPES = new Rewriting([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);
