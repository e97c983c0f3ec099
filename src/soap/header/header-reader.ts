import { Refusal, type RefusalCode, refuseByLimit } from '../../core/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  type QName,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import type { Dialect } from '../dialect.js';
import type { Edit } from '../edit.js';
import { type AddressingReader, isAddressing } from './addressing.js';
import {
  type BlockAction,
  type BlockTarget,
  decideBlock,
  elementRefusal,
  type HeaderBounds,
  type HeaderRules,
  headerTarget,
  NotUnderstood,
  structureRefusal,
} from './header.js';
import { type BlockReader, type HeaderReaders, headerBlockKindOf } from './header-blocks.js';
import type { SecurityReader } from './security-reader.js';
import { hasSignatureId, isSignature, SignedIds } from './signed-ids.js';

/**
 * Blocks named in one answer: SOAP 1.2 part 1 section 5.4.8 wants them all, a caller gains nothing
 * by more than these.
 */
const NAMED_MAX = 16;

const UNQUALIFIED_BLOCK = 'a header block without a namespace';

/**
 * Reads the blocks of one Header. Made for messages that have any: most have none. Throws the
 * refusals of the blocks as they come by, and `NotUnderstood` at the end of the Header.
 */
export class HeaderReader implements XmlHandler, HeaderReaders {
  /** Changes of the Header: blocks that end here are removed. Null for none. */
  edits: Edit[] | null = null;
  addressing: AddressingReader | null = null;
  security: SecurityReader | null = null;
  /** Null when the message has neither Ids nor a signature. */
  ids: SignedIds | null = null;
  /** No block is forwarded but those of delivery, whose values are all read. */
  isBare = true;
  /**
   * The blocks of delivery that are forwarded: their names and attributes, in alphabetical order.
   */
  readonly deliveryBlocks: string[] = [];
  /** The refusal of the first block of a reply that has no namespace; null for none. */
  unqualified: Refusal | null = null;
  /** A signature is in a block that is passed on. */
  isSignaturePassed = false;
  /** Every block is one of WS-Addressing. */
  isAddressingOnly = true;
  /** Blocks that name an action, whichever receiver they name. */
  actionBlocks = 0;
  readonly #dialect: Dialect;
  readonly #rules: HeaderRules;
  readonly #bounds: HeaderBounds;
  #blocks = 0;
  /** Elements open; a block is 1. */
  #depth = 0;
  #action: BlockAction = 'pass';
  #startBytes = 0;
  /** The reader of the block that is open; null where it is not read. */
  #reader: BlockReader | null = null;
  /** Elements with the address of the block that is open. */
  #addresses = 0;
  #notUnderstood: QName[] | null = null;
  /** Targets of the blocks that may come once for each. */
  #seenTargets: Set<string> | null = null;

  constructor(dialect: Dialect, rules: HeaderRules, bounds: HeaderBounds) {
    this.#dialect = dialect;
    this.#rules = rules;
    this.#bounds = bounds;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) return this.#openBlock(tag);
    // "Fault at most once and only in Body" holds for the content of header blocks too.
    if (tag.local === 'Fault' && tag.uri === this.#dialect.envelopeUri) {
      throw structureRefusal('a Fault outside Body', tag);
    }
    this.#addIds(tag);
    if (isSignature(tag) && this.#action !== 'remove') {
      this.isSignaturePassed = true;
    }
    if (!this.#isOnlyAddress(tag)) {
      this.isBare = false;
    }
    return this.#reader === null ? ELEMENTS_ONLY : this.#reader.open(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#depth--;
    this.#reader?.close(contentEndBytes);
    if (this.#depth > 0) return;
    this.#reader = null;
    if (this.#action === 'remove') {
      this.edit({ startBytes: this.#startBytes, endBytes, replacement: null });
    }
  }

  text(piece: string): void {
    this.#reader?.text(piece);
  }

  edit(edit: Edit): void {
    this.edits ??= [];
    this.edits.push(edit);
  }

  /** The Header is over. */
  finish(): void {
    if (this.#notUnderstood !== null) throw new NotUnderstood(this.#notUnderstood);
    this.ids?.checkReferences();
  }

  #openBlock(tag: StartTag): Interest {
    const dialect = this.#dialect;
    if (tag.uri === '') {
      const refusal = structureRefusal(UNQUALIFIED_BLOCK, tag);
      if (this.#rules.enforce) throw refusal;
      this.unqualified ??= refusal;
    }
    if (tag.uri === dialect.envelopeUri && !dialect.ownHeaderBlocks.includes(tag.local)) {
      throw structureRefusal('an element of the envelope in Header', tag);
    }
    if (this.#rules.enforce && tag.uri.startsWith(RESERVED)) {
      throw elementRefusal('RESERVED_HEADER', tag);
    }
    if (++this.#blocks > this.#bounds.headerBlocksMax) {
      throw refuseByLimit(
        'SOAP_HEADER_LIMIT',
        'limits.soap.headerBlocks',
        this.#bounds.headerBlocksMax,
      );
    }
    const target = headerTarget(tag, dialect, this.#rules);
    const kind = headerBlockKindOf(tag);
    this.#action = decideBlock(tag, dialect, this.#rules, target, kind?.isRemoved === true);
    this.#startBytes = tag.offsetBytes;
    if (this.#action === 'not understood') {
      this.#addNotUnderstood(tag);
    }
    const repeated = kind?.repeatedPerTarget ?? null;
    if (this.#rules.enforce && repeated !== null) {
      this.#refuseRepeated(tag, target, repeated);
    }
    this.#addIds(tag);
    const isDelivery = target === 'service' && kind?.deliveryNames.has(tag.local) === true;
    if (this.#action !== 'remove' && !(isDelivery && this.#addDelivery(tag))) {
      this.isBare = false;
    }
    if (!isAddressing(tag.uri)) {
      this.isAddressingOnly = false;
    }
    if (kind === null) return ELEMENTS_ONLY;
    if (kind.actionNames.has(tag.local)) {
      this.actionBlocks++;
    }
    const isForOthers = target === 'other' || target === 'none';
    if (isForOthers && !(this.#rules.checksAddressing && kind.namesForAllTargets.has(tag.local))) {
      return ELEMENTS_ONLY;
    }
    this.#reader = kind.ensureReader(this, this.#rules, this.#bounds);
    return this.#reader?.begin(tag, this.#action === 'pass' && !isForOthers) ?? ELEMENTS_ONLY;
  }

  /** False for a block that comes again, and for attributes that may mean anything. */
  #addDelivery(tag: StartTag): boolean {
    const { envelopeUri } = this.#dialect;
    const blocks = this.deliveryBlocks;
    const attributes: string[] = [];
    for (let index = 0; index < tag.attributeCount; index++) {
      // Then it is the parameter of a reference, or signed.
      if (tag.attributeUri(index) !== envelopeUri) return false;
      attributes.push(`${tag.attributeLocal(index)}=${tag.attributeValue(index)}`);
    }
    this.#addresses = 0;
    // A backend may act on either of two blocks with one name in different versions.
    if (blocks.some((block) => block.startsWith(`${tag.local} `))) return false;
    blocks.push([tag.local, tag.uri, ...attributes.sort()].join(' '));
    blocks.sort();
    return true;
  }

  /** Whether an element within a block is the one address that it has. */
  #isOnlyAddress(tag: StartTag): boolean {
    const isAddress = this.#depth === 2 && tag.local === 'Address' && isAddressing(tag.uri);
    return isAddress && tag.attributeCount === 0 && ++this.#addresses === 1;
  }

  #addNotUnderstood(tag: StartTag): void {
    this.#notUnderstood ??= [];
    if (this.#notUnderstood.length < NAMED_MAX) {
      this.#notUnderstood.push({ uri: tag.uri, local: tag.local });
    }
  }

  /** Other names of the same target are the same. */
  #refuseRepeated(tag: StartTag, target: BlockTarget, code: RefusalCode): void {
    const named =
      target === 'other'
        ? tag.attribute(this.#dialect.envelopeUri, this.#dialect.targetAttribute)
        : null;
    const key = `${tag.local} ${named === null ? `of ${target}` : `named ${named.trim()}`}`;
    this.#seenTargets ??= new Set();
    if (this.#seenTargets.has(key)) {
      throw new Refusal(code, `${tag.local} twice`, {
        facts: { elements: [{ uri: tag.uri, local: tag.local }] },
      });
    }
    this.#seenTargets.add(key);
  }

  #addIds(tag: StartTag): void {
    if (!this.#rules.enforce) return;
    if (!hasSignatureId(tag)) return;
    this.ids ??= new SignedIds(this.#bounds.idsMax);
    this.ids.add(tag);
  }
}

/** Namespaces of the gateway's own blocks, which a client must not send (catalogue B15). */
const RESERVED = 'urn:soapstone:';
