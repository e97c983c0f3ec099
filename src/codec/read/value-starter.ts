import { typeKey } from '../../wsdl/index.js';
import type { StartTag } from '../../xml/index.js';
import { ContentNames, namesIn } from '../plan/content-names.js';
import { arrayPositionOf, isNil } from '../plan/xsi.js';
import { type BinaryContent, Deferred, resolveDeferred } from './attachment.js';
import type { ContentReading } from './content-reading.js';
import { type AddressMaker, besideOf, contentPlaceOf } from './content-receiver.js';
import { nilVariantOf } from './find-slots.js';
import type { SlotProgram } from './program.js';
import { Reading, readXml } from './reading.js';
import { MISSING, type ResponseBuilder, typeRule, UNEXPECTED_NIL } from './response-builder.js';
import { wholeReader } from './whole-reader.js';

/** What the values of one reply are read with. */
interface ValueContext {
  readonly output: ResponseBuilder;
  readonly limits: { readonly opaqueChars: number; readonly listItems: number };
  readonly binary: BinaryContent;
  /** Binary content that is handed out; null where all of it is kept. */
  readonly content: ContentReading | null;
  readonly makeAddress: AddressMaker | null;
  /** How many names of a position are not shown: that of the outermost object. */
  readonly hiddenNames: number;
}

/**
 * Begins the values that an element fills: a reading for each whose content follows, the value
 * itself where the start tag decides it.
 */
export class ValueStarter {
  readonly #output: ResponseBuilder;
  readonly #limits: ValueContext['limits'];
  readonly #binary: BinaryContent;
  readonly #content: ContentReading | null;
  readonly #makeAddress: AddressMaker | null;
  readonly #hiddenNames: number;
  /** Whether a value is the address of binary content. */
  hasAddresses = false;

  constructor(context: ValueContext) {
    this.#output = context.output;
    this.#limits = context.limits;
    this.#binary = context.binary;
    this.#content = context.content;
    this.#makeAddress = context.makeAddress;
    this.#hiddenNames = context.hiddenNames;
  }

  beginNil(
    tag: StartTag,
    owner: Reading,
    slot: SlotProgram,
    index: number,
    readings: Reading | null,
  ): Reading | null {
    const isWrapper = slot.items !== null && index === -1;
    const variant = isWrapper ? null : nilVariantOf(slot.value, tag);
    if (variant !== null) {
      return this.beginObject(tag, new Reading(owner, slot, index, tag.uri, variant), readings);
    }
    this.#output.setValue(owner, slot, index, null, UNEXPECTED_NIL);
    return readings;
  }

  beginValue(
    tag: StartTag,
    owner: Reading,
    slot: SlotProgram,
    index: number,
    next: Reading | null,
  ): Reading | null {
    const isWrapper = slot.items !== null && index === -1;
    if (this.#content !== null && slot.isBinary && !isWrapper) {
      return this.#beginContent(this.#content, tag, owner, slot, index, next);
    }
    if (slot.isSimple) {
      const reading = new Reading(owner, slot, index, tag.uri, null);
      if (slot.isName) {
        reading.names = new ContentNames(tag);
      }
      reading.next = next;
      return reading;
    }
    if (slot.value.kind === 'address' && !isWrapper) {
      this.#setAddress(owner, slot, index);
      return next;
    }
    if (isWrapper || slot.value.kind !== 'object') {
      const whole = isWrapper ? null : wholeReader(slot, this.#limits);
      if (whole !== null) return readXml(tag, owner, slot, index, whole, next);
      const reading = new Reading(owner, slot, index, tag.uri, null);
      reading.next = next;
      if (reading.items?.isArray === true) {
        this.#output.fillUpTo(arrayPositionOf(tag, 'offset'), reading, reading.items);
      }
      return reading;
    }
    const variant = slot.value.variantOf(tag);
    if (variant !== null) {
      return this.beginObject(tag, new Reading(owner, slot, index, tag.uri, variant), next);
    }
    this.#output.report(owner, slot, index, typeRule(slot.value));
    this.#output.setValue(owner, slot, index, null, null);
    return next;
  }

  /** Binary content that is handed out is read, no other. */
  #beginContent(
    content: ContentReading,
    tag: StartTag,
    owner: Reading,
    slot: SlotProgram,
    index: number,
    next: Reading | null,
  ): Reading | null {
    const reading = new Reading(owner, slot, index, tag.uri, null);
    reading.next = next;
    if (content.isWanted(owner, slot, index) && content.begin(reading, owner)) return reading;
    this.#output.setValue(owner, slot, index, '', null);
    return next;
  }

  #setAddress(owner: Reading, slot: SlotProgram, index: number): void {
    const place = contentPlaceOf(owner, slot, index, this.#hiddenNames);
    const made = this.#makeAddress?.(place) ?? 'has no address';
    if (typeof made === 'string') {
      this.#output.reject(owner, slot, index, made, 'VALUE_NOT_REPRESENTABLE');
      return;
    }
    this.hasAddresses = true;
    if (this.#output.streamed !== null) {
      this.#output.streamed.complete = resolveDeferred;
    }
    // What is beside it may still come.
    this.#output.setValue(
      owner,
      slot,
      index,
      new Deferred({ value: () => made(besideOf(owner)) }),
      null,
    );
  }

  beginObject(tag: StartTag, reading: Reading, readings: Reading | null): Reading {
    reading.next = readings;
    const { variant } = reading;
    if (variant === null) return reading;
    if (variant.hasNames) {
      reading.names = new ContentNames(tag);
    }
    if (variant.constants.length > 0) {
      this.#output.setConstants(reading);
    }
    for (const slot of variant.attachments) {
      this.#output.setValue(reading, slot, -1, this.#binary.attached(slot.part), null);
    }
    for (const slot of variant.addresses) {
      if (isNil(tag)) {
        this.#output.setValue(reading, slot, -1, null, UNEXPECTED_NIL);
      } else {
        this.#setAddress(reading, slot, -1);
      }
    }
    if (this.#content !== null && variant.isBinary) {
      const slot = variant.slots.find(({ from, isBinary }) => from === 'text' && isBinary);
      if (slot !== undefined && this.#content.isWanted(reading, slot, -1)) {
        this.#content.begin(reading, reading);
      }
    }
    for (const slot of variant.elementNames) {
      this.#output.setValue(reading, slot, -1, typeKey(tag), null);
    }
    for (const slot of variant.attributes) {
      this.#readAttribute(tag, reading, slot);
    }
    let first = reading;
    for (const slot of variant.anyItems) {
      this.#output.fillUpTo(arrayPositionOf(tag, 'offset'), reading, slot);
    }
    for (const slot of variant.selves) {
      // An object that exists in GraphQL only ends before the one that holds it: it goes in front.
      if (reading.isNullified) break;
      if (isNil(tag)) {
        this.#output.setValue(reading, slot, -1, null, UNEXPECTED_NIL);
      } else {
        first = this.beginValue(tag, reading, slot, -1, first) ?? first;
      }
    }
    return first;
  }

  #readAttribute(tag: StartTag, owner: Reading, slot: SlotProgram): void {
    const lexical = tag.attributeCount === 0 ? null : tag.attribute(slot.name.uri, slot.name.local);
    if (lexical === null) {
      this.#output.setValue(owner, slot, -1, slot.fallback, MISSING);
    } else if (slot.isName) {
      this.#output.setName(owner, slot, -1, lexical, namesIn(tag, lexical));
    } else {
      this.#output.setText(owner, slot, -1, lexical);
    }
  }
}
