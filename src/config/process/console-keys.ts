import { flag, millis, optional, section } from '../keys/key-types.js';

import { INSPECT_KEYS } from './inspect-keys.js';

/** The page for operators at `/` of the admin address. */
export const CONSOLE_KEYS = section(
  'The console, a page for operators at `/` of the admin address.',
  {
    slowMillis: millis('Requests that take so long are listed as slow.', [1, 3_600_000], 1000),
    tryOut: flag(
      'Whether messages can be sent to services from the page, as a caller at an address of ' +
        '`listen` without TLS. Credentials are typed into the page.',
      false,
    ),
    inspect: optional(INSPECT_KEYS),
  },
);
