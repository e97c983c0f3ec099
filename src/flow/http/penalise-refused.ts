import type { IncomingMessage } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import type { Refusal } from '../../base/refusal.js';
import type { PenaltyBox } from './penalty-box.js';

/** Has the answer to a refused request wait by what reading it cost. Null: it may be answered at once. */
export const penaliseRefused = (
  penaltyBox: PenaltyBox,
  { socket, rawHeaders }: IncomingMessage,
  { bytesIn, workMillis }: Exchange,
  { kind }: Refusal,
): Promise<void> | null =>
  penaltyBox.penalise(
    socket,
    bytesIn,
    workMillis + FIELD_MILLIS * rawHeaders.length + (kind.isAbrupt === true ? ABRUPT_MILLIS : 0),
  );

/** What half a header field costs to read. */
const FIELD_MILLIS = 0.002;
/** What it costs to read what is cut off at once: it is made to cost as much as it can. */
const ABRUPT_MILLIS = 5;
