import { HTTP_URL } from '../keys/formats.js';
import { closed, mapOf, millis, oneOf, optional, string, text, whole } from '../keys/key-types.js';

/**
 * Keys of a service about the WSDL that its backend serves: the part of the table of keys for it.
 */
export const DRIFT_KEYS = closed(
  {
    url: text('Where the backend serves its WSDL.', HTTP_URL),
    headers: optional(
      mapOf(
        "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$",
        string({ maxLength: 8192 }),
        'Header fields for that host, such as credentials.',
        { maxProperties: 32, names: 'Write the name of a header field.' },
      ),
    ),
    everyMillis: millis('Time between two comparisons.', [1000, 86_400_000], 300_000),
    apply: oneOf(
      ['never', 'safe'],
      'Whether the WSDL of the backend is taken in place of `wsdl`, as a reload, when all ' +
        'of its changes are safe.',
      'never',
    ),
    folder: optional(
      text(
        'A folder that keeps what was taken beyond a restart; without it that is kept in memory.',
        { minLength: 1, maxLength: 4096 },
      ),
    ),
    looks: whole(
      'Comparisons in a row, at most 2 s apart, that must find the same changes ' +
        'before they are taken.',
      [1, 10],
      3,
    ),
    reloadsPerHour: whole(
      'Reloads that this may cause in an hour: a backend whose WSDL changes all ' +
        'the time causes no more.',
      [1, 60],
      4,
    ),
  },
  'Compares the WSDL that the backend serves with `wsdl`, and reports differences in log and ' +
    'metrics. The gateway goes on with its own, unless `apply` is `safe`.',
);
