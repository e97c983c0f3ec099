import type { ContentNames } from '../plan/content-names.js';
import { trimXml } from '../plan/lexical.js';
import type { DecodeError } from '../plan/reply/reply-plan.js';
import { LexicalError, type Scalar, type ScalarValue } from '../plan/scalar.js';
import { listItemsIn } from '../values/scalars.js';
import { Deferred } from './attachment.js';
import type { SlotProgram, VariantProgram } from './program.js';
import { itemsOf, type OpenRepetition, pathOf, type Reading } from './reading.js';
import type { StreamedList } from './reply-receiver.js';

/**
 * Fills the objects of the response, propagates nulls by GraphQL section 6.4.4, and keeps the first
 * errors. `index` is that in a list, -1 outside of one.
 */
export class ResponseBuilder {
  readonly errors: DecodeError[] = [];
  furtherErrors = 0;
  /** An error is not about the rights of the caller. */
  isInvalid = false;
  /** The weight of all finished objects. */
  points = 0;
  /** Made when there is a first one. */
  lists: Map<string, MutableLengths> | null = null;
  /** The list of the outermost object whose items are not kept; null for none. */
  streamed: StreamedList | null = null;
  readonly #listItems: number;
  readonly #hiddenSteps: number;

  /** `hiddenSteps`: so many first steps of a path are not part of the response. */
  constructor(listItems: number, hiddenSteps: number) {
    this.#listItems = listItems;
    this.#hiddenSteps = hiddenSteps;
  }

  /** The index of the next item, or -1 where the list is null already or, being too long, now. */
  nextIndex(owner: Reading, slot: SlotProgram): number {
    const items = itemsOf(owner, slot);
    if (items === null) return -1;
    const streamed = this.#isStreamed(owner, slot) ? this.streamed : null;
    const length = streamed?.length ?? items.length;
    if (length < this.#listItems || streamed?.isBounded === false) return length;
    this.report(owner, slot, -1, 'more items than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    this.nullifyList(owner, slot);
    return -1;
  }

  /** Sets the items before `start` to null: of an array only a part was sent. */
  fillUpTo(start: number | null, owner: Reading, slot: SlotProgram): void {
    if (start === null) return;
    while ((itemsOf(owner, slot)?.length ?? start) < start) {
      const index = this.nextIndex(owner, slot);
      if (index === -1) return;
      this.setValue(owner, slot, index, null, MISSING);
    }
  }

  /** Whether a single value is there already: the first one counts. */
  isFilled(owner: Reading, slot: SlotProgram): boolean {
    if (owner.values[slot.position] === undefined) return false;
    owner.repeated ??= new Set();
    if (!owner.repeated.has(slot.position)) {
      this.report(owner, slot, -1, 'present more than once');
    }
    owner.repeated.add(slot.position);
    return true;
  }

  /** The finished object, or null if a part of it that must not be null is. */
  endObject(reading: Reading): ResponseObject | null {
    const { values } = reading;
    const slots = reading.variant?.slots ?? [];
    if (reading.groups !== null) {
      for (const open of reading.groups.readings.values()) {
        this.endRepetition(open);
      }
    }
    for (const slot of slots) {
      if (reading.isNullified) return null;
      if (values[slot.position] !== undefined) continue;
      if (slot.from === 'text') {
        this.#setOwnText(reading, slot);
      } else {
        this.setValue(reading, slot, -1, slot.list && slot.items === null ? [] : null, MISSING);
      }
    }
    if (reading.isNullified) return null;
    const answer: ResponseObject = Object.create(BARE);
    for (const slot of slots) {
      answer[slot.key] = values[slot.position];
    }
    if (reading.variant !== null) {
      this.points += reading.variant.weight;
      for (const slot of reading.variant.counted) {
        this.#count(slot, values[slot.position]);
      }
    }
    return answer;
  }

  /** Ends a repetition of a group. */
  endRepetition({ reading, selves }: OpenRepetition): void {
    for (const each of [...selves].reverse()) {
      this.#setObject(each);
    }
    this.#setObject(reading);
  }

  #setObject(reading: Reading): void {
    const { owner, slot, index } = reading;
    const answer = this.endObject(reading);
    if (owner !== null && slot !== null) {
      this.setValue(owner, slot, index, answer, null);
    }
  }

  #setOwnText(reading: Reading, slot: SlotProgram): void {
    if (reading.deferred !== null) {
      this.setValue(reading, slot, -1, new Deferred(reading.deferred), null);
    } else if (reading.text === '' && reading.slot !== null) {
      this.setText(reading, slot, -1, reading.slot.emptyText);
    } else if (slot.isName) {
      this.setName(reading, slot, -1, reading.text, reading.names);
    } else {
      this.setText(reading, slot, -1, reading.text);
    }
  }

  /**
   * Whether an item is one of the list that is handed out: of the outermost object, or of the
   * wrapper in it.
   */
  #isStreamed(owner: Reading, slot: SlotProgram): boolean {
    if (this.streamed?.slot !== slot) return false;
    const around = owner.kind === 'list' ? owner.owner : owner;
    return around !== null && around.owner === null;
  }

  #count(slot: SlotProgram, list: unknown): void {
    if (!Array.isArray(list)) return;
    const name = slot.listName ?? '';
    const length = this.streamed?.slot === slot ? this.streamed.length : list.length;
    this.lists ??= new Map();
    const known = this.lists.get(name);
    if (known === undefined) {
      this.lists.set(name, { count: 1, items: length, longest: length });
      return;
    }
    known.count++;
    known.items += length;
    known.longest = Math.max(known.longest, length);
  }

  /** Sets the value of a leaf, whose text is whole. */
  setLeaf(owner: Reading, slot: SlotProgram, text: string): void {
    if (text === '' && slot.fallback !== null) {
      this.setValue(owner, slot, -1, slot.fallback, null);
    } else {
      this.setText(owner, slot, -1, text);
    }
  }

  setText(owner: Reading, slot: SlotProgram, index: number, text: string): void {
    if (slot.value.kind !== 'scalar') {
      this.setValue(owner, slot, index, text, null);
      return;
    }
    const value = decodeOrRule(slot.value.scalar, text);
    if (this.#isTooLong(value)) {
      this.reject(owner, slot, index, 'more items than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    } else if (!(value instanceof LexicalError)) {
      this.setValue(owner, slot, index, value, value === null ? NULL_TEXT : null);
    } else if (value.isValid && slot.value.scalar.item !== undefined) {
      this.#setItems(owner, slot, index, listItemsIn(text), slot.value.scalar.item);
    }
    // Many stacks write an absent date or number as an empty element.
    else if (!value.isValid && trimXml(text) === '') {
      this.setValue(owner, slot, index, null, 'empty where a value is required');
    } else {
      this.reject(
        owner,
        slot,
        index,
        value.message,
        value.isValid ? 'VALUE_NOT_REPRESENTABLE' : undefined,
      );
    }
  }

  /** A list type some of whose items GraphQL does not have: these are null, each with an error. */
  #setItems(
    owner: Reading,
    slot: SlotProgram,
    index: number,
    texts: readonly string[],
    scalar: Scalar,
  ): void {
    if (texts.length > this.#listItems) {
      this.reject(owner, slot, index, 'more items than allowed', 'UPSTREAM_RESPONSE_LIMIT');
      return;
    }
    const items = texts.map((each) => decodeOrRule(scalar, each));
    const invalid = items.find((each) => each instanceof LexicalError && !each.isValid);
    if (invalid instanceof LexicalError) {
      this.reject(owner, slot, index, invalid.message);
      return;
    }
    const values = items.map((each, at) => {
      if (!(each instanceof LexicalError)) return each;
      this.report(owner, slot, index, each.message, 'VALUE_NOT_REPRESENTABLE', at);
      return null;
    });
    this.setValue(owner, slot, index, values, null);
  }

  /** A QName, or several, as `{uri}local`; as it is written where the prefix is not bound. */
  setName(
    owner: Reading,
    slot: SlotProgram,
    index: number,
    text: string,
    names: ContentNames | null,
  ): void {
    const value =
      names === null || slot.value.kind !== 'scalar' ? null : decodeOrRule(slot.value.scalar, text);
    if (
      names === null ||
      value === null ||
      value instanceof LexicalError ||
      this.#isTooLong(value)
    ) {
      this.setText(owner, slot, index, text);
    } else {
      this.setValue(owner, slot, index, qualified(value, names), null);
    }
  }

  #isTooLong(value: ScalarValue | LexicalError | null): boolean {
    return Array.isArray(value) && value.length > this.#listItems;
  }

  /** Sets the constants of an object, and null where its reader may not have the value. */
  setConstants(reading: Reading): Reading {
    for (const slot of reading.variant?.constants ?? []) {
      if (slot.from !== 'withheld') {
        reading.values[slot.position] = slot.fallback;
      } else {
        if (slot.fallback === true) {
          this.report(reading, slot, -1, 'withheld', 'FORBIDDEN');
        }
        this.setValue(reading, slot, -1, null, null);
      }
    }
    return reading;
  }

  /** Sets null with an error, whether the value may be null or not. */
  reject(
    owner: Reading,
    slot: SlotProgram,
    index: number,
    rule: string,
    code?: DecodeError['code'],
  ): void {
    this.report(owner, slot, index, rule, code);
    this.setValue(owner, slot, index, null, null);
  }

  /**
   * Sets a value. `rule` is the error if the value is null and must not be; null if that error was
   * added before.
   */
  setValue(
    owner: Reading,
    slot: SlotProgram,
    index: number,
    value: unknown,
    rule: string | null,
  ): void {
    const isItem = index !== -1;
    if (value === null && (isItem ? slot.itemNonNull : slot.nonNull)) {
      if (rule !== null) {
        this.report(owner, slot, index, rule);
      }
      if (isItem) {
        this.nullifyList(owner, slot);
      } else {
        owner.isNullified = true;
      }
    } else if (isItem) {
      const items = itemsOf(owner, slot);
      if (items !== null && this.#isStreamed(owner, slot)) {
        this.streamed?.add(value);
      } else {
        items?.push(value);
      }
    } else {
      owner.values[slot.position] = value;
    }
  }

  /** Makes the list null, for an item that must not be null is. */
  nullifyList(owner: Reading, slot: SlotProgram): void {
    if (owner.kind === 'list' || slot.nonNull) {
      owner.isNullified = true;
    } else {
      owner.values[slot.position] = null;
    }
  }

  report(
    owner: Reading | null,
    slot: SlotProgram | null,
    index: number,
    rule: string,
    code: DecodeError['code'] = 'UPSTREAM_SCHEMA_INVALID',
    item: number | null = null,
  ): void {
    if (code !== 'FORBIDDEN') {
      this.isInvalid = true;
    }
    if (this.errors.length === MAX_ERRORS) {
      this.furtherErrors += 1;
      return;
    }
    const path = pathOf(owner, slot, index);
    const whole = item === null ? path : [...path, item];
    this.errors.push({ code, path: whole.slice(this.#hiddenSteps), rule });
  }
}

/** `ListLengths` while they are counted. */
interface MutableLengths {
  count: number;
  items: number;
  longest: number;
}

/** One object of the response. */
export type ResponseObject = Record<string, unknown>;

/**
 * The prototype of response objects: an empty object that inherits nothing. Objects whose own
 * prototype is null are dictionaries in V8, five times slower to fill.
 */
const BARE = Object.freeze(Object.create(null));

const MAX_ERRORS = 10;
/** Rules that are broken. */
const NULL_TEXT = 'a text that stands for null where a value is required';
export const MISSING = 'missing where a value is required';
const ABSTRACT = 'an abstract type without a known xsi:type';
const UNKNOWN_TYPE = 'an xsi:type that is not declared for the element';
export const UNEXPECTED_NIL = 'nil where a value is required';

/** The rule that an element without a known type breaks. */
export const typeRule = ({ declared }: { readonly declared: VariantProgram | null }): string =>
  declared === null ? ABSTRACT : UNKNOWN_TYPE;

function qualified(value: ScalarValue, names: ContentNames): ScalarValue {
  if (typeof value === 'string') return names.qualified(value);
  return typeof value === 'object'
    ? value.map((item) => (typeof item === 'string' ? names.qualified(item) : item))
    : value;
}

function decodeOrRule(scalar: Scalar, lexical: string): ScalarValue | LexicalError | null {
  try {
    return scalar.decode(lexical);
  } catch (caught) {
    if (caught instanceof LexicalError) return caught;
    throw caught;
  }
}
