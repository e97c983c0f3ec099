import type { Buffer } from 'node:buffer';
import { scalars } from '../../codec/index.js';
import { defaultsOf, getOrMake, Refusal } from '../../core/index.js';
import { DIALECT_NAMES, DIALECTS } from '../../soap/index.js';
import { namespaces } from '../../wsdl/index.js';
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
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
  const digest = content.hash.digest();
  return digest === null ? null : `${operation} ${digest}`;
}

const BODY = 2;

/** Hashes the children of Body. */
class BodyHash implements XmlHandler {
  readonly #references = new EncodedReferences();
  readonly hash = new scalars.CanonicalHash({
    isData: true,
    attributeOf: (tag, index) => this.#references.valueOf(tag, index),
  });
  #depth = 0;

  open(tag: StartTag): Interest {
    this.#depth++;
    this.#references.open(tag);
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

/**
 * Ids of a message in SOAP encoding, and references to them, as their numbers in order: each client
 * makes its own, and those of a recording are replaced.
 */
class EncodedReferences {
  readonly #numbers = new Map<string, number>();
  #isEncoded = false;

  open(tag: StartTag): void {
    this.#isEncoded ||= ENVELOPES.some((uri) => tag.attribute(uri, 'encodingStyle') !== null);
  }

  valueOf(tag: StartTag, index: number): string {
    const value = tag.attributeValue(index);
    if (!this.#isEncoded || !isReference(tag.attributeUri(index), tag.attributeLocal(index), value))
      return value;
    const id = value.replace(/^#/, '');
    return `#${getOrMake(this.#numbers, id, () => this.#numbers.size)}`;
  }
}

const ENVELOPES = DIALECT_NAMES.map((name) => DIALECTS[name].envelopeUri);

/** `id` and `href` of SOAP 1.1, `id` and `ref` of SOAP 1.2 (Part 2, section 3.1.5). */
function isReference(uri: string, local: string, value: string): boolean {
  if (uri === '') return local === 'id' || (local === 'href' && value.startsWith('#'));
  return namespaces.SOAP_ENCODINGS.includes(uri) && (local === 'id' || local === 'ref');
}
