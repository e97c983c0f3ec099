import { performance } from 'node:perf_hooks';
import type { observing } from '../../core/index.js';
import { type SpanContext, TRACEPARENT, type TraceParent } from '../../gateway/trace-headers.js';
import { newSpanId, newTraceId, printTraceparent } from './trace-context.js';

/** Attempts of one request that have a span; others are counted. */
export const ATTEMPTS_MAX = 128;
/** Links of one span. */
export const LINKS_MAX = 32;

/** One attempt to call a backend. */
export interface Attempt extends SpanContext {
  readonly service: string;
  readonly operation: string;
  readonly method: string;
  readonly url: URL;
  /** 1 for the first. */
  readonly number: number;
  readonly startedMillis: number;
  /** Null while it goes on. */
  endedMillis: number | null;
  status: number;
  code: string | null;
  /** Requests of other callers that its reply serves. */
  links: SpanContext[] | null;
}

/**
 * The spans of one request or event: they are held until it is over, because only then it is known
 * whether they are sent.
 */
export class RequestSpans implements observing.RequestObserver {
  readonly traceId: string;
  readonly spanId: string;
  /** The span that it belongs to; '' where it begins a trace. */
  readonly parentId: string;
  /** Decided at its begin. */
  readonly isSampled: boolean;
  /** The field of the subscription whose event it is; null for a request. */
  readonly eventField: string | null;
  isOver = false;
  attempts: Attempt[] | null = null;
  links: SpanContext[] | null = null;
  droppedAttempts = 0;

  constructor(parent: TraceParent | null, isSampled: boolean, eventField: string | null = null) {
    this.traceId = parent === null ? newTraceId() : parent.traceId;
    this.parentId = parent === null ? '' : parent.spanId;
    this.spanId = newSpanId();
    this.isSampled = isSampled;
    this.eventField = eventField;
  }

  call(service: string, operation: string, method = 'POST'): observing.CallObserver {
    return new CallSpans(this, service, operation, method);
  }

  /** Another span did something for this request. */
  link({ traceId, spanId }: SpanContext): void {
    this.links = withLink(this.links, { traceId, spanId });
  }

  add(attempt: Attempt): void {
    if (this.attempts === null) {
      this.attempts = [attempt];
    } else if (this.attempts.length < ATTEMPTS_MAX) {
      this.attempts.push(attempt);
    } else {
      this.droppedAttempts++;
    }
  }
}

function withLink(links: SpanContext[] | null, link: SpanContext): SpanContext[] {
  if (links === null) return [link];
  if (links.length < LINKS_MAX) {
    links.push(link);
  }
  return links;
}

/** The attempts of one call. */
class CallSpans implements observing.CallObserver {
  readonly request: RequestSpans;
  readonly #service: string;
  readonly #operation: string;
  readonly #method: string;
  #latest: Attempt | null = null;

  constructor(spans: RequestSpans, service: string, operation: string, method: string) {
    this.request = spans;
    this.#service = service;
    this.#operation = operation;
    this.#method = method;
  }

  begin(url: URL, nowMillis: number): observing.HeaderField {
    const { traceId, isSampled } = this.request;
    const attempt: Attempt = {
      traceId,
      spanId: newSpanId(),
      service: this.#service,
      operation: this.#operation,
      method: this.#method,
      url,
      number: (this.#latest?.number ?? 0) + 1,
      startedMillis: nowMillis,
      endedMillis: null,
      status: 0,
      code: null,
      links: this.#latest?.links ?? null,
    };
    this.#latest = attempt;
    this.request.add(attempt);
    return { name: TRACEPARENT, value: printTraceparent(traceId, attempt.spanId, isSampled) };
  }

  end(status: number, code: string | null): void {
    const attempt = this.#latest;
    if (attempt === null || attempt.endedMillis !== null) return;
    attempt.endedMillis = performance.now();
    attempt.status = status;
    attempt.code = code;
  }

  serve(other: observing.RequestObserver | null): void {
    const attempt = this.#latest;
    if (attempt === null || !(other instanceof RequestSpans) || other === this.request) return;
    other.link(attempt);
    attempt.links = withLink(attempt.links, { traceId: other.traceId, spanId: other.spanId });
  }
}
