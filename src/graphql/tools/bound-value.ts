import { Buffer } from 'node:buffer';
import { isRecord } from '../../base/record.js';

/** A value within its limit. */
export interface BoundedValue {
  readonly value: unknown;
  readonly text: string;
  /** The parts that were left out, in words; null for none. */
  readonly note: string | null;
}

/** Bytes for all that is around the value. */
const FRAME_BYTES = 1024;

/** Items of each list, and characters of each text, that are tried one after the other. */
const STEPS: readonly (readonly [items: number, chars: number])[] = [
  [1000, Infinity],
  [300, Infinity],
  [100, Infinity],
  [30, Infinity],
  [10, Infinity],
  [10, 1000],
  [3, 1000],
  [3, 200],
  [1, 200],
  [1, 40],
  [0, 40],
];

/** Parts that a note names. */
const NAMED_MAX = 5;

/**
 * Shortens a value until its answer, which has it as JSON and as text, is not longer than
 * `answerBytes`: lists to their first items, then texts to their beginnings. A value that is too
 * long even so is left out whole.
 */
export function boundValue(value: unknown, answerBytes: number): BoundedValue {
  const whole = JSON.stringify(value);
  if (bytesOf(whole) <= answerBytes - FRAME_BYTES) return { value, text: whole, note: null };
  for (const [items, chars] of STEPS) {
    const cut = new Shortener(items, chars);
    const shortened = cut.shorten(value);
    const text = JSON.stringify(shortened);
    if (bytesOf(text) <= answerBytes - FRAME_BYTES)
      return { value: shortened, text, note: cut.note };
  }
  const note = `The answer has ${Buffer.byteLength(whole)} bytes and was left out. ${REMEDY}`;
  return { value: Array.isArray(value) ? [] : isRecord(value) ? {} : null, text: '', note };
}

const REMEDY = 'Ask for fewer fields with `fields`, or for less with the other arguments.';

/** The bytes of a text as JSON and as a string in JSON. */
const bytesOf = (text: string): number =>
  Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));

/** Copies a value shortened, and remembers what it left out. */
class Shortener {
  readonly #items: number;
  readonly #chars: number;
  readonly #lists = new Map<string, { left: number; all: number }>();
  #texts = 0;

  constructor(items: number, chars: number) {
    this.#items = items;
    this.#chars = chars;
  }

  /** As deep as answers are: their levels are bounded by the selection. */
  shorten(value: unknown, path = ''): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) {
      if (value.length > this.#items) this.#leftOut(path, value.length);
      return value.slice(0, this.#items).map((item) => this.shorten(item, `${path}/*`));
    }
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.shorten(each, `${path}/${key}`)]),
    );
  }

  get note(): string {
    const lists = [...this.#lists].map(
      ([path, { left, all }]) => `${left} of ${all} items of ${path === '' ? 'the list' : path}`,
    );
    const further =
      lists.length > NAMED_MAX ? [`items of ${lists.length - NAMED_MAX} other lists`] : [];
    const texts = this.#texts === 0 ? [] : [`the ends of ${this.#texts} texts`];
    return `Left out: ${[...lists.slice(0, NAMED_MAX), ...further, ...texts].join(', ')}. ${REMEDY}`;
  }

  #text(text: string): string {
    if (text.length <= this.#chars) return text;
    this.#texts++;
    return `${text.slice(0, this.#chars)}…`;
  }

  #leftOut(path: string, length: number): void {
    const known = this.#lists.get(path) ?? { left: 0, all: 0 };
    this.#lists.set(path, { left: known.left + length - this.#items, all: known.all + length });
  }
}
