import { closed, count, flag, mapOf, millis, oneOf, optional, text } from '../keys/key-types.js';

/** The place of a text in a reply. */
export const TEXT_PATH = {
  pattern: '^(reply|header)(\\.[^\\s/@{}:.]{1,256}){0,16}$',
  hint: 'Write reply.sessionId, with XML names.',
};

const times = (description: string, initial: number) => count(description, [1, 100], initial);

const HEALTH_KEYS = {
  everyMillis: millis(
    'How often each address is checked, of several processes by one, or up to a fifth sooner.',
    [100, 3_600_000],
    5_000,
  ),
  timeoutMillis: millis('How long a check may take.', [10, 60_000], 2_000),
  path: optional(
    text('Path and query that are asked for by GET; a status below 400 is healthy.', {
      pattern: '^/[^\\s#]{0,2047}$',
      hint: 'Begin it with `/`; no fragment or blank.',
    }),
  ),
  tcp: optional(flag('Whether a connection is enough, of TLS at an https address.')),
  up: times(
    'Checks in a row that succeed before an address is called again. ' +
      'They all follow within one `everyMillis`.',
    2,
  ),
  down: times('Checks in a row that fail before an address is no longer called.', 3),
};

/** Active health checks of the addresses of a service. */
export const HEALTH = closed(
  HEALTH_KEYS,
  'Checks of the addresses, whether they are called or not: `path` or `tcp`.',
);

/** Active health checks of the addresses of a service that speaks SOAP. */
export const SOAP_HEALTH = closed(
  {
    ...HEALTH_KEYS,
    wsdl: optional(flag('Whether `?wsdl` is asked for; a WSDL document is healthy.')),
    operation: optional(
      text('An operation of the service that is called, with the credentials of the service.', {
        pattern: '^[^\\s:{}]{1,256}$',
        hint: 'Write the name of an operation.',
      }),
    ),
    arguments: optional(
      mapOf(
        '^[^\\s{}:]{1,512}$',
        text('The value.', { maxLength: 65_536 }),
        'Its arguments, by XML name or path. Secrets come from the environment or a file.',
        { names: 'Write XML names with `/` between them.', maxProperties: 64 },
      ),
    ),
    expect: optional(
      mapOf(
        TEXT_PATH.pattern,
        text('The text there.', { maxLength: 8_192 }),
        'Texts that its reply must have, such as `reply.status: OK`; ' +
          'paths as in `auth.login.token`.',
        { names: TEXT_PATH.hint, maxProperties: 8 },
      ),
    ),
    faults: optional(
      oneOf(['down', 'up'], 'What a Fault as its reply means; `down` unless given.'),
    ),
  },
  'Checks of the addresses, whether they are called or not: `path`, `tcp`, `wsdl` or `operation`.',
);
