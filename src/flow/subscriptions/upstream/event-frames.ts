import { Buffer } from 'node:buffer';
import { Refusal, refuseByLimit } from '../../../core/index.js';
import { subschemas } from '../../../graphql/index.js';

/** One event as it goes on: held to its bounds, on lines of its own. */
export interface EventFrame {
  readonly event: 'next' | 'complete';
  readonly bytes: Buffer;
}

/**
 * Cuts an event stream into events (HTML, section 9.2.6) and checks each before it is parsed.
 * Frames that are no events of GraphQL over server-sent events are refused:
 * `UPSTREAM_INVALID_RESPONSE`, `UPSTREAM_RESPONSE_LIMIT`.
 */
export class EventFrames {
  readonly #eventBytes: number;
  readonly #bounds: subschemas.SubschemaTextLimits;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The text of a line that has not ended. */
  #rest = '';
  #isAfterReturn = false;
  #name = '';
  #data: string[] = [];
  /** The length of the data so far. */
  #length = 0;

  constructor(eventBytes: number, bounds: subschemas.SubschemaTextLimits) {
    this.#eventBytes = eventBytes;
    this.#bounds = bounds;
  }

  take(chunk: Buffer): readonly EventFrame[] {
    const text = this.#decode(chunk);
    if (text === '') return [];
    // Both are one line break, but the other half of it may come later.
    const begun = this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#isAfterReturn = text.endsWith('\r');
    // Only what is new is looked at: a line may come in as many pieces as it has bytes.
    const lines = begun.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? '';
    const frames: EventFrame[] = [];
    for (const [index, piece] of lines.entries()) {
      const line = index === 0 ? this.#rest + piece : piece;
      if (line !== '') {
        this.#line(line);
      } else {
        frames.push(...this.#frames());
      }
    }
    this.#rest = lines.length === 0 ? this.#rest + last : last;
    this.#checkLength();
    return frames;
  }

  #decode(chunk: Buffer): string {
    try {
      return this.#decoder.decode(chunk, { stream: true });
    } catch {
      throw invalid('no UTF-8');
    }
  }

  #line(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') {
      this.#name = value;
    }
    if (field !== 'data') return;
    this.#data.push(value);
    this.#length += value.length + 1;
    this.#checkLength();
  }

  /** The frames before the empty line: an event, or nothing. */
  #frames(): readonly EventFrame[] {
    const name = this.#name;
    const data = this.#data;
    this.#name = '';
    this.#data = [];
    this.#length = 0;
    if (name === '' && data.every((line) => line === '')) return [];
    if (name === 'complete') return [{ event: name, bytes: COMPLETE }];
    if (name !== 'next') throw invalid('event of another name');
    const answer = subschemas.parseSubschemaText(data.join('\n'), this.#bounds);
    // The client would take it for one of several streams.
    if (typeof answer !== 'object' || answer === null || 'id' in answer) throw invalid('no result');
    return [
      {
        event: name,
        bytes: Buffer.from(`event: next\n${data.map((line) => `data: ${line}\n`).join('')}\n`),
      },
    ];
  }

  #checkLength(): void {
    if (this.#rest.length + this.#name.length + this.#length > this.#eventBytes) {
      throw refuseByLimit(
        'UPSTREAM_RESPONSE_LIMIT',
        'limits.remote.eventBytes',
        this.#eventBytes,
        null,
        'event',
      );
    }
  }
}

const COMPLETE = Buffer.from('event: complete\ndata:\n\n');

const invalid = (rule: string): Refusal =>
  new Refusal('UPSTREAM_INVALID_RESPONSE', `events: ${rule}`);
