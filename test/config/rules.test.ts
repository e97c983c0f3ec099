import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Problems } from '../../src/base/problem.js';
import { loadConfig } from '../../src/config/load.js';

const directory = await mkdtemp(join(tmpdir(), 'soapstone-rules-'));
t.teardown(() => rm(directory, { recursive: true }));

/** What is wrong with a file, as `line:column: what remedy`. */
async function problems(yaml: string): Promise<readonly string[]> {
  const file = join(directory, 'soapstone.yaml');
  await writeFile(file, yaml);
  try {
    await loadConfig(file, {});
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    return error.message.split('\n').map((line) => line.slice(file.length + 1));
  }
  return [];
}

const SERVICE = 'services: { a: { url: http://a } }\n';
const clients = (...lines: readonly string[]): string =>
  `${SERVICE}clients:\n${lines.map((line) => `  ${line}\n`).join('')}`;
const KEYS = 'apiKeys: { clients: { erp: { class: c, keys: [0123456789abcdef] } } }';
const JWT = 'jwt: { issuer: i, audience: a, jwksUrl: "http://i/", class: c }';
const PROXIES = 'trustedProxies: [10.0.0.0/8]';
const CLASSES = 'classes: { c: {} }';

t.test('what stands behind the address in the order of clients is never looked at', async (t) => {
  const behind = (at: number, names: string): string =>
    `3:${at}: \`clients.order[${at === 11 ? 0 : 1}]\`: everybody has an address, so nothing behind it is ever looked at: ${names}. Put \`address\` last.`;
  const order = (ways: string, ...more: readonly string[]): Promise<readonly string[]> =>
    problems(clients(`order: ${ways}`, ...more, CLASSES));
  const address = 'address: { class: c }';
  t.same(await order('[address, apiKey]', KEYS, address), [behind(11, '`apiKey`')]);
  t.same(await order('[apiKey, address, jwt]', KEYS, JWT, address), [behind(19, '`jwt`')]);
  t.same(await order('[address, jwt, apiKey, certificate]', KEYS, JWT, address), [behind(11, '`jwt`, `apiKey`')]);
  t.same(await order('[apiKey, jwt, address, certificate]', KEYS, JWT, address), [], 'what is not configured');
  t.same(await order('[address, apiKey]', KEYS), [], 'the address does not count');
  t.same(await problems(clients(KEYS, JWT, address, CLASSES)), [], 'the order that is usual');
});

t.test('a header field tells one thing of a client', async (t) => {
  const same = '`clients.certificate.header` is the same header field as `clients.apiKeys.header`. Give each its own.';
  const keys = (header: string): string => KEYS.replace('{', `{ header: ${header},`);
  const certificate = 'certificate: { header: X-Id, class: c }';
  t.same(await problems(clients(keys('x-id'), certificate, PROXIES, CLASSES)), [`4:26: ${same}`]);
  t.same(await problems(clients(keys('x-client-certificate'), 'certificate: { class: c }', PROXIES, CLASSES)), [
    `4:3: ${same}`,
  ]);
  t.same(await problems(clients(keys('x-other'), certificate, PROXIES, CLASSES)), []);
  t.same(await problems(clients(certificate, PROXIES, CLASSES)), []);
});

t.test('a set of keys with which no token could be verified is told at the start', async (t) => {
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
  const judge = async (keys: unknown, algorithms?: string): Promise<readonly string[]> => {
    await writeFile(join(directory, 'keys.json'), typeof keys === 'string' ? keys : JSON.stringify({ keys }));
    const accepted = algorithms === undefined ? '' : `, algorithms: ${algorithms}`;
    const jwt = `jwt: { issuer: i, audience: a, class: c, jwks: { file: keys.json }${accepted} }`;
    return problems(clients(jwt, CLASSES));
  };
  const none = (algorithms: string, remedy: string): readonly string[] => [
    `3:50: \`clients.jwt.jwks\` has no public key for ${algorithms}: nobody could ever get in by a token. ${remedy}`,
  ];
  const give = 'Give the public keys of the issuer as it shows them.';
  const accept = (algorithms: string): string =>
    `Its keys are for ${algorithms}: accept what the issuer signs with in \`clients.jwt.algorithms\`.`;

  t.same(await judge([]), none('RS256 or ES256', give));
  t.same(await judge([oct]), none('RS256 or ES256', give), 'a shared secret');
  t.same(await judge([jwk(ec.privateKey)]), none('RS256 or ES256', give), 'a private key');
  t.same(await judge([jwk(small.publicKey)]), none('RS256 or ES256', give), 'fewer than 2048 bits');
  t.same(await judge([jwk(rsa.publicKey, { use: 'enc' })]), none('RS256 or ES256', give));
  t.same(await judge([jwk(ec.publicKey, { key_ops: ['sign'] })]), none('RS256 or ES256', give));
  t.same(await judge([{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }]), none('RS256 or ES256', give), 'no point');
  t.same(await judge([jwk(ed.publicKey)]), none('RS256 or ES256', accept('EdDSA')));
  t.same(await judge([jwk(wide.publicKey)], '[ES256]'), none('ES256', accept('ES384')));
  t.same(await judge([jwk(rsa.publicKey, { alg: 'PS256' })], '[RS256]'), none('RS256', accept('PS256')));
  t.match(await judge('{}'), [/^3:50: `clients\.jwt\.jwks` is no JSON Web Key Set\. Write /]);
  t.match(await judge('not JSON'), [/is no JSON Web Key Set/]);

  t.same(await judge([jwk(rsa.publicKey)]), []);
  t.same(await judge([oct, jwk(small.publicKey), jwk(ec.publicKey, { alg: 'ES256', use: 'sig', kid: '1' })]), []);
  t.same(await judge([jwk(rsa.publicKey)], '[PS512]'), []);
  t.same(await judge([jwk(wide.publicKey)], '[ES384]'), []);
  t.same(await judge([jwk(ed.publicKey, { alg: 'EdDSA', key_ops: ['verify'] })], '[EdDSA, RS256]'), []);
});
