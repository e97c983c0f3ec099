import { boolean, integer, section } from '../keys/key-types.js';

/** The page for operators at `/` of the admin address. */
export const CONSOLE_KEYS = section('The console, a page for operators at `/` of the admin address.', {
  slowMillis: integer({
    description: 'Requests that take so long are listed as slow.',
    unit: 'millis',
    minimum: 1,
    maximum: 3_600_000,
    default: 1000,
  }),
  tryOut: boolean({
    description:
      'Whether messages can be sent to services from the page, as a caller at an address of `listen` without TLS. Credentials are typed into the page.',
    default: false,
  }),
});
