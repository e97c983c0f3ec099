/** A span, as others name it. Both are lower-case hexadecimal. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

/** The header field that carries a trace (W3C Trace Context). */
export const TRACEPARENT = 'traceparent';

const TRACEPARENT_FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/**
 * Longest `traceparent` of a later version and longest `tracestate`, which section 3.3.1.5 wants
 * sent on up to there.
 */
const TRACE_FIELD_CHARS_MAX = 512;

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
export interface HeaderFields {
  [name: string]: string | readonly string[] | undefined;
}

/**
 * Removes a trace context that is not valid, before anything uses it or sends it on (catalogue
 * K12).
 */
export function dropInvalidContext(headers: HeaderFields): void {
  const parent = headers[TRACEPARENT];
  const state = headers['tracestate'];
  if (parent === undefined && state === undefined) return;
  const isValid = typeof parent === 'string' && parseTraceparent(parent) !== null;
  if (!isValid && parent !== undefined) {
    delete headers[TRACEPARENT];
  }
  // Without its `traceparent` it belongs to no trace (section 3.3).
  const isStateValid =
    isValid && typeof state === 'string' && state.length <= TRACE_FIELD_CHARS_MAX;
  if (!isStateValid && state !== undefined) {
    delete headers['tracestate'];
  }
}
