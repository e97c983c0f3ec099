import type { Pace } from '../core/index.js';

/** About as many characters are printed at once. */
const PART_CHARS = 16_384;
/** Levels of objects and lists whose members are printed one by one; further ones are short. */
const LEVELS = 4;

/** Prints a value as JSON in parts, with pauses between them. */
export async function* printInParts(value: unknown, pace: Pace): AsyncGenerator<string> {
  let text = '';
  for (const part of partsOf(value, LEVELS)) {
    text += part;
    if (text.length < PART_CHARS) continue;
    yield text;
    text = '';
    await pace.pause();
  }
  if (text !== '') {
    yield text;
  }
}

function* partsOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined && !isList) continue;
    yield isList ? before : `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member, levels - 1);
    before = ',';
  }
  yield `${before === ',' ? '' : before}${isList ? ']' : '}'}`;
}
