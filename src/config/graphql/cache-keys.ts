import { closed, list, millis, oneOf, optional, type StaticOf, string } from '../keys/key-types.js';

/**
 * Keys of an operation about what may be remembered of it: the part of the table of keys for it.
 */

const keepMillis = (description: string) => millis(description, [0, 86_400_000], 0);

const READ = closed(
  {
    cacheMillis: keepMillis('How long a reply is remembered; 0: not at all.'),
    staleMillis: keepMillis(
      'How long after that it is still the answer when the backend cannot be reached or is silent.',
    ),
    scope: oneOf(
      ['client', 'shared'],
      'The clients that share a reply: only the `client` that asked for it, or all ' +
        '(`shared`). A SOAP caller that sends Authorization or Accept-Language shares with ' +
        'those who send the same.',
      'client',
    ),
  },
  'The operation changes nothing: calls that mean the same share one call to the backend ' +
    'while that is under way, and its reply after that for `cacheMillis`. ' +
    '`{}` for the former alone.',
);

const WRITE = closed(
  {
    invalidates: list(
      string({ minLength: 1, maxLength: 256 }),
      'The calls that invalidate it, by SOAP or GraphQL: operations of this service by name, ' +
        'others as `service.operation`.',
      { minItems: 1, maxItems: 256, uniqueItems: true },
    ),
  },
  'The operation changes what others answer.',
);

export const CACHE_KEYS = { read: optional(READ), write: optional(WRITE) };

export type ReadKeys = StaticOf<typeof READ>;
export type WriteKeys = StaticOf<typeof WRITE>;
