import type { Buffer } from 'node:buffer';
import {
  ELEMENTS,
  FRAME_CHILDREN,
  FRAME_IS_BARRED,
  FRAME_LENGTH,
  MODEL_DEPTH,
  MODEL_DEPTH_MAX,
  MODEL_EVENT,
  MODEL_FLOOR,
  MODEL_FRAME,
  MODEL_FRAME_STRIDE,
  MODEL_IS_UNKNOWN,
  MODEL_LOWEST,
  MODEL_NAME,
  MODEL_NAMES_BYTES,
  MODEL_NAMES_END,
  MODEL_SCOPE,
} from '../assembly/layout.js';
import { Backoff } from '../backoff.js';
import { CLASS, IN_NAME } from '../chars.js';
import type { Cursor } from '../cursor.js';
import type { Elements } from '../elements.js';
import { type ContentModel, PRESENCE } from '../events.js';
import type { XmlLimits } from '../limits.js';
import { nameIn } from '../names.js';
import { skimMemory } from '../skim-memory.js';
import { modelMemory } from './memory.js';

/**
 * A call for less than this costs more than it saves; after a gain below the second, some calls are
 * skipped.
 */
const LEAST_BYTES = 96;
const WORTH_BYTES = 512;
/** Bytes for each open element that must be copied first. */
const BYTES_FOR_ELEMENT = 16;
/** The last number of a scope of namespaces that records can have. */
const SCOPE_MAX = 0xffff_ffff;

/**
 * Passes over content that its handler validates by a content model, in WebAssembly
 * (`assembly/skim-model.ts`). Where that stops the events go to the handler again, as if it had had
 * those before.
 */
export class ModelSkimmer {
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #limits: XmlLimits;
  readonly #backoff = new Backoff();

  constructor(cursor: Cursor, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#limits = limits;
  }

  /**
   * Reads from a `<` or from behind markup, in content whose handler has a model. Returns where it
   * stopped: before what the scanners are to read.
   */
  pass(chunk: Buffer, i: number, end: number): number {
    if (this.#backoff.skips()) return i;
    const from = i;
    while (end - i >= LEAST_BYTES) {
      const { model } = this.#elements;
      if (model === null || !this.#enter(model, end - i)) break;
      skimMemory.hold(chunk, i, end);
      const { shift } = skimMemory;
      const stop = skimMemory.skimModel(i + shift, skimMemory.end + shift) - shift;
      const isUnknown = skimMemory.word(MODEL_IS_UNKNOWN) === 1;
      if (stop > i) {
        this.#leave(model, this.#cursor.base - shift);
      }
      const bytes = stop - i;
      i = stop;
      if (isUnknown && this.#learn(model, chunk, i + 1, end)) continue;
      if (bytes === 0 || skimMemory.isEnough(i, end)) break;
    }
    if (i - from < WORTH_BYTES) {
      this.#backoff.lengthen();
    } else {
      this.#backoff.end();
    }
    return i;
  }

  /** Copies the open elements of the model to the memory; false where they do not fit. */
  #enter(model: ContentModel, bytes: number): boolean {
    const elements = this.#elements;
    const { frames, depth } = elements;
    if (depth > MODEL_DEPTH_MAX) return false;
    modelMemory.begin();
    const outermost = model.enter(depth);
    if (outermost === 0) return false;
    const floor = Math.max(outermost, elements.modelDepth);
    if ((depth - floor) * BYTES_FOR_ELEMENT > bytes) return false;
    let nameStart = MODEL_NAME;
    for (let level = floor; level <= depth; level++) {
      const { name, children, isDeclaring } = frames[level]!;
      if (nameStart + name.length > MODEL_NAME + MODEL_NAMES_BYTES) return false;
      const frame = MODEL_FRAME + level * MODEL_FRAME_STRIDE;
      skimMemory.bytes.set(name.bytes, nameStart);
      skimMemory.setWord(frame, nameStart);
      skimMemory.setWord(frame + FRAME_LENGTH, name.length);
      skimMemory.setWord(frame + FRAME_CHILDREN, children);
      skimMemory.setWord(frame + FRAME_IS_BARRED, isDeclaring ? 1 : 0);
      nameStart += name.length;
    }
    skimMemory.setLimits(this.#limits);
    skimMemory.setPrefixes(elements.namespaces, null);
    const { scope } = elements.namespaces;
    skimMemory.setWord(MODEL_SCOPE, scope > SCOPE_MAX ? 0 : scope);
    skimMemory.setWord(MODEL_NAMES_END, nameStart);
    skimMemory.setWord(MODEL_FLOOR, floor);
    skimMemory.setWord(MODEL_DEPTH, depth);
    skimMemory.setWord(ELEMENTS, elements.count);
    return true;
  }

  /** Copies the open elements back. `base` is the offset of address 0. */
  #leave(model: ContentModel, base: number): void {
    const elements = this.#elements;
    const before = elements.depth;
    const depth = skimMemory.word(MODEL_DEPTH);
    const lowest = skimMemory.word(MODEL_LOWEST);
    elements.closeTo(lowest);
    elements.top.children = modelMemory.childrenAt(lowest);
    for (let level = lowest + 1; level <= depth; level++) {
      const frame = MODEL_FRAME + level * MODEL_FRAME_STRIDE;
      const nameStart = skimMemory.word(frame);
      const nameEnd = nameStart + skimMemory.word(frame + FRAME_LENGTH);
      const opened = elements.push(nameIn(skimMemory.bytes, nameStart, nameEnd), false);
      opened.children = modelMemory.childrenAt(level);
      opened.interest = PRESENCE;
      opened.textLeft = this.#limits.textBytes;
    }
    elements.count = skimMemory.word(ELEMENTS);
    const event = skimMemory.word(MODEL_EVENT);
    if (event !== 0) {
      elements.eventBytes = base + event;
      elements.present = false;
    }
    model.leave(lowest, depth);
    elements.reportMove(depth - before);
  }

  /**
   * Has the model put the transition to the element here in the memory. The name is valid and whole
   * as far as it is ASCII; elements with other names are reported.
   */
  #learn(model: ContentModel, chunk: Buffer, i: number, end: number): boolean {
    let nameEnd = i;
    while (nameEnd < end && chunk[nameEnd]! < 0x80 && (CLASS[chunk[nameEnd]!]! & IN_NAME) !== 0) {
      nameEnd++;
    }
    if (nameEnd === end || chunk[nameEnd]! >= 0x80) return false;
    const { prefix, local } = nameIn(chunk, i, nameEnd);
    const uri = this.#elements.namespaces.find(prefix);
    return uri !== null && model.learn(uri, local);
  }
}
