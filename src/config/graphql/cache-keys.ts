import { array, closed, integer, oneOf, optional, type StaticOf, string } from '../keys/key-types.js';

/** Keys of an operation about what may be remembered of it: the part of the table of keys for it. */

const millis = (description: string) =>
  integer({ description, unit: 'millis', minimum: 0, maximum: 86_400_000, default: 0 });

const READ = closed(
  {
    cacheMillis: millis('How long a reply is remembered; 0: not at all.'),
    staleMillis: millis('How long after that it is still the answer when the backend cannot be reached or is silent.'),
    scope: oneOf(['client', 'shared'], {
      description:
        'The clients that share a reply: only the `client` that asked for it, or all (`shared`). A SOAP caller that sends Authorization or Accept-Language shares with those who send the same.',
      default: 'client',
    }),
  },
  {
    description:
      'The operation changes nothing: calls that mean the same share one call to the backend while that is under way, and its reply after that for `cacheMillis`. `{}` for the former alone.',
  },
);

const WRITE = closed(
  {
    invalidates: array(string({ minLength: 1, maxLength: 256 }), {
      description:
        'The calls that invalidate it, by SOAP or GraphQL: operations of this service by name, others as `service.operation`.',
      minItems: 1,
      maxItems: 256,
      uniqueItems: true,
    }),
  },
  { description: 'The operation changes what others answer.' },
);

export const CACHE_KEYS = { read: optional(READ), write: optional(WRITE) };

export type ReadKeys = StaticOf<typeof READ>;
export type WriteKeys = StaticOf<typeof WRITE>;
