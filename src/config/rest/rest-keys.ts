import { PATH } from '../keys/formats.js';
import { closed, flagOr, list, optional, string, text } from '../keys/key-types.js';

/** Keys of one service for REST: the part of the table of keys for it. */
export const REST_KEYS = optional(
  flagOr(
    'Offers the operations of the service as JSON over HTTP as well: ' +
      'those that GraphQL offers, by their names.',
    closed({
      path: optional(
        text(
          'What their paths begin with, before a slash and the name of the operation; ' +
            'by default `/rest/<service>`.',
          PATH,
        ),
      ),
      operations: optional(
        list(
          string({ minLength: 1, maxLength: 256 }),
          'The operations that are offered, by the names of the WSDL; ' +
            'by default all that GraphQL offers.',
          { minItems: 1, maxItems: 10_000, uniqueItems: true },
        ),
      ),
    }),
  ),
);
