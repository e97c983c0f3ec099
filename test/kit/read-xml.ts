import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import type { RefusalCode } from '../../src/core/refusals/refusals.js';
import type { XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS, type XmlLimits } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';

/** Reads a message, whole or in pieces, within the default limits or those that are given. */
export function readXml(
  handler: XmlHandler,
  message: string | readonly Uint8Array[],
  limits: Partial<XmlLimits> = {},
): XmlReader {
  const reader = new XmlReader(handler, { ...defaultsOf(XML_LIMITS), ...limits });
  for (const piece of typeof message === 'string' ? [Buffer.from(message)] : message)
    reader.write(piece);
  reader.end();
  return reader;
}

/** The code with which some work is refused; null where it is not. */
export function refusalOf(work: () => unknown): RefusalCode | null {
  try {
    work();
    return null;
  } catch (caught) {
    if (caught instanceof Refusal) return caught.code;
    throw caught;
  }
}
