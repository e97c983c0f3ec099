import { HTTP_URL } from '../keys/formats.js';
import { closed, integer, mapOf, oneOf, optional, string } from '../keys/key-types.js';

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
    apply: oneOf(['never', 'safe'], {
      description:
        'Whether the WSDL of the backend is taken in place of `wsdl`, as a reload, when all of its changes are safe.',
      default: 'never',
    }),
    folder: optional(
      string({
        description: 'A folder that keeps what was taken beyond a restart; without it that is kept in memory.',
        minLength: 1,
        maxLength: 4096,
      }),
    ),
    looks: integer({
      description: 'Comparisons in a row, at most 2 s apart, that must find the same changes before they are taken.',
      minimum: 1,
      maximum: 10,
      default: 3,
    }),
    reloadsPerHour: integer({
      description: 'Reloads that this may cause in an hour: a backend whose WSDL changes all the time causes no more.',
      minimum: 1,
      maximum: 60,
      default: 4,
    }),
  },
  {
    description:
      'Compares the WSDL that the backend serves with `wsdl`, and reports differences in log and metrics. The gateway goes on with its own, unless `apply` is `safe`.',
  },
);
