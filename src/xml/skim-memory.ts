import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';

import {
  ATTRIBUTES_MAX,
  CHUNK,
  CHUNK_BYTES,
  CONTENT_LEAF,
  CONTENT_OTHER,
  DEFAULT_URI,
  DEPTH_MAX,
  EMPTY_TAG_LENGTH,
  EMPTY_TAG_NAME,
  EMPTY_TAG_STRIDE,
  EMPTY_TAGS,
  EMPTY_TAGS_HELD,
  FRAME,
  FRAME_CHILDREN,
  FRAME_IS_BARRED,
  FRAME_LENGTH,
  FRAME_STRIDE,
  HAS_TEXT,
  MEMORY_END,
  MOST_ATTRIBUTES,
  MOST_CHILDREN,
  MOST_DEPTH,
  MOST_ELEMENTS,
  MOST_NAME,
  MOST_TEXT,
  MOST_VALUE,
  NAME,
  NAMES_BYTES,
  PASSES_DEFAULT,
  PREFIX,
  PREFIX_BYTES_MAX,
  PREFIX_STRIDE,
  PREFIX_URI,
  PREFIXES,
  PREFIXES_MAX,
  SELECTED,
  SELECTED_BYTES,
  SELECTED_CONTENT,
  SELECTED_HAS_ATTRIBUTES,
  SELECTED_LENGTH,
  SELECTED_NAME,
  SELECTED_NAME_MAX,
  SELECTED_URI,
  SELECTIONS,
  SELECTIONS_END,
  WATCHED,
  WATCHES_IDS,
} from './assembly/layout.js';
import type { CanonicalContent, ChildSelection, EmptyTag, SelectedChild } from './events.js';
import type { XmlLimits } from './limits.js';
import type { Namespaces } from './namespaces.js';

/** The exports of `assembly/skim.ts`. */
interface Compiled {
  /** From where to where; returns where it stopped. */
  readonly skim: (from: number, end: number) => number;
  /** As `skim`, as far as the content is canonical XML. */
  readonly skimCanonical: (from: number, end: number) => number;
  /** Passes over text from where to where; returns where it stopped. */
  readonly passText: (from: number, end: number) => number;
  /** The line feeds from `from` to before `end`. */
  readonly countLines: (from: number, end: number) => number;
  /** Passes over content that is validated, from where to where; returns where it stopped. */
  readonly skimModel: (from: number, end: number) => number;
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** The part that is used here: the types of Node leave it out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Compiled };
};

/** Up to here the copy into the memory costs more than it saves; nearly all texts are shorter. */
export const COPIED_BYTES_MIN = 256;

const COLON = 0x3a;
const ASCII_MAX = 0x7f;
/** To write selections anew costs as much as so many look-ups save. */
const MISSED_MIN = 64;

/** A stop as near to the end of the held part may be a tag that is cut there. */
const CUT_BYTES = 4096;

/** The memory of the WebAssembly skimmer of this process, which serves one call at a time. */
class SkimMemory {
  readonly skim: Compiled['skim'];
  readonly skimCanonical: Compiled['skimCanonical'];
  readonly skimModel: Compiled['skimModel'];
  readonly #passText: Compiled['passText'];
  readonly #countLines: Compiled['countLines'];
  /** As bytes, from which texts can be made. */
  readonly bytes: Buffer;
  /** Address of the chunk's first byte. */
  shift = 0;
  /** Behind the part of the chunk that is held. */
  end = 0;
  readonly #words: Int32Array;
  #chunk: Buffer | null = null;
  /** The scope of the prefixes that are held; 0 for none. */
  #scope = 0;
  #watched: ReadonlySet<string> | null = null;
  /** The version of the canonical content that is passed over; 0: of content that is skipped. */
  #version = 0;
  #limits: XmlLimits | null = null;
  /** What the open elements that are held belong to; null where they have been overwritten. */
  owner: object | null = null;
  /**
   * The selections that are held; those that have no room or cannot be held have the address 0.
   * Weak: documents of callers make them, and they are not to outlive these.
   */
  #selections = new WeakMap<ChildSelection, HeldSelection>();
  #selectionsEnd = SELECTIONS;
  /** Look-ups of selections for which there was no room. */
  #missed = 0;
  /** Numbers of the namespaces that elements of content models have, from 1. */
  readonly #uris = new Map<string, number>();

  constructor({
    skim,
    skimCanonical,
    skimModel,
    passText,
    countLines,
    memory: { buffer },
  }: Compiled) {
    // Read by another layout, messages would be misread.
    if (buffer.byteLength !== MEMORY_END) {
      throw new Error('skim.wasm is compiled from other sources: run `npm run compile`');
    }
    this.skim = skim;
    this.skimCanonical = skimCanonical;
    this.skimModel = skimModel;
    this.#passText = passText;
    this.#countLines = countLines;
    this.bytes = Buffer.from(buffer);
    this.#words = new Int32Array(buffer);
  }

  word(address: number): number {
    return this.#words[address >> 2]!;
  }

  setWord(address: number, value: number): void {
    this.#words[address >> 2] = value;
  }

  /** Drops the held chunk, whose bytes may change. */
  forget(): void {
    this.#chunk = null;
  }

  /**
   * Passes over valid text from `i` on, to a `<`, to what the scanners must read, or to the end of
   * what is held. The two bytes before `i` are text too, and may be square brackets.
   */
  passText(chunk: Buffer, i: number, end: number): number {
    this.hold(chunk, i - 2, end);
    return this.#passText(i - 2 + this.shift, this.end + this.shift) - this.shift;
  }

  /**
   * Counts the line feeds of a part of any chunk: of the held one as it is, of another in its
   * place.
   */
  countLines(chunk: Buffer, start: number, end: number): number {
    if (this.#chunk === chunk && start + this.shift >= CHUNK && end <= this.end) {
      return this.#countLines(start + this.shift, end + this.shift);
    }
    this.#chunk = null;
    let count = 0;
    for (let at = start; at < end; at += CHUNK_BYTES) {
      const stop = Math.min(end, at + CHUNK_BYTES);
      chunk.copy(this.bytes, CHUNK, at, stop);
      count += this.#countLines(CHUNK, CHUNK + stop - at);
    }
    return count;
  }

  /** Holds the chunk from `i` on, as far as it fits. */
  hold(chunk: Buffer, i: number, end: number): void {
    if (this.#chunk === chunk && i + this.shift >= CHUNK && this.isEnough(i, end)) return;
    this.#chunk = chunk;
    const isWhole = chunk.length <= CHUNK_BYTES;
    const start = isWhole ? 0 : i;
    this.shift = CHUNK - start;
    this.end = Math.min(end, start + CHUNK_BYTES);
    // A copy of a part would allocate a view of it.
    if (isWhole) {
      this.bytes.set(chunk, CHUNK);
    } else {
      chunk.copy(this.bytes, CHUNK, start, this.end);
    }
  }

  /** Whether a tag at `i` is held as a whole, or is too long for the fast path. */
  isEnough(i: number, end: number): boolean {
    return this.end === end || i < this.end - CUT_BYTES;
  }

  setLimits(limits: XmlLimits): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    this.setWord(MOST_DEPTH, Math.min(limits.depth, DEPTH_MAX));
    this.setWord(MOST_CHILDREN, limits.children);
    this.setWord(MOST_ELEMENTS, limits.elements);
    this.setWord(MOST_ATTRIBUTES, Math.min(limits.attributes, ATTRIBUTES_MAX));
    this.setWord(MOST_VALUE, limits.attributeValueBytes);
    this.setWord(MOST_NAME, limits.nameChars);
    this.setWord(MOST_TEXT, limits.textBytes);
  }

  /**
   * Holds the bound prefixes, the newest of them where there are many. Tags with other prefixes are
   * not skimmed, nor are those with attributes in a watched namespace. `canonical`: nor is anything
   * that is not canonical XML, of which this handler needs no declaration.
   */
  setPrefixes(
    namespaces: Namespaces,
    watched: ReadonlySet<string> | null,
    canonical: CanonicalContent | null = null,
  ): void {
    const version = canonical?.version ?? 0;
    const isSame = watched === this.#watched && version === this.#version;
    if (isSame && namespaces.scope === this.#scope) return;
    this.#scope = namespaces.scope;
    this.#watched = watched;
    this.#version = version;
    const isPassed = (prefix: string, uri: string): boolean =>
      canonical === null || (namespaces.find(prefix) === uri && canonical.isWritten(prefix, uri));
    let held = 0;
    let watchedPrefixes = 0;
    for (let index = namespaces.count - 1; index >= 0 && held < PREFIXES_MAX; index--) {
      const prefix = namespaces.prefixAt(index);
      const at = PREFIX + held * PREFIX_STRIDE;
      if (prefix === '' || prefix.length > PREFIX_BYTES_MAX) continue;
      // A prefix beyond ASCII cannot stand in a skimmed tag.
      if (!this.#writeAscii(prefix, at)) continue;
      this.bytes[at + prefix.length] = COLON;
      const uri = namespaces.uriAt(index);
      if (!isPassed(prefix, uri)) continue;
      if (watched?.has(uri) === true) {
        watchedPrefixes |= 1 << held;
      }
      this.setWord(PREFIX_URI + held * 4, this.#uris.get(uri) ?? 0);
      held++;
    }
    this.setWord(PREFIXES, held);
    this.setWord(WATCHED, watchedPrefixes);
    this.setWord(WATCHES_IDS, watched?.has('') === true ? 1 : 0);
    const defaultUri = namespaces.find('') ?? '';
    this.setWord(DEFAULT_URI, this.#uris.get(defaultUri) ?? 0);
    this.setWord(PASSES_DEFAULT, isPassed('', defaultUri) ? 1 : 0);
  }

  /**
   * Writes a text of US-ASCII; false for another. Not by `Buffer.write`, a call out of JavaScript
   * that costs more than a few letters do.
   */
  #writeAscii(text: string, at: number): boolean {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > ASCII_MAX) return false;
      this.bytes[at + index] = code;
    }
    return true;
  }

  /** The number of a namespace that elements of a content model have. */
  numberUri(uri: string): number {
    const known = this.#uris.get(uri);
    if (known !== undefined) return known;
    const made = this.#uris.size + 1;
    this.#uris.set(uri, made);
    this.#scope = 0;
    return made;
  }

  forgetUris(): void {
    this.#uris.clear();
    this.#dropSelections();
    this.#scope = 0;
  }

  /**
   * The address of a selection with those in it; 0: there is no room. Room is made now and then, by
   * dropping all others.
   */
  selectionAt(selection: ChildSelection): number {
    const address = this.#addSelection(selection);
    if (address !== 0 || !isHoldable(selection)) return address;
    if (++this.#missed < MISSED_MIN) return 0;
    this.#dropSelections();
    return this.#addSelection(selection);
  }

  #dropSelections(): void {
    this.#selections = new WeakMap();
    this.#selectionsEnd = SELECTIONS;
    this.#missed = 0;
  }

  #addSelection(selection: ChildSelection): number {
    const { children } = selection;
    const known = this.#selections.get(selection);
    if (known !== undefined) {
      this.#learn(children, known);
      return known.address;
    }
    const address = this.#selectionsEnd;
    const end = address + SELECTED + children.length * SELECTED_BYTES;
    if (end > SELECTIONS_END || !isHoldable(selection)) {
      this.#selections.set(selection, NOT_HELD);
      return 0;
    }
    this.#selectionsEnd = end;
    this.setWord(address, children.length);
    const held: HeldSelection = { address, unknown: [] };
    this.#selections.set(selection, held);
    for (const [index, { name }] of children.entries()) {
      const child = childAt(address, index);
      this.setWord(child + SELECTED_URI, this.numberUri(name.uri));
      this.setWord(child + SELECTED_CONTENT, CONTENT_OTHER);
      this.setWord(child + SELECTED_LENGTH, name.local.length);
      this.#writeAscii(name.local, child + SELECTED_NAME);
      held.unknown.push(index);
    }
    this.#learn(children, held);
    return address;
  }

  /** Holds the content of children where it is known by now. */
  #learn(children: ChildSelection['children'], { address, unknown }: HeldSelection): void {
    for (let at = unknown.length - 1; at >= 0; at--) {
      const index = unknown[at] ?? 0;
      const child = children[index];
      const content = child === undefined ? CONTENT_OTHER : this.#contentAt(child.content);
      if (child === undefined || content === CONTENT_OTHER) continue;
      this.setWord(childAt(address, index) + SELECTED_CONTENT, content);
      this.setWord(childAt(address, index) + SELECTED_HAS_ATTRIBUTES, child.hasAttributes ? 1 : 0);
      unknown.splice(at, 1);
    }
  }

  #contentAt(content: SelectedChild['content']): number {
    if (content === 'text') return CONTENT_LEAF;
    return content === null ? CONTENT_OTHER : this.#addSelection(content);
  }

  /** Begun children of the open element at this depth. */
  childrenAt(depth: number): number {
    return this.word(FRAME + depth * FRAME_STRIDE + FRAME_CHILDREN);
  }

  setChildren(depth: number, children: number): void {
    this.setWord(FRAME + depth * FRAME_STRIDE + FRAME_CHILDREN, children);
  }

  /** The tags of empty elements in the canonical content that was passed over last. */
  emptyTags(): readonly EmptyTag[] {
    const tags: EmptyTag[] = [];
    const end = EMPTY_TAGS + this.word(EMPTY_TAGS_HELD) * EMPTY_TAG_STRIDE;
    for (let tag = EMPTY_TAGS; tag < end; tag += EMPTY_TAG_STRIDE) {
      const nameStart = this.word(tag + EMPTY_TAG_NAME) - this.shift;
      const nameEnd = nameStart + this.word(tag + EMPTY_TAG_LENGTH);
      tags.push({ slash: this.word(tag) - this.shift, nameStart, nameEnd });
    }
    return tags;
  }

  /** Whether text of the open element at this depth was passed over that is not white. */
  hasTextAt(depth: number): boolean {
    return (this.word(FRAME + depth * FRAME_STRIDE + FRAME_IS_BARRED) & HAS_TEXT) !== 0;
  }

  clearTextAt(depth: number): void {
    this.setWord(FRAME + depth * FRAME_STRIDE + FRAME_IS_BARRED, 0);
  }

  /** The offset at which the name of an open element begins; `nameEnd` is its end. */
  nameStart(depth: number): number {
    return this.word(FRAME + depth * FRAME_STRIDE);
  }

  nameEnd(depth: number): number {
    return this.nameStart(depth) + this.word(FRAME + depth * FRAME_STRIDE + FRAME_LENGTH);
  }

  /**
   * Holds an open element, its name at `start`. False when it does not fit. `isBarred`: not closed
   * by the skimmer.
   */
  setFrame(depth: number, start: number, name: Uint8Array, isBarred: boolean): boolean {
    if (start + name.length > NAME + NAMES_BYTES) return false;
    this.bytes.set(name, start);
    const frame = FRAME + depth * FRAME_STRIDE;
    this.setWord(frame, start);
    this.setWord(frame + FRAME_LENGTH, name.length);
    this.setWord(frame + FRAME_IS_BARRED, isBarred ? 1 : 0);
    return true;
  }
}

interface HeldSelection {
  readonly address: number;
  /** The places of children whose content is not known, or not held. */
  readonly unknown: number[];
}

const NOT_HELD: HeldSelection = { address: 0, unknown: [] };

const childAt = (selection: number, index: number): number =>
  selection + SELECTED + index * SELECTED_BYTES;

/** Whether the names of all children fit in their records. */
const isHoldable = ({ children }: ChildSelection): boolean =>
  children.every(({ name }) => HELD_NAME.test(name.local));

const HELD_NAME = new RegExp(`^[\\x21-\\x7e]{1,${SELECTED_NAME_MAX}}$`);

/** Ten kilobytes: compiled at once when the process starts. */
const module = new WebAssembly.Module(
  readFileSync(new URL('./assembly/skim.wasm', import.meta.url)),
);

export const skimMemory = new SkimMemory(new WebAssembly.Instance(module).exports);
