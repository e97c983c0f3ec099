import { performance } from 'node:perf_hooks';
import type { observing } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { type HeaderFields, parseTraceparent } from '../../gateway/trace-headers.js';
import { OtlpBatches } from '../otlp/batches.js';
import type { OtlpOptions } from '../otlp/envelope.js';
import type { SenderHooks } from '../otlp/sender.js';
import { isSlow } from '../recent.js';
import { RequestSpans } from './request-spans.js';
import { SPAN_BYTES_MAX, SpanEncoder } from './span-encoder.js';

/** The keys of `traces` in the configuration. */
export interface TraceOptions extends OtlpOptions {
  readonly sample: number;
  readonly slowMillis: number;
  readonly takeContext: boolean;
}

/**
 * Refused and slow requests that are kept beside those of the sample, in one second: a flood of
 * refusals is no news.
 */
export const KEPT_PER_SECOND = 100;

const SECOND_MILLIS = 1000;

/**
 * The spans of this process: begun with each request, encoded into a batch of the exporter when the
 * request is over.
 */
export class Tracer {
  readonly #options: TraceOptions;
  readonly #exporter: OtlpBatches;
  readonly #hooks: SenderHooks;
  readonly #encoder = new SpanEncoder();
  #secondMillis = Number.NEGATIVE_INFINITY;
  /** Kept in this second, besides those of the sample. */
  #kept = 0;

  constructor(options: TraceOptions, hooks: SenderHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.#exporter = new OtlpBatches(options, hooks);
  }

  /** Takes the trace context of a request, or begins a trace. */
  begin(exchange: Exchange, headers: HeaderFields): void {
    const { takeContext, sample } = this.#options;
    const field = headers['traceparent'];
    const parent = takeContext && typeof field === 'string' ? parseTraceparent(field) : null;
    // It belongs to the trace that is not taken (W3C Trace Context, section 3.3).
    if (parent === null && headers['tracestate'] !== undefined) {
      delete headers['tracestate'];
    }
    follow(
      exchange,
      new RequestSpans(parent, parent === null ? Math.random() < sample : parent.isSampled),
    );
  }

  /**
   * Begins the trace of one event of a subscription, which is linked to the request that
   * subscribed.
   */
  beginEvent(
    exchange: Exchange,
    field: string,
    subscription: observing.RequestObserver | null,
  ): void {
    const spans = new RequestSpans(null, Math.random() < this.#options.sample, field);
    if (subscription instanceof RequestSpans) {
      spans.link(subscription);
    }
    follow(exchange, spans);
  }

  /** Ends the span of the request; returns at once. */
  end(exchange: Exchange, millis: number): void {
    const spans = exchange.observer;
    if (!(spans instanceof RequestSpans) || spans.isOver) return;
    spans.isOver = true;
    const nowMillis = exchange.startedMillis + millis;
    if (nowMillis - this.#secondMillis >= SECOND_MILLIS) {
      this.#secondMillis = nowMillis;
      this.#kept = 0;
      this.#encoder.setClock(Date.now() - performance.now());
    }
    if (!spans.isSampled && !this.#isWanted(exchange, spans, millis)) return;
    this.#export(exchange, spans, nowMillis);
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }

  /** The span of the request, and one for each attempt to call a backend. */
  #export(exchange: Exchange, spans: RequestSpans, overMillis: number): void {
    let dropped = spans.droppedAttempts;
    let writer = this.#exporter.next(SPAN_BYTES_MAX);
    if (writer === null) {
      dropped++;
    } else {
      this.#encoder.request(writer, exchange, spans, overMillis);
    }
    if (spans.attempts !== null) {
      for (const attempt of spans.attempts) {
        writer = this.#exporter.next(SPAN_BYTES_MAX);
        if (writer === null) {
          dropped++;
        } else {
          this.#encoder.attempt(writer, attempt, spans.spanId, overMillis);
        }
      }
    }
    this.#exporter.written();
    if (dropped > 0) {
      this.#hooks.count('dropped', dropped);
    }
  }

  /** Whether a request outside of the sample is kept: it was refused, it failed, or it was slow. */
  #isWanted(exchange: Exchange, spans: RequestSpans, millis: number): boolean {
    const isBad = exchange.outcome === 'refused' || exchange.outcome === 'failed';
    if (!isBad && !isSlow(exchange, millis, this.#options.slowMillis)) return false;
    if (this.#kept < KEPT_PER_SECOND) {
      this.#kept++;
      exchange.exemplar = spans.traceId;
      return true;
    }
    this.#hooks.count('dropped', 1 + (spans.attempts?.length ?? 0));
    return false;
  }
}

/** From here on the calls of the exchange get spans, and its log line names its trace. */
function follow(exchange: Exchange, spans: RequestSpans): void {
  exchange.observer = spans;
  exchange.loggedFields = `,"trace":"${spans.traceId}","span":"${spans.spanId}"`;
  if (spans.isSampled) {
    exchange.exemplar = spans.traceId;
  }
}
