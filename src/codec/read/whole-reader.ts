import type { StartTag } from '../../xml/events.js';
import { AnyValueReader } from './any-value.js';
import { OpaqueXml } from './opaque.js';
import type { SlotProgram } from './program.js';

/** Takes an element with all that is in it, as XML or as JSON. */
export interface WholeReader {
  /** It is longer than allowed, and comes to nothing. */
  readonly isTooLong: boolean;
  open(tag: StartTag): void;
  text(piece: string): void;
  close(): void;
  finish(): unknown;
}

/** The reader of an element that is taken as a whole; null for others. */
export function wholeReader({ value }: Pick<SlotProgram, 'value'>, maxChars: number): WholeReader | null {
  if (value.kind === 'any') return new AnyValueReader(value.types, maxChars);
  return value.kind === 'opaque' ? new OpaqueXml(maxChars) : null;
}
