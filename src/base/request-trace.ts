/** A span, as others name it. Both are lower-case hexadecimal. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** The trace of one request, as far as its calls and its log line need it. */
export interface RequestTrace extends SpanContext {
  /** Whether its spans are sent; decided when the request is over. */
  readonly isKept: boolean;
  /** Begins a call of a backend. `operation` is '' where it is not known. */
  call(service: string, operation: string, method?: string): CallTrace;
  /** Another span did something for this request. */
  link(span: SpanContext): void;
}

/** The trace of one call of a backend, with a span for each attempt. */
export interface CallTrace {
  /** Begins the span of an attempt; returns its `traceparent` field (W3C Trace Context). */
  begin(url: URL, nowMillis: number): string;
  /** Ends the span of the latest attempt. `status` is 0 and `code` that of the refusal where there was no answer. */
  end(status: number, code: string | null): void;
  /** The reply serves the request of another caller too: both spans are linked. */
  serve(other: RequestTrace | null): void;
}

/** The header field that carries a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';

/** The header fields, names and values in turn, with this `traceparent` in place of another. */
export function withTraceparent(headers: readonly string[], value: string): string[] {
  const changed = headers.slice();
  for (let index = 0; index + 1 < changed.length; index += 2) {
    if (changed[index] !== TRACEPARENT) continue;
    changed[index + 1] = value;
    return changed;
  }
  changed.push(TRACEPARENT, value);
  return changed;
}
