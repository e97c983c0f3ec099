import type { Buffer } from 'node:buffer';
import type { StartTag } from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import type { Edit } from '../edit.js';
import { ENVELOPE_PREFIX, freePrefix } from './own-prefixes.js';
import { prefixUses } from './prefix-use.js';
import { type AttributeChange, TagChange } from './tag-change.js';

/** The two dialects of a message, and the prefixes that its envelope declares. */
export interface BridgedDialects {
  readonly from: Dialect;
  readonly to: Dialect;
  /** Prefixes of the old namespace that Envelope, Header or Body declare, each once. */
  readonly prefixes: readonly string[];
}

/** An attribute of the envelope's namespace on a header block or a child of Body. */
export interface TranslatedAttribute {
  readonly prefix: string;
  readonly local: string;
  /** Null: it is left out. */
  readonly to: { readonly local: string; readonly value: string } | null;
}

/** The bytes of an envelope that are held, from its beginning. */
export interface HeldEnvelope {
  readonly bytes: Buffer;
  /** All of the message is held; else its head is, and more as the chunks happen to be. */
  readonly isWhole: boolean;
  /** Offsets of events are those of the bytes. */
  readonly isUtf8: boolean;
}

/** The part of the message that an element is in. */
export type ElementPlace = 'Header' | 'Body';

/**
 * A header block, or a child of Body, in an envelope whose namespace is exchanged. Its content
 * stays as it is: where it uses a prefix of the old namespace, its start tag binds the prefix
 * again.
 */
export class ContentElement {
  readonly #dialects: BridgedDialects;
  readonly #startBytes: number;
  readonly #contentBytes: number;
  readonly #place: ElementPlace;
  /** -1 while it is open. */
  #contentEndBytes = -1;
  #endBytes = -1;
  /** A block about versions, which the other dialect does not know. */
  readonly #isOfDialect: boolean;
  /** Prefixes of the old namespace that are declared above it, and by itself. */
  readonly #inherited: readonly string[];
  readonly #own: readonly string[];
  readonly #attributes: readonly TranslatedAttribute[];
  /** A prefix for these attributes where theirs keeps the old namespace. */
  readonly #freshPrefix: string;
  /** The prefix of its name, where that is of the old namespace. */
  readonly #namePrefix: string | null;

  constructor(
    tag: StartTag,
    dialects: BridgedDialects,
    attributes: readonly TranslatedAttribute[],
    place: ElementPlace,
  ) {
    const { from, prefixes } = dialects;
    this.#place = place;
    this.#dialects = dialects;
    this.#startBytes = tag.offsetBytes;
    this.#contentBytes = tag.contentBytes;
    this.#attributes = attributes;
    this.#freshPrefix = attributes.length === 0 ? '' : freePrefix(tag, ENVELOPE_PREFIX);
    const isOfEnvelope = tag.uri === from.envelopeUri;
    this.#isOfDialect =
      isOfEnvelope && place === 'Header' && from.ownHeaderBlocks.includes(tag.local);
    this.#namePrefix = isOfEnvelope ? tag.prefix : null;
    this.#own = prefixesOf(tag, from.envelopeUri);
    this.#inherited = prefixes.filter(
      (prefix) => tag.namespace(prefix) === from.envelopeUri && !this.#own.includes(prefix),
    );
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#contentEndBytes = contentEndBytes;
    this.#endBytes = endBytes;
  }

  /** The change of its start tag, or its removal; null where it stays. */
  edit(held: HeldEnvelope): Edit | null {
    if (this.#isOfDialect && this.#endBytes >= 0) {
      return { startBytes: this.#startBytes, endBytes: this.#endBytes, replacement: null };
    }
    const { from, to } = this.#dialects;
    const change = new TagChange();
    const kept: string[] = [];
    for (const prefix of this.#inherited) {
      if (this.#isUsed(prefix, held)) {
        kept.push(prefix);
        change.declare(prefix, from.envelopeUri);
      }
    }
    for (const prefix of this.#own) {
      const isOfAttribute = this.#attributes.some((attribute) => attribute.prefix === prefix);
      if (!isOfAttribute || this.#isUsed(prefix, held)) {
        kept.push(prefix);
      } else {
        change.rebind(prefix, to.envelopeUri);
      }
    }
    this.#changeAttributes(change, kept);
    return change.editOf({ offsetBytes: this.#startBytes, contentBytes: this.#contentBytes });
  }

  #changeAttributes(change: TagChange, kept: readonly string[]): void {
    let needsFresh = false;
    for (const { prefix, local, to } of this.#attributes) {
      let changed: AttributeChange | null = null;
      if (to !== null) {
        const isFresh = kept.includes(prefix);
        needsFresh ||= isFresh;
        changed = { name: `${isFresh ? this.#freshPrefix : prefix}:${to.local}`, value: to.value };
      }
      change.attribute(`${prefix}:${local}`, changed);
    }
    if (needsFresh) {
      change.declare(this.#freshPrefix, this.#dialects.to.envelopeUri);
    }
  }

  /** Whether a prefix of the old namespace is in use, as far as that is known. */
  #isUsed(prefix: string, { bytes, isWhole, isUtf8 }: HeldEnvelope): boolean {
    // Names without a prefix are in the default namespace.
    if (prefix === '' || !isUtf8 || this.#namePrefix === prefix) return true;
    const isKnown = isWhole || this.#place === 'Header';
    if (!isKnown || this.#contentEndBytes < 0) return true;
    const content = bytes.subarray(this.#contentBytes, this.#contentEndBytes);
    if (prefixUses(content, prefix) > 0) return true;
    const own = this.#attributes.filter((attribute) => attribute.prefix === prefix).length;
    return prefixUses(bytes.subarray(this.#startBytes, this.#contentBytes), prefix) > own;
  }
}

/** The prefixes that a tag binds to a namespace. */
export function prefixesOf({ written }: StartTag, uri: string): readonly string[] {
  const count = written?.declarationCount ?? 0;
  if (count === 0) return NO_PREFIXES;
  const prefixes: string[] = [];
  for (let at = 0; at < count; at++) {
    if (written?.declaredUri(at) === uri) {
      prefixes.push(written.declaredPrefix(at));
    }
  }
  return prefixes;
}

const NO_PREFIXES: readonly string[] = [];
