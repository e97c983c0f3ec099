import { pathToFileURL } from 'node:url';
import sax from 'sax';
import { SaxesParser } from 'saxes';
import { defaultsOf, GIB } from '../../src/base/limit.js';
import { Refusal } from '../../src/base/refusal.js';
import { ALL, ELEMENTS, type Interest, SKIP, type StartTag, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { detachBuffer } from './detach.js';

/** One measured figure. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const CHUNK_BYTES = 64 * 1024;
const LIMITS = {
  ...defaultsOf(XML_LIMITS),
  messageBytes: 2 * GIB,
  children: 100_000_000,
  elements: 1_000_000_000,
};

/** An envelope of about this length that carries orders: prefixes, attributes, entities, text beyond ASCII. */
export function orders(bytes: number): Buffer {
  const head =
    '<?xml version="1.0" encoding="utf-8"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"' +
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n  <soap:Header/>\n  <soap:Body>\n' +
    '    <o:GetOrdersResponse xmlns:o="urn:example:orders" xmlns:c="urn:example:customers">\n';
  const tail = '    </o:GetOrdersResponse>\n  </soap:Body>\n</soap:Envelope>\n';
  const parts = [Buffer.from(head)];
  let length = head.length + tail.length;
  for (let i = 0; length < bytes; i++) {
    const order = Buffer.from(
      `      <o:order id="${100000 + i}" status="shipped">\n        <o:placed>2024-03-${10 + (i % 20)}T08:15:00+01:00</o:placed>\n` +
        `        <c:customer vip="${i % 2 === 0}"><c:name>M&#252;ller &amp; Söhne ${i}</c:name><c:city>Zürich</c:city></c:customer>\n` +
        `        <o:lines>\n          <o:line no="1"><o:sku>AB-${i}</o:sku><o:quantity>${i % 9}</o:quantity><o:price currency="CHF">${i % 500}.50</o:price></o:line>\n` +
        '          <o:line no="2"><o:sku>XY-7</o:sku><o:quantity>2</o:quantity><o:price currency="CHF">19.90</o:price><o:note xsi:nil="true"/></o:line>\n' +
        `        </o:lines>\n        <o:remark>Please deliver &lt;before&gt; noon, behind the house. Thank you for order ${i}.</o:remark>\n      </o:order>\n`,
    );
    parts.push(order);
    length += order.length;
  }
  parts.push(Buffer.from(tail));
  return Buffer.concat(parts);
}

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

/** Processor time, which other processes on the machine disturb less than they disturb the clock. */
function millisOf(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Megabytes per second of processor time of our reader and of others, side by side, and what a small message takes. */
export async function benchReader(runs = 5): Promise<readonly BenchRow[]> {
  detachBuffer();
  const message = orders(20_000_000);
  const chunks = chunksOf(message);
  const small = orders(3000);
  const engines: readonly (readonly [string, () => void])[] = [
    ['ours, Body skipped', () => runOurs(chunks, ELEMENTS, SKIP)],
    ['ours, elements', () => runOurs(chunks, ELEMENTS, ELEMENTS)],
    ['ours, elements and text', () => runOurs(chunks, ALL, ALL)],
    ['saxes', () => runSaxes(chunks)],
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
  const saxes = speeds.find(({ name }) => name === 'saxes')?.value ?? 1;
  const ratios = speeds.map(({ name, value }) => ({ name: `${name}, to saxes`, value: value / saxes, unit: 'times' }));
  return [
    ...speeds,
    ...ratios,
    { name: `${small.length} bytes, pooled`, value: smallMessage(small), unit: 'µs' },
    ...linearity(),
  ];
}

function smallMessage(message: Buffer): number {
  const handler = new Counting(ELEMENTS, SKIP);
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

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

/** Messages meant to take more than linear time, by their size. */
const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  attributes: (size) => `<a ${repeat(size / 10, (i) => ` b${i}=""`)}/>`,
  'attributes, prefixed': (size) => `<a xmlns:p="u" ${repeat(size / 10, (i) => ` p:b${i}=""`)}/>`,
  'declarations on one element': (size) => `<a ${repeat(size / 20, (i) => ` xmlns:p${i}="u"`)}/>`,
  'declarations, nested': (size) => repeat(size / 20, (i) => `<a xmlns:p${i}="u">`) + '</a>'.repeat(size / 20),
  'the same prefix, nested': (size) => '<a xmlns:p="u">'.repeat(size / 20) + '</a>'.repeat(size / 20),
  nesting: (size) => '<a>'.repeat(size / 7) + '</a>'.repeat(size / 7),
  'nesting, long names': (size) =>
    `<a${'b'.repeat(100)}>`.repeat(size / 200) + `</a${'b'.repeat(100)}>`.repeat(size / 200),
  'names all different': (size) => `<r>${repeat(size / 9, (i) => `<a${i}/>`)}</r>`,
  'one long name': (size) => `<${'a'.repeat(size)}/>`,
  'one long value': (size) => `<a b="${'x'.repeat(size)}"/>`,
  'references in a value': (size) => `<a b="${'&lt;'.repeat(size / 4)}"/>`,
  'references in text': (size) => `<a>${'&lt;'.repeat(size / 4)}</a>`,
  'zeros in a reference': (size) => `<a>&#${'0'.repeat(size)}65;</a>`,
  'carriage returns': (size) => `<a>${'\r'.repeat(size)}</a>`,
  'square brackets': (size) => `<a>${']'.repeat(size)}</a>`,
  'square brackets in CDATA': (size) => `<a><![CDATA[${']'.repeat(size)}]]></a>`,
  'CDATA sections': (size) => `<a>${'<![CDATA[]]>'.repeat(size / 12)}</a>`,
  'a long comment': (size) => `<a><!--${' -x'.repeat(size / 3)}--></a>`,
  'space in a tag': (size) => `<a${' '.repeat(size)}/>`,
  'space in an end tag': (size) => `<a></a${' '.repeat(size)}>`,
};

const UNLIMITED = Object.freeze(
  Object.fromEntries(Object.keys(XML_LIMITS).map((name) => [name, 1_000_000_000])),
) as typeof LIMITS;

/** How much longer twice as much takes, whole and byte by byte: about 2 where time is linear, 4 where it is quadratic. */
export function linearity(size = 400_000): readonly BenchRow[] {
  return Object.entries(HOSTILE).flatMap(([name, make]) =>
    [CHUNK_BYTES, 1].map((chunkBytes) => {
      const once = hostileMillis(make(size), chunkBytes);
      const twice = hostileMillis(make(size * 2), chunkBytes);
      const how = chunkBytes === 1 ? 'byte by byte' : 'in chunks';
      return { name: `${name}, ${how}, 2n to n (${once.toFixed(1)} ms)`, value: twice / once, unit: 'times' };
    }),
  );
}

function hostileMillis(text: string, chunkBytes: number): number {
  const message = Buffer.from(text);
  const handler = new Counting(ALL, ALL);
  const run = (): number =>
    millisOf(() => {
      const reader = new XmlReader(handler, UNLIMITED);
      try {
        for (let at = 0; at < message.length; at += chunkBytes) reader.write(message.subarray(at, at + chunkBytes));
        reader.end();
      } catch (caught) {
        if (!(caught instanceof Refusal)) throw caught;
        throw new Error(`a hostile message was refused: ${caught.detail}`);
      }
    });
  return Math.min(run(), run(), run(), run(), run());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { name, value, unit } of await benchReader()) {
    process.stdout.write(`${value.toFixed(2).padStart(10)} ${unit.padEnd(6)} ${name}\n`);
  }
}
