import { pathToFileURL } from 'node:url';
import { ParseOption, XmlDocument } from 'libxml2-wasm';
import sax from 'sax';
import { SaxesParser } from 'saxes';
import { defaultsOf, MIB } from '../../src/core/limit.js';
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
import { detachBuffer } from './detach.js';
import { orders, sizedEnvelope } from './messages.js';

/** One measured figure. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const CHUNK_BYTES = 64 * 1024;
const LIMITS = {
  ...defaultsOf(XML_LIMITS),
  messageBytes: 2048 * MIB,
  children: 100_000_000,
  elements: 1_000_000_000,
};

class Counting implements XmlHandler {
  count = 0;
  readonly #envelope: Interest;
  readonly #body: Interest;

  constructor(envelope: Interest, body: Interest) {
    this.#envelope = envelope;
    this.#body = body;
  }

  open(tag: StartTag): Interest {
    this.count++;
    return tag.depth < 3 ? this.#envelope : this.#body;
  }

  close(): void {}

  text(piece: string): void {
    this.count += piece.length;
  }
}

function chunksOf(message: Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(message.length / CHUNK_BYTES) }, (_, i) =>
    message.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );
}

function runOurs(chunks: readonly Buffer[], envelope: Interest, body: Interest): void {
  const reader = new XmlReader(new Counting(envelope, body), LIMITS);
  for (const chunk of chunks) reader.write(chunk);
  reader.end();
}

function runSaxes(chunks: readonly Buffer[]): void {
  let count = 0;
  const parser = new SaxesParser({ xmlns: true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  parser.on('opentag', () => count++);
  parser.on('text', (text) => {
    count += text.length;
  });
  for (const chunk of chunks) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
}

function runSax(chunks: readonly Buffer[]): void {
  let count = 0;
  const parser = sax.parser(true, { xmlns: true });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  parser.onopentag = () => count++;
  parser.ontext = (text) => {
    count += text.length;
  };
  for (const chunk of chunks) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
}

/**
 * A mebibyte that nothing reads: of elements, of one text, and of one text between elements that
 * are read.
 */
const skippedMebibytes = (): readonly BenchRow[] =>
  (
    [
      ['elements, skipped', 'elements', SKIP],
      ['text, skipped', 'text', SKIP],
      ['text between elements that are read', 'text', ELEMENTS_ONLY],
    ] as const
  ).map(([what, shape, inner]) => {
    const message = sizedEnvelope(2 ** 20, shape, 'down');
    const chunks = chunksOf(message);
    const batch = (): number =>
      millisOf(() => {
        for (let i = 0; i < 40; i++) runOurs(chunks, ELEMENTS_ONLY, inner);
      }) / 40;
    batch();
    const millis = median(Array.from({ length: 7 }, batch));
    return { name: `a mebibyte of ${what}`, value: message.length / 1e3 / millis, unit: 'MB/s' };
  });

/** It reads whole documents only, and makes a tree of them. */
function runLibxml2(message: Buffer): void {
  XmlDocument.fromBuffer(message, { option: ParseOption.XML_PARSE_HUGE }).dispose();
}

/**
 * Processor time, which other processes on the machine disturb less than they disturb the clock.
 */
export function millisOf(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Megabytes per second of processor time of our reader and of others, side by side, and what a
 * small message takes.
 */
export async function benchReader(runs = 5): Promise<readonly BenchRow[]> {
  detachBuffer();
  const message = orders(20_000_000);
  const chunks = chunksOf(message);
  const small = orders(3000);
  const engines: readonly (readonly [string, () => void])[] = [
    ['ours, Body skipped', () => runOurs(chunks, ELEMENTS_ONLY, SKIP)],
    ['ours, elements', () => runOurs(chunks, ELEMENTS_ONLY, ELEMENTS_ONLY)],
    ['ours, elements and text', () => runOurs(chunks, ALL, ALL)],
    ['saxes', () => runSaxes(chunks)],
    ['libxml2-wasm', () => runLibxml2(message)],
    ['sax', () => runSax(chunks)],
  ];
  const times = engines.map((): number[] => []);
  for (const [name, engine] of engines) if (name !== 'sax') engine();
  for (let run = 0; run < runs; run++) {
    engines.forEach(([name, engine], i) => {
      if (name !== 'sax' || run === 0) times[i]?.push(millisOf(engine));
    });
  }
  const speeds = engines.map(([name], i) => ({
    name,
    value: message.length / 1e3 / median(times[i] ?? []),
    unit: 'MB/s',
  }));
  const ours = speeds.filter(({ name }) => name.startsWith('ours'));
  const ratios = speeds
    .filter(({ name }) => name === 'saxes' || name === 'libxml2-wasm')
    .flatMap((peer) =>
      ours.map(({ name, value }) => ({
        name: `${name}, to ${peer.name}`,
        value: value / peer.value,
        unit: 'times',
      })),
    );
  return [
    ...speeds,
    ...ratios,
    ...skippedMebibytes(),
    { name: `${small.length} bytes, pooled`, value: smallMessage(small), unit: 'µs' },
  ];
}

function smallMessage(message: Buffer): number {
  const handler = new Counting(ELEMENTS_ONLY, SKIP);
  const reader = new XmlReader(handler, LIMITS);
  const batch = (): number =>
    millisOf(() => {
      for (let i = 0; i < 2000; i++) {
        reader.reset(handler);
        reader.write(message);
        reader.end();
      }
    }) / 2;
  return median(Array.from({ length: 7 }, batch));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, value, unit } of await benchReader()) {
    process.stdout.write(`${value.toFixed(2).padStart(10)} ${unit.padEnd(6)} ${name}\n`);
  }
}
