import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { rootSection } from '../../src/config/load.js';
import { checkRestartKeys } from '../../src/config/restart-keys.js';
import { readTarget } from '../../src/flow/http/target.js';
import { useConfigFolder } from '../kit/configuration.js';

const { folder: directory, load, problems } = await useConfigFolder(t);

const SERVICE = 'services: { a: { url: http://a } }\n';
const clients = (...lines: readonly string[]): string =>
  `${SERVICE}clients:\n${lines.map((line) => `  ${line}\n`).join('')}`;
const KEYS = 'apiKeys: { clients: { erp: { class: c, keys: [0123456789abcdef] } } }';
const JWT = 'jwt: { issuer: i, audience: a, jwksUrl: "http://i/", class: c }';
const PROXIES = 'trustedProxies: [10.0.0.0/8]';
const CLASSES = 'classes: { c: {} }';

t.test('what stands behind the address in the order of clients is never looked at', async (t) => {
  const behind = (at: number, names: string): string =>
    `3:${at}: \`clients.order[${at === 11 ? 0 : 1}]\`: every client has an address, so what ` +
    `follows it is never used: ${names}. Put \`address\` last.`;
  const order = (ways: string, ...more: readonly string[]): Promise<readonly string[]> =>
    problems(clients(`order: ${ways}`, ...more, CLASSES));
  const address = 'address: { class: c }';
  t.same(await order('[address, apiKey]', KEYS, address), [behind(11, '`apiKey`')]);
  t.same(await order('[apiKey, address, jwt]', KEYS, JWT, address), [behind(19, '`jwt`')]);
  t.same(await order('[address, jwt, apiKey, certificate]', KEYS, JWT, address), [
    behind(11, '`jwt`, `apiKey`'),
  ]);
  t.same(
    await order('[apiKey, jwt, address, certificate]', KEYS, JWT, address),
    [],
    'what is not configured',
  );
  t.same(await order('[address, apiKey]', KEYS), [], 'the address does not count');
  t.same(await problems(clients(KEYS, JWT, address, CLASSES)), [], 'the order that is usual');
});

t.test('proxies may be trusted without classes, credentials need them', async (t) => {
  t.same(await problems(clients(PROXIES)), []);
  t.match(await problems(clients('remembered: 1000')), ['2:1: No client could call']);
  t.match(await problems(clients(PROXIES, CLASSES)), ['2:1: No client could call']);
  t.same(await problems(clients(PROXIES, KEYS)), [
    '2:1: `clients.classes` is missing. State what clients may do.',
  ]);
});

t.test('a header field tells one thing of a client', async (t) => {
  const same =
    '`clients.certificate.header` is the same header field as `clients.apiKeys.header`. ' +
    'Give each its own.';
  const keys = (header: string): string => KEYS.replace('{', `{ header: ${header},`);
  const certificate = 'certificate: { header: X-Id, class: c }';
  t.same(await problems(clients(keys('x-id'), certificate, PROXIES, CLASSES)), [`4:26: ${same}`]);
  t.same(
    await problems(
      clients(keys('x-client-certificate'), 'certificate: { class: c }', PROXIES, CLASSES),
    ),
    [`4:3: ${same}`],
  );
  t.same(await problems(clients(keys('x-other'), certificate, PROXIES, CLASSES)), []);
  t.same(await problems(clients(certificate, PROXIES, CLASSES)), []);
});

t.test('a key set that can verify no token is an error at the start', async (t) => {
  const jwk = (key: KeyObject, more: Readonly<Record<string, unknown>> = {}): unknown => ({
    ...key.export({ format: 'jwk' }),
    ...more,
  });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const wide = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const ed = generateKeyPairSync('ed25519');
  const oct = { kty: 'oct', k: 'c2VjcmV0LWNhbmFyeQ' };
  const validate = async (keys: unknown, algorithms?: string): Promise<readonly string[]> => {
    await writeFile(
      join(directory, 'keys.json'),
      typeof keys === 'string' ? keys : JSON.stringify({ keys }),
    );
    const accepted = algorithms === undefined ? '' : `, algorithms: ${algorithms}`;
    const jwt = `jwt: { issuer: i, audience: a, class: c, jwks: { file: keys.json }${accepted} }`;
    return problems(clients(jwt, CLASSES));
  };
  const none = (algorithms: string, remedy: string): readonly string[] => [
    `3:50: \`clients.jwt.jwks\` has no public key for ${algorithms}: no token could ever ` +
      `be verified. ${remedy}`,
  ];
  const give = 'Give the public keys of the issuer as it shows them.';
  const accept = (algorithms: string): string =>
    `Its keys are for ${algorithms}: accept what the issuer signs with in its \`algorithms\`.`;

  t.same(await validate([]), none('RS256 or ES256', give));
  t.same(await validate([oct]), none('RS256 or ES256', give), 'a shared secret');
  t.same(await validate([jwk(ec.privateKey)]), none('RS256 or ES256', give), 'a private key');
  t.same(
    await validate([jwk(small.publicKey)]),
    none('RS256 or ES256', give),
    'fewer than 2048 bits',
  );
  t.same(await validate([jwk(rsa.publicKey, { use: 'enc' })]), none('RS256 or ES256', give));
  t.same(await validate([jwk(ec.publicKey, { key_ops: ['sign'] })]), none('RS256 or ES256', give));
  t.same(
    await validate([{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }]),
    none('RS256 or ES256', give),
    'no point',
  );
  t.same(await validate([jwk(ed.publicKey)]), none('RS256 or ES256', accept('EdDSA')));
  t.same(await validate([jwk(wide.publicKey)], '[ES256]'), none('ES256', accept('ES384')));
  t.same(
    await validate([jwk(rsa.publicKey, { alg: 'PS256' })], '[RS256]'),
    none('RS256', accept('PS256')),
  );
  t.match(await validate('{}'), [/^3:50: `clients\.jwt\.jwks` is no JSON Web Key Set\. Write /]);
  t.match(await validate('not JSON'), [/is no JSON Web Key Set/]);

  t.same(await validate([jwk(rsa.publicKey)]), []);
  t.same(
    await validate([
      oct,
      jwk(small.publicKey),
      jwk(ec.publicKey, { alg: 'ES256', use: 'sig', kid: '1' }),
    ]),
    [],
  );
  t.same(await validate([jwk(rsa.publicKey)], '[PS512]'), []);
  t.same(await validate([jwk(wide.publicKey)], '[ES384]'), []);
  t.same(
    await validate([jwk(ed.publicKey, { alg: 'EdDSA', key_ops: ['verify'] })], '[EdDSA, RS256]'),
    [],
  );
});

t.test('every origin at once has no credentials and stands by itself', async (t) => {
  const validate = (cors: string): Promise<readonly string[]> =>
    problems(`${SERVICE}graphql: { cors: ${cors} }\n`);
  t.same(await validate('{ origins: ["*"] }'), []);
  t.match(await validate('{ origins: ["*"], credentials: true }'), [
    /`\*`, which cannot have `credentials`/,
  ]);
  t.match(await validate('{ origins: ["*", "https://shop.example"] }'), [
    /the other origins have no effect/,
  ]);
  t.match(await validate('{ origins: ["https://*.example"] }'), [
    /cors\.origins\[0\]` is no origin/,
  ]);
});

t.test('an origin is one that a browser could name', async (t) => {
  const validate = (origin: string): Promise<readonly string[]> =>
    problems(`${SERVICE}graphql: { origins: [${JSON.stringify(origin)}] }\n`);
  const wrong =
    '2:22: `graphql.origins[0]` is no origin that a browser could ever name. ' +
    'Write each by itself, without `*`: https://shop.example.';
  for (const origin of [
    'https://*.shop.example',
    'https://*',
    'https://shop.example:99999',
    'https://shop.example:*',
    'https://[::1',
    'https://a,b',
    'https://1.2.3.4.5',
    'https://a\\b',
    'https://:80',
  ]) {
    t.same(await validate(origin), [wrong], origin);
  }
  for (const origin of [
    'https://shop.example/',
    'https://shop.example/app',
    '*',
    'shop.example',
    'https://u@x',
    'null',
  ]) {
    t.match(await validate(origin), [/^2:22: `graphql\.origins\[0\]` is not valid\./], origin);
  }
  for (const origin of [
    'https://shop.example',
    'https://shop.example:443',
    'http://localhost:3000',
    'http://[::1]:80',
    'http://10.0.0.7',
    'https://Shop.example',
    'https://büro.example',
    'https://my_host',
  ]) {
    t.same(await validate(origin), [], origin);
  }
});

t.test('a path is one that somebody could ask for', async (t) => {
  const keys = (path: string): readonly (readonly [key: string, yaml: string])[] => [
    ['graphql.path', `${SERVICE}graphql: { path: ${JSON.stringify(path)} }\n`],
    ['services.a.path', `services: { a: { url: http://a, path: ${JSON.stringify(path)} } }\n`],
    ['routes[0].path', `${SERVICE}routes: [{ url: http://b, path: ${JSON.stringify(path)} }]\n`],
  ];
  const isAnswered = (url: string): boolean => {
    const request = Object.assign(new IncomingMessage(new Socket()), { url });
    try {
      return readTarget(request).path === url;
    } catch {
      return false;
    }
  };
  for (const [path, why] of [
    ['/graph%71l', 'it encodes what clients write as it is'],
    ['/a%2Db', 'it encodes'],
    ['/a%30', 'it encodes'],
    ['/%7e', 'it encodes'],
    ['/%2e%2e/a', 'it encodes'],
    ['/a//b', 'it has an empty segment'],
    ['//', 'it has an empty segment'],
    ['/a/../b', 'it has a segment of dots'],
    ['/a/.', 'it has a segment of dots'],
    ['/..;x/b', 'it has a segment of dots'],
    ['/a%2fb', 'it has an encoded slash'],
    ['/a%00', 'it has an encoded slash or NUL'],
    ['/a%252fb', 'it has an encoded slash'],
    ['/a%', 'it has a `%` that encodes nothing'],
    ['/a%zz', 'it has a `%` that encodes nothing'],
    ['/a@b', 'it has a'],
    ['/a\\b', 'it has a'],
    ['/büro', 'it is not as it is sent'],
  ] as const) {
    for (const [key, yaml] of keys(path)) {
      const [problem = '', ...others] = await problems(yaml);
      t.ok(problem.includes(`No request could reach \`${key}\`: ${why}`), `${path}: ${problem}`);
      t.same(others, []);
    }
  }
  for (const path of ['/a?b', '/a#b', '/a b', 'a', '']) {
    for (const [key, yaml] of keys(path)) {
      const found = await problems(yaml);
      t.equal(found.length, 1);
      t.match(found[0], `\`${key}\` is not valid`, path);
    }
  }
  for (const path of [
    '/',
    '/graphql/',
    '/a/b.c/~d-e_f',
    '/b%C3%BCro',
    '/a%20b',
    '/a%3Ab',
    '/a%3fb',
    '/a%40b',
    '/a%5Bb%5D',
    '/a%7Cb',
    '/.well-known/x',
    '/a/...',
    '/a;b=c/d',
    '/a:b,(c)!',
    '/-%3a',
  ]) {
    t.ok(isAnswered(path), `${path} can be asked for`);
    for (const [, yaml] of keys(path)) t.same(await problems(yaml), [], path);
  }
});

t.test('whatever path is let pass, the gateway answers requests for it', async () => {
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    'a',
    '%',
    '2',
    '5',
    'e',
    'f',
    'c',
    '0',
    '3b',
    ';',
    '%2f',
    '%2e',
    '@',
    '\\',
    'ü',
    '~',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const url = `/${pieces.join('')}`;
      const found = await problems(`${SERVICE}graphql: { path: ${JSON.stringify(url)} }\n`);
      if (found.length > 0) return;
      if (readTarget(Object.assign(new IncomingMessage(new Socket()), { url })).path !== url)
        throw new Error(url);
    }),
    { numRuns: 300 },
  );
});

t.test('addresses of a service that cannot be balanced', async (t) => {
  const service = (keys: string): Promise<readonly string[]> =>
    problems(`services:\n  a:\n    ${keys}\n`);
  const two = '{ url: http://a, weight: 0 }, { url: http://b';
  t.same(await service(`urls: [${two}, weight: 0 }]`), [
    '3:5: `services.a` has no address with a weight above 0. Give one a weight, ' +
      'or remove the weights.',
  ]);
  t.same(await service(`urls: [${two}, backup: true }]`), [
    '3:5: `services.a` has only addresses that are `backup`. Remove `backup` where ' +
      'calls should go first.',
  ]);
  t.same(await service('urls: [http://a, { url: http://a }]'), [
    '3:22: `services.a` has an address twice. Give one of them a `weight`, and remove the other.',
  ]);
  t.same(await service('urls: [http://a]\n    balance: { hash: client }'), [
    '4:5: `services.a` has `balance` and one address. Give several as `urls`, or remove it.',
  ]);
  t.same(await service('urls: [http://a, { url: http://b, zone: east }]\n    zone: west'), [
    '4:5: `services.a` has no address in its zone. Give addresses a `zone`, or remove it.',
  ]);
  t.same(await service(`urls: [${two} }]\n    balance: { hash: cookie }`), [
    '4:22: `services.a.balance.hash` is not valid. Write client, header:NAME, ' +
      'claim:NAME or path:order/id.',
  ]);
  t.same(await service(`urls: [${two} }]\n    balance: random`), [
    '4:14: `services.a.balance` is not valid. Write leastRequests, roundRobin or { hash: client }.',
  ]);
  const health =
    '`services.a.health` needs `path`, `operation`, `wsdl: true` or `tcp: ' +
    'true`, and one of them. Name what is checked.';
  t.same(await service('url: http://a\n    health: { up: 1 }'), [`4:5: ${health}`]);
  t.same(await service('url: http://a\n    health: { path: /health, tcp: true }'), [
    `4:5: ${health}`,
  ]);
  t.same(await service(`urls: [${two} }]\n    balance: roundRobin`), []);
});

t.test('each issuer of tokens has a name, keys and a class', async (t) => {
  const jwt = (issuers: string): Promise<readonly string[]> =>
    problems(clients(`jwt: [${issuers}]`, CLASSES));
  const keys = 'audience: a, jwksUrl: "https://login.example/keys"';
  t.same(await jwt(`{ issuer: a, class: c, ${keys} }, { issuer: b, classClaim: x, ${keys} }`), []);
  t.match(await jwt(`{ issuer: a, class: c, ${keys} }, { issuer: a, class: c, ${keys} }`), [
    /`clients\.jwt\[1\]\.issuer` is listed twice/,
  ]);
  t.match(await jwt(`{ issuer: a, class: c, ${keys} }, { issuer: b, ${keys} }`), [
    /`clients\.jwt\[1\]` gives no client a class/,
  ]);
  t.match(await jwt(`{ issuer: a, class: c, audience: x }`), [
    /`clients\.jwt\[0\]` needs the keys of the issuer/,
  ]);
  t.match(await jwt(`{ issuer: a, class: d, ${keys} }`), [/`clients\.jwt\[0\]\.class` is none of/]);
  t.match(await jwt(`{ issuer: a, clas: c, ${keys} }`), [/Unknown key `clas`/]);
  t.match(await jwt(''), [/must not be empty/]);
  t.match(
    await problems(
      clients(
        'introspection: { url: "https://login.example/i", clientId: a, clientSecret: b, class: d }',
        CLASSES,
      ),
    ),
    [/`clients\.introspection\.class` is none of/],
  );
  t.match(
    await problems(
      clients(
        'introspection: { url: "https://login.example/i", clientId: a, clientSecret: b }',
        CLASSES,
      ),
    ),
    [/`clients\.introspection` gives no client a class/],
  );
});

t.test('Redis is reached in one way, and each setting has one place', async (t) => {
  const redis = (value: string): Promise<readonly string[]> =>
    problems(`${SERVICE}redis: ${value}\n`);
  for (const good of [
    'redis://127.0.0.1',
    '"rediss://user:p%40ss@redis.internal:6380/3"',
    'unix:/run/redis/redis.sock',
    '{ url: "rediss://a:1", ca: "-----BEGIN pem" }',
    '{ url: "rediss://a:1", tls: { cert: "-----BEGIN pem", key: "-----BEGIN pem", ' +
      'servername: redis.internal } }',
    '{ sentinel: { master: mymaster, nodes: ["a:26379", "[::1]:26379"], tls: ' +
      '{} }, tls: {}, database: 1 }',
    '{ cluster: { nodes: ["a:7000"] }, username: web, password: secret }',
  ]) {
    t.same(await redis(good), [], good);
  }
  const form =
    'Write redis://host:port/database, rediss://host:port for TLS, or unix:/run/redis/redis.sock.';
  for (const bad of [
    'http://a',
    'redis://',
    '"redis://a:99999"',
    '"redis://a/b"',
    '"redis://a?db=1"',
    'unix:redis',
    '"redis://%@a"',
  ]) {
    const [found = ''] = await redis(bad);
    t.ok(found.endsWith(form), found);
  }
  const one = async (value: string): Promise<string> => {
    const found = await redis(value);
    t.equal(found.length, 1, found.join());
    return (found[0] ?? '').replace(/^\d+:\d+: /, '');
  };
  t.equal(
    await one('{ prefix: "a:" }'),
    '`redis` has no server. Give it one of `url`, `sentinel` and `cluster`.',
  );
  t.equal(
    await one('{ url: redis://a, cluster: { nodes: ["a:1"] } }'),
    '`redis.cluster` stands beside `url`. Keep one of them.',
  );
  t.equal(
    await one('{ url: "redis://a/1", database: 1 }'),
    '`redis.database` is in `redis.url` too. Keep one of them.',
  );
  t.equal(
    await one('{ url: "redis://u:p@a", password: secret }'),
    '`redis.password` is in `redis.url` too. Keep one of them.',
  );
  t.match(await one('{ url: redis://a, tls: {} }'), '`redis.tls` has no effect');
  t.match(await one('{ url: unix:/a, ca: "-----BEGIN pem" }'), '`redis.ca` has no effect');
  t.match(
    await one('{ url: rediss://a, ca: "-----BEGIN pem", tls: {} }'),
    '`redis.ca` stands beside `redis.tls`.',
  );
  t.match(await one('{ cluster: { nodes: ["a:1"] }, database: 1 }'), 'a cluster has one');
  t.match(
    await one('{ url: rediss://a, tls: { cert: "-----BEGIN pem" } }'),
    '`redis.tls` has a certificate without its key.',
  );
  t.match(
    await one('{ sentinel: { master: m, nodes: ["a:1"], tls: { key: "-----BEGIN pem" } } }'),
    '`redis.sentinel.tls` has a key without its certificate.',
  );
});

t.test(
  'files that connections to Redis read again may change while the gateway runs',
  async (t) => {
    const rotate = async (password: string, secret: string, more = '') => {
      await writeFile(join(directory, 'password'), password);
      await writeFile(join(directory, 'secret'), secret);
      const redis =
        '{ url: redis://127.0.0.1, password: { file: password }, secret: ' +
        `{ file: secret }${more} }`;
      return load(`${SERVICE}redis: ${redis}\n`);
    };
    const running = rootSection(await rotate('one', 'secret-of-replicas'));
    const rotated = await rotate('another', 'secret-of-replicas');
    t.doesNotThrow(() => checkRestartKeys(running, rootSection(rotated)));
    const other = await rotate('one', 'another-secret-of-replicas');
    t.throws(() => checkRestartKeys(running, rootSection(other)), /`redis` cannot change/);
    const slower = await rotate('one', 'secret-of-replicas', ', operationMillis: 30');
    t.throws(() => checkRestartKeys(running, rootSection(slower)), /`redis` cannot change/);
  },
);

t.test('two kinds of `auth`, and a path in place of PEM, are named', async (t) => {
  const service = (more: string): string => `services: { a: { url: "https://a/", ${more} } }\n`;
  t.same(
    await problems(service('auth: { bearer: { token: t }, basic: { username: u, password: p } }')),
    [
      '1:43: `services.a.auth` has `bearer` and `basic`, and may have one of ' +
        'them. Remove the other.',
    ],
  );
  const hint =
    'is not valid. It must be PEM: write { file: path } for what is in a file, or the text ' +
    'that begins with -----BEGIN.';
  t.same(
    await problems(
      service('tls: { ca: ca.pem, cert: "-----BEGIN CERTIFICATE-----", key: key.pem }'),
    ),
    [`1:48: \`services.a.tls.ca\` ${hint}`, `1:98: \`services.a.tls.key\` ${hint}`],
  );
  t.match(
    await problems(
      `${service('')}listen: { address: "127.0.0.1:1", tls: { clientCertificate: ` +
        'optional, cert: c.pem, key: k.pem, clientCa: a.pem, clientCrl: b.pem } }\n',
    ),
    [
      /listen\.tls\.cert` is not valid\. It must be PEM/,
      /listen\.tls\.key`/,
      /listen\.tls\.clientCa`/,
      /listen\.tls\.clientCrl`/,
    ],
  );
});
