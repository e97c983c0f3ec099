import type { Buffer } from 'node:buffer';
import { DIALECT_NAMES, DIALECTS, headerBlocks } from '../../soap/index.js';
import {
  ALL,
  expandedName,
  type Interest,
  SKIP,
  type StartTag,
  XML_NAMESPACE,
  type XmlHandler,
  XmlWriter,
} from '../../xml/index.js';
import { type FaultPart, faultPart } from '../compare/fault-parts.js';
import type { ReplyTypes, TextShape, TypeShape } from '../compare/reply-types.js';
import { addressLike } from './replaced-address.js';
import type { ValueReplacer } from './replaced-value.js';

/** How a message is written. */
export interface RecordedContent {
  readonly types: ReplyTypes;
  /** Replaces values; of all elements, or of those that are masked. */
  readonly replacer: ValueReplacer;
  readonly replacesAll: boolean;
  /** Local names of elements and attributes whose values are replaced whatever the rest is. */
  readonly masked: ReadonlySet<string>;
  /** Header blocks that are left out, by `{uri}local`: those with secrets. */
  readonly secretBlocks: ReadonlySet<string>;
}

interface OpenElement {
  readonly type: TypeShape | null;
  readonly isReplaced: boolean;
  /** The part of a Fault that it is; null: none. */
  readonly part: FaultPart | null;
  /** An element of WS-Addressing, by its local name; null: none. */
  readonly addressing: string | null;
  /** The text until the next tag: white space beside elements is layout. */
  text: string;
  hasChildren: boolean;
  hasText: boolean;
}

const HEADER = 2;
const BLOCK = 3;

/**
 * Writes an envelope anew, for people to read: its elements in lines of their own, values replaced,
 * without comments and the header blocks that hold secrets.
 */
export class RecordedMessage implements XmlHandler {
  readonly #writer = new XmlWriter();
  readonly #content: RecordedContent;
  readonly #open: OpenElement[] = [];
  #skipped = 0;
  #isInHeader = false;
  /** It is of SOAP encoding, whose elements refer to others of the message. */
  #isEncoded = false;

  constructor(content: RecordedContent) {
    this.#content = content;
  }

  /** The envelope, in UTF-8. */
  finish(): Buffer {
    return this.#writer.finish();
  }

  open(tag: StartTag): Interest {
    if (this.#skipped > 0 || this.#isSecret(tag)) {
      this.#skipped++;
      return SKIP;
    }
    const parent = this.#open.at(-1) ?? null;
    if (parent !== null) {
      this.#endText(parent, true);
    }
    if (tag.depth === HEADER) {
      this.#isInHeader = tag.local === 'Header';
    }
    const type = this.#typeOf(tag, parent);
    const isAddressing = this.#isInHeader && headerBlocks.isAddressing(tag.uri);
    const part = this.#isInHeader ? null : faultPart(tag, parent?.part?.name ?? null);
    const isReplaced = this.#isReplaced(tag, parent, part);
    this.#open.push({
      type,
      isReplaced,
      part,
      addressing: isAddressing ? tag.local : null,
      text: '',
      hasChildren: false,
      hasText: false,
    });
    this.#writeTag(tag, type, isReplaced);
    return ALL;
  }

  #isReplaced(tag: StartTag, parent: OpenElement | null, part: FaultPart | null): boolean {
    const { replacesAll, masked } = this.#content;
    if (masked.has(tag.local) || (parent?.isReplaced === true && !replacesAll)) return true;
    // Codes of a Fault are names.
    return replacesAll && tag.depth >= BLOCK && !CODES.has(part?.name ?? '');
  }

  #isSecret(tag: StartTag): boolean {
    return (
      this.#isInHeader && tag.depth === BLOCK && this.#content.secretBlocks.has(expandedName(tag))
    );
  }

  #typeOf(tag: StartTag, parent: OpenElement | null): TypeShape | null {
    const { types, roots } = this.#content.types;
    const key = expandedName(tag);
    const index =
      tag.depth === BLOCK ? roots[key] : (parent?.type?.elements?.[key] ?? parent?.type?.items);
    return index === undefined ? null : (types[index] ?? null);
  }

  #writeTag(tag: StartTag, type: TypeShape | null, isReplaced: boolean): void {
    const { written } = tag;
    this.#writer.open(tag.prefix, tag.local);
    for (let at = 0; at < (written?.declarationCount ?? 0); at++) {
      this.#writer.namespace(written?.declaredPrefix(at) ?? '', written?.declaredUri(at) ?? '');
    }
    for (let at = 0; at < tag.attributeCount; at++) {
      const uri = tag.attributeUri(at);
      const local = tag.attributeLocal(at);
      const value = tag.attributeValue(at);
      this.#isEncoded ||= local === 'encodingStyle' && DESCRIBING.has(uri);
      const isValue =
        (isReplaced || this.#content.masked.has(local)) && !this.#isDescribing(uri, local);
      const shape = type?.attributes?.[expandedName({ uri, local })] ?? null;
      const text = isValue ? this.#replaceAttribute(local, value, shape) : value;
      this.#writer.attribute(written?.attributePrefix(at) ?? null, local, text);
    }
  }

  /** Whether an attribute is of the protocol, or joins elements that are not all replaced. */
  #isDescribing(uri: string, local: string): boolean {
    if (REFERENCES.has(local)) return this.#isEncoded && !this.#content.replacesAll;
    return uri === XML_NAMESPACE ? XML_DESCRIBING.has(local) : DESCRIBING.has(uri);
  }

  /** A reference is replaced as the id that it names, so that both still join. */
  #replaceAttribute(local: string, value: string, shape: TextShape | null): string {
    const { replacer } = this.#content;
    if (local === 'href' && value.startsWith('cid:')) return value;
    if (!value.startsWith('#')) return replacer.replace(value, shape);
    return `#${replacer.replace(value.slice(1), null)}`;
  }

  close(): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const element = this.#open.at(-1);
    if (element !== undefined) {
      this.#endText(element, false);
    }
    this.#open.pop();
    this.#writer.close();
  }

  text(chars: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) {
      element.text += chars;
    }
  }

  #endText(element: OpenElement, isBeforeChild: boolean): void {
    const { text, type, isReplaced, hasChildren } = element;
    element.text = '';
    const isLayout = !NOT_WHITE.test(text) && (isBeforeChild || hasChildren);
    if (!isLayout && text !== '') {
      element.hasText = true;
      const { replacer } = this.#content;
      const { addressing } = element;
      const written =
        addressing === null
          ? replacer.replace(text, type?.text ?? null)
          : addressLike(addressing, text, isReplaced, replacer);
      this.#writer.text(isReplaced || addressing !== null ? written : text);
    }
    if ((isBeforeChild || hasChildren) && !element.hasText) {
      const depth = isBeforeChild ? this.#open.length : this.#open.length - 1;
      this.#writer.text(`\n${'  '.repeat(depth)}`);
    }
    element.hasChildren ||= isBeforeChild;
  }
}

/** Parts of Faults whose texts are codes. */
const CODES: ReadonlySet<string> = new Set(['faultcode', 'Value']);

const DESCRIBING: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/XMLSchema-instance',
  ...DIALECT_NAMES.flatMap((name) => [DIALECTS[name].envelopeUri, DIALECTS[name].encodingUri]),
]);

/** Others of `xml:` are values: `xml:base` is an address of the caller. */
const XML_DESCRIBING: ReadonlySet<string> = new Set(['lang', 'space']);

/** Attributes that are ids, or refer to ids. */
const REFERENCES: ReadonlySet<string> = new Set(['id', 'Id', 'href', 'ref']);

const NOT_WHITE = /[^ \t\r\n]/;
