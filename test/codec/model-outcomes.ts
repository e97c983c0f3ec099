import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';

import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { type ElementRules, SchemaRules } from '../../src/codec/validity/rules.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import { defaultsOf } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import type { Interest, StartTag, XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS, type XmlLimits } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { splitsOf } from '../kit/splits.js';
import { echoWsdl, modelOf } from '../wsdl/written.js';

/** Validates documents by events alone and by the content model, and compares what comes out. */

const FRAMES = new FramePool();
export const OPTIONS = { ...defaultsOf(VALIDITY_LIMITS), textChars: 1_000_000, isThorough: true };
/** Behind the message is room, so that its end is not near. */
const ROOM = ' '.repeat(200);

interface Outcome {
  readonly violations: readonly string[];
  readonly refusal: string | null;
  readonly elements: number;
}

/** Passes all events on, and the model or not; counts the elements that are reported. */
class Reported implements XmlHandler {
  opened = 0;
  depth = 0;
  readonly #inner: XmlHandler;
  readonly #hasModel: boolean;

  constructor(inner: XmlHandler, hasModel: boolean) {
    this.#inner = inner;
    this.#hasModel = hasModel;
  }

  open(tag: StartTag): Interest {
    this.opened++;
    this.depth++;
    return this.#inner.open(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.depth--;
    this.#inner.close(contentEndBytes, endBytes);
  }

  text(chars: string): void {
    this.#inner.text(chars);
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#inner.asciiText?.(bytes, start, end) ?? false;
  }

  get model(): XmlHandler['model'] {
    return this.#hasModel ? this.#inner.model : null;
  }

  move(levels: number): void {
    this.depth += levels;
  }
}

export interface Case {
  readonly rules: SchemaRules;
  readonly root: ElementRules;
  /** Violations refuse the message. */
  readonly refuses?: boolean;
  readonly limits?: Partial<XmlLimits>;
  readonly options?: Partial<typeof OPTIONS>;
}

/** Elements that were reported although their handler has a model. */
export const reports = { count: 0 };

function outcome(c: Case, pieces: readonly Uint8Array[], hasModel: boolean): Outcome {
  const violations: string[] = [];
  const validator = new ContentValidator(
    c.rules,
    c.root,
    ({ code, rule, path, what }) => {
      if (c.refuses === true) throw new Refusal('SCHEMA_INVALID', `${path} ${what}`);
      violations.push(`${code} ${rule} ${path} ${what}`);
    },
    { ...OPTIONS, ...c.options },
    FRAMES,
  );
  const handler = new Reported(validator, hasModel);
  const reader = new XmlReader(handler, { ...defaultsOf(XML_LIMITS), ...c.limits });
  reader.locateRefusals();
  let refusal: string | null = null;
  try {
    for (const piece of pieces) reader.write(piece);
    reader.end();
    if (handler.depth !== 0) throw new Error(`${handler.depth} levels are left`);
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    refusal = JSON.stringify([caught.code, caught.detail, caught.place]);
  }
  if (hasModel) reports.count += handler.opened;
  return { violations, refusal, elements: refusal === null ? reader.elements : 0 };
}

/** Compares both ways, whole or at all splits; returns the outcome. */
export function compare(c: Case, document: string, isCut: boolean): Outcome {
  const bytes = Buffer.from(`${document}${ROOM}`);
  const expected = outcome(c, [bytes], false);
  assert.deepStrictEqual(outcome(c, [bytes], true), expected, document);
  if (isCut) {
    for (const [how, pieces] of splitsOf(bytes))
      assert.deepStrictEqual(outcome(c, pieces, true), expected, `${how}: ${document}`);
  }
  return expected;
}

export async function caseOf(xsd: string): Promise<Case> {
  const rules = new SchemaRules(await modelOf(echoWsdl(xsd)));
  const root = rules.global('urn:t', 'Echo');
  if (root === null) throw new Error('no such element');
  return { rules, root };
}

export const schemaOf = (content: string): string =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
elementFormDefault="qualified"><xs:element name="Echo"><xs:complexType>${content}</xs:complexType>
</xs:element><xs:element name="EchoResponse"/></xs:schema>`;

export const echo = (content: string): string =>
  '<t:Echo xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
  `${content}</t:Echo>`;
