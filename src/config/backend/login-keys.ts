import { HEADER_STEPS } from '../keys/key-text.js';
import { closed, list, mapOf, millis, optional, string, text } from '../keys/key-types.js';
import { TEXT_PATH } from './health-keys.js';

/** Keys of `auth.login`: an operation that is called for a token. */

const OPERATION = {
  pattern: '^[^\\s:{}]{1,321}$',
  hint: 'Write Operation, or service.Operation of another service.',
};

export const LOGIN = closed(
  {
    operation: text(
      'The operation that is called: of this service, or `service.Operation`.',
      OPERATION,
    ),
    arguments: mapOf(
      '^[^\\s{}:]{1,512}$',
      text('The value.', { maxLength: 65_536 }),
      'Its arguments, by XML name or path (`Credentials/user`). Secrets come from the ' +
        'environment or a file.',
      { names: 'Write XML names with `/` between them.', maxProperties: 64, default: {} },
    ),
    token: optional(
      text(
        'Where its reply has the token: `reply.sessionId` below the child of Body, ' +
          '`header.Session.id` in the Header. Steps are XML names; ' +
          'those above the first may be left out.',
        TEXT_PATH,
      ),
    ),
    scheme: optional(
      text('A word before the token in a field of HTTP: `Bearer`.', {
        pattern: '^[A-Za-z][A-Za-z0-9._-]{0,63}$',
        hint: 'Write a word such as Bearer.',
      }),
    ),
    url: optional(
      text(
        'Where its reply has the address of further calls, as `token`. ' +
          'Of a service that speaks GraphQL the path stays.',
        TEXT_PATH,
      ),
    ),
    urlsAllowed: list(
      string({
        pattern:
          '^https?://(\\*\\.[A-Za-z0-9-]{1,63}\\.)?[A-Za-z0-9][A-Za-z0-9.-]{0,250}(:[0-9]{1,5})?$',
        hint: 'Write https://host or https://*.my.example.com, with a port where it is another.',
      }),
      'The addresses that `url` may be at; `*` stands for one or more names. ' +
        'http only of this machine.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    place: text(
      'Where calls carry the token: `header:{namespace}Block/child`, `http:x-session`; ' +
        '`cookie` sends the cookies that the reply sets. Of a service that speaks GraphQL ' +
        'one of the latter two.',
      {
        pattern: `^(cookie|http:[A-Za-z0-9!#$%&'*+.^_\`|~-]{1,128}|${HEADER_STEPS})$`,
        hint: 'Write header:{namespace}Block/child, http:field-name, or cookie.',
      },
    ),
    renewOn: list(
      string({ minLength: 1, maxLength: 256 }),
      'Faults after which the operation is called again and the call is repeated once: ' +
        'by code, subcode, or the name of an element of the detail. Status 401 is one too.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    maxAgeMillis: optional(
      millis('How long a token is used; by default until it is refused.', [1_000, 604_800_000]),
    ),
    logout: optional(
      text('The operation that ends the session when the gateway stops or reloads.', OPERATION),
    ),
  },
  'A token of a login session, shared by all calls. The operation is one of a ' +
    'service that speaks SOAP.',
);
