import { ALL, ELEMENTS_ONLY, type Interest, STREAM, type StartTag } from '../../xml/index.js';
import type { ContentNames } from '../plan/content-names.js';
import type { ChildPositions } from '../plan/lift-step.js';
import type { RepeatedGroup } from '../plan/reply/repeated-group.js';
import type { ChildTable, SlotProgram, VariantProgram } from './program.js';
import type { Repetition } from './repetition.js';
import type { WholeReader } from './whole-reader.js';

/**
 * One reading of one open element: as an object, as a simple value (or XML), as the wrapper of a
 * list. An element may have several (two aliases of one field); they are linked by `next`, an
 * object before the one that holds it.
 */
export class Reading {
  readonly kind: 'object' | 'scalar' | 'list';
  /** The reading that takes the value; null for the root. */
  readonly owner: Reading | null;
  /** The slot of `owner` it fills; null for the root. */
  readonly slot: SlotProgram | null;
  /** The index in a list, or -1. */
  readonly index: number;
  /** The namespace of the element. */
  readonly uri: string;
  readonly variant: VariantProgram | null;
  /** The slot of the items where the element is a list; else null. */
  readonly items: SlotProgram | null;
  /** The slots that child elements fill; null where there must be none. */
  readonly children: ChildTable | null;
  interest: Interest;
  /**
   * The values by `SlotProgram.position`, or the items of a list. `undefined` is not seen yet, null
   * is known to be null.
   */
  readonly values: unknown[];
  text = '';
  /** The value will be null: a part of it that must not be null is (GraphQL section 6.4.4). */
  isNullified = false;
  /** The writer of a reading as XML; elements within have readings of their own that share it. */
  xml: WholeReader | null = null;
  /** A simple value whose bytes are an attachment. */
  deferred: DeferredValue | null = null;
  /** The text is written in base64. */
  isBase64 = false;
  /** The prefixes in the text; null where it is not made of QNames. */
  names: ContentNames | null = null;
  /** A simple value has child elements. */
  hasChildren = false;
  /** The rule that makes the value null with an error. */
  broken: string | null = null;
  /** The local name of the child element that began last. */
  last = '';
  /** How many elements have come for slots that take one occurrence; null where there are none. */
  occurrences: Map<readonly SlotProgram[], number> | null = null;
  /** The repetitions of groups that are being read; null where there are none. */
  groups: OpenGroups | null = null;
  /** Positions that were reported as filled more than once. */
  repeated: Set<number> | null = null;
  next: Reading | null = null;

  constructor(
    owner: Reading | null,
    slot: SlotProgram | null,
    index: number,
    uri: string,
    variant: VariantProgram | null,
  ) {
    this.owner = owner;
    this.slot = slot;
    this.index = index;
    this.uri = uri;
    this.variant = variant;
    this.items = variant === null ? itemsSlot(slot, index) : null;
    if (variant !== null) {
      this.kind = 'object';
      this.children = variant.children;
      this.interest = variant.interest;
      this.values = variant.unset.slice();
    } else if (this.items !== null) {
      this.kind = 'list';
      this.children = this.items.items;
      this.interest = ELEMENTS_ONLY;
      this.values = [];
    } else {
      this.kind = 'scalar';
      this.children = null;
      this.interest = interestIn(slot);
      this.values = NONE;
    }
  }

  /** Counts an element for these slots and returns its number among them, from 0. */
  nextOccurrence(slots: readonly SlotProgram[]): number {
    // Most slots need no count: the first element has set the value.
    const first = slots[0];
    if (first?.isOnce === true) return this.values[first.position] === undefined ? 0 : 1;
    this.occurrences ??= new Map();
    const occurrence = this.occurrences.get(slots) ?? 0;
    this.occurrences.set(slots, occurrence + 1);
    return occurrence;
  }
}

/** The slot of the items: of the wrapper of a list, or of an array that is an item. */
function itemsSlot(slot: SlotProgram | null, index: number): SlotProgram | null {
  if (slot === null) return null;
  if (slot.items !== null && index === -1) return slot;
  return slot.value.kind === 'list' ? slot.value.slot : null;
}

/**
 * Returns the interest in a simple value. Binary content is bounded as attachments are, not as
 * other texts.
 */
const interestIn = (slot: SlotProgram | null): Interest => (slot?.isBinary === true ? STREAM : ALL);

/**
 * Repetitions of groups, which exist in GraphQL only: their objects are read from the elements of
 * the owner.
 */
interface OpenGroups {
  readonly repetitions: Map<RepeatedGroup, Repetition>;
  readonly readings: Map<SlotProgram, OpenRepetition>;
}

/** The readings of one repetition. */
export interface OpenRepetition {
  readonly ordinal: number;
  readonly reading: Reading;
  /** The readings of the same elements as other objects, each after the one that holds it. */
  readonly selves: readonly Reading[];
}

/** Bytes outside the envelope (XOP 1.0), known when the message is over. */
export interface DeferredValue {
  /** In base64. */
  value(): string;
  /** As a `data:` URL (RFC 2397); null where the message has no such part. */
  dataUrl(): string | null;
}

const NONE: unknown[] = [];

/** The response path of the value of `slot` of `owner`; `index` is -1 outside lists. */
export function pathOf(
  owner: Reading | null,
  slot: SlotProgram | null,
  index: number,
): readonly (string | number)[] {
  const path: (string | number)[] = [];
  while (slot !== null) {
    if (index >= 0) {
      path.push(index);
    }
    // The key comes from the wrapper of the list.
    if (owner?.kind !== 'list' && owner?.slot?.isLifted !== true) {
      path.push(slot.key);
    }
    slot = owner?.slot ?? null;
    index = owner?.index ?? -1;
    owner = owner?.owner ?? null;
  }
  return path.reverse();
}

/** Adds a reading of this element as XML; none once there is too much of it. */
export function readXml(
  tag: StartTag,
  owner: Reading,
  slot: SlotProgram | null,
  index: number,
  xml: WholeReader,
  readings: Reading | null,
): Reading | null {
  if (xml.isTooLong) return readings;
  xml.open(tag);
  const reading = new Reading(owner, slot, index, tag.uri, null);
  reading.xml = xml;
  reading.next = readings;
  return reading;
}

/** The list that `slot` of `owner` fills, begun if need be; null where it is nullified. */
export function itemsOf(owner: Reading, slot: SlotProgram): unknown[] | null {
  if (owner.kind === 'list') return owner.isNullified ? null : owner.values;
  const held = owner.values[slot.position];
  if (Array.isArray(held)) return held;
  if (held !== undefined || owner.isNullified) return null;
  const items: unknown[] = [];
  owner.values[slot.position] = items;
  return items;
}

/** Whether one of the readings of an element is as XML. */
export function isReadAsXml(first: Reading): boolean {
  let reading: Reading | null = first;
  while (reading !== null && reading.xml === null) {
    reading = reading.next;
  }
  return reading !== null;
}

/** The strongest interest of all readings of an element. */
export function strongestInterest(first: Reading): Interest {
  let { interest } = first;
  for (let reading = first.next; reading !== null; reading = reading.next) {
    if (reading.interest > interest) {
      interest = reading.interest;
    }
  }
  return interest;
}

/**
 * Whether the readings of the elements that are open hold all that is asked for, the outermost
 * first.
 */
export function isComplete(open: readonly (Reading | null)[]): boolean {
  /** Maps each reading to the positions that open readings will fill when they end. */
  const coming = new Map<Reading, Set<number>>();
  let isRoot = true;
  for (let at = open.length - 1; at >= 0; at--) {
    for (let reading = open[at] ?? null; reading !== null; reading = reading.next) {
      isRoot = reading.isNullified || hasAll(reading, coming.get(reading));
      const { owner, slot, index } = reading;
      if (!isRoot || owner === null || slot === null || index !== -1) continue;
      coming.set(owner, (coming.get(owner) ?? new Set()).add(slot.position));
    }
  }
  return isRoot;
}

/** Whether no further element can come for a slot: one that stands behind it has begun. */
function isPast({ name, from }: SlotProgram, order: ChildPositions, last: string): boolean {
  const [own, seen] = [order.get(name.local), order.get(last)];
  return (
    (from === 'child' || from === 'wrapped list' || from === 'group') &&
    own !== undefined &&
    seen !== undefined &&
    seen.first > own.last
  );
}

function hasAll(
  { variant, values, last }: Reading,
  coming: ReadonlySet<number> | undefined,
): boolean {
  if (variant === null) return false;
  const { order } = variant;
  return variant.slots.every((slot) => {
    if (order !== null && isPast(slot, order, last)) return true;
    if (slot.list && slot.items === null) return false;
    return values[slot.position] !== undefined || coming?.has(slot.position) === true;
  });
}
