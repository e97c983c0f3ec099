import { HEADER_NAME } from '../keys/formats.js';
import { array, boolean, closed, integer, string } from '../keys/key-types.js';

/** Pages of other origins: the part of the table of keys for them. */
export const CORS_KEYS = closed(
  {
    origins: array(
      string({
        pattern: '^(?:\\*|https?://[^\\s/?#@]+)$',
        hint: 'Write scheme, host and port, https://shop.example; or `*` by itself, for every page.',
      }),
      {
        description:
          'The origins, compared exactly; they may open WebSockets too. `*` is every origin, without credentials and WebSockets.',
        minItems: 1,
        maxItems: 256,
        uniqueItems: true,
      },
    ),
    credentials: boolean({
      description: 'Whether these pages may send cookies, client certificates and HTTP authentication.',
      default: false,
    }),
    headers: array(string(HEADER_NAME), {
      description:
        'Header fields that these pages may send, besides content-type, authorization, that of `clients.apiKeys`, the `callerHeaders` and `forwardHeaders` of services, trace context and those that GraphQL clients use.',
      maxItems: 64,
      uniqueItems: true,
      default: [],
    }),
    maxAgeMillis: integer({
      description: 'How long a browser may keep the answer to a preflight.',
      unit: 'millis',
      minimum: 0,
      maximum: 86_400_000,
      default: 600_000,
    }),
  },
  { description: 'Cross-origin resource sharing (CORS): pages of other origins that may use the endpoint.' },
);
