import type { StartTag } from '../../xml/index.js';
import { slotsFor } from './find-slots.js';
import type { SlotProgram } from './program.js';
import { Reading } from './reading.js';
import type { ResponseBuilder } from './response-builder.js';

/** A slot that a leaf fills. */
interface Filled {
  readonly owner: Reading;
  readonly slot: SlotProgram;
}

/**
 * The open element where it is a simple value that its text alone decides, as most elements of a
 * reply: it has no reading of its own, which would cost a third of decoding.
 */
export class OpenLeaf {
  /** Null where the open element has a reading. */
  slot: SlotProgram | null = null;
  text = '';
  #owner: Reading | null = null;
  /** Slots of further readings of its parent, such as for the key of an item. */
  readonly #others: Filled[] = [];

  /**
   * Begins the element if it is one: then it takes the only slot that fits, which has no value yet.
   * The readings of its parent before `owner` take nothing of it.
   */
  begin(tag: StartTag, owner: Reading, slots: readonly SlotProgram[]): boolean {
    const slot = leafAmong(slots, owner);
    if (slot === null || tag.attributeCount > 0) return false;
    if (owner.next !== null && !this.#beginOthers(tag, owner.next)) {
      this.#others.length = 0;
      return false;
    }
    this.slot = slot;
    this.text = '';
    this.#owner = owner;
    return true;
  }

  /** Whether the element is a leaf, or nothing, in these readings of its parent too. */
  #beginOthers(tag: StartTag, first: Reading): boolean {
    for (let owner: Reading | null = first; owner !== null; owner = owner.next) {
      if (owner.xml !== null || owner.children === null) return false;
      if (owner.isNullified) continue;
      owner.last = tag.local;
      const slots = slotsFor(owner.children, tag, owner.uri);
      if (slots === null && owner.variant?.isBinary === true) return false;
      if (slots === null) continue;
      const slot = leafAmong(slots, owner);
      if (slot === null) return false;
      this.#others.push({ owner, slot });
    }
    return true;
  }

  /** Ends the element: its owners have its value, an object before the one that it is read from. */
  end(output: ResponseBuilder): void {
    const { slot, text } = this;
    const owner = this.#owner;
    if (slot === null || owner === null) return;
    this.slot = null;
    for (let other = this.#others.pop(); other !== undefined; other = this.#others.pop()) {
      output.setLeaf(other.owner, other.slot, text);
    }
    output.setLeaf(owner, slot, text);
  }

  /**
   * Makes readings of the element after all: it has elements, or something else is asked about it.
   */
  toReading(): Reading | null {
    const { slot, text } = this;
    const owner = this.#owner;
    if (slot === null || owner === null) return null;
    this.slot = null;
    let reading = readingOf({ owner, slot }, text, null);
    for (const other of this.#others) {
      reading = readingOf(other, text, reading);
    }
    this.#others.length = 0;
    return reading;
  }
}

/** The only slot, where it is one of a leaf and has no value yet; else null. */
function leafAmong(slots: readonly SlotProgram[], { values }: Reading): SlotProgram | null {
  const slot = slots[0];
  if (slot === undefined || !slot.isLeaf || slots.length > 1) return null;
  return values[slot.position] === undefined ? slot : null;
}

function readingOf({ owner, slot }: Filled, text: string, next: Reading | null): Reading {
  const reading = new Reading(owner, slot, -1, '', null);
  reading.text = text;
  reading.next = next;
  return reading;
}
