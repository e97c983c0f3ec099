/** Keys of an operation about what may be remembered of it: the part of the table of keys for it. */

export interface ReadKeys {
  cacheMillis: number;
  staleMillis: number;
  scope: 'client' | 'shared';
}

export interface WriteKeys {
  invalidates: string[];
}

const millis = (description: string) =>
  ({ type: 'integer', description, unit: 'millis', minimum: 0, maximum: 86_400_000, default: 0 }) as const;

export const CACHE_KEYS = {
  read: {
    type: 'object',
    description:
      'The operation changes nothing: calls that mean the same share one call to the backend while that is under way, and its reply after that for `cacheMillis`. `{}` for the former alone.',
    additionalProperties: false,
    properties: {
      cacheMillis: millis('How long a reply is remembered; 0: not at all.'),
      staleMillis: millis(
        'How long after that it is still the answer when the backend cannot be reached or is silent.',
      ),
      scope: {
        type: 'string',
        enum: ['client', 'shared'],
        description:
          'Who may have what was asked for by one client: only that `client`, or all (`shared`). A SOAP caller that sends Authorization or Accept-Language shares with those who send the same.',
        default: 'client',
      },
    },
  },
  write: {
    type: 'object',
    description: 'The operation changes what others answer.',
    additionalProperties: false,
    required: ['invalidates'],
    properties: {
      invalidates: {
        type: 'array',
        description:
          'What is forgotten when it is called, by SOAP or GraphQL: operations of this service by name, others as `service.operation`.',
        items: { type: 'string', minLength: 1, maxLength: 256 },
        minItems: 1,
        maxItems: 256,
        uniqueItems: true,
      },
    },
  },
} as const;
