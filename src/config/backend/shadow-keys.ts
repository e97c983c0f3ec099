import {
  closed,
  count,
  list,
  number,
  oneOf,
  optional,
  type StaticOf,
  string,
  whole,
} from '../keys/key-types.js';
import { SECOND_BACKEND_KEYS } from './second-backend-keys.js';

/** A second backend that reads are sent to as well. */
export const SHADOW = closed(
  {
    ...SECOND_BACKEND_KEYS,
    share: number({
      description: 'The share of the reads that are sent there too, from 0 to 1.',
      minimum: 0,
      maximum: 1,
      default: 1,
    }),
    operations: optional(
      list(
        string({ pattern: '^[^\\s:{}]{1,256}$', hint: 'Write the name of an operation.' }),
        'The operations that are sent there, each with `read`. Absent: all that have it.',
        { minItems: 1, maxItems: 10_000, uniqueItems: true },
      ),
    ),
    compare: oneOf(
      ['meaning'],
      'How replies are compared: by the canonical form of their XML, with the types of the schema.',
      'meaning',
    ),
    ignore: list(
      string({
        pattern: '^[^\\s/@{}:]{1,256}(/@?[^\\s/@{}:]{1,256}){0,32}$',
        hint: 'Write local names from the child of Body on: GetOrderResponse/order/serial.',
      }),
      'Paths that may differ, with all below them: local names from the child of Body on.',
      { maxItems: 1_000, uniqueItems: true, default: [] },
    ),
    callsAtOnce: count(
      'Calls that may be under way or compared; others are skipped.',
      [1, 1_000],
      16,
    ),
    waitingBytes: whole(
      'Bytes of replies that may wait to be compared, of all calls; a call beyond is skipped.',
      [65_536, 1_073_741_824],
      8_388_608,
    ),
  },
  'A second backend that gets the reads as well. It is never waited for, and its replies are ' +
    'compared with those of the service.',
);

export type ShadowConfig = StaticOf<typeof SHADOW>;
