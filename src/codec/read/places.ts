import type { ContentNames } from '../plan/content-names.js';
import type { DecodeError } from '../plan/decode-error.js';
import { trimXml } from '../plan/lexical.js';
import { LexicalError, type Scalar, type ScalarValue } from '../plan/plan.js';
import type { SlotProgram } from './program.js';
import { itemsOf, type OpenRepetition, pathOf, type Reading } from './reading.js';

/**
 * Puts values into their places, propagates nulls as GraphQL section 6.4.4 says, and keeps the first errors. `index` is
 * the place in a list, -1 outside of one.
 */
export class Places {
  readonly errors: DecodeError[] = [];
  furtherErrors = 0;
  /** What the objects weigh that are finished. */
  points = 0;
  /** Made when there is a first one. */
  lists: Map<string, MutableLengths> | null = null;
  readonly #listItems: number;
  readonly #hiddenSteps: number;

  /** `hiddenSteps`: so many first steps of a path are not part of the response. */
  constructor(listItems: number, hiddenSteps: number) {
    this.#listItems = listItems;
    this.#hiddenSteps = hiddenSteps;
  }

  /** The place of the next item, or -1 where the list is lost already or, being too long, now. */
  nextIndex(owner: Reading, slot: SlotProgram): number {
    const items = itemsOf(owner, slot);
    if (items === null) return -1;
    if (items.length < this.#listItems) return items.length;
    this.record(owner, slot, -1, 'more items than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    this.loseItem(owner, slot);
    return -1;
  }

  /** Of an array of which only a part was sent, the items before `place` are null. */
  fillUpTo(place: number | null, owner: Reading, slot: SlotProgram): void {
    if (place === null) return;
    while ((itemsOf(owner, slot)?.length ?? place) < place) {
      const index = this.nextIndex(owner, slot);
      if (index === -1) return;
      this.deliver(owner, slot, index, null, MISSING);
    }
  }

  /** Whether a single value is there already: the first one counts. */
  isFilled(owner: Reading, slot: SlotProgram): boolean {
    if (owner.values[slot.place] === undefined) return false;
    owner.repeated ??= new Set();
    if (!owner.repeated.has(slot.place)) this.record(owner, slot, -1, 'given more than once');
    owner.repeated.add(slot.place);
    return true;
  }

  /** The finished object, or null if a part of it that may not be null is. */
  endObject(reading: Reading): Answer | null {
    const { values } = reading;
    const slots = reading.variant?.slots ?? [];
    if (reading.groups !== null) {
      for (const open of reading.groups.readings.values()) this.endRepetition(open);
    }
    for (const slot of slots) {
      if (reading.lost) return null;
      if (values[slot.place] !== undefined) continue;
      if (slot.from === 'text') this.#deliverOwnText(reading, slot);
      else this.deliver(reading, slot, -1, slot.list && slot.items === null ? [] : null, MISSING);
    }
    if (reading.lost) return null;
    const answer: Answer = Object.create(BARE);
    for (const slot of slots) answer[slot.key] = values[slot.place];
    if (reading.variant !== null) {
      this.points += reading.variant.weight;
      for (const slot of reading.variant.counted) this.#count(slot.listName ?? '', values[slot.place]);
    }
    return answer;
  }

  /** Nothing more belongs to this repetition of a group. */
  endRepetition({ reading, selves }: OpenRepetition): void {
    for (const each of [...selves].reverse()) this.#deliverObject(each);
    this.#deliverObject(reading);
  }

  #deliverObject(reading: Reading): void {
    const { owner, slot, index } = reading;
    const answer = this.endObject(reading);
    if (owner !== null && slot !== null) this.deliver(owner, slot, index, answer, null);
  }

  #deliverOwnText(reading: Reading, slot: SlotProgram): void {
    if (reading.text === '' && reading.slot !== null) this.deliverText(reading, slot, -1, reading.slot.emptyText);
    else if (slot.isName) this.deliverName(reading, slot, -1, reading.text, reading.names);
    else this.deliverText(reading, slot, -1, reading.text);
  }

  #count(name: string, list: unknown): void {
    if (!Array.isArray(list)) return;
    this.lists ??= new Map();
    const known = this.lists.get(name);
    if (known === undefined) {
      this.lists.set(name, { count: 1, items: list.length, longest: list.length });
      return;
    }
    known.count++;
    known.items += list.length;
    known.longest = Math.max(known.longest, list.length);
  }

  deliverText(owner: Reading, slot: SlotProgram, index: number, text: string): void {
    if (slot.value.kind !== 'scalar') {
      this.deliver(owner, slot, index, text, null);
      return;
    }
    const value = decodeOrRule(slot.value.scalar, text);
    if (this.#isTooLong(value)) this.reject(owner, slot, index, 'more items than allowed', 'UPSTREAM_RESPONSE_LIMIT');
    else if (!(value instanceof LexicalError)) this.deliver(owner, slot, index, value, null);
    // Many stacks write an absent date or number as an empty element.
    else if (trimXml(text) === '') this.deliver(owner, slot, index, null, 'empty where a value is required');
    else this.reject(owner, slot, index, value.message, value.isValid ? 'VALUE_NOT_REPRESENTABLE' : undefined);
  }

  /** A QName, or several, as `{uri}local`; as it is written where nobody knows what the prefix means. */
  deliverName(owner: Reading, slot: SlotProgram, index: number, text: string, names: ContentNames | null): void {
    const value = names === null || slot.value.kind !== 'scalar' ? null : decodeOrRule(slot.value.scalar, text);
    if (names === null || value === null || value instanceof LexicalError || this.#isTooLong(value))
      this.deliverText(owner, slot, index, text);
    else this.deliver(owner, slot, index, qualified(value, names), null);
  }

  #isTooLong(value: ScalarValue | LexicalError): boolean {
    return Array.isArray(value) && value.length > this.#listItems;
  }

  /** A value that is none: null with an error, whether it may be null or not. */
  reject(owner: Reading, slot: SlotProgram, index: number, rule: string, code?: DecodeError['code']): void {
    this.record(owner, slot, index, rule, code);
    this.deliver(owner, slot, index, null, null);
  }

  /** Puts a value in its place. `rule` is the error if the value is null and may not be; null if that is recorded. */
  deliver(owner: Reading, slot: SlotProgram, index: number, value: unknown, rule: string | null): void {
    const isItem = index !== -1;
    if (value === null && (isItem ? slot.itemNonNull : slot.nonNull)) {
      if (rule !== null) this.record(owner, slot, index, rule);
      if (isItem) this.loseItem(owner, slot);
      else owner.lost = true;
    } else if (isItem) {
      itemsOf(owner, slot)?.push(value);
    } else {
      owner.values[slot.place] = value;
    }
  }

  /** An item may not be null and is: the list is null. */
  loseItem(owner: Reading, slot: SlotProgram): void {
    if (owner.kind === 'list' || slot.nonNull) owner.lost = true;
    else owner.values[slot.place] = null;
  }

  record(
    owner: Reading | null,
    slot: SlotProgram | null,
    index: number,
    rule: string,
    code: DecodeError['code'] = 'UPSTREAM_SCHEMA_INVALID',
  ): void {
    if (this.errors.length === MAX_ERRORS) {
      this.furtherErrors += 1;
      return;
    }
    const path = pathOf(owner, slot, index);
    this.errors.push({ code, path: path.slice(this.#hiddenSteps), rule });
  }
}

/** `ListLengths` on its way. */
interface MutableLengths {
  count: number;
  items: number;
  longest: number;
}

/** One object of the response. */
export type Answer = Record<string, unknown>;

/**
 * What answers inherit from: an empty object that inherits nothing. Objects whose own prototype is null are
 * dictionaries in V8, five times slower to fill.
 */
const BARE = Object.freeze(Object.create(null));

const MAX_ERRORS = 10;
/** Rules that are broken. */
export const MISSING = 'missing where a value is required';
export const ABSTRACT = 'an abstract type without a known xsi:type';
export const NIL = 'nil where a value is required';

function qualified(value: ScalarValue, names: ContentNames): ScalarValue {
  if (typeof value === 'string') return names.qualified(value);
  return typeof value === 'object'
    ? value.map((item) => (typeof item === 'string' ? names.qualified(item) : item))
    : value;
}

function decodeOrRule(scalar: Scalar, lexical: string): ScalarValue | LexicalError {
  try {
    return scalar.decode(lexical);
  } catch (caught) {
    if (caught instanceof LexicalError) return caught;
    throw caught;
  }
}
