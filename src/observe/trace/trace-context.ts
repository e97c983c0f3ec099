import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';

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
