/** A span, as others name it. Both are lower-case hexadecimal. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** The trace of one request, as far as its calls and its log line need it. */
export interface RequestTrace extends SpanContext {
  /** Whether its spans are sent; decided when the request is over. */
  readonly isKept: boolean;
  /**
   * Begins a call of a backend, or of another server that the request needs, such as one that gives tokens: `service` is ''
   * where it is not for one service. `operation` is '' where it is not known.
   */
  call(service: string, operation: string, method?: string): CallTrace;
  /** Another span did something for this request. */
  link(span: SpanContext): void;
}

/** The trace of one call of a backend, with a span for each attempt. */
export interface CallTrace {
  /** The request that it is made for. */
  readonly request: RequestTrace;
  /** Begins the span of an attempt; returns its `traceparent` field (W3C Trace Context). */
  begin(url: URL, nowMillis: number): string;
  /** Ends the span of the latest attempt. `status` is 0 and `code` that of the refusal where there was no answer. */
  end(status: number, code: string | null): void;
  /** The reply serves another request too: both spans are linked. */
  serve(other: RequestTrace | null): void;
}

/** The header field that carries a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';

const TRACEPARENT_FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Longest `traceparent` of a later version and longest `tracestate`, which section 3.3.1.5 wants sent on up to there. */
export const TRACE_FIELD_CHARS_MAX = 512;

/** The context that a caller sends. */
export interface TraceParent extends SpanContext {
  readonly isSampled: boolean;
}

/** Reads a `traceparent` field (W3C Trace Context, section 3.2); null where it is not valid. */
export function parseTraceparent(value: string): TraceParent | null {
  const match = value.length > TRACE_FIELD_CHARS_MAX ? null : TRACEPARENT_FORM.exec(value);
  if (match === null) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match;
  // Later versions may have more after the flags; version 00 may not.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Header fields of a request. */
export interface TraceFields {
  [name: string]: string | readonly string[] | undefined;
}

/** Removes a trace context that is not valid, before anything uses it or sends it on (catalogue K12). */
export function dropInvalidContext(headers: TraceFields): void {
  const parent = headers[TRACEPARENT];
  const state = headers['tracestate'];
  if (parent === undefined && state === undefined) return;
  const isValid = typeof parent === 'string' && parseTraceparent(parent) !== null;
  if (!isValid && parent !== undefined) delete headers[TRACEPARENT];
  // Without its `traceparent` it belongs to no trace (section 3.3).
  const isStateValid = isValid && typeof state === 'string' && state.length <= TRACE_FIELD_CHARS_MAX;
  if (!isStateValid && state !== undefined) delete headers['tracestate'];
}

/** The header fields, names and values in turn, with this `traceparent` in place of another. */
export function withTraceparent(headers: readonly string[], value: string): string[] {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index] === TRACEPARENT) return headers.with(index + 1, value);
  }
  return [...headers, TRACEPARENT, value];
}
