import type { SimpleType } from '../../wsdl/index.js';
import { compileSimple } from '../values/simple-validity.js';

/** How many values there are of each declaration inside an element with keys. */
export class ValueCounts {
  readonly #counts = new Map<object, number>();

  /** The number of values of this declaration before this one. */
  next(declaration: object): number {
    const count = this.#counts.get(declaration) ?? 0;
    this.#counts.set(declaration, count + 1);
    return count;
  }
}

/** Texts that are tried for one value. */
const TRIES_MAX = 20_000;
/** Values that are told apart. */
const VALUES_MAX = 200;

const CHARACTERS = '123456789abcdefghijklmnopqrstuvwxyz0ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Valid values of a type that differ from the first one and from each other: the next ones of its
 * enumeration, or texts in which a character is another one, or one more.
 */
export function distinctValue(type: SimpleType, first: string, index: number): string {
  if (index === 0) return first;
  const check = compileSimple(type);
  const found = new Set([first]);
  const isEnough = (): boolean => found.size > Math.min(index, VALUES_MAX);
  for (const { value } of type.enumeration ?? []) {
    if (!isEnough() && check(value) === null) {
      found.add(value);
    }
  }
  let tries = 0;
  for (const text of found) {
    for (const other of textsBeside(text)) {
      if (isEnough() || ++tries > TRIES_MAX) return [...found].at(index) ?? first;
      if (check(other) === null && other === other.trim()) {
        found.add(other);
      }
    }
  }
  return [...found].at(index) ?? first;
}

/** Texts that differ in one character, from the last one on. */
function* textsBeside(text: string): Generator<string> {
  for (const character of CHARACTERS) {
    for (let at = text.length - 1; at >= 0; at--) {
      if (isOfKind(character, text.charAt(at))) {
        yield text.slice(0, at) + character + text.slice(at + 1);
      }
    }
  }
  for (const character of CHARACTERS) yield text + character;
}

/** A digit stands for a digit: `0x` would be valid in few types, and no pleasant value. */
const isOfKind = (character: string, other: string): boolean =>
  /\d/.test(character) === /\d/.test(other) && /\w/.test(other);
