import { KIB, type LimitTable, limit, MIB } from '../../core/index.js';
import { closed, list, string, whole } from '../keys/key-types.js';

/** Keys of the exchanges that the console shows: the part of the table for them. */
export const INSPECT_KEYS = closed(
  {
    operations: list(
      string({
        pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}\\.(\\*|[^\\s:{}*]{1,256})$',
        hint: 'Write the service, a dot and the operation: crm.GetCustomer, or crm.*',
      }),
      'The operations whose exchanges are kept: `crm.GetCustomer`, or `crm.*` for all of a ' +
        'service; none: all.',
      { maxItems: 1000, uniqueItems: true, default: [] },
    ),
    exchanges: whole('The latest exchanges that are kept of each operation.', [1, 100], 20),
    operators: list(
      string({ minLength: 1, maxLength: 256 }),
      'Operators who may see values, as the log names them: `basic:alice`, `bearer:1`, or the ' +
        'subject of a certificate. Each look is logged, and recorded in the audit.',
      { maxItems: 256, uniqueItems: true, default: [] },
    ),
  },
  'Keeps the latest exchanges with backends in memory, for the page of an operation. ' +
    'Their values are replaced by others of their class.',
);

/** Limits of the exchanges that are kept. */
export const INSPECT_LIMITS = {
  messageBytes: limit(
    64 * KIB,
    [KIB, MIB],
    'bytes',
    null,
    'Bytes of a request, and of a reply, that is kept. Of longer ones the header fields are.',
  ),
  bytes: limit(
    16 * MIB,
    [64 * KIB, 256 * MIB],
    'bytes',
    null,
    'Bytes of messages that a process keeps. Beyond, the oldest exchange is dropped.',
  ),
} satisfies LimitTable;
