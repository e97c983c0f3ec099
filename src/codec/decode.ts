import { ALL, type Interest, type QName, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';
import { type FindAttachment, filled, includedIn, Late } from './attachment.js';
import { trimXml } from './lexical.js';
import { CODEC_LIMITS } from './limits.js';
import { OpaqueXml } from './opaque.js';
import { type Decoded, type DecodeError, LexicalError, type ReplyPlan, type Scalar, type ScalarValue } from './plan.js';
import { programOf, type SlotProgram, slotsFor, variantOf } from './program.js';
import { isComplete, itemsOf, type LateValue, pathOf, Reading, readXml, strongestInterest } from './reading.js';
import { isNil, placeOf } from './xsi.js';

export interface DecodeLimits {
  /** Items of one list; a longer list is null with an error. */
  readonly listItems: number;
  /** Length of content that is handed out as XML; longer content is null with an error. */
  readonly opaqueChars?: number;
}

/**
 * Builds the answer of one operation from the events of the child of Body, which is opened first; that its name is the
 * plan's has been checked. Of what the plan does not ask for, no string and no object is made.
 *
 * The value has the shape of the response: keys in the plan's order, nulls propagated as GraphQL section 6.4.4 says.
 */
export class ReplyDecoder implements XmlHandler {
  readonly #plan: ReplyPlan;
  readonly #listItems: number;
  readonly #opaqueChars: number;
  /** The readings of every element that is open and read. */
  readonly #open: Reading[] = [];
  /** The last of them. */
  #top: Reading | null = null;
  readonly #errors: DecodeError[] = [];
  #furtherErrors = 0;
  #skipping = false;
  readonly #findAttachment: FindAttachment | null;
  #hasLate = false;
  #hasBegun = false;
  #answer: Answer | null = null;

  /** `findAttachment`: null where the message is no package. */
  constructor(plan: ReplyPlan, limits: DecodeLimits, findAttachment: FindAttachment | null = null) {
    this.#plan = plan;
    this.#findAttachment = findAttachment;
    this.#listItems = limits.listItems;
    this.#opaqueChars = limits.opaqueChars ?? CODEC_LIMITS.opaqueChars.default;
  }

  open(tag: StartTag): Interest {
    let readings: Reading | null = null;
    if (this.#top === null) {
      this.#hasBegun = true;
      readings = this.#plan.shape === 'done' ? null : this.#readRoot(tag);
    } else {
      for (let owner: Reading | null = this.#top; owner !== null; owner = owner.next) {
        if (owner.xml !== null) readings = readXml(tag, owner, owner.slot, owner.index, owner.xml, readings);
        else if (owner.children === null) this.#readInclude(tag, owner);
        else if (!owner.lost)
          readings = this.#readChild(tag, owner, slotsFor(owner.children, tag, owner.uri), readings);
      }
    }
    if (readings === null) {
      this.#skipping = true;
      return SKIP;
    }
    this.#open.push(readings);
    this.#top = readings;
    return strongestInterest(readings);
  }

  text(piece: string): void {
    for (let reading = this.#top; reading !== null; reading = reading.next) {
      if (reading.xml !== null) reading.xml.text(piece);
      else if (reading.interest === ALL) reading.text += piece;
    }
  }

  close(): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const ended = this.#open.pop() ?? null;
    this.#top = this.#open[this.#open.length - 1] ?? null;
    for (let reading = ended; reading !== null; reading = reading.next) {
      if (reading.xml === null) this.#end(reading);
      else this.#endOpaque(reading, reading.xml);
    }
  }

  /** The element that was opened last has no value, for this reason. */
  reject(rule: string): void {
    for (let reading = this.#top; reading !== null; reading = reading.next) reading.broken = rule;
  }

  /** All that the plan asks for is there, whatever follows. Of a list that is open nobody knows. */
  get isComplete(): boolean {
    if (!this.#hasBegun || this.#hasLate) return false;
    return this.#plan.shape === 'done' || isComplete(this.#open);
  }

  /** The name of the child that is the answer, where one is. */
  get resultName(): QName | null {
    const source = this.#plan.shape === 'unwrap' ? this.#plan.value.declared?.slots[0]?.source : undefined;
    return source?.from === 'child' || source?.from === 'wrapped list' ? source.name : null;
  }

  /**
   * What came of the reply. To be called after the element was closed, or as soon as `isComplete`; of a package after the
   * last part. Throws what the values of attachments throw.
   */
  finish(): Decoded {
    this.#skipping = false;
    while (this.#open.length > 0) this.close();
    const { shape, nonNull } = this.#plan;
    let answer: unknown = this.#answer;
    if (shape === 'done') answer = true;
    if (shape === 'unwrap') answer = this.#answer?.[this.#plan.value.declared?.slots[0]?.key ?? ''] ?? null;
    if (answer === null && nonNull && this.#errors.length === 0) this.#record(null, null, -1, MISSING);
    const value = this.#hasLate ? filled(answer) : answer;
    return { value, errors: this.#errors, furtherErrors: this.#furtherErrors };
  }

  #readRoot(tag: StartTag): Reading | null {
    if (isNil(tag)) return null;
    const variant = variantOf(programOf(this.#plan), tag);
    if (variant === null) {
      this.#record(null, null, -1, ABSTRACT);
      return null;
    }
    return this.#beginObject(tag, new Reading(null, null, -1, tag.uri, variant), null);
  }

  /** Adds to `readings` those by which `slots` of `owner` take this child element. */
  #readChild(
    tag: StartTag,
    owner: Reading,
    slots: readonly SlotProgram[] | null,
    readings: Reading | null,
  ): Reading | null {
    if (slots === null) return readings;
    for (const slot of slots) {
      const isItem = owner.kind === 'list' || (slot.list && slot.items === null);
      if (slot.isArray && isItem) this.#fillUpTo(placeOf(tag, 'position'), owner, slot);
      const index = isItem ? this.#nextIndex(owner, slot) : -1;
      if (isItem ? index === -1 : this.#isFilled(owner, slot)) continue;
      // Of a choice the branch is nil, not the choice; what is not modelled says so itself.
      if (isNil(tag) && slot.from !== 'choice' && slot.from !== 'rest') this.#deliver(owner, slot, index, null, NIL);
      else readings = this.#beginValue(tag, owner, slot, index, readings);
    }
    return readings;
  }

  #beginValue(
    tag: StartTag,
    owner: Reading,
    slot: SlotProgram,
    index: number,
    readings: Reading | null,
  ): Reading | null {
    const isWrapper = slot.items !== null && index === -1;
    if (isWrapper || slot.value.kind !== 'object') {
      if (slot.value.kind === 'opaque' && !isWrapper)
        return readXml(tag, owner, slot, index, new OpaqueXml(this.#opaqueChars), readings);
      const reading = new Reading(owner, slot, index, tag.uri, null);
      reading.next = readings;
      if (isWrapper && slot.isArray) this.#fillUpTo(placeOf(tag, 'offset'), reading, slot);
      return reading;
    }
    const variant = variantOf(slot.value, tag);
    if (variant !== null) return this.#beginObject(tag, new Reading(owner, slot, index, tag.uri, variant), readings);
    this.#record(owner, slot, index, ABSTRACT);
    this.#deliver(owner, slot, index, null, null);
    return readings;
  }

  #beginObject(tag: StartTag, reading: Reading, readings: Reading | null): Reading {
    reading.next = readings;
    const { variant } = reading;
    if (variant === null) return reading;
    for (const slot of variant.constants) reading.values[slot.place] = slot.fallback;
    for (const slot of variant.attributes) this.#readAttribute(tag, reading, slot);
    let first = reading;
    for (const slot of variant.anyItems) this.#fillUpTo(placeOf(tag, 'offset'), reading, slot);
    for (const slot of variant.selves) {
      // An object that exists in GraphQL only ends before the one that holds it: it goes in front.
      if (reading.lost) break;
      if (isNil(tag)) this.#deliver(reading, slot, -1, null, NIL);
      else first = this.#beginValue(tag, reading, slot, -1, first) ?? first;
    }
    return first;
  }

  /** In a simple value nothing may stand but what stands for bytes outside of the envelope. */
  #readInclude(tag: StartTag, owner: Reading): void {
    const included = owner.hasChildren ? null : includedIn(tag, owner, this.#findAttachment);
    if (included === null) owner.hasChildren = true;
    else owner.late = included;
  }

  #readAttribute(tag: StartTag, owner: Reading, slot: SlotProgram): void {
    const lexical = tag.attributeCount === 0 ? null : tag.attribute(slot.name.uri, slot.name.local);
    if (lexical === null) this.#deliver(owner, slot, -1, slot.fallback, MISSING);
    else this.#deliverText(owner, slot, -1, lexical);
  }

  /** The place of the next item, or -1 where the list is lost already or, being too long, now. */
  #nextIndex(owner: Reading, slot: SlotProgram): number {
    const items = itemsOf(owner, slot);
    if (items === null) return -1;
    if (items.length < this.#listItems) return items.length;
    this.#record(owner, slot, -1, 'more items than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    this.#loseItem(owner, slot);
    return -1;
  }

  /** Of an array of which only a part was sent, the items before `place` are null. */
  #fillUpTo(place: number | null, owner: Reading, slot: SlotProgram): void {
    if (place === null) return;
    while ((itemsOf(owner, slot)?.length ?? place) < place) {
      const index = this.#nextIndex(owner, slot);
      if (index === -1) return;
      this.#deliver(owner, slot, index, null, MISSING);
    }
  }

  /** Whether a single value is there already: the first one counts. */
  #isFilled(owner: Reading, slot: SlotProgram): boolean {
    if (owner.values[slot.place] === undefined) return false;
    owner.repeated ??= new Set();
    if (!owner.repeated.has(slot.place)) this.#record(owner, slot, -1, 'given more than once');
    owner.repeated.add(slot.place);
    return true;
  }

  #end(reading: Reading): void {
    const { owner, slot, index } = reading;
    if (reading.broken !== null) {
      this.#record(owner, slot, index, reading.broken, 'UPSTREAM_INVALID_RESPONSE');
      if (owner !== null && slot !== null) this.#deliver(owner, slot, index, null, null);
    } else if (reading.kind === 'object') {
      const answer = this.#endObject(reading);
      if (owner === null || slot === null) this.#answer = answer;
      else this.#deliver(owner, slot, index, answer, null);
    } else if (owner !== null && slot !== null) {
      if (reading.kind === 'list') this.#deliver(owner, slot, index, reading.lost ? null : reading.values, null);
      else if (reading.hasChildren) this.#reject(owner, slot, index, 'elements where a simple value is expected');
      else if (reading.late !== null) this.#deliverLate(owner, slot, index, reading.late);
      else if (reading.text === '' && slot.fallback !== null) this.#deliver(owner, slot, index, slot.fallback, null);
      else this.#deliverText(owner, slot, index, reading.text);
    }
  }

  #endOpaque(reading: Reading, xml: OpaqueXml): void {
    xml.close();
    const { owner, slot, index } = reading;
    // Elements within are owned by the reading of the element around them.
    if (owner === null || slot === null || owner.xml !== null) return;
    const text = xml.finish();
    if (text === null) this.#record(owner, slot, index, 'more XML than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    this.#deliver(owner, slot, index, text, null);
  }

  /** The finished object, or null if a part of it that may not be null is. */
  #endObject(reading: Reading): Answer | null {
    const { values } = reading;
    const slots = reading.variant?.slots ?? [];
    for (const slot of slots) {
      if (reading.lost) return null;
      if (values[slot.place] !== undefined) continue;
      if (slot.from === 'text') this.#deliverText(reading, slot, -1, reading.text);
      else this.#deliver(reading, slot, -1, slot.list && slot.items === null ? [] : null, MISSING);
    }
    if (reading.lost) return null;
    const answer: Answer = Object.create(BARE);
    for (const slot of slots) answer[slot.key] = values[slot.place];
    return answer;
  }

  #deliverLate(owner: Reading, slot: SlotProgram, index: number, source: LateValue): void {
    this.#hasLate = true;
    this.#deliver(owner, slot, index, new Late(source), null);
  }

  #deliverText(owner: Reading, slot: SlotProgram, index: number, text: string): void {
    if (slot.value.kind !== 'scalar') {
      this.#deliver(owner, slot, index, text, null);
      return;
    }
    const value = decodeOrRule(slot.value.scalar, text);
    if (!(value instanceof LexicalError)) this.#deliver(owner, slot, index, value, null);
    // Many stacks write an absent date or number as an empty element.
    else if (trimXml(text) === '') this.#deliver(owner, slot, index, null, 'empty where a value is required');
    else this.#reject(owner, slot, index, value.message);
  }

  /** A value that is none: null with an error, whether it may be null or not. */
  #reject(owner: Reading, slot: SlotProgram, index: number, rule: string): void {
    this.#record(owner, slot, index, rule);
    this.#deliver(owner, slot, index, null, null);
  }

  /** Puts a value in its place. `rule` is the error if the value is null and may not be; null if that is recorded. */
  #deliver(owner: Reading, slot: SlotProgram, index: number, value: unknown, rule: string | null): void {
    const isItem = index !== -1;
    if (value === null && (isItem ? slot.itemNonNull : slot.nonNull)) {
      if (rule !== null) this.#record(owner, slot, index, rule);
      if (isItem) this.#loseItem(owner, slot);
      else owner.lost = true;
    } else if (isItem) {
      itemsOf(owner, slot)?.push(value);
    } else {
      owner.values[slot.place] = value;
    }
  }

  /** An item may not be null and is: the list is null. */
  #loseItem(owner: Reading, slot: SlotProgram): void {
    if (owner.kind === 'list' || slot.nonNull) owner.lost = true;
    else owner.values[slot.place] = null;
  }

  #record(
    owner: Reading | null,
    slot: SlotProgram | null,
    index: number,
    rule: string,
    code: DecodeError['code'] = 'UPSTREAM_SCHEMA_INVALID',
  ): void {
    if (this.#errors.length === MAX_ERRORS) {
      this.#furtherErrors += 1;
      return;
    }
    const path = pathOf(owner, slot, index);
    this.#errors.push({ code, path: this.#plan.shape === 'unwrap' ? path.slice(1) : path, rule });
  }
}

type Answer = Record<string, unknown>;

/**
 * What answers inherit from: an empty object that inherits nothing. Objects whose own prototype is null are
 * dictionaries in V8, five times slower to fill.
 */
const BARE = Object.freeze(Object.create(null));

const MAX_ERRORS = 10;
const MISSING = 'missing where a value is required';
const NIL = 'nil where a value is required';
const ABSTRACT = 'an abstract type without a known xsi:type';

function decodeOrRule(scalar: Scalar, lexical: string): ScalarValue | LexicalError {
  try {
    return scalar.decode(lexical);
  } catch (caught) {
    if (caught instanceof LexicalError) return caught;
    throw caught;
  }
}
