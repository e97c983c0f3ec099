import { performance } from 'node:perf_hooks';
import type { Exchange } from '../../base/exchange.js';
import { parseTraceparent, type SpanContext, type TraceFields } from '../../base/request-trace.js';
import { quoteText } from '../json-text.js';
import { isSlow } from '../slow.js';
import { type ExporterHooks, SpanExporter } from './exporter.js';
import { RequestSpans } from './request-spans.js';
import { SpanPrinter } from './span-json.js';

/** The keys of `traces` in the configuration. */
export interface TraceOptions {
  readonly otlp: string;
  readonly sample: number;
  readonly slowMillis: number;
  readonly takeContext: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Refused and slow requests that are kept beside those of the sample, in one second: a flood of refusals is no news. */
export const KEPT_PER_SECOND = 100;

const SECOND_MILLIS = 1000;

/** The spans of this process: begun with each request, printed and given to the exporter when the request is over. */
export class Tracer {
  readonly #options: TraceOptions;
  readonly #exporter: SpanExporter;
  readonly #hooks: ExporterHooks;
  readonly #printer = new SpanPrinter();
  #secondMillis = Number.NEGATIVE_INFINITY;
  /** Kept in this second, besides those of the sample. */
  #kept = 0;

  constructor(options: TraceOptions, hooks: ExporterHooks) {
    this.#options = options;
    this.#hooks = hooks;
    const { otlp: url, headers, ca = null } = options;
    const resource = Object.entries({
      'service.name': 'soapstone',
      'service.instance.id': `${process.pid}`,
      ...options.attributes,
    }).map(([key, value]) => `{"key":${quoteText(key)},"value":{"stringValue":${quoteText(value)}}}`);
    this.#exporter = new SpanExporter({ url, headers, ca, resource: resource.join(',') }, hooks);
  }

  /** Takes the trace context of a request, or begins a trace. */
  begin(exchange: Exchange, headers: TraceFields): void {
    const { takeContext, sample } = this.#options;
    const field = headers['traceparent'];
    const parent = takeContext && typeof field === 'string' ? parseTraceparent(field) : null;
    // It belongs to the trace that is not taken (W3C Trace Context, section 3.3).
    if (parent === null && headers['tracestate'] !== undefined) delete headers['tracestate'];
    exchange.trace = new RequestSpans(parent, parent === null ? Math.random() < sample : parent.isSampled);
  }

  /** Begins the trace of one event of a subscription, which is linked to the request that subscribed. */
  beginEvent(exchange: Exchange, field: string, subscription: SpanContext | null): void {
    const spans = new RequestSpans(null, Math.random() < this.#options.sample, field);
    if (subscription !== null) spans.link(subscription);
    exchange.trace = spans;
  }

  /** Ends the span of the request; returns at once. */
  end(exchange: Exchange, millis: number): void {
    const spans = exchange.trace;
    if (!(spans instanceof RequestSpans) || spans.isOver) return;
    spans.isOver = true;
    const nowMillis = exchange.startedMillis + millis;
    if (nowMillis - this.#secondMillis >= SECOND_MILLIS) {
      this.#secondMillis = nowMillis;
      this.#kept = 0;
      this.#printer.setClock(Date.now() - performance.now());
    }
    if (!spans.isSampled && !this.#isWanted(exchange, spans, millis)) return;
    const count = 1 + (spans.attempts?.length ?? 0);
    this.#exporter.add(this.#printer.print(exchange, spans, millis), count);
    if (spans.droppedAttempts > 0) this.#hooks.count('dropped', spans.droppedAttempts);
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }

  /** Whether a request outside of the sample is kept: it was refused, it failed, or it was slow. */
  #isWanted(exchange: Exchange, spans: RequestSpans, millis: number): boolean {
    const isBad = exchange.outcome === 'refused' || exchange.outcome === 'failed';
    if (!isBad && !isSlow(exchange, millis, this.#options.slowMillis)) return false;
    if (this.#kept < KEPT_PER_SECOND) {
      this.#kept++;
      spans.isKept = true;
      return true;
    }
    this.#hooks.count('dropped', 1 + (spans.attempts?.length ?? 0));
    return false;
  }
}
