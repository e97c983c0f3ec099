import { Buffer } from 'node:buffer';
import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
} from 'graphql';
import { isRecord } from '../../core/index.js';
import { namedOperations } from '../../graphql/index.js';

/** A value within its limit. */
export interface BoundedValue {
  /** Undefined where it was left out whole. */
  readonly value: unknown;
  readonly text: string;
  /** The parts that were left out, in words; null for none. */
  readonly note: string | null;
}

/** Bytes for all that is around a value in an answer. */
export const FRAME_BYTES = 1024;

/** Items of each list, and characters of each text, that are tried one after the other. */
const STEPS: readonly (readonly [items: number, chars: number])[] = [
  [Infinity, Infinity],
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

/**
 * The longest value that is no text, such as a number or Base64, of an answer that is shortened: a
 * part of it would be another value.
 */
const CONTENT_CHARS = 1000;

/** Parts that a note names. */
const NAMED_MAX = 5;

/**
 * Shortens a value of a type until its answer, which has it as JSON and as text, is not longer than
 * `answerBytes`: long contents are left out, then lists are cut to their first items, then texts to
 * their beginnings. A value that is too long even so is left out whole.
 */
export function boundValue(
  value: unknown,
  answerBytes: number,
  type: GraphQLOutputType,
  schema: GraphQLSchema,
): BoundedValue {
  const whole = JSON.stringify(value);
  if (bytesOf(whole) <= answerBytes - FRAME_BYTES) return { value, text: whole, note: null };
  for (const [items, chars] of STEPS) {
    const cut = new Shortener(schema, items, chars);
    const shortened = cut.shorten(value, '', type);
    const text = shortened === undefined ? '' : JSON.stringify(shortened);
    if (bytesOf(text) <= answerBytes - FRAME_BYTES) {
      return { value: shortened, text, note: cut.note };
    }
  }
  const note = `The answer has ${Buffer.byteLength(whole)} bytes and was left out. ${REMEDY}`;
  return { value: Array.isArray(value) ? [] : isRecord(value) ? {} : undefined, text: '', note };
}

const REMEDY = 'Ask for fewer fields with `fields`, or for less with the other arguments.';

/** The bytes of a text as JSON and as a string in JSON. */
export const bytesOf = (text: string): number =>
  Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));

/** Copies a value shortened, and remembers what it left out. */
class Shortener {
  readonly #schema: GraphQLSchema;
  readonly #items: number;
  readonly #chars: number;
  readonly #lists = new Map<string, { left: number; all: number }>();
  readonly #contents = new Map<string, number>();
  #texts = 0;

  constructor(schema: GraphQLSchema, items: number, chars: number) {
    this.#schema = schema;
    this.#items = items;
    this.#chars = chars;
  }

  /**
   * As deep as answers are: their levels are bounded by the selection. Undefined: it is left out.
   * `type` is null where the value is of none that is known.
   */
  shorten(value: unknown, path: string, type: GraphQLOutputType | null): unknown {
    if (typeof value === 'string') return this.#text(value, path, type);
    if (Array.isArray(value)) return this.#list(value, path, type);
    if (!isRecord(value)) return value;
    const fields =
      type === null
        ? undefined
        : namedOperations.ownerTypeOf(type, value, this.#schema)?.getFields();
    const kept = Object.entries(value).map(([key, each]): [string, unknown] => [
      key,
      this.shorten(each, `${path}/${key}`, fields?.[key]?.type ?? null),
    ]);
    return Object.fromEntries(kept.filter(([, each]) => each !== undefined));
  }

  get note(): string {
    const lists = [...this.#lists].map(
      ([path, { left, all }]) => `${left} of ${all} items of ${path === '' ? 'the list' : path}`,
    );
    const contents = [...this.#contents].map(
      ([path, chars]) => `the ${chars} characters of ${path === '' ? 'the answer' : path}`,
    );
    const named = [...lists, ...contents];
    const further = named.length > NAMED_MAX ? [`${named.length - NAMED_MAX} other parts`] : [];
    const texts = this.#texts === 0 ? [] : [`the ends of ${this.#texts} texts`];
    return `Left out: ${[...named.slice(0, NAMED_MAX), ...further, ...texts].join(', ')}. ${REMEDY}`;
  }

  #list(
    value: readonly unknown[],
    path: string,
    type: GraphQLOutputType | null,
  ): readonly unknown[] {
    const list = type === null ? null : getNullableType(type);
    const itemType = isListType(list) ? list.ofType : null;
    const items = value
      .slice(0, this.#items)
      .map((item) => this.shorten(item, `${path}/*`, itemType))
      .filter((item) => item !== undefined);
    if (value.length > this.#items) {
      this.#leftOut(path, value.length);
    }
    return items;
  }

  /** A text is cut, any other value stays whole or is left out. */
  #text(value: string, path: string, type: GraphQLOutputType | null): string | undefined {
    const isText = type === null || getNamedType(type).name === 'String';
    if (value.length <= (isText ? this.#chars : Math.min(this.#chars, CONTENT_CHARS))) return value;
    if (isText) {
      this.#texts++;
      return `${value.slice(0, this.#chars)}…`;
    }
    this.#contents.set(path, (this.#contents.get(path) ?? 0) + value.length);
    return undefined;
  }

  #leftOut(path: string, length: number): void {
    const known = this.#lists.get(path) ?? { left: 0, all: 0 };
    this.#lists.set(path, { left: known.left + length - this.#items, all: known.all + length });
  }
}
