import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { Cost } from './penalty-box.js';

/** Time to read half a header field. */
const FIELD_MILLIS = 0.002;
/** Time to read a message that is cut off at once. */
const ABRUPT_MILLIS = 5;

/** The cost of reading a refused request. `workMillis`: of the event loop, without its header. */
export const refusalCost = (
  { rawHeaders }: IncomingMessage,
  { bytesIn, workMillis: readMillis }: Exchange,
  { kind }: Refusal,
  workMillis = readMillis,
): Cost => ({
  bytes: bytesIn,
  workMillis:
    workMillis + FIELD_MILLIS * rawHeaders.length + (kind.isAbrupt === true ? ABRUPT_MILLIS : 0),
});
