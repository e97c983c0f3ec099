import type { Refusal } from '../../core/index.js';
import { ELEMENTS_ONLY, type Interest, type StartTag, type XmlHandler } from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import type { Edit } from '../edit.js';
import { itemsAsAttributes, itemsAsType } from './array-attributes.js';
import {
  declareOwn,
  ENCODING_PREFIX,
  ENVELOPE_PREFIX,
  unsupported,
  XSD_PREFIX,
} from './own-prefixes.js';
import { TagChange } from './tag-change.js';

const RPC_URI = 'http://www.w3.org/2003/05/soap-rpc';

/**
 * Children of Body and changed tags of one message: each is kept until the message is whole, and
 * all are written in one turn of the event loop.
 */
export const ENCODED_TAGS_MAX = 4_000;

/** Depths of elements: a child of Body, and an accessor in it. */
const BODY_CHILD = 3;
const ACCESSOR = 4;

/**
 * Puts content in the encoding of SOAP 1.1 into that of 1.2, or the reverse (SOAP 1.1 section 5,
 * SOAP 1.2 part 2 sections 3 and 4): arrays, references, encodingStyle, and the name of the result.
 * Throws `BRIDGE_UNSUPPORTED` for arrays that are transmitted in parts.
 */
export class EncodedContent implements XmlHandler {
  readonly #from: Dialect;
  readonly #to: Dialect;
  readonly edits: Edit[] = [];
  #children = 0;
  #tags = 0;
  /** The offset of `rpc:result`, until the element behind it comes; -1 for none. */
  #resultBytes = -1;

  constructor(from: Dialect, to: Dialect) {
    this.#from = from;
    this.#to = to;
  }

  open(tag: StartTag): Interest {
    if (tag.depth === BODY_CHILD) {
      this.#children++;
      this.#count();
    } else if (tag.depth === ACCESSOR && this.#children === 1) {
      this.#readAccessor(tag);
    }
    if (this.#resultBytes !== tag.offsetBytes) {
      this.#add(this.#changeOf(tag).editOf(tag));
    }
    return ELEMENTS_ONLY;
  }

  close(): void {}

  text(): void {}

  #add(edit: Edit | null): void {
    if (edit === null) return;
    this.#count();
    this.edits.push(edit);
  }

  #count(): void {
    if (++this.#tags <= ENCODED_TAGS_MAX) return;
    throw unsupported(`more than ${ENCODED_TAGS_MAX} arrays and elements that are referred to`);
  }

  /** SOAP 1.2 may name the result in an accessor of its own, which SOAP 1.1 has not. */
  #readAccessor(tag: StartTag): void {
    if (tag.uri === RPC_URI && tag.local === 'result') {
      this.#resultBytes = tag.offsetBytes;
    } else if (this.#resultBytes >= 0) {
      const range = { startBytes: this.#resultBytes, endBytes: tag.offsetBytes };
      this.edits.push({ ...range, replacement: null });
      this.#resultBytes = -1;
    }
  }

  #changeOf(tag: StartTag): TagChange {
    const change = new TagChange();
    rebindEncoding(tag, change, this.#from, this.#to);
    this.#changeStyle(tag, change);
    if (this.#from.arrayForm === this.#to.arrayForm) return change;
    const attributes = new TagAttributes(tag, change, this.#from, this.#to);
    if (this.#to.arrayForm === 'itemType') {
      attributes.toQualified();
    } else {
      attributes.toUnqualified();
    }
    return change;
  }

  /**
   * The style of a child of Body, which Envelope or Body may have named before, and of what is
   * within; that of the child itself is changed with its other attributes.
   */
  #changeStyle(tag: StartTag, change: TagChange): void {
    const own = styleOf(tag, this.#from);
    if (tag.depth === BODY_CHILD && own !== null) return;
    if (tag.depth !== BODY_CHILD && own === null) return;
    const { encodingUri, noEncodingUri, envelopeUri } = this.#to;
    const isEncoded = own === null || own.value.trim() === this.#from.encodingUri;
    const style = isEncoded ? encodingUri : (noEncodingUri ?? '');
    if (own !== null) {
      change.attribute(own.written, null);
    }
    const prefix = declareOwn(tag, change, ENVELOPE_PREFIX, envelopeUri);
    change.add(`${prefix}:encodingStyle`, style);
  }
}

/** Binds the prefixes of the encoding anew that a tag declares. */
export function rebindEncoding(
  { written }: StartTag,
  change: TagChange,
  from: Dialect,
  to: Dialect,
): void {
  for (let at = 0; at < (written?.declarationCount ?? 0); at++) {
    if (written?.declaredUri(at) === from.encodingUri) {
      change.rebind(written.declaredPrefix(at), to.encodingUri);
    }
  }
}

function styleOf(
  tag: StartTag,
  { envelopeUri }: Dialect,
): { readonly written: string; readonly value: string } | null {
  for (let at = 0; at < tag.attributeCount; at++) {
    if (tag.attributeUri(at) !== envelopeUri || tag.attributeLocal(at) !== 'encodingStyle')
      continue;
    return { written: writtenName(tag, at), value: tag.attributeValue(at) };
  }
  return null;
}

/** The attributes of one element that belong to the encoding. */
class TagAttributes {
  readonly #tag: StartTag;
  readonly #change: TagChange;
  readonly #from: Dialect;
  readonly #to: Dialect;
  #prefix = '';

  constructor(tag: StartTag, change: TagChange, from: Dialect, to: Dialect) {
    this.#tag = tag;
    this.#change = change;
    this.#from = from;
    this.#to = to;
  }

  /** From SOAP 1.1: `arrayType`, `id` and `href` become `itemType`, `arraySize`, `id` and `ref`. */
  toQualified(): void {
    for (const { uri, local, written, value } of this.#all()) {
      if (uri === '' && local === 'id') {
        this.#set(written, 'id', value);
      } else if (uri === '' && local === 'href') {
        this.#set(written, 'ref', referredIn(value));
      } else if (uri === this.#from.encodingUri) {
        this.#change.attribute(written, null);
        if (local === 'arrayType') {
          const { itemType, arraySize } = itemsAsAttributes(
            value,
            `${this.#encodingPrefix()}:Array`,
          );
          this.#add('itemType', itemType);
          this.#add('arraySize', arraySize);
        } else if (local !== 'root') {
          throw partial();
        }
      }
    }
  }

  /** From SOAP 1.2. */
  toUnqualified(): void {
    const ofArray = { itemType: '', arraySize: '' };
    for (const { uri, local, written, value } of this.#all()) {
      if (uri !== this.#from.encodingUri) continue;
      const name = UNQUALIFIED.get(local);
      if (name !== undefined && this.#tag.attribute('', name) !== null) {
        throw unsupported(`an attribute ${name} beside that of the encoding`);
      }
      if (local === 'id') {
        this.#change.attribute(written, { name: 'id' });
      } else if (local === 'ref') {
        // Some stacks write the `#` of a URI there too.
        const id = value.trim().replace(/^#/, '');
        this.#change.attribute(written, { name: 'href', value: `#${id}` });
      } else {
        this.#change.attribute(written, null);
        if (local === 'itemType' || local === 'arraySize') {
          ofArray[local] = value.trim();
        }
      }
    }
    if (ofArray.itemType === '' && ofArray.arraySize === '') return;
    const value = itemsAsType(ofArray.itemType, ofArray.arraySize, (uri) =>
      declareOwn(this.#tag, this.#change, XSD_PREFIX, uri),
    );
    this.#add('arrayType', value);
  }

  *#all(): Iterable<{ uri: string; local: string; written: string; value: string }> {
    for (let at = 0; at < this.#tag.attributeCount; at++) {
      yield {
        uri: this.#tag.attributeUri(at),
        local: this.#tag.attributeLocal(at),
        written: writtenName(this.#tag, at),
        value: this.#tag.attributeValue(at),
      };
    }
  }

  #set(written: string, local: string, value: string): void {
    this.#change.attribute(written, { name: `${this.#encodingPrefix()}:${local}`, value });
  }

  #add(local: string, value: string): void {
    this.#change.add(`${this.#encodingPrefix()}:${local}`, value);
  }

  /** A prefix of the encoding in the changed message; declared where there is none. */
  #encodingPrefix(): string {
    if (this.#prefix !== '') return this.#prefix;
    const bound = this.#tag.written
      ?.namespacesInScope()
      .find(({ prefix, uri }) => prefix !== '' && uri === this.#from.encodingUri);
    this.#prefix =
      bound?.prefix ?? declareOwn(this.#tag, this.#change, ENCODING_PREFIX, this.#to.encodingUri);
    return this.#prefix;
  }
}

/** Attributes of the encoding of SOAP 1.2, and those of SOAP 1.1 that they become. */
const UNQUALIFIED: ReadonlyMap<string, string> = new Map([
  ['id', 'id'],
  ['ref', 'href'],
]);

/** The id that an `href` refers to. */
function referredIn(href: string): string {
  const reference = href.trim();
  if (!reference.startsWith('#')) {
    throw unsupported('an href to other than an element of the message');
  }
  return reference.slice(1);
}

const partial = (): Refusal => unsupported('an array of which a part is transmitted');

function writtenName(tag: StartTag, at: number): string {
  const prefix = tag.written?.attributePrefix(at) ?? '';
  return prefix === '' ? tag.attributeLocal(at) : `${prefix}:${tag.attributeLocal(at)}`;
}
