import { Buffer } from 'node:buffer';
import {
  ATTRIBUTE_BIT,
  ATTRIBUTE_LENGTH,
  ATTRIBUTE_LOCAL,
  ATTRIBUTE_NEXT,
  EDGE_COUNT,
  EDGE_ELEMENT,
  EDGE_LENGTH,
  EDGE_NAME,
  EDGE_NEXT,
  EDGE_TO,
  EDGE_URI,
  ELEMENT_ATTRIBUTES,
  ELEMENT_BYTES,
  ELEMENT_COUNTS,
  ELEMENT_IS_NILLABLE,
  ELEMENT_REQUIRED,
  ELEMENT_START,
  FORM_ANY,
  FORM_DATE,
  FORM_DATE_TIME,
  FORM_DECIMAL,
  FORM_INTEGER,
  FORM_LENGTH,
  FORM_MODEL,
  FORM_NONE,
  FORM_OTHER,
  FORM_WORDS,
  FRAME_CHILDREN,
  FRAME_COUNTS,
  FRAME_STATE,
  MODEL_COUNTS,
  MODEL_COUNTS_BYTES,
  MODEL_COUNTS_END,
  MODEL_FRAME,
  MODEL_FRAME_STRIDE,
  NIL_URI,
  RECORDS,
  RECORDS_END,
  STATE_BYTES,
  STATE_FIRST,
  STATE_INDEX,
  STATE_MAY_END,
  TEXT_FIRST,
  TEXT_FORM,
  TEXT_SECOND,
  WORD_BYTES,
  WORD_LENGTH,
  WORD_NEXT,
} from '../assembly/layout.js';
import { skimMemory } from '../skim-memory.js';

/** A form of text by its bytes: most valid texts of a type have it. */
type PlainForm =
  | { readonly kind: 'integer'; readonly digits: number; readonly isSigned: boolean }
  | { readonly kind: 'decimal'; readonly total: number; readonly fraction: number }
  | { readonly kind: 'words'; readonly words: readonly Uint8Array[] }
  | { readonly kind: 'length'; readonly min: number; readonly max: number }
  | { readonly kind: 'date' | 'dateTime' };

/**
 * What an element or attribute has: a content model, nothing, any text, text by its bytes; or
 * something that the scanners are to read.
 */
type ContentForm = keyof typeof FORMS | PlainForm;

const FORMS = {
  other: FORM_OTHER,
  model: FORM_MODEL,
  none: FORM_NONE,
  any: FORM_ANY,
} as const;

interface AttributeRecord {
  readonly local: string;
  readonly isRequired: boolean;
  readonly form: ContentForm;
}

interface ElementRecord {
  readonly form: ContentForm;
  readonly attributes: readonly AttributeRecord[];
  /** An attribute is required that no record can have. */
  readonly needsOther: boolean;
  /** The state at the beginning of the content model; 0 where it has none. */
  readonly start: number;
  /** The names that are counted in the content. */
  readonly names: number;
  readonly isNillable: boolean;
}

interface EdgeRecord {
  readonly uri: string;
  readonly local: string;
  readonly to: number;
  readonly nameIndex: number;
  readonly element: number;
}

/** Calls after which a full memory is emptied: what is in use is put there anew. */
const FULL_CALLS = 10_000;
/** A bit that no attribute has. */
const NO_ATTRIBUTE = 1 << 31;
const ATTRIBUTES_MAX = 31;
const OTHER_ELEMENT: ElementRecord = {
  form: 'other',
  attributes: [],
  needsOther: false,
  start: 0,
  names: 0,
  isNillable: false,
};

/**
 * The part of the skimmer's memory that has content models, in records. They are put there as
 * messages need them. A full memory is emptied after a while.
 */
class ModelMemory {
  /** Changes when the memory is emptied: addresses of other epochs are void. */
  epoch = 1;
  #end = RECORDS;
  #callsWhileFull = 0;

  /** A call begins: empties a memory that has been full for long. */
  begin(): void {
    if (this.#callsWhileFull === 0 || ++this.#callsWhileFull < FULL_CALLS) return;
    this.#callsWhileFull = 0;
    this.#end = RECORDS;
    this.epoch++;
    skimMemory.forgetUris();
  }

  /** Adds a state; returns its address, or 0 where there is no room. */
  addState(mayEnd: boolean, index: number): number {
    const at = this.#add(STATE_BYTES);
    if (at === 0) return 0;
    skimMemory.setWord(at + STATE_MAY_END, mayEnd ? 1 : 0);
    skimMemory.setWord(at + STATE_INDEX, index);
    return at;
  }

  /** Adds a transition as the last of a state; false where there is no room. */
  addEdge(state: number, { uri, local, to, nameIndex, element }: EdgeRecord): boolean {
    const name = Buffer.from(local);
    const at = this.#add(EDGE_NAME, name);
    if (at === 0) return false;
    skimMemory.setWord(at + EDGE_URI, skimMemory.numberUri(uri));
    skimMemory.setWord(at + EDGE_LENGTH, name.length);
    skimMemory.setWord(at + EDGE_TO, to);
    skimMemory.setWord(at + EDGE_COUNT, nameIndex * 4);
    skimMemory.setWord(at + EDGE_ELEMENT, element);
    this.#append(state + STATE_FIRST, EDGE_NEXT, at);
    return true;
  }

  /** Adds a declared element; returns its address, or 0 where there is no room. */
  addElement(record: ElementRecord): number {
    const { form, attributes, needsOther, start, names, isNillable } = record;
    if (attributes.length > ATTRIBUTES_MAX) return this.addElement(OTHER_ELEMENT);
    const at = this.#add(ELEMENT_BYTES);
    if (at === 0) return 0;
    let required = needsOther ? NO_ATTRIBUTE : 0;
    for (const [index, { local, isRequired, form }] of attributes.entries()) {
      const name = Buffer.from(local);
      const attribute = this.#add(ATTRIBUTE_LOCAL, name);
      if (attribute === 0) return 0;
      skimMemory.setWord(attribute + ATTRIBUTE_LENGTH, name.length);
      skimMemory.setWord(attribute + ATTRIBUTE_BIT, 1 << index);
      required |= isRequired ? 1 << index : 0;
      if (!this.#setForm(attribute, form)) return 0;
      this.#append(at + ELEMENT_ATTRIBUTES, ATTRIBUTE_NEXT, attribute);
    }
    skimMemory.setWord(at + ELEMENT_REQUIRED, required);
    skimMemory.setWord(at + ELEMENT_START, start);
    skimMemory.setWord(at + ELEMENT_COUNTS, names * 4);
    skimMemory.setWord(at + ELEMENT_IS_NILLABLE, isNillable ? 1 : 0);
    if (isNillable) {
      skimMemory.setWord(NIL_URI, skimMemory.numberUri(INSTANCE_NAMESPACE));
    }
    return this.#setForm(at, form) ? at : 0;
  }

  /**
   * Writes the state of the open element at this depth, in which so many names are counted;
   * `isFirst`: those of no other before. False where there is no room.
   */
  enter(depth: number, state: number, names: number, isFirst: boolean): boolean {
    const at = isFirst ? MODEL_COUNTS : skimMemory.word(MODEL_COUNTS_END);
    const end = at + names * 4;
    if (end > MODEL_COUNTS + MODEL_COUNTS_BYTES) return false;
    skimMemory.setWord(frameWord(depth, FRAME_STATE), state);
    skimMemory.setWord(frameWord(depth, FRAME_COUNTS), at);
    skimMemory.bytes.fill(0, at, end);
    skimMemory.setWord(MODEL_COUNTS_END, end);
    return true;
  }

  setCount(depth: number, name: number, count: number): void {
    skimMemory.setWord(skimMemory.word(frameWord(depth, FRAME_COUNTS)) + name * 4, count);
  }

  /** The number of the state of the open element at this depth. */
  stateAt(depth: number): number {
    return skimMemory.word(skimMemory.word(frameWord(depth, FRAME_STATE)) + STATE_INDEX);
  }

  /** The children that it has begun. */
  childrenAt(depth: number): number {
    return skimMemory.word(frameWord(depth, FRAME_CHILDREN));
  }

  /** Those of them that have the name with this number. */
  countAt(depth: number, name: number): number {
    return skimMemory.word(skimMemory.word(frameWord(depth, FRAME_COUNTS)) + name * 4);
  }

  #setForm(at: number, form: ContentForm): boolean {
    const [kind, first, second] =
      typeof form === 'string' ? [FORMS[form], 0, 0] : this.#wordsOf(form);
    skimMemory.setWord(at + TEXT_FORM, kind);
    skimMemory.setWord(at + TEXT_FIRST, first);
    skimMemory.setWord(at + TEXT_SECOND, second);
    return this.#callsWhileFull === 0;
  }

  #wordsOf(form: PlainForm): readonly [number, number, number] {
    switch (form.kind) {
      case 'integer':
        return [FORM_INTEGER, form.digits, form.isSigned ? 1 : 0];
      case 'decimal':
        return [FORM_DECIMAL, form.total, form.fraction];
      case 'length':
        return [FORM_LENGTH, form.min, Math.min(form.max, INTEGER_MAX)];
      case 'words':
        return [FORM_WORDS, this.#addWords(form.words), 0];
      case 'date':
        return [FORM_DATE, 0, 0];
      case 'dateTime':
        return [FORM_DATE_TIME, 0, 0];
    }
  }

  /** Adds a list of words; returns the first. */
  #addWords(words: readonly Uint8Array[]): number {
    let first = 0;
    for (const word of words.toReversed()) {
      const at = this.#add(WORD_BYTES, word);
      if (at === 0) return 0;
      skimMemory.setWord(at + WORD_LENGTH, word.length);
      skimMemory.setWord(at + WORD_NEXT, first);
      first = at;
    }
    return first;
  }

  /** Appends a record to a list: `first` has the first one, `next` of each the one behind. */
  #append(first: number, next: number, record: number): void {
    let place = first;
    for (let at = skimMemory.word(place); at !== 0; at = skimMemory.word(place)) {
      place = at + next;
    }
    skimMemory.setWord(place, record);
  }

  /** A record of so many bytes that are 0, with these behind; 0 where there is no room. */
  #add(bytes: number, behind: Uint8Array = NO_BYTES): number {
    const at = this.#end;
    const end = at + bytes + ((behind.length + 15) & ~15);
    if (end > RECORDS_END) {
      this.#callsWhileFull ||= 1;
      return 0;
    }
    this.#end = end;
    skimMemory.bytes.fill(0, at, end);
    skimMemory.bytes.set(behind, at + bytes);
    return at;
  }
}

const frameWord = (depth: number, word: number): number =>
  MODEL_FRAME + depth * MODEL_FRAME_STRIDE + word;

const INSTANCE_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';
const INTEGER_MAX = 0x7fff_ffff;
const NO_BYTES = new Uint8Array(0);

export const modelMemory = new ModelMemory();
