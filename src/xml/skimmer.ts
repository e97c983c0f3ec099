import type { Buffer } from 'node:buffer';
import {
  DEPTH,
  DEPTH_MAX,
  ELEMENTS,
  FLOOR,
  LOWEST,
  NAME,
  NAMES_END,
  PLAIN_END,
} from './assembly/layout.js';
import { Backoff } from './backoff.js';
import type { Elements } from './elements.js';
import type { XmlLimits } from './limits.js';
import { type Name, nameIn } from './names.js';
import { skimMemory } from './skim-memory.js';

/**
 * A call for less than this costs more than it saves; after a gain below the second, some calls are
 * skipped.
 */
const LEAST_BYTES = 48;
const WORTH_BYTES = 256;
/**
 * Bytes for each open element that must be copied first: a deep message in tiny chunks must not
 * cost more.
 */
const BYTES_FOR_NAME = 8;

/**
 * Passes over content without events, sixteen bytes at a step, in WebAssembly
 * (`assembly/skim.ts`). That has memory of its own: the chunk is copied there, and so are the names
 * of open elements as far as they changed.
 */
export abstract class Skimmer {
  /** The end of the plain text at which it stopped; where it stopped, if that is no text. */
  plainEnd = 0;
  protected readonly elements: Elements;
  readonly #limits: XmlLimits;
  readonly #backoff = new Backoff();
  /** The depth of the innermost element that the skimmer may not close. */
  #floor = 0;

  constructor(elements: Elements, limits: XmlLimits) {
    this.elements = elements;
    this.#limits = limits;
  }

  /** Sets what is passed over; returns the floor, or -1 where all is reported for now. */
  protected abstract prepare(): number;

  /** Skims the memory from where to where; returns where it stopped. */
  protected abstract skim(from: number, end: number): number;

  /** Opens an element that is still open where the skimmer stopped. */
  protected abstract open(name: Name, children: number): void;

  /** Bytes from `start` to before `end` were passed over, and elements closed down to `lowest`. */
  protected abstract passed(chunk: Buffer, start: number, end: number, lowest: number): void;

  /**
   * Reads from a `<` or from behind markup, within such content. Returns where it stopped: before
   * markup that it does not read, or near the end.
   */
  pass(chunk: Buffer, i: number, end: number): number {
    this.plainEnd = i;
    if (this.#backoff.skips()) return i;
    const memory = skimMemory;
    while (end - i >= LEAST_BYTES) {
      const floor = this.prepare();
      if (floor < 0) {
        this.#backoff.lengthen();
        return i;
      }
      if (!this.#enter(floor, end - i)) return i;
      memory.hold(chunk, i, end);
      const { shift } = memory;
      const stop = this.skim(i + shift, memory.end + shift) - shift;
      this.#leave();
      if (stop > i) {
        this.passed(chunk, i, stop, memory.word(LOWEST));
      }
      this.plainEnd = memory.word(PLAIN_END) - shift;
      const bytes = stop - i;
      // A text that goes on beyond the held part is passed over, though its beginning is the stop.
      if (this.plainEnd - i < WORTH_BYTES) {
        this.#backoff.lengthen();
      } else {
        this.#backoff.end();
      }
      i = stop;
      if (bytes === 0 || memory.isEnough(stop, end)) break;
    }
    return i;
  }

  /**
   * Copies the changed open elements to the memory. False when that costs too much, or their names
   * do not fit.
   */
  #enter(floor: number, bytes: number): boolean {
    const memory = skimMemory;
    const { elements } = this;
    const { frames, depth } = elements;
    if (memory.owner !== this || floor !== this.#floor) {
      memory.owner = this;
      this.#floor = floor;
      elements.lowest = 0;
    }
    memory.setLimits(this.#limits);
    let level = Math.max(floor, elements.lowest);
    if (depth > DEPTH_MAX || (depth - level) * BYTES_FOR_NAME > bytes) return false;
    let namesEnd = level === floor ? NAME : memory.nameEnd(level);
    memory.setChildren(level, frames[level]!.children);
    if (level === floor) {
      memory.clearTextAt(level);
    }
    while (level < depth) {
      const { name, children, isDeclaring } = frames[++level]!;
      if (!memory.setFrame(level, namesEnd, name.bytes, isDeclaring)) return false;
      memory.setChildren(level, children);
      namesEnd += name.length;
    }
    memory.setWord(NAMES_END, namesEnd);
    memory.setWord(FLOOR, floor);
    memory.setWord(DEPTH, depth);
    memory.setWord(ELEMENTS, elements.count);
    return true;
  }

  /** Copies the changed open elements back. */
  #leave(): void {
    const memory = skimMemory;
    const { elements } = this;
    const depth = memory.word(DEPTH);
    let level = memory.word(LOWEST);
    elements.depth = level;
    elements.top = elements.frames[level]!;
    elements.top.children = memory.childrenAt(level);
    while (level < depth) {
      const name = nameIn(memory.bytes, memory.nameStart(++level), memory.nameEnd(level));
      this.open(name, memory.childrenAt(level));
    }
    elements.count = memory.word(ELEMENTS);
    elements.lowest = depth;
  }
}
