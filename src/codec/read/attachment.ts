import { XOP } from '../../wsdl/documents/namespaces.js';
import type { StartTag } from '../../xml/events.js';
import { trimXml } from '../plan/lexical.js';
import type { DeferredValue, Reading } from './reading.js';

/** Looks up the attachment that an Include refers to; null where there is none. */
export type FindAttachment = (href: string) => DeferredValue | null;

/** The attachment that an Include in this simple value refers to; null where it is no Include, or none may stand here. */
export function includedIn(tag: StartTag, reading: Reading, find: FindAttachment | null): DeferredValue | null {
  if (find === null || tag.local !== 'Include' || tag.uri !== XOP) return null;
  const value = reading.slot?.value;
  if (value?.kind !== 'scalar' || value.scalar.name !== 'Base64' || trimXml(reading.text) !== '') return null;
  const href = tag.attribute('', 'href');
  return href === null ? null : find(href);
}

/** Placeholder in the answer for a deferred value. */
export class Deferred {
  readonly source: DeferredValue;

  constructor(source: DeferredValue) {
    this.source = source;
  }
}

/** The answer with every placeholder replaced by its value. */
export function resolveDeferred(answer: unknown): unknown {
  const box: Record<string, unknown> = { answer };
  const stack: Record<string, unknown>[] = [box];
  for (let holder = stack.pop(); holder !== undefined; holder = stack.pop()) {
    for (const key of Object.keys(holder)) {
      const held = holder[key];
      if (held instanceof Deferred) holder[key] = held.source.value();
      else if (isHolder(held)) stack.push(held);
    }
  }
  return box['answer'];
}

/** An object or a list of the answer: made by the decoder, so that it may be written to. */
const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
