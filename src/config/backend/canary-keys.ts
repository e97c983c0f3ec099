import {
  closed,
  count,
  flag,
  millis,
  number,
  optional,
  type StaticOf,
  section,
  text,
} from '../keys/key-types.js';
import { SECOND_BACKEND_KEYS } from './second-backend-keys.js';

const share = (description: string, initial: number) =>
  number({ description, minimum: 0, maximum: 1, default: initial });

const BACK = section('When the calls go back to the backend of the service by themselves.', {
  failures: count(
    'Calls in a row without an answer that the service may give: none, none in time, no ' +
      'message, an invalid one. Also three times as many of any row, where they are more than a ' +
      'tenth of the calls of `windowMillis`. 0: never.',
    [0, 1_000],
    5,
  ),
  faultShare: share(
    'The share of answers that are Faults, of at least ten calls of `windowMillis`; ' +
      'beyond it the calls go back. 1: never.',
    0.5,
  ),
  p99Millis: optional(
    millis(
      'The time that 99 of 100 calls of `windowMillis` must have ended in; absent: any.',
      [1, 86_400_000],
    ),
  ),
  windowMillis: millis(
    'The time that `faultShare` and `p99Millis` look back over.',
    [1_000, 3_600_000],
    60_000,
  ),
});

/** A new backend that gets a part of the calls of a service. */
export const CANARY = closed(
  {
    ...SECOND_BACKEND_KEYS,
    share: share(
      'The share of calls that it gets, from 0 to 1. `POST /canary/<service>` of the admin ' +
        'address moves it without a reload; it stays moved until `canary` changes here.',
      0,
    ),
    header: optional(
      text('A header field of callers whose calls all go there, with its value: `x-canary: yes`.', {
        pattern:
          "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}: ?[\\x21-\\x7e]([\\x20-\\x7e]{0,510}[\\x21-\\x7e])?$",
        hint: 'Write name and value: x-canary: yes, in quotes.',
      }),
    ),
    sticky: flag(
      '`true`: the share is one of callers, by client, else by address, each of which stays at ' +
        'one backend. `false`: one of calls.',
      false,
    ),
    back: BACK,
  },
  'A new backend that gets a share of the calls, and gives it back when it fails.',
);

export type CanaryConfig = StaticOf<typeof CANARY>;
