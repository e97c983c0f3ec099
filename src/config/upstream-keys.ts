import { HEADER_NAME } from './formats.js';
import { array, boolean, closed, mapOf, oneOf, optional, string } from './key-types.js';

/** Keys of a service about how its backend is reached: the part of the table of keys for it. */

const FIELD_VALUE = { pattern: '^[\\t\\x20-\\x7e]{0,8192}$', hint: 'Write printable characters.' };

/** Fixed header fields, and those of callers that go on. Of both kinds of services. */
export const FIELD_KEYS = {
  headers: mapOf(HEADER_NAME.pattern, string({ ...FIELD_VALUE, description: 'The value.' }), {
    description:
      'HTTP header fields sent with every call, in place of those of callers by the same names. Secrets come from the environment or a file.',
    names: HEADER_NAME.hint,
    default: {},
  }),
  forwardHeaders: array(string(HEADER_NAME), {
    description: "HTTP header fields of the caller's request that are sent on.",
    maxItems: 64,
    uniqueItems: true,
    default: [],
  }),
};

const user = () => ({
  username: string({ description: 'The user.', minLength: 1, maxLength: 512 }),
  password: string({ description: 'The password; from the environment or a file.', maxLength: 4096 }),
});

const BASIC = closed(user(), { description: 'HTTP Basic (RFC 7617).' });
const BEARER = closed(
  {
    token: string({
      description: 'The token. With `{ file: path }` the file is read again while it is used: it may rotate.',
      pattern: '^[A-Za-z0-9._~+/=-]{1,8192}$',
      hint: 'Write a token without blanks (RFC 6750 section 2.1).',
    }),
  },
  { description: 'A bearer token (RFC 6750).' },
);

/** The credentials of the gateway at a backend. */
export const AUTH_KEYS = closed(
  { basic: optional(BASIC), bearer: optional(BEARER) },
  {
    description:
      'Credentials of the gateway at the backend, of exactly one kind. `Authorization` of callers is replaced.',
    minProperties: 1,
    maxProperties: 1,
  },
);

/** Keys of services that speak SOAP. */
export const UPSTREAM_KEYS = {
  ...FIELD_KEYS,
  forwarded: boolean({
    description:
      'Whether the backend is sent `X-Forwarded-For`, `-Proto`, `-Host` and `Forwarded`, as the gateway saw them; those of callers count only from `trustedProxies`.',
    default: true,
  }),
  cookies: oneOf(['none', 'forward'], {
    description:
      '`forward`: the cookies of a caller are sent on, and a SOAP caller gets those that the backend sets. Replies are not shared between callers then.',
    default: 'none',
  }),
  auth: optional(AUTH_KEYS),
};
