import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defaultsOf, GIB } from '../../src/base/limit.js';
import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { VALIDITY_LIMITS } from '../../src/codec/validity/limits.js';
import { type ElementRules, SchemaRules } from '../../src/codec/validity/rules.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import { readWsdl } from '../../src/wsdl/read.js';
import { ALL, ELEMENTS_ONLY, type Interest, SKIP, type StartTag, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { FILES } from '../wsdl/written.js';
import { detachBuffer } from './detach.js';
import { fileOf, isProgram, isQuick, median, print, type Server, startServer, table } from './kit.js';
import { Load } from './load.js';
import { SMALL_REPLY, SMALL_REQUEST } from './messages.js';
import { millisOf, orders } from './reader.js';
import { PATH, startFile } from './soapstone.js';

/** What validating costs beside reading past a Body, and beside reading all of it. */

/** The schema of `orders`. */
const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:o="urn:example:orders" xmlns:c="urn:example:customers" targetNamespace="urn:example:orders">
<types>
<x:schema targetNamespace="urn:example:customers" elementFormDefault="qualified">
<x:element name="customer"><x:complexType><x:sequence><x:element name="name" type="x:string"/><x:element name="city" type="x:string"/></x:sequence><x:attribute name="vip" type="x:boolean"/></x:complexType></x:element>
</x:schema>
<x:schema targetNamespace="urn:example:orders" elementFormDefault="qualified">
<x:import namespace="urn:example:customers"/>
<x:simpleType name="Status"><x:restriction base="x:string"><x:enumeration value="open"/><x:enumeration value="shipped"/></x:restriction></x:simpleType>
<x:complexType name="Price"><x:simpleContent><x:extension base="x:decimal"><x:attribute name="currency" use="required" type="x:string"/></x:extension></x:simpleContent></x:complexType>
<x:complexType name="Line"><x:sequence><x:element name="sku" type="x:string"/><x:element name="quantity" type="x:int"/><x:element name="price" type="o:Price"/><x:element name="note" type="x:string" nillable="true" minOccurs="0"/></x:sequence><x:attribute name="no" type="x:int" use="required"/></x:complexType>
<x:complexType name="Order"><x:sequence><x:element name="placed" type="x:dateTime"/><x:element ref="c:customer"/><x:element name="lines"><x:complexType><x:sequence><x:element name="line" type="o:Line" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element><x:element name="remark" type="x:string" minOccurs="0"/></x:sequence><x:attribute name="id" type="x:long" use="required"/><x:attribute name="status" type="o:Status"/></x:complexType>
<x:complexType name="Orders"><x:sequence><x:element name="order" type="o:Order" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType>
<x:element name="GetOrders" type="o:Orders"/><x:element name="GetOrdersResponse" type="o:Orders"/>
</x:schema></types>
<message name="In"><part name="p" element="o:GetOrders"/></message><message name="Out"><part name="p" element="o:GetOrdersResponse"/></message>
<portType name="P"><operation name="GetOrders"><input message="o:In"/><output message="o:Out"/></operation></portType>
<binding name="B" type="o:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="GetOrders"><s:operation soapAction=""/><input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation></binding>
<service name="S"><port name="P" binding="o:B"><s:address location="http://backend.invalid/"/></port></service>
</definitions>`;

const LIMITS = { ...defaultsOf(XML_LIMITS), messageBytes: 2 * GIB, children: 100_000_000, elements: 1_000_000_000 };
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
}

async function rulesOf(): Promise<{ readonly schema: SchemaRules; readonly root: ElementRules }> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-'));
  try {
    const file = join(directory, 'orders.wsdl');
    await writeFile(file, WSDL);
    const schema = new SchemaRules(await readWsdl(file, FILES));
    const root = schema.global('urn:example:orders', 'GetOrdersResponse');
    if (root === null) throw new Error('no such element');
    return { schema, root };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What each small call costs the gateway, by what it validates. */
async function benchProxied(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-'));
  await writeFile(join(directory, 'orders.wsdl'), WSDL);
  const levels = [
    'requests: off, replies: off',
    'requests: off, replies: report',
    'requests: enforce, replies: enforce',
  ];
  const contenders: {
    readonly name: string;
    readonly server: Server;
    readonly load: Load;
    readonly micros: number[];
  }[] = [];
  for (const level of levels) {
    const file = join(directory, `${contenders.length}.yaml`);
    const service = `bench: { wsdl: orders.wsdl, url: "${backend.url}${PATH}", validate: { ${level} } }`;
    await writeFile(
      file,
      `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nservices: { ${service} }\nlimits: { overload: { eventLoopMillis: 0 } }\n`,
    );
    const server = await startFile(file);
    contenders.push({ name: level, server, load: new Load(server.url), micros: [] });
  }
  try {
    const count = quick ? 2_000 : 8_000;
    for (const { load } of contenders) await load.small(count);
    for (let round = 0; round < (quick ? 5 : 9); round++) {
      for (const { server, load, micros } of contenders) {
        await load.small(200);
        const before = await server.usage();
        await load.small(count);
        const after = await server.usage();
        micros.push((after.cpuMicros - before.cpuMicros) / count);
      }
    }
    print(`\nSmall calls through the gateway, ${SMALL_REQUEST.length} bytes up, ${SMALL_REPLY.length} down\n\n`);
    const base = contenders[0]?.micros ?? [];
    const rows = contenders.map(({ name, micros }) => [
      name,
      median(micros).toFixed(1),
      median(micros.map((value, round) => value / (base[round] ?? value))).toFixed(2),
    ]);
    print(table(['validate', 'CPU µs/request', 'to off'], rows));
  } finally {
    await Promise.all(contenders.map(({ load }) => load.close()));
    await Promise.all([backend, ...contenders.map(({ server }) => server)].map((server) => server.stop()));
    await rm(directory, { recursive: true });
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
  for (const [bytes, count] of [
    [quick ? 4_000_000 : 20_000_000, 1],
    [4_000, quick ? 1_000 : 5_000],
  ] as const) {
    const message = orders(bytes);
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
    print(`\n${count === 1 ? 'One message' : `${count} messages`} of ${message.length} bytes\n\n`);
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
}

if (isProgram(import.meta.url)) await benchValidity(isQuick());
