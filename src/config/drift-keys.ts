import { HTTP_URL } from './formats.js';
import { closed, integer, mapOf, optional, string } from './key-types.js';

/** Keys of a service about the WSDL that its backend serves: the part of the table of keys for it. */
export const DRIFT_KEYS = closed(
  {
    url: string({ description: 'Where the backend serves its WSDL.', ...HTTP_URL }),
    headers: optional(
      mapOf("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", string({ maxLength: 8192 }), {
        description: 'Header fields for that host, such as credentials.',
        maxProperties: 32,
        names: 'Write the name of a header field.',
      }),
    ),
    everyMillis: integer({
      description: 'Time between two comparisons.',
      unit: 'millis',
      minimum: 1000,
      maximum: 86_400_000,
      default: 300_000,
    }),
  },
  {
    description:
      'Compares the WSDL that the backend serves with `wsdl`, and reports differences in log and metrics. The gateway goes on with its own.',
  },
);
