import { parse } from 'graphql';
import { ReplyDecoder } from '../../src/codec/decode.js';
import type { ReplyPlan } from '../../src/codec/plan.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { planReply } from '../../src/graphql/plan.js';
import { EnvelopeJudge } from '../../src/soap/envelope.js';
import { SKIP, type XmlHandler } from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';
import { detachBuffer } from './detach.js';
import { median } from './kit.js';
import { orderList } from './messages.js';
import { ORDERS, SELECTIONS } from './selections.js';
import { withConfiguration } from './soapstone.js';

/**
 * Decodes one long reply in this process, over and over, and prints one line of JSON with what each way cost. Run with
 * `--expose-gc` and a young generation that holds all one run allocates, so that nothing is collected within it.
 */
export interface DecodeFigures {
  readonly name: string;
  readonly replyBytes: number;
  /** Processor time: what else the machine does meanwhile must not count. */
  readonly cpuMillis: number;
  readonly allocatedBytes: number;
  /** What is still there after a collection: the answer. */
  readonly keptBytes: number;
  readonly skippedBytes: number;
}

const CHUNK_BYTES = 64 * 1024;
const NOTHING: XmlHandler = { open: () => SKIP, close() {}, text() {} };

interface Read {
  readonly answer: unknown;
  readonly skippedBytes: number;
}

const compiled = await withConfiguration('http://127.0.0.1:9/', async (file) =>
  compile(await loadConfig(file, process.env)),
);
const [service] = compiled.services;
const bound = compiled.graph.fields.get('Query.orders');
if (service === undefined || bound === undefined) throw new Error('no field to decode for');
const { replyRules, xmlLimits } = service;
const { reply: shape } = bound;
const { codec } = compiled.config.limits;
const reply = orderList(ORDERS);

function read(handler: XmlHandler): number {
  const reader = new XmlReader(handler, xmlLimits);
  for (let at = 0; at < reply.length; at += CHUNK_BYTES) reader.write(reply.subarray(at, at + CHUNK_BYTES));
  reader.end();
  return reader.skippedBytes;
}

function decode(plan: ReplyPlan): Read {
  const decoder = new ReplyDecoder(plan, codec);
  const skippedBytes = read(new EnvelopeJudge(replyRules, null, 'no detail', { judged() {}, body: () => decoder }));
  return { answer: decoder.finish().value, skippedBytes };
}

function planOf(query: string): ReplyPlan {
  const [definition] = parse(query).definitions;
  if (definition?.kind !== 'OperationDefinition') throw new Error('not an operation');
  const nodes = definition.selectionSet.selections.flatMap((node) => (node.kind === 'Field' ? [node] : []));
  return planReply(shape, nodes, new Map(), {});
}

function figures(name: string, run: () => Read, runs: number): DecodeFigures {
  const cpuMillis: number[] = [];
  for (let n = 0; n < runs; n++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    cpuMillis.push((user + system) / 1000);
  }
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const { answer, skippedBytes } = run();
  const allocatedBytes = process.memoryUsage().heapUsed - before;
  globalThis.gc?.();
  const keptBytes = answer === null ? 0 : process.memoryUsage().heapUsed - before;
  // The second half: by then everything is compiled.
  const warm = cpuMillis.slice(runs >> 1);
  return { name, replyBytes: reply.length, cpuMillis: median(warm), allocatedBytes, keptBytes, skippedBytes };
}

detachBuffer();

const runs = Number(process.argv[2] ?? 20);
const all = [
  figures('reader alone', () => ({ answer: null, skippedBytes: read(NOTHING) }), runs),
  ...Object.entries(SELECTIONS).map(([name, query]) => {
    const plan = planOf(query);
    return figures(name, () => decode(plan), runs);
  }),
];
await compiled.close();
process.stdout.write(`${JSON.stringify(all)}\n`);
