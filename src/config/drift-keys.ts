import { HTTP_URL } from './formats.js';
import { closed, integer, mapOf, optional, string } from './key-types.js';

/** Keys of a service about the WSDL its backend shows today: the part of the table of keys for it. */
export const DRIFT_KEYS = closed(
  {
    url: string({ description: 'Where the backend shows its WSDL.', ...HTTP_URL }),
    headers: optional(
      mapOf("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", string({ maxLength: 8192 }), {
        description: 'Header fields for that host, such as credentials.',
        maxProperties: 32,
        names: 'Write the name of a header field.',
      }),
    ),
    everyMillis: integer({
      description: 'Time between two looks.',
      unit: 'millis',
      minimum: 1000,
      maximum: 86_400_000,
      default: 300_000,
    }),
  },
  {
    description:
      'Looks at the WSDL the backend shows and tells, in log and metrics, how it differs from `wsdl`. What is served stays as it is.',
  },
);
