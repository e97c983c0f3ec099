import { HEADER_NAME, NAME_FORMAT, PASSWORD } from '../keys/formats.js';
import {
  closed,
  flag,
  list,
  mapOf,
  oneOf,
  optional,
  points,
  string,
  text,
  whole,
  wordOr,
} from '../keys/key-types.js';
import { SCOPE } from '../keys/rights-keys.js';
import { AUTHORIZE_KEYS } from './authorize-keys.js';
import { classKey, INTROSPECTION, JWT_ISSUERS_KEYS } from './token-keys.js';

/** Keys about clients, their rights and budgets: the part of the table of keys for them. */

const CLIENT_NAME =
  'Begin it with a letter; then letters, digits, `-` and `_`, 64 characters at most.';
const BY_NAME = 'By name, which the log uses.';

const API_KEYS = closed(
  {
    header: text('The header field.', { default: 'x-api-key', ...HEADER_NAME }),
    clients: mapOf(
      NAME_FORMAT,
      closed({
        class: classKey(),
        keys: list(
          string({
            pattern: '^[!-~]{16,512}$',
            hint: 'A key has 16 to 512 visible characters of US-ASCII.',
          }),
          'Its keys, from the environment or a file; several while one replaces the other.',
          { minItems: 1, maxItems: 16 },
        ),
      }),
      BY_NAME,
      { names: CLIENT_NAME },
    ),
  },
  'Clients that send a key of their own in a header field.',
);

const CERTIFICATE = closed(
  {
    header: text(
      'The header field with the subject (or fingerprint), read from `trustedProxies` only.',
      { default: 'x-client-certificate', ...HEADER_NAME },
    ),
    clients: mapOf(
      NAME_FORMAT,
      closed({
        class: classKey(),
        subject: text(
          'The subject as in RFC 4514 (CN=erp,O=Example), its parts in any order; ' +
            'else the value of the field, to the letter. Of a certificate verified by `listen` ' +
            'also an alternative name (DNS:erp.example) or its SHA-256 fingerprint (AB:CD:...).',
          { minLength: 1 },
        ),
      }),
      BY_NAME,
      { names: CLIENT_NAME, default: {} },
    ),
    class: optional(
      classKey('The class of clients with other certificates; without it they are refused.'),
    ),
  },
  'Clients with a certificate, which `listen` or a proxy has verified: the proxy must set or ' +
    'remove the header field in every request.',
);

const WS_SECURITY = closed(
  {
    clients: mapOf(
      NAME_FORMAT,
      closed({
        class: classKey(),
        certificate: optional(
          text(
            'The subject of the certificate that signs, as in RFC 4514 (CN=erp,O=Example), ' +
              'its parts in any order.',
            { minLength: 1, maxLength: 1024 },
          ),
        ),
        user: optional(text('The user of its UsernameToken.', { minLength: 1, maxLength: 256 })),
        saml: optional(
          closed(
            {
              issuer: text('The issuer, as `issuers` of the service names it.', {
                minLength: 1,
                maxLength: 1024,
              }),
              subject: text('The subject (NameID).', { minLength: 1, maxLength: 1024 }),
            },
            'The subject of its assertion.',
          ),
        ),
      }),
      'Clients by their name, which logs and metrics use. Each is one `certificate`, ' +
        '`user` or `saml` subject.',
      { names: CLIENT_NAME, default: {} },
    ),
    class: optional(
      classKey('The class of senders that are not listed; without it they are refused.'),
    ),
  },
  'Clients that services with `security.verify` know by their messages: by the assertion, ' +
    'else by the UsernameToken, else by the signature.',
);

const BASIC = closed(
  {
    users: mapOf(
      NAME_FORMAT,
      closed({
        class: classKey(),
        password: string(PASSWORD),
      }),
      BY_NAME,
      { names: CLIENT_NAME, minProperties: 1 },
    ),
  },
  'Clients that send a user and a password by HTTP Basic (RFC 7617).',
);

const NETWORKS = mapOf(
  NAME_FORMAT,
  closed({
    class: classKey(),
    addresses: list(
      string({
        format: 'network',
        hint: 'Write an IP address, or a network: 10.0.0.0/8, fd00::/8.',
      }),
      'Its addresses and networks.',
      { minItems: 1, maxItems: 1000, uniqueItems: true },
    ),
  }),
  'Clients without credentials whose address is in a network; the first network that fits ' +
    'counts, each address is a client.',
  { names: CLIENT_NAME, minProperties: 1 },
);

const operationNames = (description: string, options: { readonly default?: string[] } = {}) =>
  list(
    string({
      pattern: '^(?:/[^\\s?#]{0,1024}|[^\\s./][^\\s.]{0,63}(\\.[^\\s:{}]{1,256})?)$',
      hint:
        'Write the name of a service, of one of its operations (orders.GetOrder), or the path ' +
        'of a plain route (/files).',
    }),
    description,
    { maxItems: 10_000, uniqueItems: true, ...options },
  );

const CLASSES = mapOf(
  NAME_FORMAT,
  closed({
    budget: optional(
      closed(
        {
          maximum: points(
            'The most points that a client can have at once.',
            [1, 1_000_000_000],
            1000,
          ),
          restoreRate: points('Points restored each second.', [1, 1_000_000_000], 100),
        },
        'The budget of each client of the class, for SOAP and GraphQL; ' +
          'without it there is no budget.',
      ),
    ),
    requestsAtOnce: optional(
      whole(
        'Requests of one client in progress at once, by SOAP or GraphQL; ' +
          'without it there is no bound.',
        [1, 100_000],
      ),
    ),
    allow: optional(
      operationNames(
        'Services, operations (`orders`, `orders.GetOrder`) and plain routes (`/files`) it ' +
          'may call; by default all. Where SOAPAction cannot distinguish two operations, ' +
          'a right to both is needed.',
      ),
    ),
    costBreakdown: flag(
      'Whether it may ask, with `soapstone-cost-breakdown: 1`, what each field ' +
        'costs, where others may not.',
      false,
    ),
    scopes: list(
      string(SCOPE),
      'Scopes that all its clients have, besides those of their tokens.',
      { maxItems: 256, uniqueItems: true, default: [] },
    ),
    deny: operationNames('Those it may not call, even if they are allowed.', { default: [] }),
  }),
  'By name, which metrics use: the rights of clients.',
  { names: CLIENT_NAME, minProperties: 1 },
);

/** The word for a gateway that is open on purpose. */
export const OPEN = 'none';

const CLIENTS = closed(
  {
    order: list(
      oneOf([
        'apiKey',
        'basic',
        'jwt',
        'introspection',
        'certificate',
        'wsSecurity',
        'network',
        'address',
      ]),
      'How clients are identified: the first method that a request uses decides, and is ' +
        'refused if it is invalid. Only configured methods count.',
      {
        minItems: 1,
        uniqueItems: true,
        default: [
          'apiKey',
          'basic',
          'jwt',
          'introspection',
          'certificate',
          'wsSecurity',
          'network',
          'address',
        ],
      },
    ),
    apiKeys: optional(API_KEYS),
    basic: optional(BASIC),
    jwt: optional(JWT_ISSUERS_KEYS),
    introspection: optional(INTROSPECTION),
    certificate: optional(CERTIFICATE),
    wsSecurity: optional(WS_SECURITY),
    networks: optional(NETWORKS),
    address: optional(
      closed(
        { class: classKey() },
        'Clients without credentials, identified by their address (of IPv6, by the first 64 ' +
          'bits); without it they are refused.',
      ),
    ),
    trustedProxies: list(
      string({
        format: 'network',
        hint: 'Write an IP address, or a network: 10.0.0.0/8, fd00::/8.',
      }),
      'Addresses (10.0.0.7) and networks (10.0.0.0/8) of proxies in front: ' +
        'their X-Forwarded-For names the client, for its rights and in the log, the audit and ' +
        'traces; and the limits on one address (`limits.http`) are not applied to their ' +
        'connections. May stand alone.',
      { maxItems: 64, uniqueItems: true, default: [] },
    ),
    remembered: whole(
      'Clients whose budgets are remembered; beyond that those that spent least are forgotten.',
      [100, 10_000_000],
      100_000,
    ),
    classes: optional(CLASSES),
    authorize: optional(AUTHORIZE_KEYS),
    maskKey: optional(
      text(
        'The key of hashes by `mask: hash`; by default each process makes one of ' +
          'its own when it starts.',
        { minLength: 16, maxLength: 1024 },
      ),
    ),
  },
  'Clients, what identifies them, their rights and budgets. Without `classes` every client ' +
    'may call, without a budget. `none` says that this is meant.',
);

/** `none`, or keys. */
export const CLIENT_KEYS = wordOr([OPEN], CLIENTS);
