import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';
import type { SpanContext } from '../../base/request-trace.js';

/** The context that a caller sends. */
export interface TraceParent extends SpanContext {
  readonly isSampled: boolean;
}

const FIELD = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Reads a `traceparent` field (W3C Trace Context, section 3.2); null where it is not valid. */
export function parseTraceparent(value: string): TraceParent | null {
  const match = FIELD.exec(value);
  if (match === null) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = match;
  // Later versions may have more after the flags; version 00 may not.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const printTraceparent = (traceId: string, spanId: string, isSampled: boolean): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** Random bytes are taken in one go: a call of the system for each id would cost more than the rest of a span. */
const POOL_BYTES = 8192;
const pool = Buffer.alloc(POOL_BYTES);
let at = POOL_BYTES;

function randomHex(bytes: number): string {
  if (at + bytes > POOL_BYTES) {
    randomFillSync(pool);
    at = 0;
  }
  at += bytes;
  return pool.toString('hex', at - bytes, at);
}

export const newTraceId = (): string => randomHex(16);
export const newSpanId = (): string => randomHex(8);
