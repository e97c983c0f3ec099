import { HTTP_URL, PEM } from '../keys/formats.js';
import { HEADER_STEPS } from '../keys/key-text.js';
import { closed, flag, list, millis, oneOf, optional, string, text } from '../keys/key-types.js';

/** Keys of `auth.oauth2`: tokens of an authorization server. */
export const OAUTH2 = closed(
  {
    grant: oneOf(
      ['clientCredentials', 'jwtBearer', 'tokenExchange'],
      'What the token is asked for with: the credentials of the client (RFC 6749 section ' +
        '4.4), an assertion about a user that `key` signs (RFC 7523), or the verified token of ' +
        'the caller (RFC 8693), so that the backend sees the user.',
      'clientCredentials',
    ),
    tokenUrl: text('The token endpoint.', HTTP_URL),
    clientId: text('The client.', { minLength: 1, maxLength: 1024 }),
    clientSecret: optional(
      text('Its secret; a file may rotate.', { minLength: 1, maxLength: 8192 }),
    ),
    clientAuth: optional(
      oneOf(
        ['basic', 'post', 'privateKeyJwt', 'tls'],
        'How the client identifies itself: by HTTP Basic, in the form (RFC 6749 section ' +
          '2.3.1), by an assertion that `key` signs (RFC 7523 section 2.2), or by the ' +
          'certificate of `tls` (RFC 8705). By default `basic` with a `clientSecret`; ' +
          '`jwtBearer` needs none.',
      ),
    ),
    key: optional(
      text(
        'The private key that signs assertions, PEM: `{ file: k.pem }`; a file may rotate. ' +
          'RSA signs by RS256, the curves by ES256, ES384, ES512, Ed25519 by EdDSA.',
        { minLength: 1, maxLength: 262_144, ...PEM },
      ),
    ),
    assertion: optional(
      closed(
        {
          issuer: optional(
            text('Who asserts; by default `clientId`.', { minLength: 1, maxLength: 1024 }),
          ),
          subject: text('The user that the token is for.', { minLength: 1, maxLength: 1024 }),
          audience: optional(
            text('Who is to read it; by default `tokenUrl`.', { minLength: 1, maxLength: 1024 }),
          ),
          lifetimeMillis: millis('How long it is good.', [1_000, 3_600_000], 180_000),
        },
        'What the assertion of `grant: jwtBearer` says.',
      ),
    ),
    scopes: list(
      string({ minLength: 1, maxLength: 256, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
      'The scopes that the token is to have.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    audience: optional(
      text('The service that the token is for.', { minLength: 1, maxLength: 1024 }),
    ),
    dpop: flag(
      'Bind tokens to a key that the gateway makes at its start, and prove it with each request ' +
        'and each call (DPoP, RFC 9449).',
      false,
    ),
    place: optional(
      text(
        'Where calls carry the token: `header:{namespace}Block/child`, or `http:x-session`. ' +
          'By default `Authorization: Bearer`.',
        {
          pattern: `^(http:[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,128}|${HEADER_STEPS})$`,
          hint: 'Write header:{namespace}Block/child, or http:field-name.',
        },
      ),
    ),
    renewOn: list(
      string({ minLength: 1, maxLength: 256 }),
      'Faults after which a new token is asked for and the call is repeated once: ' +
        'by code, subcode, or the name of an element of the detail. Status 401 is one too.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
  },
  'Tokens of OAuth 2.0, shared and renewed before they end.',
);
