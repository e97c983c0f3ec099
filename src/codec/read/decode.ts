import {
  ALL,
  type Interest,
  type QName,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';
import { CODEC_LIMITS } from '../plan/limits.js';
import type { Decoded, ReplyPlan } from '../plan/reply/reply-plan.js';
import { arrayPositionOf, isNil } from '../plan/xsi.js';
import { textOfBase64 } from '../values/base64.js';
import { type AttachmentSource, BinaryContent, Deferred, resolveDeferred } from './attachment.js';
import { programOf } from './compile-program.js';
import { ContentReading } from './content-reading.js';
import type { AddressMaker } from './content-receiver.js';
import { nilVariantOf, slotsFor } from './find-slots.js';
import { OpenLeaf } from './open-leaf.js';
import { openRepetitions } from './open-repetitions.js';
import { ANY, LATER, type SlotProgram, type SlotSelection } from './program.js';
import { isComplete, isReadAsXml, Reading, readXml, strongestInterest } from './reading.js';
import {
  type ItemReceiver,
  type ReplyReceiver,
  receivedContent,
  receivedItems,
  StreamedList,
  streamedSlot,
} from './reply-receiver.js';
import { MISSING, ResponseBuilder, type ResponseObject, typeRule } from './response-builder.js';
import { ValueStarter } from './value-starter.js';
import type { WholeReader } from './whole-reader.js';

export interface DecodeLimits {
  /** Items of one list; a longer list is null with an error. */
  readonly listItems: number;
  /** Length of content that is handed out as XML; longer content is null with an error. */
  readonly opaqueChars?: number;
  /** Bytes of binary content, in the envelope and beside it. */
  readonly attachmentBytes?: number;
}

/**
 * Builds the answer of one operation from the events of the child of Body, which is opened first;
 * that its name is the plan's has been checked. No string and no object is made for content that
 * the plan does not request.
 *
 * The value has the shape of the response: keys in the plan's order, nulls propagated by GraphQL
 * section 6.4.4.
 */
export class ReplyDecoder implements XmlHandler {
  readonly #plan: ReplyPlan;
  /** The readings of every element that is open and read. */
  readonly #open: Reading[] = [];
  /** The last of them. */
  #top: Reading | null = null;
  readonly #output: ResponseBuilder;
  readonly #leaf = new OpenLeaf();
  #skipping = false;
  readonly #binary: BinaryContent;
  #hasBegun = false;
  #answer: ResponseObject | null = null;
  readonly #items: ItemReceiver | null;
  readonly #content: ContentReading | null;
  readonly #values: ValueStarter;

  /**
   * `attachments`: null where the message is no package. `receiver` gets the items of the list that
   * is the answer, which has none then, or the binary content at one place; null where they are
   * kept. `makeAddress`: of binary content.
   */
  constructor(
    plan: ReplyPlan,
    limits: DecodeLimits,
    attachments: AttachmentSource | null = null,
    receiver: ReplyReceiver | null = null,
    makeAddress: AddressMaker | null = null,
  ) {
    this.#plan = plan;
    const hiddenNames = plan.shape === 'unwrap' ? 1 : 0;
    this.#items = receivedItems(receiver);
    const content = receivedContent(receiver);
    this.#content = content === null ? null : new ContentReading(content, hiddenNames);
    this.#binary = new BinaryContent(attachments, this.#content, limits.attachmentBytes);
    this.#output = new ResponseBuilder(limits.listItems, hiddenNames);
    const { listItems, opaqueChars = CODEC_LIMITS.opaqueChars.default } = limits;
    this.#values = new ValueStarter({
      output: this.#output,
      limits: { listItems, opaqueChars },
      binary: this.#binary,
      content: this.#content,
      makeAddress,
      hiddenNames,
    });
  }

  open(tag: StartTag): Interest {
    this.#readLeafInFull();
    let readings: Reading | null = null;
    if (this.#top === null) {
      this.#hasBegun = true;
      readings = this.#plan.shape === 'done' ? null : this.#readRoot(tag);
    } else {
      for (let owner: Reading | null = this.#top; owner !== null; owner = owner.next) {
        if (owner.xml !== null) {
          readings = readXml(tag, owner, owner.slot, owner.index, owner.xml, readings);
        } else if (owner.children === null) {
          this.#binary.include(tag, owner);
        } else if (!owner.isNullified) {
          owner.last = tag.local;
          const slots = slotsFor(owner.children, tag, owner.uri);
          if (slots !== null && readings === null && this.#leaf.begin(tag, owner, slots)) {
            return ALL;
          }
          if (slots !== null) {
            readings = this.#readChild(tag, owner, slots, readings);
          } else if (owner.variant?.isBinary === true) {
            this.#binary.include(tag, owner);
          }
        }
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

  /** The children that the element opened last is read for, where it has one reading. */
  get selection(): SlotSelection | null {
    const reading = this.#top;
    if (reading === null || reading.next !== null || reading.xml !== null) return null;
    return reading.children?.selection ?? null;
  }

  leaf(place: number, text: string): void {
    const owner = this.#top;
    const slot = owner?.children?.selection?.children[place]?.slot ?? null;
    if (owner === null || slot === null || owner.isNullified) return;
    owner.last = slot.name.local;
    if (owner.values[slot.position] === undefined) {
      this.#output.setLeaf(owner, slot, text);
    } else if (slot.occurrence === ANY) {
      this.#output.isFilled(owner, slot);
    }
  }

  passed(local: string): void {
    if (this.#top !== null) {
      this.#top.last = local;
    }
  }

  text(chars: string): void {
    if (this.#leaf.slot !== null) {
      this.#leaf.text += chars;
      return;
    }
    for (let reading = this.#top; reading !== null; reading = reading.next) {
      if (reading.xml !== null) {
        reading.xml.text(chars);
      } else if (reading.interest === ALL || reading.interest === STREAM) {
        if (reading.interest === STREAM) {
          if (this.#content?.is(reading) === true) {
            this.#content.text(chars);
          }
          if (this.#content !== null) continue;
          this.#binary.count(chars);
        }
        reading.text += chars;
        if (reading.names !== null) {
          reading.names.add(chars);
        }
      }
    }
  }

  close(): void {
    if (this.#skipping) {
      this.#skipping = false;
    } else if (this.#leaf.slot !== null) {
      this.#leaf.end(this.#output);
    } else {
      this.#endReadings();
    }
  }

  /** Ends the readings of the element opened last. */
  #endReadings(): void {
    let reading = this.#open.pop() ?? null;
    this.#top = this.#open[this.#open.length - 1] ?? null;
    while (reading !== null) {
      const { next } = reading;
      if (reading.xml !== null) {
        this.#endOpaque(reading, reading.xml);
      } else {
        this.#end(reading);
      }
      reading = next;
    }
  }

  /** Whether the element that was opened last is read as XML, with all that is in it. */
  get isReadAsXml(): boolean {
    return this.#leaf.slot === null && this.#top !== null && isReadAsXml(this.#top);
  }

  /** The element that was opened last has no value, for this reason. */
  reject(rule: string): void {
    this.#readLeafInFull();
    for (let reading = this.#top; reading !== null; reading = reading.next) {
      reading.broken = rule;
    }
  }

  /** The text of the element that was opened last is base64, even where its type is another. */
  expectBase64(): void {
    this.#readLeafInFull();
    for (let reading = this.#top; reading !== null; reading = reading.next) {
      const value = reading.kind === 'scalar' ? reading.slot?.value : undefined;
      // Stacks that guess types write text beyond ASCII so.
      reading.isBase64 = value?.kind === 'scalar' && value.scalar.name === 'String';
    }
  }

  /** Whether the plan is filled, whatever follows. An open list may always have further items. */
  get isComplete(): boolean {
    if (!this.#hasBegun || this.#binary.hasDeferred) return false;
    this.#readLeafInFull();
    return this.#plan.shape === 'done' || isComplete(this.#open);
  }

  /** The name of the child that is the answer, or null. */
  get resultName(): QName | null {
    const source =
      this.#plan.shape === 'unwrap' ? this.#plan.value.declared?.slots[0]?.source : undefined;
    return source?.from === 'child' || source?.from === 'wrapped list' ? source.name : null;
  }

  /**
   * The decoded reply, once the element was closed or `isComplete`, and all attachments read.
   * Throws what these throw.
   */
  finish(): Decoded {
    this.#skipping = false;
    while (this.#leaf.slot !== null || this.#open.length > 0) {
      this.close();
    }
    const { shape, nonNull } = this.#plan;
    let answer: unknown = this.#answer;
    if (shape === 'done') {
      answer = true;
    }
    if (shape === 'unwrap') {
      answer = this.#answer?.[this.#plan.value.declared?.slots[0]?.key ?? ''] ?? null;
    }
    if (answer === null && nonNull && this.#output.errors.length === 0) {
      this.#output.report(null, null, -1, MISSING);
    }
    const value =
      this.#binary.hasDeferred || this.#values.hasAddresses ? resolveDeferred(answer) : answer;
    const { errors, furtherErrors, points, lists, isInvalid } = this.#output;
    const decoded = { value, errors, furtherErrors, points, isValid: !isInvalid };
    return lists === null ? decoded : { ...decoded, lists };
  }

  #readRoot(tag: StartTag): Reading | null {
    const program = programOf(this.#plan);
    const nil = isNil(tag);
    const variant = nil ? nilVariantOf(program, tag) : program.variantOf(tag);
    if (nil && variant === null) return null;
    if (variant === null) {
      this.#output.report(null, null, -1, typeRule(program));
      return null;
    }
    const slot =
      this.#items === null || this.#plan.shape !== 'unwrap' ? null : streamedSlot(variant.slots);
    if (slot !== null && this.#items !== null) {
      this.#output.streamed = new StreamedList(slot, this.#items);
    }
    return this.#values.beginObject(tag, new Reading(null, null, -1, tag.uri, variant), null);
  }

  /** Adds to `readings` those by which `slots` of `owner` take this child element. */
  #readChild(
    tag: StartTag,
    owner: Reading,
    slots: readonly SlotProgram[],
    readings: Reading | null,
  ): Reading | null {
    if (slots[0]?.group != null) {
      const parts = openRepetitions(tag, owner, slots, this.#output);
      return parts.reduce(
        (all, part) => this.#readChild(tag, part.owner, part.slots, all),
        readings,
      );
    }
    const isSure = tag.attributeCount === 0;
    const nth =
      slots[0]?.occurrence === ANY || owner.kind === 'list' ? ANY : owner.nextOccurrence(slots);
    for (const slot of slots) {
      if (nth !== ANY && slot.occurrence !== nth && (slot.occurrence !== LATER || nth === 0)) {
        continue;
      }
      const isItem = slot.isItem || owner.kind === 'list';
      if (slot.isArray && isItem) {
        this.#output.fillUpTo(arrayPositionOf(tag, 'position'), owner, slot);
      }
      const index = isItem ? this.#output.nextIndex(owner, slot) : -1;
      if (isItem ? index === -1 : this.#output.isFilled(owner, slot)) continue;
      // An xsi:nil applies to the branch, not to the choice; content read as XML keeps its own
      // xsi:nil.
      if (isSure || slot.from === 'choice' || slot.from === 'rest' || !isNil(tag)) {
        readings = this.#values.beginValue(tag, owner, slot, index, readings);
      } else {
        readings = this.#values.beginNil(tag, owner, slot, index, readings);
      }
    }
    return readings;
  }

  #readLeafInFull(): void {
    const reading = this.#leaf.slot === null ? null : this.#leaf.toReading();
    if (reading === null) return;
    this.#top = reading;
    this.#open.push(reading);
  }

  #end(reading: Reading): void {
    const { owner, slot, index } = reading;
    this.#content?.end(reading);
    if (reading.broken !== null) {
      this.#output.report(owner, slot, index, reading.broken, 'UPSTREAM_INVALID_RESPONSE');
      if (owner !== null && slot !== null) {
        this.#output.setValue(owner, slot, index, null, null);
      }
    } else if (reading.kind === 'object') {
      const answer = this.#output.endObject(reading);
      if (owner === null || slot === null) {
        this.#answer = answer;
      } else {
        this.#output.setValue(owner, slot, index, liftedFrom(slot, answer), null);
      }
    } else if (owner !== null && slot !== null) {
      const { isNullified, values } = reading;
      if (reading.kind === 'list') {
        this.#output.setValue(owner, slot, index, isNullified ? null : values, null);
      } else if (reading.hasChildren) {
        this.#output.reject(owner, slot, index, 'elements where a simple value is expected');
      } else if (reading.deferred !== null) {
        this.#output.setValue(owner, slot, index, new Deferred(reading.deferred), null);
      } else if (slot.isReference) {
        this.#endReference(reading, owner, slot);
      } else if (reading.text === '' && slot.fallback !== null) {
        this.#output.setValue(owner, slot, index, slot.fallback, null);
      } else if (reading.names !== null) {
        this.#output.setName(owner, slot, index, reading.text, reading.names);
      } else {
        this.#output.setText(
          owner,
          slot,
          index,
          reading.isBase64 ? textOfBase64(reading.text) : reading.text,
        );
      }
    }
  }

  #endReference({ index, text }: Reading, owner: Reading, slot: SlotProgram): void {
    const referred = this.#binary.referred(text);
    if (referred === null) {
      this.#output.setText(owner, slot, index, text);
    } else {
      this.#output.setValue(owner, slot, index, referred, null);
    }
  }

  #endOpaque(reading: Reading, xml: WholeReader): void {
    xml.close();
    const { owner, slot, index } = reading;
    // Elements within are owned by the reading of the element around them.
    if (owner === null || slot === null || owner.xml !== null) return;
    const value = reading.broken === null ? xml.finish() : null;
    if (reading.broken !== null) {
      this.#output.report(owner, slot, index, reading.broken, 'UPSTREAM_INVALID_RESPONSE');
    } else if (xml.isTooLong) {
      this.#output.report(owner, slot, index, 'more XML than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    }
    this.#output.setValue(owner, slot, index, value, null);
  }
}

/** The value of an object that is not shown, else the object. */
const liftedFrom = ({ isLifted, key }: SlotProgram, answer: ResponseObject | null): unknown =>
  isLifted && answer !== null ? answer[key] : answer;
