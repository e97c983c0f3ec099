import { isNcName } from '../../xml/chars.js';
import type { QName } from '../../xml/events.js';
import { textOf } from '../plan/lexical.js';
import { LexicalError } from '../plan/scalar.js';
import { type InputPath, refuse } from './input-error.js';

/** The path of a member with a name of the client, which is not repeated: by its place. */
export const inside = (path: InputPath, at: number): InputPath => ({ above: path, step: at, depth: path.depth + 1 });

/** The name of an element without a namespace. */
export function nameOf(key: string, path: InputPath): QName {
  if (!isNcName(key)) refuse(path, 'must have the name of an element');
  return { uri: '', local: key };
}

/** A text that XML can hold. */
export function textIn(value: unknown, path: InputPath): string {
  try {
    return textOf(value);
  } catch (caught) {
    if (caught instanceof LexicalError) refuse(path, caught.message);
    throw caught;
  }
}

/** The type that a number tells. Integers that JSON may have rounded already must not look exact. */
export function numberType(value: number, path: InputPath): 'int' | 'long' | 'double' {
  if (!Number.isFinite(value)) refuse(path, 'must be a number');
  if (!Number.isInteger(value)) return 'double';
  if (!Number.isSafeInteger(value)) refuse(path, 'must be a string of digits beside its type');
  return value >= -INT_MAX - 1 && value <= INT_MAX ? 'int' : 'long';
}

const INT_MAX = 2_147_483_647;
