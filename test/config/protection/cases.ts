import type { ProtectionName } from '../../../src/config/protection/table.js';

/**
 * What happens to one protection: configurations as YAML, each with what `check` or a changed file
 * says to it.
 */
export interface ProtectionCase {
  /** A configuration that has the protection. */
  readonly there: string;
  /**
   * What it is without: from `there` to each of these a changed file is refused, with this text.
   */
  readonly withdrawn: readonly (readonly [yaml: string, what: RegExp])[];
  /** Changes that take nothing away. */
  readonly taken: readonly string[];
  /** Names that do not exist. */
  readonly misspelt: readonly (readonly [yaml: string, what: RegExp])[];
  readonly empty: readonly (readonly [yaml: string, what: RegExp | null])[];
  /**
   * Configurations that leave it open, with the sentence of `check`; null: it is closed by itself.
   */
  readonly absent: readonly (readonly [yaml: string, what: RegExp])[] | null;
  /**
   * The file of the test of what happens while its source cannot be reached; null where it has
   * none.
   */
  readonly unreachable: string | null;
}

const service = (more = '', rest = ''): string =>
  `services:\n  a: { url: "https://a/"${more} }\n${rest}`;
const clients = (more: string, classes = 'one: {}, two: { allow: [a], scopes: [x] }'): string =>
  service('', `clients: { ${more}, classes: { ${classes} } }\n`);
const KEYS = 'apiKeys: { clients: { erp: { class: two, keys: [0123456789abcdef] } } }';
const JWT = (more = ''): string =>
  'jwt: { issuer: i, audience: a, jwksUrl: "https://i/", classClaim: ' +
  `c, algorithms: [RS256]${more} }`;
const types = (field: string, rest = CLASSES): string =>
  service(`, wsdl: a.wsdl, schema: { types: { C: { fields: { iban: { ${field} } } } } }`, rest);
const CLASSES = `clients: { address: { class: one }, classes: { one: {}, two: {} } }\n`;
const graphql = (more: string): string =>
  `services:\n  g: { kind: graphql, url: "https://g/"${more} }\n`;

const PAY = (more: string): string =>
  `, wsdl: a.wsdl, operations: { Pay: { field: Mutation.pay, ${more} } }`;

/** A service that verifies; `more` goes into its signature. */
const verify = (more = '', beside = ''): string =>
  service(
    ', security: { verify: { signature: { authorities: "-----BEGIN ", subjects: ' +
      `["OU=a"]${more} }${beside} } }`,
  );

/** A service that decrypts messages, and encrypts its calls; `more` goes into `decrypt`. */
const decrypts = (more: string, make = MADE_ENCRYPTION): string =>
  service(
    ', security: { verify: { decrypt: { keys: [{ key: "-----BEGIN ", cert: "-----BEGIN " }]' +
      `${more} } }${make} }`,
  );
const MADE_ENCRYPTION = ', make: { encrypt: { cert: "-----BEGIN ", parts: [Body, Signature] } }';

/** A service that encrypts its calls; `more` goes into `encrypt`. */
const encrypts = (more: string): string =>
  service(`, security: { make: { encrypt: { cert: "-----BEGIN "${more} } } }`);

/** A service that verifies replies; `more` goes into the signature, `beside` stands beside it. */
const verifyReplies = (more = '', beside = ''): string =>
  service(
    ', security: { make: { signature: { cert: "-----BEGIN ", key: "-----BEGIN ", parts: ' +
      '[Body] } }, verifyReplies: { signature: { authorities: "-----BEGIN ", subjects: ' +
      `["OU=a"]${more} }${beside} } }`,
  );

export const CASES: Readonly<Record<ProtectionName, ProtectionCase>> = {
  clients: {
    there: clients(KEYS),
    withdrawn: [
      [service(), /`clients` identifies no clients any more/],
      [service('', 'clients: { trustedProxies: [10.0.0.1] }\n'), /`clients` identifies no clients/],
      [
        clients(`${KEYS}, address: { class: two }`),
        /`clients.address.class` lets callers in that were refused/,
      ],
      [
        clients(`${KEYS}, networks: { n: { class: one, addresses: [10.0.0.0/8] } }`),
        /networks\.n\.class` lets callers in/,
      ],
      [
        clients(KEYS.replace('two', 'one')),
        /erp\.class` is class `one` instead of `two`, which may call everything/,
      ],
      [
        verify('', ', usernameToken: { url: "https://u/" }') +
          `clients: { ${KEYS}, wsSecurity: { class: two }, classes: { one: {}, two: { allow: ` +
          '[a], scopes: [x] } } }\n',
        /`clients\.wsSecurity\.class` lets callers in that were refused/,
      ],
    ],
    taken: [
      clients(KEYS.replace('0123456789abcdef', 'ffffffffffffffff')),
      clients(`order: [jwt, apiKey], ${KEYS}`).replace(
        'order: [jwt, apiKey]',
        'order: [apiKey, jwt]',
      ),
      clients(KEYS.replace('erp: ', 'crm: { class: one, keys: [ffffffffffffffff] }, erp: ')),
      clients(JWT()),
      service('', 'clients: none\n'),
    ],
    misspelt: [
      [
        clients(KEYS).replace('clients: {', 'client: {'),
        /Unknown key `client`\. Did you mean `clients`\?/,
      ],
      [clients(KEYS.replace('two', 'tow')), /is none of `clients\.classes`\. Did you mean/],
      [service('', 'clients: nome\n'), /Write none, or a map of keys/],
    ],
    empty: [
      [service('', 'clients:\n'), /has no value/],
      [service('', 'clients: {}\n'), /No client could call/],
      [clients('apiKeys: { clients: { erp: { class: two, keys: [] } } }'), /must not be empty/],
    ],
    absent: [[service(), /Every caller may call everything/]],
    unreachable: 'access/introspection.test.ts',
  },
  classes: {
    there: clients(
      KEYS,
      'two: { allow: [a], deny: [a.Drop], scopes: [x], budget: {}, requestsAtOnce: ' +
        '5 }, one: { deny: [a] }',
    ),
    withdrawn: [
      [
        clients(
          KEYS,
          'two: { deny: [a.Drop], scopes: [x], budget: {}, requestsAtOnce: 5 }, one: { deny: [a] }',
        ),
        /classes\.two` may call everything: `allow` is gone/,
      ],
      [
        clients(
          KEYS,
          'two: { allow: [a], scopes: [x], budget: {}, requestsAtOnce: 5 }, one: { deny: [a] }',
        ),
        /may call `a\.Drop`, which were denied/,
      ],
      [
        clients(
          KEYS,
          'two: { allow: [a], deny: [a.Drop], scopes: [x, y], budget: {}, requestsAtOnce: ' +
            '5 }, one: { deny: [a] }',
        ),
        /has the scopes `y` besides/,
      ],
      [
        clients(
          KEYS,
          'two: { allow: [a], deny: [a.Drop], scopes: [x], requestsAtOnce: 5 }, one: { deny: [a] }',
        ),
        /has no budget any more/,
      ],
      [
        clients(
          KEYS,
          'two: { allow: [a], deny: [a.Drop], scopes: [x], budget: {} }, one: { deny: [a] }',
        ),
        /any number of requests/,
      ],
      [
        clients(
          KEYS,
          'two: { allow: [a], deny: [a.Drop], scopes: [x], budget: ' +
            '{}, requestsAtOnce: 5 }, one: {}',
        ),
        /classes\.one` may call `a`/,
      ],
    ],
    taken: [
      clients(
        KEYS,
        'two: { allow: [a.Get], deny: [a.Drop], budget: {}, requestsAtOnce: 5 }, three: {}',
      ),
      clients(
        KEYS,
        'two: { allow: [a], deny: [a], scopes: [x], budget: { maximum: 5 }, requestsAtOnce: ' +
          '9 }, one: { allow: [] }',
      ),
    ],
    misspelt: [[clients(KEYS, 'two: { alow: [a] }'), /Unknown key `alow`/]],
    empty: [
      [clients(KEYS, 'two: { allow: [] }'), null],
      [service('', `clients: { ${KEYS}, classes: {} }\n`), /must not be empty/],
    ],
    absent: [
      [clients(KEYS), /class `one` may call everything but `deny`/],
      [clients(KEYS), /class `one`, `two` may call at any rate/],
    ],
    unreachable: 'catalogue/redis.test.ts',
  },
  tokens: {
    there: clients(JWT(', requireNotBefore: true')),
    withdrawn: [
      [clients(JWT()), /requireNotBefore` goes from `true` to `false`/],
      [
        clients(JWT(', requireNotBefore: true').replace('RS256', 'RS256, ES256')),
        /algorithms` now has ES256/,
      ],
      [
        clients(JWT(', requireNotBefore: true').replace('https:', 'http:')),
        /jwksUrl` goes from https to http/,
      ],
      [
        clients(JWT(', requireNotBefore: true, toleranceMillis: 600000')),
        /toleranceMillis` goes from `60000` to `600000`/,
      ],
      [
        clients(JWT(', requireNotBefore: true, scopesClaim: groups')),
        /scopesClaim` goes from `scope` to `groups`/,
      ],
      [
        clients(JWT(', requireNotBefore: true, clientClaim: email')),
        /clientClaim` goes from `sub` to `email`/,
      ],
      [
        clients(JWT(', requireNotBefore: true, forward: true')),
        /forward` goes from `false` to `true`/,
      ],
      [
        clients(JWT(', requireNotBefore: true, class: one')),
        /class` is class `one` instead of ``|lets tokens in/,
      ],
    ],
    taken: [clients(`${JWT(', requireNotBefore: true')}, ${KEYS}`)],
    misspelt: [[clients(JWT().replace('RS256', 'RS265')), /Did you mean `RS256`|must be one of/]],
    empty: [[clients(JWT().replace('[RS256]', '[]')), /must not be empty/]],
    absent: null,
    unreachable: 'access/introspection.test.ts',
  },
  decisions: {
    there: clients(`${KEYS}, authorize: { url: "http://127.0.0.1:9/" }`),
    withdrawn: [
      [clients(KEYS), /`clients\.authorize\.url` is gone/],
      [
        clients(`${KEYS}, authorize: { url: "http://127.0.0.1:9/", cacheMillis: 60000 }`),
        /cacheMillis` goes from `\d+` to `60000`/,
      ],
      [
        clients(`${KEYS}, authorize: { url: "http://127.0.0.1:9/", onError: allow }`),
        /goes from `deny` to `allow`/,
      ],
    ],
    taken: [clients(`${KEYS}, authorize: { url: "http://127.0.0.1:8/", timeoutMillis: 90 }`)],
    misspelt: [
      [clients(`${KEYS}, authorise: { url: "http://127.0.0.1:9/" }`), /Did you mean `authorize`/],
    ],
    empty: [[clients(`${KEYS}, authorize: {}`), /`clients\.authorize\.url` is missing/]],
    absent: null,
    unreachable: 'features/decision-point.test.ts',
  },
  proxies: {
    there: clients(`${KEYS}, trustedProxies: [10.0.0.1]`),
    withdrawn: [
      [
        clients(`${KEYS}, trustedProxies: [10.0.0.1, 10.0.0.0/8]`),
        /trustedProxies` now has `10\.0\.0\.0\/8`/,
      ],
    ],
    taken: [clients(KEYS)],
    misspelt: [[clients(`${KEYS}, trustedProxys: [10.0.0.1]`), /Did you mean `trustedProxies`/]],
    empty: [[clients(`${KEYS}, trustedProxies: []`), null]],
    absent: null,
    unreachable: null,
  },
  scopes: {
    there: types(
      'scopes: [a, b], authenticated: true',
      `${CLASSES}graphql: { rejectUnauthorized: true }\n`,
    ),
    withdrawn: [
      [
        types(
          'scopes: [a], authenticated: true',
          `${CLASSES}graphql: { rejectUnauthorized: true }\n`,
        ),
        /iban\.scopes` asks for less/,
      ],
      [
        types(
          'scopes: [[a, b], [c]], authenticated: true',
          `${CLASSES}graphql: { rejectUnauthorized: true }\n`,
        ),
        /asks for less/,
      ],
      [
        types('authenticated: true', `${CLASSES}graphql: { rejectUnauthorized: true }\n`),
        /iban\.scopes` is gone/,
      ],
      [
        types('scopes: [a, b]', `${CLASSES}graphql: { rejectUnauthorized: true }\n`),
        /authenticated` goes from `true`/,
      ],
      [
        types('scopes: [a, b], authenticated: true', CLASSES),
        /rejectUnauthorized` goes from `true`/,
      ],
      [
        service(', wsdl: a.wsdl', `${CLASSES}graphql: { rejectUnauthorized: true }\n`),
        /iban\.scopes` is gone/,
      ],
      [
        `services:\n  moved: { url: "https://a/" }\n${CLASSES}graphql: ` +
          '{ rejectUnauthorized: true }\n',
        /services\.moved\.schema\.types\.C\.fields\.iban\.scopes` is gone/,
      ],
    ],
    taken: [
      types(
        'scopes: [[a, b, c], [a, b, d]], authenticated: true',
        `${CLASSES}graphql: { rejectUnauthorized: true }\n`,
      ),
      `services:\n  other: { url: "https://b/" }\n${CLASSES}graphql: ` +
        '{ rejectUnauthorized: true }\n',
    ],
    misspelt: [[types('scope: [a]'), /Did you mean `scopes`/]],
    empty: [[types('scopes: []'), /must not be empty/]],
    absent: [
      [
        service(', operations: { A: { scopes: [a] }, B: {} }, wsdl: a.wsdl', CLASSES),
        /Operations of `a` need no scopes: `B`/,
      ],
    ],
    unreachable: null,
  },
  fixedValues: {
    there: service(
      ', wsdl: a.wsdl, operations: { Get: { arguments: { tenant: { value: one } } } }',
    ),
    withdrawn: [
      [service(', wsdl: a.wsdl, operations: { Get: {} }'), /arguments\.tenant` is left to callers/],
      [service(', wsdl: a.wsdl'), /arguments\.tenant` is left to callers/],
    ],
    taken: [
      service(', wsdl: a.wsdl, operations: { Get: { arguments: { tenant: { value: two } } } }'),
      service(', wsdl: a.wsdl, operations: { Get: false }'),
    ],
    misspelt: [
      [
        service(', wsdl: a.wsdl, operations: { Get: { arguments: { tenant: { valeu: one } } } }'),
        /Did you mean `value`/,
      ],
    ],
    empty: [
      [
        service(', wsdl: a.wsdl, operations: { Get: { arguments: { tenant: {} } } }'),
        /has no effect/,
      ],
    ],
    absent: null,
    unreachable: null,
  },
  writes: {
    there: service(PAY('idempotency: { keepMillis: 60000 }')),
    withdrawn: [
      [service(PAY('description: d')), /Pay\.idempotency` is gone/],
      [service(', wsdl: a.wsdl'), /Pay\.idempotency` is gone/],
      [
        service(PAY('idempotency: { keepMillis: 1000 }')),
        /idempotency\.keepMillis` goes from `60000` to `1000`/,
      ],
      [
        service(PAY('idempotency: { keepMillis: 60000, header: x-key }')),
        /idempotency\.header` goes from `idempotency-key` to `x-key`/,
      ],
      [
        service(PAY('idempotency: { keepMillis: 60000 }, idempotent: true')),
        /Pay\.idempotent` goes from `false` to `true`/,
      ],
      [
        service(PAY('idempotency: { keepMillis: 60000 }').replace('Mutation', 'Query')),
        /Pay\.field` goes from `Mutation\.pay` to `Query\.pay`|`idempotency`/,
      ],
      [
        service(`${PAY('idempotency: { keepMillis: 60000 }')}, reads: [Pay]`),
        /services\.a\.reads` now has `Pay`/,
      ],
    ],
    taken: [service(PAY('idempotency: { keepMillis: 120000 }'))],
    misspelt: [[service(PAY('idempotancy: {}')), /Did you mean `idempotency`/]],
    empty: [[service(PAY('idempotency: {}')), null]],
    absent: null,
    unreachable: 'redis/outcomes.test.ts',
  },
  masks: {
    there: types('mask: { default: hash, two: none }'),
    withdrawn: [
      [types('mask: { default: last4, two: none }'), /iban\.mask` masks less for `one`/],
      [types('mask: { two: hash }'), /masks less for `one`/],
      [types('hide: false'), /masks less for `one`/],
      [service(', wsdl: a.wsdl', CLASSES), /masks less for `one`/],
      [
        types('mask: { default: hash, two: none }', CLASSES.replace('class: one', 'class: two')),
        /class` is class `two` instead of `one`, which gets values that were masked/,
      ],
    ],
    taken: [
      types('mask: remove'),
      types('mask: { one: "null" }', CLASSES),
      types('mask: { default: hash, two: none }', CLASSES.replace('two: {}', 'two: {}, three: {}')),
    ],
    misspelt: [
      [types('mask: { tow: last4 }'), /is none of `clients\.classes`\. Did you mean `two`\?/],
    ],
    empty: [[types('mask: {}'), /must not be empty/]],
    absent: [
      [
        types('mask: { two: last4 }'),
        /`a: C\.iban` is not masked for class `one`: its mask has no `default`/,
      ],
    ],
    unreachable: null,
  },
  exposure: {
    there: service(
      ', wsdl: a.wsdl, serveWsdl: false, faultDetail: none, operations: { A: { field: ' +
        'Query.a } }, schema: { types: { C: { hide: true } } }',
      'graphql: { introspection: false, graphiql: false }\n',
    ),
    withdrawn: [
      [
        service(
          ', wsdl: a.wsdl, faultDetail: none, operations: { A: { field: Query.a } }, schema: ' +
            '{ types: { C: { hide: true } } }',
          'graphql: { introspection: false, graphiql: false }\n',
        ),
        /serveWsdl` goes from `false` to `true`/,
      ],
      [
        service(
          ', wsdl: a.wsdl, serveWsdl: false, operations: { A: { field: Query.a } }, schema: ' +
            '{ types: { C: { hide: true } } }',
          'graphql: { introspection: false, graphiql: false }\n',
        ),
        /faultDetail` goes from `none` to `declared`/,
      ],
      [
        service(
          ', wsdl: a.wsdl, serveWsdl: false, faultDetail: none, schema: { types: ' +
            '{ C: { hide: true } } }',
          'graphql: { introspection: false, graphiql: false }\n',
        ),
        /operations` names no field any more/,
      ],
      [
        service(
          ', wsdl: a.wsdl, serveWsdl: false, faultDetail: none, operations: ' +
            '{ A: { field: Query.a } }',
          'graphql: { introspection: false, graphiql: false }\n',
        ),
        /types\.C\.hide` goes from `true`/,
      ],
      [
        service(
          ', wsdl: a.wsdl, serveWsdl: false, faultDetail: none, operations: { A: { field: ' +
            'Query.a } }, schema: { types: { C: { hide: true } } }',
          'graphql: { graphiql: false }\n',
        ),
        /introspection` goes from `false`/,
      ],
    ],
    taken: [
      service(
        ', wsdl: a.wsdl, serveWsdl: false, faultDetail: none, operations: { A: { field: ' +
          'Query.a }, B: { field: Query.b } }, schema: { types: { C: { hide: true } } }',
        'graphql: { introspection: false, graphiql: false }\n',
      ),
    ],
    misspelt: [
      [service('', 'graphql: { introspektion: false }\n'), /Did you mean `introspection`/],
    ],
    empty: [[service(', operations: {}'), null]],
    absent: [[service(', wsdl: a.wsdl'), /Callers may ask for the whole GraphQL schema/]],
    unreachable: null,
  },
  confirmations: {
    there: service('', 'mcp: { operations: [a.Get], write: [a.Set], confirm: [a.Set] }\n'),
    withdrawn: [
      [
        service('', 'mcp: { operations: [a.Get], write: [a.Set] }\n'),
        /confirm` lacks `a\.Set`, which is still a tool/,
      ],
      [
        service('', 'mcp: { operations: [a.Get], write: [a.Set, a.Drop], confirm: [a.Set] }\n'),
        /write` now has `a\.Drop`, which `mcp\.confirm` does not have/,
      ],
    ],
    taken: [
      service('', 'mcp: { operations: [a.Get] }\n'),
      service(),
      service('', 'mcp: { operations: [a.Get], write: [a.Set], confirm: [a.Set, a.Get] }\n'),
      service('', 'mcp: { write: [a.Set, a.Drop], confirm: [a.Set, a.Drop] }\n'),
    ],
    misspelt: [
      [service('', 'mcp: { operations: [a.Get], confrim: [a.Get] }\n'), /Did you mean `confirm`/],
    ],
    empty: [[service('', 'mcp: { operations: [a.Get], confirm: [] }\n'), null]],
    absent: [
      [
        service('', 'mcp: { write: [a.Set, a.Drop], confirm: [a.Drop] }\n'),
        /Agents change data by `?a\.Set`? without a person/,
      ],
    ],
    unreachable: null,
  },
  origins: {
    there: service(
      '',
      'hosts: [api.example]\ngraphql: { cors: { origins: ["https://a.example"] } }\n',
    ),
    withdrawn: [
      [service('', 'graphql: { cors: { origins: ["https://a.example"] } }\n'), /`hosts` is gone/],
      [
        service(
          '',
          'hosts: [api.example]\ngraphql: { cors: { origins: ["https://a.example", ' +
            '"https://b.example"] } }\n',
        ),
        /origins` now has `https:\/\/b\.example`/,
      ],
      [
        service(
          '',
          'hosts: [api.example]\ngraphql: { cors: { origins: ["https://a.example"], ' +
            'credentials: true } }\n',
        ),
        /credentials` goes from `false`/,
      ],
    ],
    taken: [service('', 'hosts: [api.example, b.example]\n')],
    misspelt: [[service('', 'host: [api.example]\n'), /Did you mean `hosts`/]],
    empty: [[service('', 'hosts: []\n'), null]],
    absent: [[service(), /Requests may name any host/]],
    unreachable: null,
  },
  signatures: {
    there: verify(', required: [Body, Timestamp]', ', once: true'),
    withdrawn: [
      [service(), /`services\.a\.security\.verify` is gone/],
      [
        service(', security: { verify: { timestamp: { required: true }, once: true } }'),
        /signature` is gone/,
      ],
      [verify(', required: [Body]', ', once: true'), /required` lacks `Timestamp`/],
      [verify(', required: [Body, Timestamp]'), /once` goes from `true`/],
      ...(['none', '600000'] as const).map(
        (age) =>
          [
            verify(
              ', required: [Body, Timestamp]',
              `, once: true, timestamp: { maxAgeMillis: ${age} }`,
            ),
            new RegExp(`timestamp\\.maxAgeMillis\` goes from \`300000\` to \`${age}\``),
          ] as const,
      ),
      [
        verify(
          ', required: [Body, Timestamp]',
          ', once: true, timestamp: { toleranceMillis: 3600000 }',
        ),
        /timestamp\.toleranceMillis` goes from `300000` to `3600000`/,
      ],
      [
        verify(', required: [Body, Timestamp], keyValues: known', ', once: true'),
        /keyValues` goes from `none`/,
      ],
      [
        verify(', required: [Body, Timestamp], algorithms: [rsa-sha1]', ', once: true'),
        /algorithms` now has `rsa-sha1`/,
      ],
      [
        verify(', required: [Body, Timestamp], chainDigests: [sha256, sha1]', ', once: true'),
        /chainDigests` now has `sha1`/,
      ],
      [
        verify(', required: [Body, Timestamp]', ', once: true, encrypted: pass'),
        /encrypted` goes from `refuse`/,
      ],
      [
        verify(', required: [Body, Timestamp]', ', once: true').replace(
          '["OU=a"]',
          '["OU=a", "OU=b"]',
        ),
        /subjects` now has `OU=b`/,
      ],
      [
        verify(', required: [Body, Timestamp]', ', once: true').replace(', subjects: ["OU=a"]', ''),
        /subjects` is gone/,
      ],
    ],
    taken: [
      verify(', required: [Body, Timestamp, UsernameToken]', ', once: true'),
      verify(', required: [Body, Timestamp]', ', once: true, timestamp: { maxAgeMillis: 1000 }'),
      verify(', required: [Body, Timestamp], algorithms: [ed25519]', ', once: true'),
      verify(', required: [Body, Timestamp]', ', once: true').replace(
        'BEGIN ',
        'BEGIN CERTIFICATE',
      ),
    ],
    misspelt: [
      [verify(', requires: [Body]'), /Unknown key `requires` in [^ ]*\. Did you mean `required`\?/],
      [verify(', required: [Boddy]'), /Write Body, Timestamp/],
      [verify(', algorithms: [rsa-sha255]'), /rsa-sha256/],
    ],
    empty: [
      [service(', security: { verify: { signature: {} } }'), /authorities/],
      [verify(', required: []'), /must not be empty/],
    ],
    absent: [
      [verify('', ', timestamp: { required: true }'), /new Timestamp: the one that is required/],
      [
        service(', security: { verify: { timestamp: { required: true } } }'),
        /new Timestamp: the one that is required/,
      ],
      [verify('', ', timestamp: { maxAgeMillis: none }'), /Messages to `a` are taken at any age/],
      [verify(), /taken more than once \(`once`\), at any age/],
      [verify(', required: [Body, Timestamp]'), /taken more than once \(`once`\)\./],
      [verify(', required: [Timestamp]'), /Messages to `a` need no signature of their Body/],
      [
        verify('', ', usernameToken: { url: "https://u/", maxAgeMillis: none }'),
        /UsernameToken of any age/,
      ],
      [verify('', ', usernameToken: { url: "https://u/" }'), /UsernameToken .*is not bound/],
      [
        verify('', ', saml: { issuers: { i: { cert: "-----BEGIN " } }, audience: "urn:a" }'),
        /assertion .*`bearer` is not bound/,
      ],
      [verify('', ', encrypted: pass'), /Messages to `a` may have encrypted parts/],
      ...(['algorithms: [rsa-sha1]', 'digests: [sha1]', 'chainDigests: [sha1]'] as const).map(
        (key) => [verify(`, ${key}`), /Messages to `a` may be signed with SHA-1/] as const,
      ),
    ],
    unreachable: 'features/security-verify.test.ts',
  },
  decryption: {
    there: decrypts(', required: [Body]'),
    withdrawn: [
      [service(), /`services\.a\.security\.verify` is gone/],
      [decrypts(''), /required` lacks `Body`/],
      [decrypts(', required: [Body]', ''), /make\.encrypt` is gone/],
      [
        decrypts(', required: [Body]', MADE_ENCRYPTION.replace('Body, ', '')),
        /make\.encrypt\.parts` lacks `Body`/,
      ],
      [
        decrypts(', required: [Body], algorithms: [aes128-gcm, aes192-gcm, aes256-gcm]'),
        /algorithms` now has `aes192-gcm`/,
      ],
    ],
    taken: [
      decrypts(', required: [Body], algorithms: [aes256-gcm]'),
      decrypts(', required: [Body]', MADE_ENCRYPTION.replace('Signature', 'Signature, Assertion')),
    ],
    misspelt: [
      [
        decrypts(', requires: [Body]'),
        /Unknown key `requires` in [^ ]*\. Did you mean `required`\?/,
      ],
      [decrypts(', algorithms: [aes256-gmc]'), /aes256-gcm/],
    ],
    empty: [
      [service(', security: { verify: { decrypt: {} } }'), /keys/],
      [decrypts(', algorithms: []'), /must not be empty/],
    ],
    absent: [
      [decrypts(''), /Messages to `a` may come without encryption/],
      [decrypts('').replace('verify:', 'verifyReplies:'), /Replies of `a` may come without encry/],
      [encrypts(', parts: [UsernameToken]'), /The Body of calls to `a` is not encrypted/],
    ],
    unreachable: null,
  },
  replySignatures: {
    there: verifyReplies(', required: [Body, Timestamp]', ', signatureConfirmation: true'),
    withdrawn: [
      [service(), /`services\.a\.security\.verifyReplies` is gone/],
      [
        verifyReplies(', required: [Body]', ', signatureConfirmation: true'),
        /required` lacks `Timestamp`/,
      ],
      [verifyReplies(', required: [Body, Timestamp]'), /signatureConfirmation` goes from `true`/],
      [
        verifyReplies(
          ', required: [Body, Timestamp]',
          ', signatureConfirmation: true, timestamp: { maxAgeMillis: none }',
        ),
        /verifyReplies\.timestamp\.maxAgeMillis` goes from `300000` to `none`/,
      ],
      [
        verifyReplies(', required: [Body, Timestamp]', ', signatureConfirmation: true').replace(
          ', subjects: ["OU=a"]',
          '',
        ),
        /subjects` is gone/,
      ],
    ],
    taken: [
      verifyReplies(
        ', required: [Body, Timestamp], algorithms: [ed25519]',
        ', signatureConfirmation: true',
      ),
    ],
    misspelt: [
      [
        verifyReplies('', ', signatureConfirmations: true'),
        /Did you mean `signatureConfirmation`\?/,
      ],
      [verifyReplies(', required: [Boddy]'), /Write Body, Timestamp/],
    ],
    empty: [[service(', security: { verifyReplies: { signature: {} } }'), /authorities/]],
    absent: [
      [
        service(
          ', security: { make: { signature: { cert: "-----BEGIN ", key: ' +
            '"-----BEGIN ", parts: [Body] } } }',
        ),
        /Replies of `a` are not verified, while its calls are signed/,
      ],
      [verifyReplies('', ', timestamp: { required: true }'), /Replies of .*new Timestamp/],
      [verifyReplies('', ', timestamp: { maxAgeMillis: none }'), /Replies of `a` are taken at any/],
      [verifyReplies(', required: [Timestamp]'), /Replies of `a` need no signature of their Body/],
      [verifyReplies(), /Replies of `a` may answer another call/],
      [verifyReplies('', ', encrypted: pass'), /Replies of `a` may have encrypted parts/],
      [verifyReplies(', digests: [sha1]'), /Replies of `a` may be signed with SHA-1/],
    ],
    unreachable: 'features/security-verify-replies.test.ts',
  },
  messages: {
    there: service(
      ', understands: ["{u}a"], attachments: false, security: { timestamps: true, nonces: true }',
    ),
    withdrawn: [
      [
        service(
          ', mode: monitor, understands: ["{u}a"], attachments: false, security: ' +
            '{ timestamps: true, nonces: true }',
        ),
        /mode` goes from `enforce` to `monitor`/,
      ],
      [
        service(
          ', unknownOperations: pass, understands: ["{u}a"], attachments: false, security: ' +
            '{ timestamps: true, nonces: true }',
        ),
        /unknownOperations` goes from `refuse`/,
      ],
      [
        service(
          ', addressing: { check: false }, understands: ["{u}a"], attachments: ' +
            'false, security: { timestamps: true, nonces: true }',
        ),
        /check` goes from `true`/,
      ],
      [
        service(', attachments: false, security: { timestamps: true, nonces: true }'),
        /understands` is gone/,
      ],
      [
        service(
          ', understands: ["{u}a", "{u}b"], attachments: false, security: ' +
            '{ timestamps: true, nonces: true }',
        ),
        /understands` now has/,
      ],
      [
        service(', understands: ["{u}a"], security: { timestamps: true, nonces: true }'),
        /attachments` goes from `false`/,
      ],
      [
        service(', understands: ["{u}a"], attachments: false'),
        /security\.timestamps` goes from `true`/,
      ],
      [
        service(
          ', understands: ["{u}a"], attachments: false, security: { timestamps: true, nonces: ' +
            'true, noncesWithoutRedis: true }',
        ),
        /noncesWithoutRedis` goes from `false`/,
      ],
    ],
    taken: [
      service(
        ', understands: [], attachments: false, security: { timestamps: true, nonces: true }',
      ),
    ],
    misspelt: [[service(', mode: monitr'), /Did you mean `monitor`/]],
    empty: [[service(', security: {}'), null]],
    absent: null,
    unreachable: 'catalogue/redis.test.ts',
  },
  content: {
    there: service(', wsdl: a.wsdl, validate: { requests: enforce, replies: enforce }'),
    withdrawn: [
      [
        service(', wsdl: a.wsdl, validate: { requests: report, replies: enforce }'),
        /requests` goes from `enforce` to `report`/,
      ],
      [service(', wsdl: a.wsdl'), /requests` goes from `enforce` to `off`/],
      [
        service(', validate: { requests: enforce, replies: enforce }'),
        /services\.a\.wsdl` is gone/,
      ],
    ],
    taken: [service(', wsdl: b.wsdl, validate: { requests: enforce, replies: enforce }')],
    misspelt: [[service(', validate: { requests: enforced }'), /Did you mean `enforce`/]],
    empty: [[service(', wsdl: ""'), /must not be empty/]],
    absent: [
      [service(), /Any operation passes to `a`/],
      [service(', wsdl: a.wsdl'), /content of requests to `a` is not validated/],
    ],
    unreachable: 'process/reload.test.ts',
  },
  tolerance: {
    there: service(', wsdl: a.wsdl'),
    withdrawn: [
      [service(', wsdl: a.wsdl, tolerate: [wrapper]'), /services\.a\.tolerate` now has `wrapper`/],
      [
        service(', wsdl: a.wsdl, operations: { Get: { tolerate: [missing] } }'),
        /services\.a\.operations\.Get\.tolerate` now has `missing`/,
      ],
    ],
    taken: [service(', wsdl: a.wsdl, tolerate: []')],
    misspelt: [[service(', wsdl: a.wsdl, tolerate: [wraper]'), /Did you mean `wrapper`/]],
    empty: [[service(', wsdl: a.wsdl, tolerate: []'), null]],
    absent: [[service(', wsdl: a.wsdl, tolerate: [wrapper]'), /`tolerate` has `wrapper`/]],
    unreachable: null,
  },
  limits: {
    there: service(
      ', requestsAtOnce: 5, rate: { perSecond: 5 }, limits: { xml: { depth: 20 } }',
      'limits: { graphql: { depth: 5 } }\n',
    ),
    withdrawn: [
      [
        service(
          ', requestsAtOnce: 5, limits: { xml: { depth: 20 } }',
          'limits: { graphql: { depth: 5 } }\n',
        ),
        /services\.a\.rate` is gone/,
      ],
      [
        service(
          ', rate: { perSecond: 5 }, limits: { xml: { depth: 20 } }',
          'limits: { graphql: { depth: 5 } }\n',
        ),
        /requestsAtOnce` is gone/,
      ],
      [
        service(
          ', requestsAtOnce: 5, rate: { perSecond: 5 }',
          'limits: { graphql: { depth: 5 } }\n',
        ),
        /services\.a\.limits\.xml\.depth` is gone/,
      ],
      [
        service(', requestsAtOnce: 5, rate: { perSecond: 5 }, limits: { xml: { depth: 20 } }'),
        /limits\.graphql\.depth` is gone, and its default is weaker/,
      ],
      [
        service(
          ', requestsAtOnce: 5, rate: { perSecond: 5 }, limits: { xml: { depth: 20 } }',
          'limits: { graphql: { depth: 5 }, http: { refusalsPerSecond: 0 } }\n',
        ),
        /refusalsPerSecond` is switched off/,
      ],
      [
        service(
          ', requestsAtOnce: 5, rate: { perSecond: 5 }, limits: { xml: { depth: 20 } }',
          'limits: { graphql: { depth: 5 } }\ngraphql: { measure: [depth] }\n',
        ),
        /measure` now has `depth`/,
      ],
    ],
    taken: [
      service(
        ', requestsAtOnce: 9, rate: { perSecond: 9 }, limits: { xml: { depth: 200 } }',
        'limits: { graphql: { depth: 50, callCost: 5 } }\n',
      ),
    ],
    misspelt: [[service('', 'limits: { graphql: { deth: 5 } }\n'), /Did you mean `depth`/]],
    empty: [[service('', 'limits: {}\n'), null]],
    absent: null,
    unreachable: null,
  },
  servers: {
    there: service(', tls: { ca: "-----BEGIN A", minVersion: "1.3" }'),
    withdrawn: [
      [service(', tls: { minVersion: "1.3" }'), /tls\.ca` is gone/],
      [
        service(', tls: { ca: "-----BEGIN A", minVersion: "1.3" }, via: false'),
        /via` goes from `true` to `false`/,
      ],
      [service(', tls: { ca: "-----BEGIN A" }'), /minVersion` goes from `1\.3`/],
      [
        service(', tls: { ca: "-----BEGIN A", minVersion: "1.3", verify: chain }'),
        /verify` goes from `full` to `chain`/,
      ],
      [service().replace('https:', 'http:'), /urls` goes from https to http/],
      [
        service(
          ', tls: { ca: "-----BEGIN A", minVersion: "1.3" }, drift: { url: ' +
            '"https://a/?wsdl", apply: safe }',
        ),
        /apply` goes from `never` to `safe`/,
      ],
    ],
    taken: [service(', tls: { ca: "-----BEGIN B", minVersion: "1.3", verify: full }'), graphql('')],
    misspelt: [[service(', tls: { verify: ful }'), /Did you mean `full`/]],
    empty: [[service(', tls: { ca: "" }'), /must not be empty/]],
    absent: null,
    unreachable: 'upstream/upstream.test.ts',
  },
  listeners: {
    there: service('', 'listen: 127.0.0.1:0\n'),
    withdrawn: [],
    taken: [],
    misspelt: [
      [service('', 'listen: { address: "127.0.0.1:0", tsl: {} }\n'), /Did you mean `tls`/],
    ],
    empty: [
      [service('', 'listen: { address: "127.0.0.1:0", tls: {} }\n'), /tls\.cert` is missing/],
    ],
    absent: null,
    unreachable: 'listen/listeners.test.ts',
  },
  operators: {
    there: service(
      '',
      'admin: { address: "127.0.0.1:0", bearer: { tokens: [0123456789abcdef] } }\n',
    ),
    withdrawn: [
      [service('', 'admin: 127.0.0.1:0\n'), /`admin` asks operators for no credentials any more/],
    ],
    taken: [
      service('', 'admin: { address: "127.0.0.1:0", bearer: { tokens: [ffffffffffffffff] } }\n'),
    ],
    misspelt: [
      [service('', 'admin: { address: "127.0.0.1:0", baerer: {} }\n'), /Did you mean `bearer`/],
    ],
    empty: [
      [
        service('', 'admin: { address: "127.0.0.1:0", bearer: { tokens: [] } }\n'),
        /must not be empty/,
      ],
    ],
    absent: null,
    unreachable: null,
  },
  audit: {
    there: service('', 'audit: { file: a.log }\n'),
    withdrawn: [],
    taken: [],
    misspelt: [[service('', 'audti: { file: a.log }\n'), /Did you mean `audit`/]],
    empty: [
      [service('', 'audit: { file: "" }\n'), /must not be empty/],
      [service('', 'audit: {}\n'), null],
    ],
    absent: [[service(), /Decisions are not recorded/]],
    unreachable: 'observe/audit.test.ts',
  },
  reloads: {
    there: service(),
    withdrawn: [
      [service('', 'reload: { weaker: take }\n'), /reload\.weaker` goes from `refuse` to `take`/],
    ],
    taken: [service('', 'reload: { watch: false }\n')],
    misspelt: [[service('', 'reload: { weaker: tak }\n'), /Did you mean `take`/]],
    empty: [[service('', 'reload: {}\n'), null]],
    absent: null,
    unreachable: 'config/include.test.ts',
  },
};
