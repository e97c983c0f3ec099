import { createHash } from 'node:crypto';

import { type Interest, SKIP, STREAM, type StartTag, type XmlHandler } from '../../xml/index.js';
import { isNameUnit, wordStart } from '../plan/content-names.js';
import { trimXml } from '../plan/lexical.js';
import { isNil, resolveQName, uriOfName, XSI_URI } from '../plan/xsi.js';

/** Content whose form does not count. */
interface CanonicalRules {
  /** White space beside child elements is layout, and no text is a QName: the content is data. */
  readonly isData: boolean;
  /** The value that an attribute counts as; absent: the one that is written. */
  readonly attributeOf?: (tag: StartTag, index: number) => string;
}

/** UTF-16 units of one content, about as it is written. Longer content has no hash. */
const UNITS_MAX = 256 * 1024;
/** No name is longer, as the limits of the reader have it: a longer word is no prefix. */
const PREFIX_UNITS_MAX = 4096;
/** Prefixes in content of one message that are looked up. */
const PREFIXES_MAX = 1000;

// Characters that XML 1.0 has not, so that no content can be mistaken for them.
const OPEN = '\x01';
const NEXT = '\x02';
const ATTRIBUTE = '\x03';
const BOUND = '\x04';
const TEXT = '\x05';
const CLOSE = '\x06';
const NAME = '\x07';

/**
 * Hashes an element in a canonical form: expanded names, attributes in any order, texts as they
 * are. Prefixes, comments, CDATA, references, quotes and the encoding do not count; the binding of
 * a prefix in content does. The same hash is the same content; the same content written in other
 * ways may still differ (`05`, mixed content has none at all).
 */
export class CanonicalHash implements XmlHandler {
  readonly #isData: boolean;
  readonly #attributeOf: (tag: StartTag, index: number) => string;
  readonly #parts: string[] = [];
  #units = 0;
  #isSound = true;
  /** True for each open element that has had a child. */
  readonly #parents: boolean[] = [];
  /** The innermost open element, while its text may continue. */
  #tag: StartTag | null = null;
  /** The text of the innermost element since its start tag or the last child. */
  #text = '';
  /** Namespaces of prefixes in the text. */
  #bound = '';
  readonly #seen = new Set<string>();
  /** The beginning of a word whose end has not come, and its namespace if it ends here. */
  #word = '';
  #wordBound = '';
  #prefixes = 0;

  constructor({ isData, attributeOf = valueIn }: CanonicalRules) {
    this.#isData = isData;
    this.#attributeOf = attributeOf;
  }

  /** The SHA-256 of the element, in base64url; null where it cannot be hashed. */
  digest(): string | null {
    if (!this.#isSound || this.#parents.length > 0) return null;
    return createHash('sha256').update(this.#parts.join('')).digest('base64url');
  }

  open(tag: StartTag): Interest {
    this.#endText(true);
    this.#parents.push(false);
    if (!this.#isSound) return SKIP;
    this.#add(`${OPEN}${tag.uri}${NEXT}${tag.local}`);
    if (tag.attributeCount > 0) {
      this.#addAttributes(tag);
    }
    this.#tag = tag;
    // A QName without a prefix is in the default namespace.
    if (!this.#isData) {
      this.#bound = `${BOUND}${NEXT}${tag.namespace('') ?? ''}`;
    }
    return STREAM;
  }

  close(): void {
    this.#endText(false);
    this.#parents.pop();
    this.#add(CLOSE);
  }

  text(chars: string): void {
    if (!this.#isSound) return;
    this.#text += chars;
    if (this.#units + this.#text.length > UNITS_MAX) {
      this.#giveUp();
    } else if (this.#tag !== null) {
      this.#bound += this.#bindingsIn(chars, this.#tag);
    }
  }

  /** Text between two tags is over: `isBeforeChild`, or before the end of its element. */
  #endText(isBeforeChild: boolean): void {
    const text = this.#text;
    const last = this.#parents.length - 1;
    const isBeside = isBeforeChild || this.#parents[last] === true;
    if (text !== '') {
      if (!isBeside) {
        this.#add(`${TEXT}${text}${this.#bound}${this.#wordBound}`);
      } else if (NOT_WHITE.test(text)) {
        this.#giveUp();
      } else if (!this.#isData) {
        this.#add(`${TEXT}${text}`);
      }
    }
    if (isBeforeChild && last >= 0) {
      this.#parents[last] = true;
    }
    this.#tag = null;
    this.#text = '';
    this.#bound = '';
    this.#word = '';
    this.#wordBound = '';
    if (this.#seen.size > 0) {
      this.#seen.clear();
    }
  }

  #addAttributes(tag: StartTag): void {
    const attributes: string[] = [];
    for (let index = 0; index < tag.attributeCount; index++) {
      const uri = tag.attributeUri(index);
      const local = tag.attributeLocal(index);
      const value = uri === XSI_URI ? canonicalXsi(tag, local) : null;
      if (value === NOTHING) continue;
      attributes.push(
        `${ATTRIBUTE}${uri}${NEXT}${local}${NEXT}` +
          `${value ?? this.#valueOf(tag, this.#attributeOf(tag, index))}`,
      );
    }
    for (const attribute of attributes.sort()) {
      this.#add(attribute);
    }
  }

  #valueOf(tag: StartTag, value: string): string {
    const bound = this.#isData ? '' : `${BOUND}${NEXT}${tag.namespace('') ?? ''}`;
    const meaning = value + bound + this.#bindingsIn(value, tag) + this.#wordBound;
    this.#word = '';
    this.#wordBound = '';
    this.#seen.clear();
    return meaning;
  }

  /**
   * The namespaces of its words, where they are prefixes: the text may be a QName, or hold some, or
   * be a list of prefixes. Data has no prefixes but those before colons.
   */
  #bindingsIn(chars: string, tag: StartTag): string {
    let bound = '';
    let from = 0;
    for (let end = this.#wordEnd(chars, 0); end < chars.length; end = this.#wordEnd(chars, from)) {
      const start = wordStart(chars, from, end);
      const word = (start === 0 ? this.#word : '') + chars.slice(start, end);
      bound += chars[end] === ':' ? this.#binding(word, tag) : this.#alone(word, tag);
      this.#word = '';
      from = end + 1;
    }
    const start = wordStart(chars, from, chars.length);
    this.#word = (start === 0 ? this.#word : '') + chars.slice(start);
    this.#wordBound = this.#isData ? '' : this.#alone(this.#word, tag);
    return bound;
  }

  /** Returns the end of the next word that may be a prefix; without one, the end of the text. */
  #wordEnd(chars: string, from: number): number {
    if (this.#isData) {
      const colon = chars.indexOf(':', from);
      return colon < 0 ? chars.length : colon;
    }
    let end = from;
    while (end < chars.length && isNameUnit(chars.charCodeAt(end))) {
      end++;
    }
    return end;
  }

  /** The namespace of a word, in case it is a prefix. */
  #alone(word: string, tag: StartTag): string {
    const isNone = word === '' || word.length > PREFIX_UNITS_MAX || this.#seen.has(word);
    const uri = isNone ? null : tag.namespace(word);
    return uri === null ? '' : `${BOUND}${word}${NEXT}${uri}`;
  }

  #binding(prefix: string, tag: StartTag): string {
    if (prefix === '' || this.#seen.has(prefix)) return '';
    this.#seen.add(prefix);
    if (++this.#prefixes > PREFIXES_MAX) {
      this.#giveUp();
      return '';
    }
    const uri = tag.namespace(prefix);
    return uri === null ? '' : `${BOUND}${prefix}${NEXT}${uri}`;
  }

  #add(chars: string): void {
    if (!this.#isSound) return;
    this.#units += chars.length;
    if (this.#units > UNITS_MAX) {
      this.#giveUp();
    } else {
      this.#parts.push(chars);
    }
  }

  #giveUp(): void {
    this.#isSound = false;
    this.#parts.length = 0;
    this.#text = '';
  }
}

const valueIn = (tag: StartTag, index: number): string => tag.attributeValue(index);

/**
 * The canonical form of xsi:nil and xsi:type; null for other attributes, and for invalid values.
 */
function canonicalXsi(tag: StartTag, local: string): string | null {
  if (local === 'nil') {
    if (isNil(tag)) return 'true';
    return NOT_NIL.has(trimXml(tag.attribute(XSI_URI, 'nil') ?? '')) ? NOTHING : null;
  }
  const written = local === 'type' ? tag.attribute(XSI_URI, 'type') : null;
  if (written === null || (written.includes(':') && uriOfName(tag, written) === null)) return null;
  const { uri, local: name } = resolveQName(tag, written);
  return `${NAME}${uri}${NEXT}${name}`;
}

const NOT_NIL: ReadonlySet<string> = new Set(['false', '0']);

/** The form that equals an absent attribute. */
const NOTHING = '';

const NOT_WHITE = /[^ \t\r\n]/;
