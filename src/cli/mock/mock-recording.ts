import type { Buffer } from 'node:buffer';
import { scalars } from '../../codec/index.js';
import { defaultsOf } from '../../core/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  XML_LIMITS,
  type XmlHandler,
  XmlReader,
} from '../../xml/index.js';
import { type RecordedExchange, readRecording } from '../replay/read-recording.js';
import type { MockAnswer } from './mock-answers.js';

/** Recorded exchanges by their operations and arguments. */
export class MockRecording {
  readonly #exchanges: ReadonlyMap<string, RecordedExchange>;

  constructor(exchanges: ReadonlyMap<string, RecordedExchange>) {
    this.#exchanges = exchanges;
  }

  /** The recorded answer to a request with the same arguments; null for none. */
  async find(operation: string, request: Buffer): Promise<MockAnswer | null> {
    const found = this.#exchanges.get(keyOf(operation, request) ?? '');
    if (found === undefined) return null;
    return { status: found.description.reply.status, body: String(await found.reply()) };
  }
}

/** Null for a folder that is no recording. */
export async function readMockRecording(folder: string): Promise<MockRecording | null> {
  const { exchanges } = await readRecording(folder);
  if (exchanges.length === 0) return null;
  const byKey = new Map<string, RecordedExchange>();
  for (const exchange of exchanges) {
    const key = keyOf(exchange.description.operation, await exchange.request());
    if (key !== null) {
      // The last answer counts.
      byKey.set(key, exchange);
    }
  }
  return new MockRecording(byKey);
}

/** The operation and its arguments, whatever their form; null for what cannot be compared. */
function keyOf(operation: string, request: Buffer): string | null {
  const content = new BodyHash();
  try {
    const reader = new XmlReader(content, defaultsOf(XML_LIMITS));
    reader.write(request);
    reader.end();
  } catch {
    return null;
  }
  const digest = content.hash.digest();
  return digest === null ? null : `${operation} ${digest}`;
}

const BODY = 2;

/** Hashes the child of Body. */
class BodyHash implements XmlHandler {
  readonly hash = new scalars.CanonicalHash({ isData: true });
  #depth = 0;

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth > BODY) return this.hash.open(tag);
    return this.#depth === 1 || tag.local === 'Body' ? ELEMENTS_ONLY : SKIP;
  }

  close(): void {
    if (this.#depth > BODY) {
      this.hash.close();
    }
    this.#depth--;
  }

  text(chars: string): void {
    this.hash.text(chars);
  }
}
