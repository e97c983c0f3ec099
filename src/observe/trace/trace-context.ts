import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';

export const printTraceparent = (traceId: string, spanId: string, isSampled: boolean): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/**
 * Random bytes are taken in one go: a call of the system for each id would cost more than the rest
 * of a span.
 */
const POOL_BYTES = 8192;
/**
 * Ids are parts of a text of so many bytes in hexadecimal: an id that is kept keeps all of it, so
 * it is short.
 */
const TEXT_BYTES = 128;
const pool = Buffer.alloc(POOL_BYTES);
let poolAt = POOL_BYTES;
let text = '';
let textAt = 0;

function randomHex(digits: number): string {
  if (textAt + digits > text.length) {
    if (poolAt === POOL_BYTES) {
      randomFillSync(pool);
      poolAt = 0;
    }
    text = pool.toString('hex', poolAt, poolAt + TEXT_BYTES);
    poolAt += TEXT_BYTES;
    textAt = 0;
  }
  textAt += digits;
  return text.slice(textAt - digits, textAt);
}

export const newTraceId = (): string => randomHex(32);
export const newSpanId = (): string => randomHex(16);
