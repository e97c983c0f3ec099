import { OtlpBatches } from '../otlp/batches.js';
import { Configured } from '../otlp/configured.js';
import { ITEM_FIELD, type OtlpOptions } from '../otlp/envelope.js';
import type { ProtoWriter } from '../otlp/proto-writer.js';
import type { ItemOutcome } from '../otlp/sender.js';
import type { LogFields } from './log-fields.js';

/** Fields of `LogRecord` (opentelemetry/proto/logs/v1/logs.proto). */
const TIME = 1;
const SEVERITY_NUMBER = 2;
const SEVERITY_TEXT = 3;
const BODY = 5;
const ATTRIBUTES = 6;
const TRACE_ID = 9;
const SPAN_ID = 10;
const OBSERVED_TIME = 11;

const SEVERITIES: Readonly<Record<string, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

/** Fields that the semantic conventions have a stable name for; others are `soapstone.*`. */
const NAMES: Readonly<Record<string, string>> = {
  client: 'client.address',
  peer: 'network.peer.address',
  method: 'http.request.method',
  status: 'http.response.status_code',
  code: 'error.type',
  err: 'exception.stacktrace',
};

/** Texts of the gateway itself may be as long as a stack; those from outside are cut before. */
const TEXT_UNITS_MAX = 4096;
/** Attributes of a record: a line has at most forty fields. */
const ATTRIBUTES_MAX = 128;
/** A stack, and the attributes beside it. */
const RECORD_BYTES_MAX = 256 * 1024;

/** Sends lines of the log by OTLP over HTTP. Without `log.otlp` nothing happens here. */
export class LogExport {
  /** Records by their outcome. */
  readonly counts: Readonly<Record<ItemOutcome, number>>;
  readonly #counts: Record<ItemOutcome, number> = { sent: 0, dropped: 0, failed: 0 };
  readonly #failed: (reason: string) => void;
  readonly #batches = new Configured((options: OtlpOptions) => this.#begin(options));
  /** The last batch was given up, which is reported once. */
  #isFailing = false;

  /** `failed` is called when records are given up for the first time, and again after a success. */
  constructor(failed: (reason: string) => void) {
    this.counts = this.#counts;
    this.#failed = failed;
  }

  get isOn(): boolean {
    return this.#batches.current !== null;
  }

  /** Null switches it off. */
  configure(options: OtlpOptions | null): void {
    this.#batches.configure(options);
  }

  /** Takes the fields of a line; returns at once. */
  add(fields: LogFields): void {
    const batches = this.#batches.current;
    const writer = batches?.next(RECORD_BYTES_MAX) ?? null;
    if (writer === null) {
      this.#counts.dropped++;
      return;
    }
    writeRecord(writer, fields);
    batches?.written();
  }

  /** Sends the last records. */
  close(): Promise<void> {
    return this.#batches.close();
  }

  #begin(options: OtlpOptions): OtlpBatches {
    return new OtlpBatches(options, {
      count: (outcome, records) => {
        this.#counts[outcome] += records;
        this.#isFailing &&= outcome !== 'sent';
      },
      failed: (reason) => {
        if (this.#isFailing) return;
        this.#isFailing = true;
        this.#failed(reason);
      },
    });
  }
}

function writeRecord(writer: ProtoWriter, { time, level, msg, ...fields }: LogFields): void {
  const record = writer.begin(ITEM_FIELD);
  const millis = Date.parse(time);
  writer.time(TIME, millis);
  writer.number(SEVERITY_NUMBER, SEVERITIES[level] ?? 0);
  writer.text(SEVERITY_TEXT, level);
  const body = writer.begin(BODY);
  writer.text(1, msg);
  writer.end(body);
  const { trace, span, ...others } = fields;
  let left = ATTRIBUTES_MAX;
  for (const [key, value] of flatten(others, 'soapstone.')) {
    if (left-- === 0) break;
    if (typeof value === 'number' && !isCount(value)) {
      writer.double(ATTRIBUTES, key, value);
    } else {
      writer.attribute(ATTRIBUTES, key, value, TEXT_UNITS_MAX);
    }
  }
  if (typeof trace === 'string' && typeof span === 'string') {
    writer.hex(TRACE_ID, trace);
    writer.hex(SPAN_ID, span);
  }
  writer.time(OBSERVED_TIME, millis);
  writer.end(record);
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** The fields one by one: objects by their members, lists as JSON. */
function* flatten(
  fields: object,
  prefix: string,
): Generator<readonly [key: string, value: string | number | boolean]> {
  for (const [name, value] of Object.entries(fields)) {
    const known = prefix === 'soapstone.' && Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    const key = known ?? `${prefix}${name}`;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      yield [key, value];
    } else if (Array.isArray(value)) {
      yield [key, JSON.stringify(value)];
    } else if (typeof value === 'object' && value !== null) {
      yield* flatten(value, `${prefix}${name}.`);
    }
  }
}
