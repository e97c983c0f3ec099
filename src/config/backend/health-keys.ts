import { boolean, closed, integer, mapOf, oneOf, optional, string } from '../keys/key-types.js';

/** The place of a text in a reply. */
export const TEXT_PATH = {
  pattern: '^(reply|header)(\\.[^\\s/@{}:.]{1,256}){0,16}$',
  hint: 'Write reply.sessionId, with XML names.',
};

const times = (description: string, initial: number) =>
  integer({ description, unit: 'count', minimum: 1, maximum: 100, default: initial });

const HEALTH_KEYS = {
  everyMillis: integer({
    description: 'How often each address is checked, of several processes by one, or up to a fifth sooner.',
    unit: 'millis',
    minimum: 100,
    maximum: 3_600_000,
    default: 5_000,
  }),
  timeoutMillis: integer({
    description: 'How long a check may take.',
    unit: 'millis',
    minimum: 10,
    maximum: 60_000,
    default: 2_000,
  }),
  path: optional(
    string({
      description: 'Path and query that are asked for by GET; a status below 400 is healthy.',
      pattern: '^/[^\\s#]{0,2047}$',
      hint: 'Begin it with `/`; no fragment or blank.',
    }),
  ),
  tcp: optional(boolean({ description: 'Whether a connection is enough, of TLS at an https address.' })),
  up: times(
    'Checks in a row that succeed before an address is called again. They all follow within one `everyMillis`.',
    2,
  ),
  down: times('Checks in a row that fail before an address is no longer called.', 3),
};

/** Active health checks of the addresses of a service. */
export const HEALTH = closed(HEALTH_KEYS, {
  description: 'Checks of the addresses, whether they are called or not: `path` or `tcp`.',
});

/** The same of a service that speaks SOAP. */
export const SOAP_HEALTH = closed(
  {
    ...HEALTH_KEYS,
    wsdl: optional(boolean({ description: 'Whether `?wsdl` is asked for; a WSDL document is healthy.' })),
    operation: optional(
      string({
        description: 'An operation of the service that is called, with the credentials of the service.',
        pattern: '^[^\\s:{}]{1,256}$',
        hint: 'Write the name of an operation.',
      }),
    ),
    arguments: optional(
      mapOf('^[^\\s{}:]{1,512}$', string({ description: 'The value.', maxLength: 65_536 }), {
        description: 'Its arguments, by XML name or path. Secrets come from the environment or a file.',
        names: 'Write XML names with `/` between them.',
        maxProperties: 64,
      }),
    ),
    expect: optional(
      mapOf(TEXT_PATH.pattern, string({ description: 'The text there.', maxLength: 8_192 }), {
        description: 'Texts that its reply must have, such as `reply.status: OK`; paths as in `auth.login.token`.',
        names: TEXT_PATH.hint,
        maxProperties: 8,
      }),
    ),
    faults: optional(oneOf(['down', 'up'], { description: 'What a Fault as its reply means; `down` unless given.' })),
  },
  { description: 'Checks of the addresses, whether they are called or not: `path`, `tcp`, `wsdl` or `operation`.' },
);
