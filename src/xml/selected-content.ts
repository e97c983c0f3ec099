import type { Buffer } from 'node:buffer';
import {
  DEPTH,
  DEPTH_MAX,
  ELEMENTS,
  EVENT,
  EVENT_END,
  EVENT_IS_WRITTEN,
  EVENT_NAME,
  EVENT_PLACE_SHIFT,
  EVENT_START,
  EVENT_STRIDE,
  EVENTS,
  FLOOR,
  IS_FULL,
  KEPT_ATTRIBUTE,
  KEPT_CLOSE,
  KEPT_LEAF,
  KEPT_OPEN,
  NAME,
  NAMES_END,
  PASSED_BYTES,
  PASSED_LENGTH,
  PASSED_NAME,
  PASSED_START,
  SELECTION,
} from './assembly/layout.js';
import { stringOf } from './byte-string.js';
import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import type { ChildSelection, SelectedChild } from './events.js';
import type { XmlLimits } from './limits.js';
import { nameIn } from './names.js';
import { resolveText } from './references.js';
import { SelectedTag } from './selected-tag.js';
import { skimMemory } from './skim-memory.js';

/** A call for less than this costs more than it saves. */
const LEAST_BYTES = 48;
/** So near to the end of a chunk, its rest may be all that a call leaves. */
const REST_BYTES = 4096;
const KIND_MASK = 3;

/**
 * Reads the content of an element by the selection of its handler, in WebAssembly
 * (`assembly/skim.ts`): passes over children that are not selected, and keeps the events of the
 * others. Those are reported where it stops; what it does not read is left to the scanners.
 */
export class SelectedContentScanner {
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #limits: XmlLimits;
  readonly #tag: SelectedTag;
  /** The selections of the elements that are open while events are reported. */
  readonly #open: ChildSelection[] = [];
  /** Elements open from the one that the handler skips, and where the content of that begins. */
  #skipped = 0;
  #skipStart = 0;

  constructor(cursor: Cursor, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#limits = limits;
    this.#tag = new SelectedTag(cursor.elements.namespaces);
  }

  /**
   * Reads from a `<` or from behind markup, in the content of an element with a selection. Returns
   * where it stopped: before what the scanners are to read.
   */
  pass(chunk: Buffer, i: number, end: number): number {
    const elements = this.#elements;
    let { top } = elements;
    if (top.backoff.skips()) return i;
    const memory = skimMemory;
    while (top.selection !== null && end - i >= LEAST_BYTES && elements.depth <= DEPTH_MAX) {
      if (!this.#enter(top.selection)) {
        top.backoff.lengthen();
        break;
      }
      memory.hold(chunk, i, end);
      const { shift } = memory;
      const stop = memory.skim(i + shift, memory.end + shift) - shift;
      memory.setWord(SELECTION, 0);
      if (stop === i) {
        top.backoff.lengthen();
        return i;
      }
      top.backoff.end();
      i = stop;
      this.#leave(top.selection, this.#cursor.base - shift, end - stop < REST_BYTES);
      if (memory.word(IS_FULL) === 0 && memory.isEnough(i, end)) break;
      top = elements.top;
    }
    return i;
  }

  /** Copies the open element to the memory; false where there is no room for the selection. */
  #enter(selection: ChildSelection): boolean {
    const memory = skimMemory;
    const { depth, top, count, namespaces } = this.#elements;
    // First, for it numbers namespaces.
    const address = memory.selectionAt(selection);
    if (address === 0) return false;
    memory.setWord(SELECTION, address);
    memory.setLimits(this.#limits);
    memory.setPrefixes(namespaces, null);
    memory.owner = null;
    memory.setChildren(depth, top.children);
    memory.setWord(NAMES_END, NAME);
    memory.setWord(FLOOR, depth);
    memory.setWord(DEPTH, depth);
    memory.setWord(ELEMENTS, count);
    memory.setWord(EVENTS, 0);
    memory.setWord(IS_FULL, 0);
    memory.setWord(PASSED_LENGTH, 0);
    return true;
  }

  /** Reports the events, and copies the open elements back. `base` is the offset of address 0. */
  #leave(selection: ChildSelection, base: number, isNearEnd: boolean): void {
    const memory = skimMemory;
    const elements = this.#elements;
    const floor = elements.depth;
    elements.lowest = Math.min(elements.lowest, floor);
    elements.top.children = memory.childrenAt(floor);
    elements.count = memory.word(ELEMENTS);
    elements.skippedBytes += memory.word(PASSED_BYTES);
    const open = this.#open;
    open.length = 0;
    open.push(selection);
    this.#skipped = 0;
    this.#report(base);
    if (isNearEnd) {
      this.#reportPassed();
    }
    const depth = memory.word(DEPTH);
    const reported = floor + open.length - 1;
    for (let level = floor + 1; level <= depth; level++) {
      const name = nameIn(memory.bytes, memory.nameStart(level), memory.nameEnd(level));
      const children = memory.childrenAt(level);
      if (level <= reported) {
        elements.pushSelected(name, open[level - floor] ?? null).children = children;
      } else if (level > reported + 1) {
        elements.push(name, false).children = children;
      } else {
        const isHidden = this.#skipped === 0;
        const start = isHidden ? base + memory.word(PASSED_START) : this.#skipStart;
        elements.skip(name, start, isHidden).children = children;
      }
    }
    open.length = 0;
  }

  #report(base: number): void {
    const memory = skimMemory;
    const eventsEnd = EVENT + memory.word(EVENTS) * EVENT_STRIDE;
    for (let event = EVENT; event < eventsEnd; event += EVENT_STRIDE) {
      const form = memory.word(event);
      const kind = form & KIND_MASK;
      const start = memory.word(event + EVENT_START);
      const end = memory.word(event + EVENT_END);
      if (kind === KEPT_LEAF) {
        if (this.#skipped > 0) continue;
        const isWritten = (form & EVENT_IS_WRITTEN) !== 0;
        const text = stringOf(memory.bytes, start, end, !isWritten);
        this.#elements.leaf(form >> EVENT_PLACE_SHIFT, isWritten ? resolveText(text) : text);
      } else if (kind === KEPT_OPEN) {
        event = this.#openAt(event, eventsEnd, base);
      } else if (kind === KEPT_CLOSE) {
        this.#close(base + start, base + end);
      }
    }
  }

  /** Reports a start tag; returns the address of the last of its events. */
  #openAt(event: number, eventsEnd: number, base: number): number {
    const memory = skimMemory;
    const place = memory.word(event) >> EVENT_PLACE_SHIFT;
    const start = memory.word(event + EVENT_START);
    const end = memory.word(event + EVENT_END);
    const tag = this.#tag;
    tag.begin(start + 1, memory.word(event + EVENT_NAME));
    let last = event;
    for (let next = event + EVENT_STRIDE; next < eventsEnd; next += EVENT_STRIDE) {
      const form = memory.word(next);
      if ((form & KIND_MASK) !== KEPT_ATTRIBUTE) break;
      last = next;
      tag.addAttribute(
        memory.word(next + EVENT_NAME),
        form >> EVENT_PLACE_SHIFT,
        memory.word(next + EVENT_START),
        memory.word(next + EVENT_END),
        (form & EVENT_IS_WRITTEN) !== 0,
      );
    }
    const open = this.#open;
    const child = open[open.length - 1]?.children[place];
    if (this.#skipped > 0 || child === undefined || !isSelection(child.content)) {
      this.#skipped++;
      return last;
    }
    tag.uri = child.name.uri;
    tag.local = child.name.local;
    tag.depth = this.#elements.depth + open.length;
    tag.offsetBytes = base + start;
    tag.contentBytes = base + end;
    if (this.#elements.openSelected(tag)) {
      open.push(child.content);
    } else {
      this.#skipped = 1;
      this.#skipStart = base + end;
    }
    return last;
  }

  #close(contentEnd: number, end: number): void {
    if (this.#skipped > 1) {
      this.#skipped--;
      return;
    }
    if (this.#skipped === 1) {
      this.#skipped = 0;
    } else {
      this.#open.pop();
    }
    this.#elements.closeSelected(contentEnd, end);
  }

  /** Reports the child that was passed over last, if it came last. */
  #reportPassed(): void {
    const memory = skimMemory;
    const length = memory.word(PASSED_LENGTH);
    if (length === 0 || this.#skipped > 0) return;
    const start = memory.word(PASSED_NAME);
    this.#elements.passed(nameIn(memory.bytes, start, start + length).local);
  }
}

const isSelection = (content: SelectedChild['content']): content is ChildSelection =>
  content !== null && content !== 'text';
