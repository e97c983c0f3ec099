import { PASSWORD_HASH } from '../../access/passwords/password-hash.js';

/**
 * The patterns and formats of values of the configuration, each with the hint of how to write one.
 */

export const NAME_FORMAT = '^[A-Za-z][A-Za-z0-9_-]{0,63}$';
export const GRAPHQL_NAME = '[A-Za-z][A-Za-z0-9_]{0,127}';

/** As the schema may have it, whatever the names of the configuration are like. */
export const FIELD_NAME = '[_A-Za-z][_0-9A-Za-z]{0,127}';
export const FIELD_PATH = {
  pattern: `^${FIELD_NAME}(\\.${FIELD_NAME}){0,15}$`,
  maxLength: 2048,
  hint: 'Write GraphQL names, those of a path with a dot between them: customer.id.',
} as const;
export const SERVICE_OPERATION = {
  pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}\\.[^\\s:{}]{1,256}$',
} as const;
export const ADDRESS = {
  format: 'address',
  hint: 'Write host:port, such as 127.0.0.1:4000 or [::1]:4000; port 0 is any free one.',
};
export const HTTP_URL = {
  format: 'http-url',
  minLength: 1,
  hint:
    'Write an http or https URL without credentials and fragment, such as ' +
    'http://10.0.0.7:8080/orders.',
};
/** The description of a service's address. */
export const BACKEND =
  'Address of the backend, http or https. Parameters of its query are fixed: ' +
  'those of callers by the same names do not go on.';
export const SUBSCRIPTION_URL = {
  format: 'subscription-url',
  minLength: 1,
  hint:
    'Write an http, https, ws or wss URL without credentials and fragment, such as ' +
    'wss://crm.internal/graphql.',
};
export const PATH = {
  pattern: '^/[^\\s?#]*$',
  hint: 'Begin it with `/`; no query, fragment or blank.',
};

export const BLOCK_NAME = { pattern: '^\\{[^{}]*\\}[^{}\\s:]+$', hint: 'Write {namespace}name.' };

export const URI = { minLength: 1, maxLength: 1024, pattern: '^\\S+$', hint: 'Write a URI.' };

export const ORIGIN = {
  pattern: '^https?://[^\\s/?#@]+$',
  hint: 'Write scheme, host and port: https://shop.example.',
};

/** Certificates and keys as text (RFC 7468). */
export const PEM = {
  pattern: '-----BEGIN ',
  hint:
    'It must be PEM: write { file: path } for what is in a file, or the text that ' +
    'begins with -----BEGIN.',
} as const;

/** A name of a header field (RFC 9110 section 5.1). */
export const HEADER_NAME = {
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$",
  hint: 'Write the name of a header field: x-tenant.',
} as const;

/** The hash of a password. */
export const PASSWORD = {
  description: 'The hash of the password, which `soapstone hash-password` prints.',
  pattern: PASSWORD_HASH,
  hint: 'Write what `soapstone hash-password` prints.',
};
