import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { ALL, type Interest, type StartTag, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS, type XmlLimits } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';

export const LIMITS: XmlLimits = defaultsOf(XML_LIMITS);

/** One event: an element with its attributes, its end, or the text between two of those. */
export type LogEntry =
  | {
      readonly open: string;
      readonly prefix: string;
      readonly depth: number;
      readonly offset: number;
      readonly attributes: readonly (readonly [string, string])[];
    }
  | { readonly text: string }
  | 'close'
  | 'instruction';

export interface Outcome {
  readonly log: readonly LogEntry[];
  /** Code and detail of the refusal, or null. */
  readonly refusal: string | null;
  readonly skippedBytes: number;
  readonly encoding: string | null;
}

export interface ReadOptions {
  readonly limits?: Partial<XmlLimits>;
  readonly charset?: string | null;
  readonly interest?: (tag: StartTag) => Interest;
  /** Whether the handler takes processing instructions. */
  readonly instructions?: boolean;
}

/** Records events; pieces of text are joined. */
export class LogHandler implements XmlHandler {
  readonly log: LogEntry[] = [];
  readonly #interest: (tag: StartTag) => Interest;

  constructor(interest: (tag: StartTag) => Interest = () => ALL) {
    this.#interest = interest;
  }

  open(tag: StartTag): Interest {
    const attributes = Array.from(
      { length: tag.attributeCount },
      (_, i) =>
        [`{${tag.attributeUri(i)}}${tag.attributeLocal(i)}`, tag.attributeValue(i)] as const,
    );
    const { prefix, depth, offsetBytes: offset } = tag;
    this.log.push({ open: `{${tag.uri}}${tag.local}`, prefix, depth, offset, attributes });
    return this.#interest(tag);
  }

  close(): void {
    this.log.push('close');
  }

  text(piece: string): void {
    const last = this.log.at(-1);
    if (typeof last === 'object' && 'text' in last)
      this.log[this.log.length - 1] = { text: last.text + piece };
    else this.log.push({ text: piece });
  }
}

class InstructionLogHandler extends LogHandler {
  instruction(): void {
    this.log.push('instruction');
  }
}

/**
 * Reads a message given in pieces. Of a refused one, the text is left out: how much of it was
 * reported may differ.
 */
export function read(pieces: readonly Uint8Array[], options: ReadOptions = {}): Outcome {
  const handler = new (options.instructions === true ? InstructionLogHandler : LogHandler)(
    options.interest,
  );
  const reader = new XmlReader(handler, { ...LIMITS, ...options.limits });
  reader.begin(options.charset ?? null);
  let refusal: string | null = null;
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    refusal = `${caught.code}: ${caught.detail}`;
  }
  const log =
    refusal === null
      ? handler.log
      : handler.log.filter((entry) => !(typeof entry === 'object' && 'text' in entry));
  return { log, refusal, skippedBytes: reader.skippedBytes, encoding: reader.encoding };
}

/** The code of the refusal, or 'accepted'. */
export function result(outcome: Outcome): string {
  return outcome.refusal === null
    ? 'accepted'
    : outcome.refusal.slice(0, outcome.refusal.indexOf(':'));
}

/** All text of a message, joined. */
export function textOf(outcome: Outcome): string {
  return outcome.log
    .map((entry) => (typeof entry === 'object' && 'text' in entry ? entry.text : ''))
    .join('');
}
