import { resolve } from 'node:path';
import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { type ElementRules, SchemaRules } from '../../src/codec/validity/rules.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import { defaultsOf, MIB } from '../../src/core/limit.js';
import { readWsdl } from '../../src/wsdl/read.js';
import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { FILES } from '../wsdl/written.js';
import { type Contender, contend, endAll, slice } from './contender.js';
import { detachBuffer } from './detach.js';
import { fileOf, isProgram, isQuick, median, print, startServer, table } from './kit.js';
import { SHAPES, type Shape, SMALL_REPLY, SMALL_REQUEST, sizedEnvelope } from './messages.js';
import { millisOf } from './reader.js';
import { PATH, startKeys } from './soapstone.js';

/** What validating costs beside reading past a Body, and beside reading all of it. */

/** The schema of `orders`. */
const WSDL = resolve('test/bench/typed-orders.wsdl');

const LIMITS = {
  ...defaultsOf(XML_LIMITS),
  messageBytes: 2048 * MIB,
  children: 100_000_000,
  elements: 1_000_000_000,
};
const CHUNK_BYTES = 64 * 1024;

/** Envelope and Body by itself, the child of Body by another handler, or with this interest. */
class Envelope implements XmlHandler {
  readonly #inner: XmlHandler | null;
  readonly #interest: Interest;
  #depth = 0;

  constructor(inner: XmlHandler | null, interest: Interest) {
    this.#inner = inner;
    this.#interest = interest;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth < 3) return ELEMENTS_ONLY;
    return this.#inner?.open(tag) ?? this.#interest;
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#depth-- >= 3) this.#inner?.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    this.#inner?.text(piece);
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#inner?.asciiText?.(bytes, start, end) ?? false;
  }

  get model(): XmlHandler['model'] {
    return this.#inner?.model;
  }

  move(levels: number): void {
    this.#depth += levels;
  }
}

async function rulesOf(): Promise<{ readonly schema: SchemaRules; readonly root: ElementRules }> {
  const schema = new SchemaRules(await readWsdl(WSDL, FILES));
  const root = schema.global('urn:example:orders', 'GetOrdersResponse');
  if (root === null) throw new Error('no such element');
  return { schema, root };
}

/** What each small call costs the gateway, by what it validates. */
async function benchProxied(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const levels = [
    'requests: off, replies: off',
    'requests: off, replies: report',
    'requests: enforce, replies: enforce',
  ];
  const contenders: Contender[] = [];
  for (const level of levels) {
    const service =
      `bench: { wsdl: ${WSDL}, url: "${backend.url}${PATH}", validate: ` + `{ ${level} } }`;
    const server = await startKeys(
      `services: { ${service} }\nlimits: { overload: { eventLoopMillis: 0 } }\n`,
    );
    contenders.push(contend(level, server));
  }
  try {
    const count = quick ? 2_000 : 8_000;
    for (const { load } of contenders) await load.small(count);
    for (let round = 0; round < (quick ? 5 : 9); round++) {
      for (const contender of contenders) {
        await contender.load.small(200);
        await slice(contender, count);
      }
    }
    print(
      `\nSmall calls through the gateway, ${SMALL_REQUEST.length} bytes up, ` +
        `${SMALL_REPLY.length} down\n\n`,
    );
    const base = contenders[0]?.micros ?? [];
    const rows = contenders.map(({ name, micros }) => [
      name,
      median(micros).toFixed(1),
      median(micros.map((value, round) => value / (base[round] ?? value))).toFixed(2),
    ]);
    print(table(['validate', 'CPU µs/request', 'to off'], rows));
  } finally {
    await endAll(contenders, backend);
  }
}

/** Processor time, in turn, of reading past the Body, reading all of it and validating it. */
export async function benchValidity(quick: boolean): Promise<void> {
  detachBuffer();
  const { schema, root } = await rulesOf();
  const limits = { ...defaultsOf(VALIDITY_LIMITS), textChars: 1_000_000, isThorough: true };
  const frames = new FramePool();
  const validator = (): XmlHandler =>
    new ContentValidator(
      schema,
      root,
      ({ path, what }) => {
        throw new Error(`${path} ${what}`);
      },
      limits,
      frames,
    );
  await benchProxied(quick);
  const counts: readonly (readonly [number, number])[] = [
    [quick ? 4_000_000 : 20_000_000, 1],
    [4_000, quick ? 1_000 : 5_000],
  ];
  for (const shape of SHAPES) {
    if (shape === 'text') continue;
    for (const [bytes, count] of counts) benchMessage(shape, bytes, count, validator, quick);
  }
}

/** Three ways to read a message of this shape and length, in turn. */
function benchMessage(
  shape: Shape,
  bytes: number,
  count: number,
  validator: () => XmlHandler,
  quick: boolean,
): void {
  const message = sizedEnvelope(bytes, shape, 'down');
  const chunks = Array.from({ length: Math.ceil(message.length / CHUNK_BYTES) }, (_, i) =>
    message.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );
  const reader = new XmlReader(new Envelope(null, SKIP), LIMITS);
  const run = (handler: () => XmlHandler): number =>
    millisOf(() => {
      for (let i = 0; i < count; i++) {
        reader.reset(handler());
        for (const chunk of chunks) reader.write(chunk);
        reader.end();
      }
    });
  const ways: readonly (readonly [string, () => XmlHandler])[] = [
    ['read past', () => new Envelope(null, SKIP)],
    ['all elements and text', () => new Envelope(null, ALL)],
    ['validated', () => new Envelope(validator(), SKIP)],
  ];
  const times = ways.map((): number[] => []);
  for (let round = 0; round < (quick ? 5 : 9); round++) {
    for (const [i, [, way]] of ways.entries()) times[i]?.push(run(way));
  }
  const base = median(times[0] ?? []);
  const title = count === 1 ? 'One message' : `${count} messages`;
  print(`\n${title} of ${message.length} bytes, ${shape}\n\n`);
  const rows = ways.map(([name], i) => {
    const millis = median(times[i] ?? []);
    const ratios = (times[i] ?? []).map((time, round) => time / (times[0]?.[round] ?? base));
    return [
      name,
      ((message.length * count) / 1e3 / millis).toFixed(0),
      ((millis * 1000) / count).toFixed(1),
      median(ratios).toFixed(2),
    ];
  });
  print(table(['Body', 'MB/s', 'CPU µs/message', 'to read past'], rows));
}

if (isProgram(import.meta.url)) await benchValidity(isQuick());
