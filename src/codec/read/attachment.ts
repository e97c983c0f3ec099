import type { StartTag } from '../../xml/events.js';
import { trimXml } from '../plan/lexical.js';
import type { LateValue, Reading } from './reading.js';

/** Where the bytes are that an Include stands for; null where it stands for none. */
export type FindAttachment = (href: string) => LateValue | null;

const XOP_URI = 'http://www.w3.org/2004/08/xop/include';

/** What an Include in this simple value stands for; null where it is no Include, or none may stand here. */
export function includedIn(tag: StartTag, reading: Reading, find: FindAttachment | null): LateValue | null {
  if (find === null || tag.local !== 'Include' || tag.uri !== XOP_URI) return null;
  const value = reading.slot?.value;
  if (value?.kind !== 'scalar' || value.scalar.name !== 'Base64' || trimXml(reading.text) !== '') return null;
  const href = tag.attribute('', 'href');
  return href === null ? null : find(href);
}

/** Stands in the answer where a late value belongs. */
export class Late {
  readonly source: LateValue;

  constructor(source: LateValue) {
    this.source = source;
  }
}

/** The answer with every late value in its place. */
export function filled(answer: unknown): unknown {
  const box: Record<string, unknown> = { answer };
  const stack: Record<string, unknown>[] = [box];
  for (let holder = stack.pop(); holder !== undefined; holder = stack.pop()) {
    for (const key of Object.keys(holder)) {
      const held = holder[key];
      if (held instanceof Late) holder[key] = held.source.value();
      else if (isHolder(held)) stack.push(held);
    }
  }
  return box['answer'];
}

/** An object or a list of the answer: made by the decoder, so that it may be written to. */
const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
