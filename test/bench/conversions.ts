import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { convertedScalar } from '../../src/codec/convert/converted-scalar.js';
import type { ConversionTarget } from '../../src/codec/plan/conversion.js';
import { objectOf } from '../../src/codec/plan/reply/lazy-object.js';
import type { FieldSlot, ReplyPlan } from '../../src/codec/plan/reply/reply-plan.js';
import type { Scalar } from '../../src/codec/plan/scalar.js';
import { scalarOf } from '../../src/codec/values/scalars.js';
import { compile } from '../../src/compile.js';
import { loadConfig } from '../../src/config/load.js';
import { STRING } from '../../src/wsdl/xsd/builtin.js';
import { detachBuffer } from './detach.js';
import { median, print } from './kit.js';
import { ReplyDecoding } from './reply-decoder.js';
import { DECODE_OPTIONS, ORDERS } from './selections.js';
import { withConfiguration } from './soapstone.js';

/**
 * Two fields of 5,000 records with each conversion, beside the same texts as they are, in turns:
 * the ratio of processor time. Arguments are the number of turns, and parts of the names of
 * conversions, if not all. Runs itself again with `DECODE_OPTIONS`, so that nothing is collected
 * within a run.
 */

const BAR = 1.15;

const two = (value: number): string => String(value).padStart(2, '0');
const day = (at: number): string => `2026${two((at % 12) + 1)}${two((at % 28) + 1)}`;
const clock = (at: number): string => two(at % 24) + two(at % 60) + two((at * 7) % 60);

interface Case {
  readonly target: ConversionTarget | null;
  readonly trims?: boolean;
  readonly nulls?: readonly string[];
  /** The text of a record. */
  textOf(at: number): string;
}

const zoned = (zone: string): Case => ({
  target: { kind: 'dateTime', pattern: 'yyyyMMddHHmmss', zone },
  // Local times that exist in each zone.
  textOf: (at) => day(at) + two(4 + (at % 20)) + clock(at).slice(2),
});

const CASES: Readonly<Record<string, Case>> = {
  boolean: {
    target: { kind: 'boolean', texts: { true: 'J', false: 'N' } },
    textOf: (at) => (at % 3 === 0 ? 'J' : 'N'),
  },
  enum: {
    target: {
      kind: 'enum',
      texts: new Map(Object.entries({ OPEN: '1', SHIPPED: '2', LOST: '9' })),
    },
    textOf: (at) => '129'.charAt(at % 3),
  },
  date: { target: { kind: 'date', pattern: 'yyyyMMdd' }, textOf: day },
  'date that may be null': {
    target: { kind: 'date', pattern: 'yyyyMMdd' },
    nulls: ['00000000', ''],
    textOf: (at) => (at % 5 === 0 ? '00000000' : day(at)),
  },
  'day of the year': {
    target: { kind: 'date', pattern: 'yyyyDDD' },
    textOf: (at) => `2026${String((at % 365) + 1).padStart(3, '0')}`,
  },
  time: { target: { kind: 'time', pattern: 'HHmmss' }, textOf: clock },
  'dateTime in Europe/Zurich': zoned('Europe/Zurich'),
  'dateTime in America/New_York': zoned('America/New_York'),
  'dateTime in +01:00': zoned('+01:00'),
  'dateTime with its offset': {
    target: { kind: 'dateTime', pattern: 'yyyyMMddHHmmssXX', zone: null },
    textOf: (at) => `${day(at)}${clock(at)}+0${at % 9}00`,
  },
  decimal: {
    target: { kind: 'decimal', places: 2, digits: 7 },
    textOf: (at) => String(at * 7).padStart(7, '0'),
  },
  integer: {
    target: { kind: 'integer', digits: 7 },
    textOf: (at) => String(at * 7).padStart(7, '0'),
  },
  'integer of 18 digits': {
    target: { kind: 'integer', digits: 18 },
    textOf: (at) => String(at * 7).padStart(18, '0'),
  },
  trim: { target: null, trims: true, textOf: (at) => `text ${at}         ` },
};

const URI = 'urn:soapstone:demo:orders';
const NOTE = '<note>leave it with the neighbour where nobody opens the door</note>'.repeat(2);

function replyOf({ textOf }: Case): Buffer {
  const records = Array.from(
    { length: ORDERS },
    (_, at) =>
      `<order><id>${at}</id><one>${textOf(at)}</one><two>${textOf(at + 1)}</two>${NOTE}</order>`,
  );
  return Buffer.from(
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<R xmlns="${URI}">${records.join('')}</R></s:Body></s:Envelope>`,
  );
}

function planOf(scalar: Scalar): ReplyPlan {
  const slot = (local: string): FieldSlot => ({
    key: local,
    source: { from: 'child', name: { uri: URI, local }, default: null },
    ...{ list: false, nonNull: false, itemNonNull: false },
    value: { kind: 'scalar', scalar },
  });
  const order: FieldSlot = {
    ...slot('order'),
    list: true,
    value: objectOf([slot('one'), slot('two')]),
  };
  const element = { uri: URI, local: 'R' };
  return { element, shape: 'unwrap', value: objectOf([order]), nonNull: false };
}

/** Runs that warm up, and runs of each turn. */
const WARM = 20;
const RUNS = 6;

function cpuMillis(run: () => unknown): number {
  const start = process.cpuUsage();
  for (let at = 0; at < RUNS; at++) run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / RUNS;
}

function compare(name: string, each: Case, decoding: ReplyDecoding, turns: number): void {
  const reply = replyOf(each);
  const own = scalarOf(STRING);
  const { target, trims = false, nulls = [] } = each;
  const plain = planOf(own);
  const converted = planOf(convertedScalar(STRING, own, { target, trims, nulls }, 'Values'));
  for (let at = 0; at < WARM; at++) {
    decoding.decode(reply, plain);
    decoding.decode(reply, converted);
  }
  const pairs = Array.from({ length: turns }, () => {
    globalThis.gc?.();
    const texts = cpuMillis(() => decoding.decode(reply, plain));
    globalThis.gc?.();
    return { texts, values: cpuMillis(() => decoding.decode(reply, converted)) };
  });
  const ratio = median(pairs.map(({ texts, values }) => values / texts));
  print(
    `  ${name.padEnd(30)} ${median(pairs.map(({ texts }) => texts)).toFixed(2)} ms, converted ` +
      `${median(pairs.map(({ values }) => values)).toFixed(2)} ms: ${ratio.toFixed(2)}` +
      `${ratio <= BAR ? '' : `, above ${BAR}`}\n`,
  );
}

if (globalThis.gc === undefined) {
  const again = [...DECODE_OPTIONS, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  execFileSync(process.execPath, again, { stdio: 'inherit' });
} else {
  detachBuffer();
  const compiled = await withConfiguration('http://127.0.0.1:9/', async (file) =>
    compile(await loadConfig(file, process.env)),
  );
  const decoding = new ReplyDecoding(compiled);
  print(`Two fields of ${ORDERS} records, as texts and converted: CPU, median of turns\n`);
  const [turns = '15', ...parts] = process.argv.slice(2);
  for (const [name, each] of Object.entries(CASES)) {
    const isMeant = parts.length === 0 || parts.some((part) => name.includes(part));
    if (isMeant) {
      compare(name, each, decoding, Number(turns));
    }
  }
  await compiled.close();
}
