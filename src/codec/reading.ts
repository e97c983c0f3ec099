import { ALL, ELEMENTS, type Interest } from '../xml/events.js';
import type { ChildTable, SlotProgram, VariantProgram } from './program.js';

/**
 * One reading of one open element: as an object, as a simple value, as the wrapper of a list, as XML. An element may
 * have several (two aliases of one field); they are linked by `next`, an object before the one that holds it.
 */
export class Reading {
  readonly kind: 'object' | 'scalar' | 'list' | 'opaque';
  /** The reading that takes the value; null for the root. */
  readonly owner: Reading | null;
  /** Where in `owner` it goes; null for the root. */
  readonly slot: SlotProgram | null;
  /** The place in a list, or -1. */
  readonly index: number;
  /** The namespace of the element. */
  readonly uri: string;
  readonly variant: VariantProgram | null;
  /** What the child elements fill; null where there must be none. */
  readonly children: ChildTable | null;
  readonly interest: Interest;
  /** By `SlotProgram.place`, or the items of a list. `undefined` is not seen yet, null is known to be null. */
  readonly values: unknown[];
  text = '';
  /** The value will be null: a part of it that may not be null is. */
  lost = false;
  /** A simple value has child elements. */
  hasChildren = false;
  /** Places that were reported as filled more than once. */
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
    if (variant !== null) {
      this.kind = 'object';
      this.children = variant.children;
      this.interest = variant.interest;
      this.values = new Array<unknown>(variant.slots.length).fill(undefined);
    } else if (slot?.items != null && index === -1) {
      this.kind = 'list';
      this.children = slot.items;
      this.interest = ELEMENTS;
      this.values = [];
    } else {
      this.kind = slot?.value.kind === 'opaque' ? 'opaque' : 'scalar';
      this.children = null;
      this.interest = ALL;
      this.values = NONE;
    }
  }
}

const NONE: unknown[] = [];

/** The response path of what `slot` of `owner` takes; `index` is -1 outside lists. */
export function pathOf(owner: Reading | null, slot: SlotProgram | null, index: number): readonly (string | number)[] {
  const path: (string | number)[] = [];
  while (slot !== null) {
    if (index >= 0) path.push(index);
    // The wrapper of the list has given the key.
    if (owner?.kind !== 'list') path.push(slot.key);
    slot = owner?.slot ?? null;
    index = owner?.index ?? -1;
    owner = owner?.owner ?? null;
  }
  return path.reverse();
}
