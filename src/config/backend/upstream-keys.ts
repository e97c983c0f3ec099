import { httpFields } from '../../core/index.js';
import { HEADER_NAME, PEM } from '../keys/formats.js';
import { closed, flag, list, mapOf, oneOf, optional, string, text } from '../keys/key-types.js';
import { BALANCE_KEYS, STICKY } from './balance-keys.js';
import { CALL_KEYS } from './call-keys.js';
import { HEALTH, SOAP_HEALTH } from './health-keys.js';
import { LOGIN } from './login-keys.js';
import { OAUTH2 } from './oauth2-keys.js';

/** Keys of a service about how its backend is reached: the part of the table of keys for it. */

export const FIELD_VALUE = {
  pattern: '^[\\t\\x20-\\x7e]{0,8192}$',
  hint: 'Write printable characters.',
};

/** Fixed header fields, and those of callers that go on. Of both kinds of services. */
export const FIELD_KEYS = {
  headers: mapOf(
    HEADER_NAME.pattern,
    text('The value.', FIELD_VALUE),
    'HTTP header fields sent with every call, in place of those of callers by the same names. ' +
      'Secrets come from the environment or a file.',
    { names: HEADER_NAME.hint, default: {} },
  ),
  forwardHeaders: list(
    string(HEADER_NAME),
    "HTTP header fields of the caller's request that are sent on.",
    { maxItems: 64, uniqueItems: true, default: [] },
  ),
};

const user = () => ({
  username: text('The user.', { minLength: 1, maxLength: 512 }),
  password: text('The password; from the environment or a file.', { maxLength: 4096 }),
});

const BASIC = closed(user(), 'HTTP Basic (RFC 7617).');
const BEARER = closed(
  {
    token: text(
      'The token. With `{ file: path }` the file is read again while it is used: it may rotate.',
      {
        pattern: '^[A-Za-z0-9._~+/=-]{1,8192}$',
        hint: 'Write a token without blanks (RFC 6750 section 2.1).',
      },
    ),
  },
  'A bearer token (RFC 6750).',
);

const DIGEST = closed(
  user(),
  'HTTP Digest (RFC 7616): MD5, SHA-256, SHA-512-256, with `qop=auth`.',
);

const NTLM = closed(
  {
    username: text('The user: `user`, `DOMAIN\\\\user` or `user@domain`.', {
      minLength: 1,
      maxLength: 512,
    }),
    password: text('The password; a file may rotate.', { maxLength: 4096 }),
    domain: optional(text('The domain of the user.', { minLength: 1, maxLength: 255 })),
  },
  'NTLM, version 2 (MS-NLMP). Connections are authenticated, each before its first call.',
);
const NEGOTIATE = closed(
  {
    principal: text('The principal of the backend.', {
      pattern: '^[A-Za-z0-9._-]{1,64}/[A-Za-z0-9._-]{1,255}$',
      hint: 'Write service/host, such as HTTP/orders.corp.example.',
    }),
    keytab: optional(
      text(
        'The keys of the gateway, as `{ file: path }`; the ticket cache of the system without it.',
        { maxLength: 1_048_576, binary: true },
      ),
    ),
  },
  'Kerberos (RFC 4559), by the optional package `kerberos`.',
);

/** Credentials of the gateway that need nothing else of a service. */
export const OWN_AUTH_KINDS = {
  basic: optional(BASIC),
  bearer: optional(BEARER),
  digest: optional(DIGEST),
  oauth2: optional(OAUTH2),
  ntlm: optional(NTLM),
  negotiate: optional(NEGOTIATE),
};

/** The credentials of the gateway at a backend. */
const AUTH_KINDS = {
  ...OWN_AUTH_KINDS,
  login: optional(LOGIN),
  passthrough: optional(
    flag(
      '`true`: SOAP callers authenticate themselves, also by NTLM and Negotiate. ' +
        'A connection of a caller that does so has an upstream connection of its own.',
    ),
  ),
};

const pem = (description: string) =>
  optional(text(description, { minLength: 1, maxLength: 262_144, ...PEM }));

/** TLS to a backend. Its files may rotate. */
export const TLS_KEYS = closed(
  {
    ca: pem('The authorities that are trusted, as PEM, instead of those of Node.'),
    cert: pem('The certificate of the gateway with its chain, as PEM.'),
    key: pem('Its private key, as PEM.'),
    pfx: optional(
      text('Certificate and key as PKCS #12: a file, or base64.', {
        maxLength: 262_144,
        pattern: '^[A-Za-z0-9+/=\\s]+$',
        hint: 'Write { file: path }, or base64.',
        binary: true,
      }),
    ),
    passphrase: optional(
      text('Of `key` or `pfx`; from the environment or a file.', { maxLength: 4096 }),
    ),
    servername: optional(
      text(
        'The name that the certificate of the backend must have; ' +
          'the host of its address unless given.',
        {
          pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$',
          hint: 'Write a host name without a port.',
        },
      ),
    ),
    minVersion: oneOf(['1.2', '1.3'], 'The least version of TLS.', '1.2'),
    verify: oneOf(
      ['full', 'chain', 'unsafe:none'],
      'What is verified of the certificate of the backend: `chain` leaves its name out, ' +
        '`unsafe:none` accepts any certificate: for a laboratory.',
      'full',
    ),
  },
  'TLS to the backend. A file that changes is used by the next connection.',
);

export const PROXY = text(
  'The HTTP proxy on the way to the backend, `http://user:password@host:port`; `environment`: ' +
    'the one that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name.',
  {
    format: 'proxy',
    hint: 'Write http://host:port, with or without user and password, or environment.',
  },
);

/** The way to a backend, of both kinds of services. */
export const ROUTE_KEYS = {
  auth: optional(
    closed(
      AUTH_KINDS,
      'Credentials of the gateway at the backend, of exactly one kind. ' +
        '`Authorization` of callers is replaced.',
      { minProperties: 1, maxProperties: 1 },
    ),
  ),
  tls: optional(TLS_KEYS),
  proxy: optional(PROXY),
  via: flag(
    'Whether the backend is sent `Via` (RFC 9110), with a name of this gateway: ' +
      'a request that comes back to it is refused with `LOOP_DETECTED`. ' +
      'Some servers send answers to such requests without compression.',
    true,
  ),
  headerCase: oneOf(
    httpFields.FIELD_CASES,
    'How the names of header fields to the backend are written: `usual` as in `Content-Type`, ' +
      'fields of callers as they came; or in `lower` case.',
    'usual',
  ),
  ...BALANCE_KEYS,
  ...CALL_KEYS,
  health: optional(HEALTH),
};

/** Keys of services that speak SOAP. */
export const UPSTREAM_KEYS = {
  ...FIELD_KEYS,
  forwarded: flag(
    'Whether the backend is sent `X-Forwarded-For`, `-Proto`, `-Host` and `Forwarded`, as the ' +
      'gateway saw them; those of callers count only from `trustedProxies`. ' +
      'Calls that all clients share (`scope: shared`) go without.',
    true,
  ),
  cookies: oneOf(
    ['none', 'forward'],
    '`forward`: the cookies of a caller are sent on, and a SOAP caller gets those that the ' +
      'backend sets. Replies are not shared between callers then.',
    'none',
  ),
  sticky: optional(STICKY),
  ...ROUTE_KEYS,
  health: optional(SOAP_HEALTH),
};
