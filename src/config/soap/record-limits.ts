import { KIB, type LimitTable, limit, MIB } from '../../core/index.js';

/** Limits of recordings. */
export const RECORD_LIMITS = {
  messageBytes: limit(
    256 * KIB,
    [KIB, 4 * MIB],
    'bytes',
    null,
    'Bytes of a request, and of a reply, that is recorded. Exchanges with longer ones are not.',
  ),
  pendingBytes: limit(
    8 * MIB,
    [64 * KIB, 256 * MIB],
    'bytes',
    null,
    'Bytes of messages that a process keeps until they are written. Beyond, no exchange is ' +
      'recorded.',
  ),
  dayBytes: limit(
    256 * MIB,
    [MIB, 1024 * 1024 * MIB],
    'bytes',
    null,
    'Bytes that the recording of a service grows by in a day (UTC).',
  ),
} satisfies LimitTable;
