import { HEADER_NAME, HTTP_URL } from '../keys/formats.js';
import { closed, mapOf, millis, oneOf, optional, type StaticOf, text } from '../keys/key-types.js';
import { CALL_MILLIS } from './call-keys.js';
import { FIELD_VALUE, OWN_AUTH_KINDS, PROXY, TLS_KEYS } from './upstream-keys.js';

/** The way to a second backend of a service. What is absent is that of the service. */
export const SECOND_BACKEND_KEYS = {
  url: text('Its address, http or https.', HTTP_URL),
  auth: optional(
    closed(
      OWN_AUTH_KINDS,
      'Credentials of the gateway at this backend, of exactly one kind. Without it those of the ' +
        'service, where the address has the same scheme, host and port; elsewhere none.',
      { minProperties: 1, maxProperties: 1 },
    ),
  ),
  headers: optional(
    mapOf(
      HEADER_NAME.pattern,
      text('The value.', FIELD_VALUE),
      'HTTP header fields sent with every call. Without it those of the service; to another ' +
        'scheme, host or port none that come from the environment or a file, or hold credentials.',
      { names: HEADER_NAME.hint },
    ),
  ),
  tls: optional(TLS_KEYS),
  proxy: optional(PROXY),
  timeoutMillis: optional(
    millis('Time for a whole call with its retries; by default that of the service.', CALL_MILLIS),
  ),
  security: optional(
    oneOf(
      ['same', 'none'],
      'Whether messages have the Security block of `security.make`. It holds credentials of the ' +
        'service: to another scheme, host or port this must be said.',
    ),
  ),
};

const ALL_KEYS = closed(SECOND_BACKEND_KEYS);

/** A second backend of a service, as it is configured. */
export type SecondBackendConfig = StaticOf<typeof ALL_KEYS>;
