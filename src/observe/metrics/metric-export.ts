import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { collections, Pace } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { Configured } from '../otlp/configured.js';
import { Envelope, type OtlpOptions } from '../otlp/envelope.js';
import { ProtoWriter } from '../otlp/proto-writer.js';
import { OtlpSender, type SenderHooks } from '../otlp/sender.js';
import { HttpClientDurations } from './http-client-durations.js';
import { HttpDurations } from './http-durations.js';
import { beginMetric, endMetric, POINT_BYTES_MAX, writePoint } from './metric-encoder.js';
import type { MetricList } from './metric-table.js';

/** The keys of `metrics` in the configuration. */
export interface MetricExportOptions extends OtlpOptions {
  readonly everyMillis: number;
}

/** The metrics of this process. */
export interface MetricExportSources {
  readonly metrics: () => Promise<MetricList>;
  /** The time slices in which they are written. */
  readonly pace: Pace;
  /** Gives attempts to call backends to a listener from now on; null ends that. */
  readonly listen: (listener: collections.AddressTotals['listener']) => void;
}

/** Bytes of one export request. */
const REQUEST_BYTES = 1024 * 1024;

/**
 * Sends the metrics of this process by OTLP over HTTP at intervals, and those of the semantic
 * conventions of HTTP beside them. Without `metrics.otlp` nothing happens here.
 */
export class MetricExport {
  readonly #running: Configured<MetricExportOptions, RunningExport>;
  readonly #listen: MetricExportSources['listen'];

  constructor(sources: MetricExportSources, hooks: SenderHooks) {
    this.#listen = sources.listen;
    this.#running = new Configured((options) => new RunningExport(options, sources, hooks));
  }

  /** Null switches it off. */
  configure(options: MetricExportOptions | null): void {
    this.#running.configure(options);
    const running = this.#running.current;
    this.#listen(running === null ? null : (...attempt) => running.calls.add(...attempt));
  }

  /** Counts a request that took so long. */
  finish(exchange: Exchange, millis: number): void {
    this.#running.current?.durations.add(exchange, millis / 1000);
  }

  /** Sends the last numbers. */
  close(): Promise<void> {
    this.#listen(null);
    return this.#running.close();
  }
}

class RunningExport {
  readonly durations = new HttpDurations();
  readonly calls = new HttpClientDurations();
  readonly #sources: MetricExportSources;
  readonly #sender: OtlpSender;
  readonly #envelope: Envelope;
  readonly #timer: NodeJS.Timeout;
  /** Counters begin with the process. */
  readonly #startMillis = Date.now() - performance.now();
  #sending: Promise<void> | null = null;

  constructor(options: MetricExportOptions, sources: MetricExportSources, hooks: SenderHooks) {
    this.#sources = sources;
    this.#sender = new OtlpSender(options, hooks);
    this.#envelope = new Envelope(options.attributes);
    this.#timer = setInterval(() => void this.#begin(), options.everyMillis).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sender.close(this.#finish());
  }

  async #finish(): Promise<void> {
    await this.#sending;
    await this.#begin();
  }

  /** An export that takes longer than the interval is the one that goes on. */
  #begin(): Promise<void> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #send(): Promise<void> {
    const own = [this.durations.metric, this.calls.metric];
    const list = [...(await this.#sources.metrics()), ...own];
    const times = { startMillis: this.#startMillis, nowMillis: Date.now() };
    let request = this.#request();
    for (const table of list) {
      let open = null;
      for (const row of table.rows) {
        if (request.writer.free < POINT_BYTES_MAX) {
          if (open !== null) endMetric(request.writer, open);
          open = null;
          await this.#post(request);
          request = this.#request(request.writer.bytes);
        }
        open ??= beginMetric(request.writer, table);
        writePoint(request.writer, table, row, times);
        request.points++;
        await this.#sources.pace.pause();
      }
      if (open !== null) endMetric(request.writer, open);
    }
    await this.#post(request);
  }

  #request(bytes: Buffer = Buffer.allocUnsafeSlow(REQUEST_BYTES)): ExportRequest {
    const writer = new ProtoWriter(bytes);
    this.#envelope.begin(writer);
    return { writer, points: 0 };
  }

  async #post({ writer, points }: ExportRequest): Promise<void> {
    if (points === 0 || this.#sender.isClosed) return;
    this.#envelope.end(writer);
    await this.#sender.send(writer.bytes.subarray(0, writer.length), points);
  }
}

interface ExportRequest {
  readonly writer: ProtoWriter;
  points: number;
}
