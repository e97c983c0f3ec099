import type { ContentReceiver } from './content-receiver.js';
import type { SlotProgram } from './program.js';

interface FlushedReceiver {
  /** Called after each part of a reply; `resume` is set where the next part must wait for it. */
  flush(): { onResume(resume: () => void): void } | null;
}

/** Receives the items of the list that an operation answers with, each as soon as it is read. */
export interface ItemReceiver extends FlushedReceiver {
  /** Whether there may be no more items than a list may have that is kept. */
  readonly isBounded: boolean;
  item(value: unknown): void;
}

/** Receives a part of a reply while it is read. */
export type ReplyReceiver = ItemReceiver | (ContentReceiver & FlushedReceiver);

/** The receiver of items; null where what is received is no list. */
export const receivedItems = (receiver: ReplyReceiver | null): ItemReceiver | null =>
  receiver !== null && 'item' in receiver ? receiver : null;

/** The receiver of binary content; null where none is received. */
export const receivedContent = (receiver: ReplyReceiver | null): ContentReceiver | null =>
  receiver !== null && 'place' in receiver ? receiver : null;

/** A list whose items are handed out rather than kept. */
export class StreamedList {
  readonly slot: SlotProgram;
  length = 0;
  /** Puts into an item what was not known when it was read; null where all is. */
  complete: ((item: unknown) => unknown) | null = null;
  readonly #receiver: ItemReceiver;

  constructor(slot: SlotProgram, receiver: ItemReceiver) {
    this.slot = slot;
    this.#receiver = receiver;
  }

  get isBounded(): boolean {
    return this.#receiver.isBounded;
  }

  add(value: unknown): void {
    this.length++;
    this.#receiver.item(this.complete === null ? value : this.complete(value));
  }
}

/** The one list of an answer; null where it is none, or its items have positions of their own. */
export const streamedSlot = (slots: readonly SlotProgram[]): SlotProgram | null => {
  const [slot] = slots;
  return slots.length === 1 && slot !== undefined && slot.list && !slot.isArray ? slot : null;
};
