import { HEADER_NAME } from '../keys/formats.js';
import { closed, flag, list, millis, string } from '../keys/key-types.js';

/** Pages of other origins: the part of the table of keys for them. */
export const CORS_KEYS = closed(
  {
    origins: list(
      string({
        pattern: '^(?:\\*|https?://[^\\s/?#@]+)$',
        hint:
          'Write scheme, host and port, https://shop.example; ' +
          'or `*` by itself, for every page.',
      }),
      'The origins, compared exactly; they may open WebSockets too. `*` is every origin, ' +
        'without credentials and WebSockets.',
      { minItems: 1, maxItems: 256, uniqueItems: true },
    ),
    credentials: flag(
      'Whether these pages may send cookies, client certificates and HTTP authentication.',
      false,
    ),
    headers: list(
      string(HEADER_NAME),
      'Header fields that these pages may send, besides content-type, authorization, that of ' +
        '`clients.apiKeys`, the `callerHeaders` and `forwardHeaders` of services, trace context ' +
        'and those that GraphQL clients use.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    maxAgeMillis: millis(
      'How long a browser may keep the answer to a preflight.',
      [0, 86_400_000],
      600_000,
    ),
  },
  'Cross-origin resource sharing (CORS): pages of other origins that may use the endpoint.',
);
