import type { Buffer } from 'node:buffer';
import type { Encoding, StartTag, XmlHandler } from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import { applyEdits, type Edit } from '../edit.js';
import {
  type BridgedDialects,
  ContentElement,
  type ElementPlace,
  type HeldEnvelope,
  prefixesOf,
  type TranslatedAttribute,
} from './content-element.js';
import { EncodedContent, rebindEncoding } from './encoded-content.js';
import { mergeEdits } from './merge-edits.js';
import { declareOwn, ENCODING_PREFIX, unsupported } from './own-prefixes.js';
import { TagChange } from './tag-change.js';
import { mustUnderstandIn, namesEncoding, targetIn } from './target-in-dialect.js';

/** An attribute of the envelope's namespace. */
interface OwnAttribute {
  readonly prefix: string;
  readonly local: string;
  readonly value: string;
}

const NO_ATTRIBUTES: readonly OwnAttribute[] = [];

/**
 * Puts one envelope into another dialect while it is validated. The start tags of Envelope, Header,
 * Body, header blocks and the children of Body change; all other bytes stay. Throws
 * `BRIDGE_UNSUPPORTED` for what the other dialect cannot express.
 */
export class EnvelopeBridge implements BridgedDialects {
  readonly from: Dialect;
  readonly to: Dialect;
  readonly prefixes: string[] = [];
  isFault = false;
  readonly #edits: Edit[] = [];
  readonly #elements: ContentElement[] = [];
  #open: ContentElement | null = null;
  /** The message names an encoding for its content. */
  #namesEncoding = false;
  /** Envelope and its parts that declare the encoding, until it is known whether content has it. */
  readonly #encodingEdits: Edit[] = [];
  /** Null for content in no encoding. */
  #encoded: EncodedContent | null = null;
  #hasContent = false;
  /** Body may have several children. */
  #isSeveral = false;
  /** The beginning of the message was changed and sent on. */
  #isSent = false;

  constructor(from: Dialect, to: Dialect) {
    this.from = from;
    this.to = to;
  }

  /**
   * The message is a Fault, which keeps its namespace: it is translated when it is whole. Its
   * Header is that of the other dialect.
   */
  openFault(tag: StartTag): void {
    this.isFault = true;
    this.#begin(tag, [], 'Body');
  }

  openEnvelope(tag: StartTag): void {
    const change = this.#changeOf(tag);
    if (this.to.needsEncodingNamespace && !tag.declares(this.to.encodingUri)) {
      declareOwn(tag, change, ENCODING_PREFIX, this.to.encodingUri);
    }
    this.#add(tag, change);
  }

  /** Header or Body. */
  openPart(tag: StartTag): void {
    const isBare = tag.attributeCount === 0 && (tag.written?.declarationCount ?? 0) === 0;
    if (!isBare) {
      this.#add(tag, this.#changeOf(tag));
    }
  }

  #add(tag: StartTag, change: TagChange): void {
    push(change.editOf(tag), this.#edits);
    const ofEncoding = new TagChange();
    rebindEncoding(tag, ofEncoding, this.from, this.to);
    push(ofEncoding.editOf(tag), this.#encodingEdits);
  }

  /** Exchanges the namespace that the tag declares, under each of its prefixes. */
  #changeOf(tag: StartTag): TagChange {
    const change = new TagChange();
    for (const prefix of prefixesOf(tag, this.from.envelopeUri)) {
      change.rebind(prefix, this.to.envelopeUri);
      if (!this.prefixes.includes(prefix)) {
        this.prefixes.push(prefix);
      }
    }
    for (const { prefix, local, value } of this.#ownAttributes(tag)) {
      if (local !== 'encodingStyle') continue;
      // The first dialect names its encoding there, whether content is encoded or not.
      if (!this.from.needsEncodingNamespace) {
        this.#readStyle(value);
      }
      change.attribute(`${prefix}:${local}`, null);
    }
    return change;
  }

  openBlock(tag: StartTag): void {
    const attributes: TranslatedAttribute[] = [];
    for (const { prefix, local, value } of this.#ownAttributes(tag)) {
      const to = this.#blockAttribute(local, value);
      if (to !== undefined) {
        attributes.push({ prefix, local, to });
      }
    }
    this.#begin(tag, attributes, 'Header');
  }

  openBodyChild(tag: StartTag): void {
    // Its prefixes may be those of the envelope, and it is too late to bind them anew.
    if (this.#isSent) throw unsupported('a further child of Body in a long message');
    const attributes: TranslatedAttribute[] = [];
    for (const { prefix, local, value } of this.#ownAttributes(tag)) {
      if (local === 'encodingStyle') {
        attributes.push({ prefix, local, to: this.#styleIn(local, value) });
      }
    }
    this.#begin(tag, attributes, 'Body');
  }

  #begin(tag: StartTag, attributes: readonly TranslatedAttribute[], place: ElementPlace): void {
    this.#open = new ContentElement(tag, this, attributes, place);
    this.#elements.push(this.#open);
  }

  /** The header block, or the child of Body, has ended. */
  closeElement(contentEndBytes: number, endBytes: number): void {
    this.#open?.close(contentEndBytes, endBytes);
    this.#open = null;
  }

  /** The attribute in the other dialect; undefined for one that neither knows. */
  #blockAttribute(local: string, value: string): TranslatedAttribute['to'] | undefined {
    const { from, to } = this;
    switch (local) {
      case 'mustUnderstand':
        return { local, value: mustUnderstandIn(value, from, to) };
      case 'encodingStyle':
        return this.#styleIn(local, value);
      case 'relay':
        // Without it a block that is not understood is not passed on, or the receiver decides.
        return from.hasRelay && !to.hasRelay ? null : undefined;
      case from.targetAttribute: {
        const target = targetIn(value, from, to);
        return target === null ? null : { local: to.targetAttribute, value: target };
      }
      default:
        return undefined;
    }
  }

  #styleIn(local: string, value: string): TranslatedAttribute['to'] {
    this.#readStyle(value);
    // Without the WSDL's consent the message is refused.
    const style = namesEncoding(value) ? this.to.encodingUri : this.to.noEncodingUri;
    return style === null ? null : { local, value: style };
  }

  /** Content in no encoding may say so. */
  #readStyle(value: string): void {
    const style = value.trim();
    if (style === '' || style === this.from.noEncodingUri) return;
    if (namesEncoding(style)) {
      this.#namesEncoding = true;
      return;
    }
    throw unsupported('an encodingStyle that no version of SOAP defines');
  }

  #ownAttributes(tag: StartTag): readonly OwnAttribute[] {
    if (tag.attributeCount === 0) return NO_ATTRIBUTES;
    const own: OwnAttribute[] = [];
    for (let at = 0; at < tag.attributeCount; at++) {
      if (tag.attributeUri(at) !== this.from.envelopeUri) continue;
      const prefix = tag.written?.attributePrefix(at) ?? '';
      own.push({ prefix, local: tag.attributeLocal(at), value: tag.attributeValue(at) });
    }
    return own;
  }

  /**
   * The head is valid: throws `BRIDGE_UNSUPPORTED` for a message whose meaning the change would
   * break. `isSigned`: a signature of it is passed on.
   */
  checkHead(isSigned: boolean): void {
    if (isSigned) throw unsupported('a signature that the change of the envelope would break');
  }

  /** As `beginContent`. A Fault is refused: replies alone are held until it is translated. */
  beginRequest(isDeclared: boolean): void {
    if (this.isFault) throw unsupported('a Fault as a request');
    this.beginContent(isDeclared);
  }

  /**
   * The content of Body begins. `isDeclared`: the WSDL declares it in an encoding, which that of
   * the other version replaces; it is refused where the message alone says so, or the other version
   * has none. A Fault is in no encoding. Further calls change nothing.
   */
  beginContent(isDeclared: boolean): void {
    if (this.isFault || this.#hasContent) return;
    this.#hasContent = true;
    const { from, to } = this;
    if (isDeclared && !from.needsEncodingNamespace && !to.needsEncodingNamespace) {
      this.#encoded = new EncodedContent(from, to);
    } else if (isDeclared || this.#namesEncoding) {
      throw unsupported('content in a SOAP encoding');
    }
  }

  /** Body may have several children: where each begins is known when the message is whole. */
  expectSeveral(): void {
    this.#isSeveral = true;
  }

  /** Changes are anywhere in the message, which is held to its end. */
  get isHeldWhole(): boolean {
    return this.#isSeveral || this.content !== null;
  }

  /** Gets every start tag of the children of Body; null where their content stays as it is. */
  get content(): XmlHandler | null {
    return this.isFault ? null : this.#encoded;
  }

  /** A whole envelope in the other dialect. */
  apply(envelope: Buffer, encoding: Encoding | null): Buffer {
    const edits = this.edits({ bytes: envelope, isWhole: true, isUtf8: encoding === 'utf-8' });
    return applyEdits(envelope, edits, encoding ?? 'utf-8', 0);
  }

  /** The changes of a message of which this much is held. */
  edits(held: HeldEnvelope): readonly Edit[] {
    this.#isSent = !held.isWhole;
    const edits = [...this.#edits];
    for (const element of this.#elements) {
      push(element.edit(held), edits);
    }
    if (this.#encoded === null) return edits;
    return mergeEdits(edits, [...this.#encodingEdits, ...this.#encoded.edits]);
  }
}

function push(edit: Edit | null, edits: Edit[]): void {
  if (edit !== null) {
    edits.push(edit);
  }
}
