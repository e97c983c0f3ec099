import type { StartTag } from '../../xml/index.js';
import type { SlotProgram } from './program.js';
import { Reading } from './reading.js';
import type { ResponseBuilder } from './response-builder.js';

/**
 * The open element where it is a simple value that its text alone decides, as most elements of a
 * reply: it has no reading of its own, which would cost a third of decoding.
 */
export class OpenLeaf {
  /** Null where the open element has a reading. */
  slot: SlotProgram | null = null;
  text = '';

  /**
   * Begins the element if it is one: then it takes the only slot that fits, which has no value yet.
   */
  begin(tag: StartTag, owner: Reading, slots: readonly SlotProgram[]): boolean {
    const slot = slots[0];
    if (
      slot === undefined ||
      !slot.isLeaf ||
      slots.length > 1 ||
      owner.next !== null ||
      tag.attributeCount > 0
    ) {
      return false;
    }
    if (owner.values[slot.position] !== undefined) return false;
    this.slot = slot;
    this.text = '';
    return true;
  }

  /** Ends the element: `owner` has its value. */
  end(owner: Reading | null, output: ResponseBuilder): void {
    const { slot } = this;
    if (slot === null || owner === null) return;
    this.slot = null;
    if (this.text === '' && slot.fallback !== null) {
      output.setValue(owner, slot, -1, slot.fallback, null);
    } else {
      output.setText(owner, slot, -1, this.text);
    }
  }

  /**
   * Makes a reading of the element after all: it has elements, or something else is asked about it.
   */
  toReading(owner: Reading): Reading {
    const reading = new Reading(owner, this.slot, -1, '', null);
    reading.text = this.text;
    this.slot = null;
    return reading;
  }
}
