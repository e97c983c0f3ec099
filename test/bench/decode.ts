import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { parse } from 'graphql';
import type { ReplyPlan } from '../../src/codec/plan/reply/reply-plan.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { planReply } from '../../src/graphql/schema/output/reply-plan.js';
import { SKIP, type XmlHandler } from '../../src/xml/events.js';
import { detachBuffer } from './detach.js';
import { median, mib, print } from './kit.js';
import { orderList, RECORD_NOTE, recordList } from './messages.js';
import { ReplyDecoding } from './reply-decoder.js';
import { DECODE_OPTIONS, ORDERS, RECORD_SELECTIONS, SELECTIONS } from './selections.js';
import { withConfiguration } from './soapstone.js';

/**
 * Decodes one long reply in this process, over and over: prints what two fields of 5,000 records
 * cost beside parsing the reply with fast-xml-parser and picking them, and what records cost with
 * their JSON; or with `--json` and a number of runs one line of JSON with what each way cost. Runs
 * itself again with `DECODE_OPTIONS`, so that nothing is collected within a run.
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
const bound = compiled.graph.fields.get('Query.orders');
if (bound === undefined) throw new Error('no field to decode for');
const { reply: shape } = bound;
const REPLY = orderList(ORDERS);
const RECORDS = recordList(ORDERS);

const decoding = new ReplyDecoding(compiled);

const decode = (reply: Buffer, plan: ReplyPlan): Read => decoding.decode(reply, plan);

interface ParsedReply {
  readonly Envelope: {
    readonly Body: { readonly ListOrdersResponse: { readonly order: readonly ParsedOrder[] } };
  };
}
interface ParsedOrder {
  readonly id: unknown;
  readonly total: unknown;
}

const PARSER = new XMLParser({
  removeNSPrefix: true,
  ignoreAttributes: true,
  parseTagValue: false,
});

/** What a service of one's own would do: collect the body, parse it, pick the fields. */
function parseAndPick(reply: Buffer): Read {
  const chunks: Buffer[] = [];
  for (let at = 0; at < reply.length; at += CHUNK_BYTES)
    chunks.push(reply.subarray(at, at + CHUNK_BYTES));
  const parsed: ParsedReply = PARSER.parse(Buffer.concat(chunks).toString());
  const answer = parsed.Envelope.Body.ListOrdersResponse.order.map(({ id, total }) => ({
    id,
    total,
  }));
  return { answer, skippedBytes: 0 };
}

function planOf(query: string): ReplyPlan {
  const [definition] = parse(query).definitions;
  if (definition?.kind !== 'OperationDefinition') throw new Error('not an operation');
  const nodes = definition.selectionSet.selections.flatMap((node) =>
    node.kind === 'Field' ? [node] : [],
  );
  return planReply(shape, nodes, { fragments: new Map(), variables: {} });
}

function figures(name: string, reply: Buffer, run: () => Read, runs: number): DecodeFigures {
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
  return {
    name,
    replyBytes: reply.length,
    cpuMillis: median(warm),
    allocatedBytes,
    keptBytes,
    skippedBytes,
  };
}

function everyWay(runs: number): readonly DecodeFigures[] {
  return [
    figures(
      'reader alone',
      REPLY,
      () => ({ answer: null, skippedBytes: decoding.read(REPLY, NOTHING) }),
      runs,
    ),
    ...Object.entries(SELECTIONS).map(([name, query]) => {
      const plan = planOf(query);
      return figures(name, REPLY, () => decode(REPLY, plan), runs);
    }),
  ];
}

/** Records of 250 bytes as GraphQL answers them: decoded alone, and with the JSON of the answer. */
function besideJson(rounds: number): void {
  const records = recordList(ORDERS, RECORD_NOTE);
  const megabytes = records.length / 1e6;
  print(`A reply of ${ORDERS} records, ${megabytes.toFixed(2)} MB\n`);
  for (const [name, query] of Object.entries(RECORD_SELECTIONS)) {
    const plan = planOf(query);
    const decoded = figures(name, records, () => decode(records, plan), 4 * rounds);
    const asJson = (): Read => {
      const { answer, skippedBytes } = decode(records, plan);
      return { answer: Buffer.from(JSON.stringify(answer)), skippedBytes };
    };
    const written = figures(name, records, asJson, 4 * rounds);
    const speed = ({ cpuMillis }: DecodeFigures): string =>
      `${cpuMillis.toFixed(1)} ms, ${((megabytes * 1000) / cpuMillis).toFixed(0)} MB/s`;
    print(`  ${name.padEnd(16)} ${speed(decoded)}; with its JSON ${speed(written)}\n`);
  }
}

/** Turn and turn about: whatever else the machine does slows both. */
function besideParser(rounds: number): void {
  const plan = planOf(SELECTIONS['two fields'] ?? '');
  const rows = Array.from({ length: rounds }, () => ({
    ours: figures('two fields', RECORDS, () => decode(RECORDS, plan), 10),
    theirs: figures('fast-xml-parser', RECORDS, () => parseAndPick(RECORDS), 10),
  }));
  const cpu = median(rows.map(({ ours, theirs }) => theirs.cpuMillis / ours.cpuMillis));
  const memory = median(
    rows.map(({ ours, theirs }) => theirs.allocatedBytes / ours.allocatedBytes),
  );
  const say = ({ name, cpuMillis, allocatedBytes }: DecodeFigures): void =>
    print(
      `  ${name.padEnd(16)} ${cpuMillis.toFixed(2)} ms of CPU, ` +
        `${mib(allocatedBytes)} MiB allocated\n`,
    );
  print(
    `A reply of ${ORDERS} records, ${(RECORDS.length / 1e6).toFixed(2)} MB, two fields of each\n`,
  );
  const last = rows.at(-1);
  if (last !== undefined) [last.ours, last.theirs].forEach(say);
  print(
    `  ${cpu.toFixed(1)} times the requests a second, ${memory.toFixed(1)} times less memory ` +
      `(median of ${rounds})\n`,
  );
}

if (globalThis.gc === undefined) {
  const again = [...DECODE_OPTIONS, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  execFileSync(process.execPath, again, { stdio: 'inherit' });
} else {
  detachBuffer();
  if (process.argv[2] === '--json')
    process.stdout.write(`${JSON.stringify(everyWay(Number(process.argv[3] ?? 20)))}\n`);
  else {
    besideParser(Number(process.argv[2] ?? 9));
    besideJson(Number(process.argv[2] ?? 9));
  }
}
await compiled.close();
