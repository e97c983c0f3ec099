import { Refusal, refuseByLimit } from '../base/refusal.js';
import { ELEMENTS, type Interest, type QName, type StartTag, type XmlHandler } from '../xml/events.js';
import { AddressingReader, isAddressing } from './addressing.js';
import type { Dialect } from './dialect.js';
import type { Edit } from './edit.js';
import {
  type BlockFate,
  type BlockTarget,
  fateOf,
  type HeaderRules,
  misplaced,
  NotUnderstood,
  refuseElement,
  targetOf,
} from './header.js';
import { SecurityReader } from './security-reader.js';
import { hasId, isSecurity, SignedIds } from './signed-ids.js';

/** How much of a Header is looked at. */
export interface HeaderBounds {
  readonly headerBlocksMax: number;
  /** Ids of one message. */
  readonly idsMax: number;
  /** Whether somebody wants to know what Security says of time. */
  readonly readsSecurity: boolean;
}

/** Blocks named in one answer: SOAP 1.2 part 1 section 5.4.8 wants them all, a caller gains nothing by more than these. */
const NAMED_MAX = 16;

/**
 * Reads the blocks of one Header. Made for messages that have any: most have none. Throws the refusals of the blocks as
 * they come by, and `NotUnderstood` at the end of the Header.
 */
export class HeaderReader implements XmlHandler {
  /** What is to be changed: blocks that end here are cut out. Null for nothing. */
  edits: Edit[] | null = null;
  /** Null when no block of WS-Addressing is for the gateway or the final receiver, or might be acted on by it. */
  addressing: AddressingReader | null = null;
  /** Null when there is no Security header, or nobody wants to know. */
  security: SecurityReader | null = null;
  /** Null when the message has neither Ids nor a signature. */
  ids: SignedIds | null = null;
  /** No block goes on but those of WS-Addressing that say where to, and what it is called. */
  isBare = true;
  /** Blocks with an action of WS-Addressing, whomever they are for. */
  actionBlocks = 0;
  readonly #dialect: Dialect;
  readonly #rules: HeaderRules;
  readonly #bounds: HeaderBounds;
  #blocks = 0;
  /** Elements open; a block is 1. */
  #depth = 0;
  #fate: BlockFate = 'pass';
  #startBytes = 0;
  /** Who reads the block that is open, besides this. */
  #reader: AddressingReader | SecurityReader | null = null;
  #notUnderstood: QName[] | null = null;
  #secured: Set<string> | null = null;

  constructor(dialect: Dialect, rules: HeaderRules, bounds: HeaderBounds) {
    this.#dialect = dialect;
    this.#rules = rules;
    this.#bounds = bounds;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) return this.#openBlock(tag);
    // "Fault at most once and only in Body" holds for the content of header blocks too.
    if (tag.local === 'Fault' && tag.uri === this.#dialect.envelopeUri) throw misplaced('Fault outside Body');
    this.#noteIds(tag);
    if (tag.local !== 'Address') this.isBare = false;
    return this.#reader === null ? ELEMENTS : this.#reader.open(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#depth--;
    this.#reader?.close(contentEndBytes);
    if (this.#depth > 0) return;
    this.#reader = null;
    if (this.#fate === 'take') this.edit({ startBytes: this.#startBytes, endBytes, replacement: null });
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
    this.ids?.judge();
  }

  #openBlock(tag: StartTag): Interest {
    const dialect = this.#dialect;
    if (tag.uri === '') throw misplaced('unqualified header block');
    if (tag.uri === dialect.envelopeUri && !dialect.ownHeaderBlocks.includes(tag.local)) {
      throw misplaced('envelope element in Header');
    }
    if (this.#rules.enforce && tag.uri.startsWith(RESERVED)) throw refuseElement('RESERVED_HEADER', tag);
    if (++this.#blocks > this.#bounds.headerBlocksMax) {
      throw refuseByLimit('SOAP_HEADER_LIMIT', 'limits.soap.headerBlocks', this.#bounds.headerBlocksMax);
    }
    const target = targetOf(tag, dialect, this.#rules);
    const ofAddressing = isAddressing(tag.uri);
    this.#fate = fateOf(tag, dialect, this.#rules, target, ofAddressing);
    this.#startBytes = tag.offsetBytes;
    if (this.#fate === 'not understood') this.#noteUnknown(tag);
    if (this.#rules.enforce && isSecurity(tag)) this.#noteSecurity(tag, target);
    this.#noteIds(tag);
    if (this.#fate !== 'take' && !isAboutDelivery(tag, dialect, ofAddressing)) this.isBare = false;
    if (ofAddressing && tag.local === 'Action') this.actionBlocks++;
    const isForOthers = target === 'other' || target === 'nobody';
    if (isForOthers && !(this.#rules.checksAddressing && ofAddressing && ACTED_ON.has(tag.local))) return ELEMENTS;
    if (ofAddressing) {
      this.#reader = this.addressing ??= new AddressingReader(this.#rules.checksAddressing);
      // What is for others stays as it is.
      return this.addressing.begin(tag, this.#fate === 'pass' && !isForOthers);
    }
    if (!this.#bounds.readsSecurity || !isSecurity(tag)) return ELEMENTS;
    this.#reader = this.security ??= new SecurityReader();
    return this.security.begin();
  }

  #noteUnknown(tag: StartTag): void {
    this.#notUnderstood ??= [];
    if (this.#notUnderstood.length < NAMED_MAX) this.#notUnderstood.push({ uri: tag.uri, local: tag.local });
  }

  /** WS-Security 1.1 section 5: one for each actor. Other names of the same actor are the same. */
  #noteSecurity(tag: StartTag, target: BlockTarget): void {
    const named = target === 'other' ? tag.attribute(this.#dialect.envelopeUri, this.#dialect.targetAttribute) : null;
    this.#secured ??= new Set();
    const actor = named === null ? `of ${target}` : `named ${named.trim()}`;
    if (this.#secured.has(actor)) throw new Refusal('WSSE_STRUCTURE', 'Security twice');
    this.#secured.add(actor);
  }

  #noteIds(tag: StartTag): void {
    if (!this.#rules.enforce) return;
    if (!hasId(tag)) return;
    this.ids ??= new SignedIds(this.#bounds.idsMax);
    this.ids.note(tag);
  }
}

/** What the gateway says of a caller nobody else may say (catalogue B15). */
const RESERVED = 'urn:soapstone:';

/** A block that says nothing of what is asked for. With other attributes it is the parameter of a reference, or signed. */
function isAboutDelivery(tag: StartTag, { envelopeUri }: Dialect, ofAddressing: boolean): boolean {
  if (!ofAddressing || !DELIVERY.has(tag.local)) return false;
  for (let index = 0; index < tag.attributeCount; index++) {
    if (tag.attributeUri(index) !== envelopeUri) return false;
  }
  return true;
}

const DELIVERY: ReadonlySet<string> = new Set(['To', 'Action', 'MessageID', 'ReplyTo']);

/**
 * Not every stack asks whom a block is for: what it would do, and where its answers would go, is judged whoever is named
 * (catalogue S08, S10, S11).
 */
const ACTED_ON: ReadonlySet<string> = new Set(['To', 'Action', 'ReplyTo', 'FaultTo']);
