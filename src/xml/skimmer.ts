import type { Buffer } from 'node:buffer';
import { DEPTH, DEPTH_MAX, ELEMENTS, FLOOR, LOWEST, NAME, NAMES_END, PLAIN_END } from './assembly/layout.js';
import type { Elements } from './elements.js';
import type { XmlLimits } from './limits.js';
import { nameIn } from './names.js';
import { skimMemory } from './skim-memory.js';

/** Less than this is not worth the way there and back; and after so little, a while is waited before the next try. */
const LEAST_BYTES = 48;
const WORTH_BYTES = 256;
const LONGEST_REST = 64;
/** Bytes for each open element that must be told first: who cuts a deep message into crumbs does not gain by it. */
const BYTES_FOR_NAME = 8;

/**
 * Passes over content that nobody wants to hear of, sixteen bytes at a step, in WebAssembly (`assembly/skim.ts`). That
 * has memory of its own: the chunk is copied there, and so are the names of open elements as far as they changed.
 */
export class Skimmer {
  /** Up to where text is plain, where that is what stopped it. */
  plainEnd = 0;
  readonly #elements: Elements;
  readonly #limits: XmlLimits;
  /** Calls to let pass, and how many they were the last time. */
  #rest = 0;
  #rested = 0;

  constructor(elements: Elements, limits: XmlLimits) {
    this.#elements = elements;
    this.#limits = limits;
  }

  /**
   * Reads from a `<` or from behind markup, within skipped content. Returns where it stopped: before what others must
   * read, or near the end.
   */
  pass(chunk: Buffer, i: number, end: number): number {
    if (this.#rest > 0) {
      this.#rest--;
      return i;
    }
    const memory = skimMemory;
    while (end - i >= LEAST_BYTES) {
      if (!this.#enter(end - i)) return i;
      memory.hold(chunk, i, end);
      const { shift } = memory;
      const stop = memory.skim(i + shift, memory.end + shift) - shift;
      this.#leave();
      this.plainEnd = memory.word(PLAIN_END) - shift;
      const bytes = stop - i;
      i = stop;
      if (bytes < WORTH_BYTES) this.#tire();
      else this.#rested = 0;
      if (bytes === 0 || memory.isEnough(stop, end)) break;
    }
    return i;
  }

  #tire(): void {
    this.#rested = Math.min(LONGEST_REST, 2 * this.#rested + 1);
    this.#rest = this.#rested;
  }

  /** Tells what changed of the open elements. False when that costs too much, or there is no room for their names. */
  #enter(bytes: number): boolean {
    const memory = skimMemory;
    const elements = this.#elements;
    const { frames, depth, skipDepth } = elements;
    if (user !== this) {
      user = this;
      elements.lowest = 0;
      memory.setLimits(this.#limits);
    }
    let level = Math.max(skipDepth, elements.lowest);
    if (depth > DEPTH_MAX || (depth - level) * BYTES_FOR_NAME > bytes) return false;
    let namesEnd = level === skipDepth ? NAME : memory.nameEnd(level);
    memory.setChildren(level, frames[level]!.children);
    while (level < depth) {
      const { name, children, declaring } = frames[++level]!;
      if (!memory.setFrame(level, namesEnd, name.bytes, declaring)) return false;
      memory.setChildren(level, children);
      namesEnd += name.length;
    }
    memory.setPrefixes(elements.namespaces);
    memory.setWord(NAMES_END, namesEnd);
    memory.setWord(FLOOR, skipDepth);
    memory.setWord(DEPTH, depth);
    memory.setWord(ELEMENTS, elements.count);
    return true;
  }

  /** Takes over what changed of the open elements. */
  #leave(): void {
    const memory = skimMemory;
    const elements = this.#elements;
    const depth = memory.word(DEPTH);
    let level = memory.word(LOWEST);
    elements.depth = level;
    elements.top = elements.frames[level]!;
    elements.top.children = memory.childrenAt(level);
    while (level < depth) {
      const name = nameIn(memory.bytes, memory.nameStart(++level), memory.nameEnd(level));
      elements.push(name, false).children = memory.childrenAt(level);
    }
    elements.count = memory.word(ELEMENTS);
    elements.lowest = depth;
  }
}

/** Whose open elements the memory holds. */
let user: Skimmer | null = null;
