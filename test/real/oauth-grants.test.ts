import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { Authority } from '../kit/certificates.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';
import { missing, startProgram } from './programs.js';
import { STACKS } from './stacks.js';

/**
 * Every grant of `auth.oauth2`, with every way in which clients identify themselves, at
 * oidc-provider over TLS.
 */

const skip = missing('oidc-provider');

async function useProvider(t: Test) {
  const folder = await useFolder(t);
  const authority = new Authority(folder);
  const [own, app] = [authority.sign('127.0.0.1'), authority.sign('app')];
  const client = await generateKeyPair('ES256', { extractable: true });
  const users = await generateKeyPair('ES256', { extractable: true });
  const jwk = async (key: Parameters<typeof exportJWK>[0], kid: string): Promise<string> =>
    JSON.stringify({ ...(await exportJWK(key)), alg: 'ES256', use: 'sig', kid });
  const files = {
    'ca.pem': authority.ca.cert,
    'own.pem': own.cert,
    'own.key': own.key,
    'app.pem': app.cert,
    'app.key': app.key,
    'client.jwk': await jwk(client.publicKey, 'client'),
    'users.jwk': await jwk(users.publicKey, 'users'),
    'signing.key': await exportPKCS8(client.privateKey),
    'other.key': await exportPKCS8(users.privateKey),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const server = await startProgram({
    command: (port) => [process.execPath, join(STACKS, 'oidc', 'grants.mjs'), String(port), folder],
  });
  t.teardown(() => server.stop());
  const url = `https://127.0.0.1:${server.port}`;
  const keys = await useBackend(t, (_message, response) => {
    response.end(`{"keys":[${files['users.jwk']}]}`);
  });
  const tokenFor = (user: string, audience = 'gateway'): Promise<string> =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: 'users' })
      .setIssuer('https://idp')
      .setAudience(audience)
      .setSubject(user)
      .setExpirationTime('1h')
      .sign(users.privateKey);
  const gatewayWith = (auth: string): Promise<TestGateway> =>
    useGateway(
      t,
      `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: "type Query { stock(sku: String): String }"
    operations: { GetStock: { field: Query.stock } }
    tls: { ca: { file: ca.pem }, cert: { file: app.pem }, key: { file: app.key } }
    auth: { oauth2: { tokenUrl: "${url}/token", ${auth} } }
clients:
  jwt: { issuer: "https://idp", audience: gateway, jwksUrl: "${keys.url}/", algorithms: \
[ES256], class: all }
  classes: { all: {} }
`,
      folder,
    );
  return { url, tokenFor, gatewayWith };
}

const stockOf = async (gateway: TestGateway, token: string): Promise<string> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await postGraphql(gateway.url, { query: '{ stock(sku: "1") }' }, headers)).text();
};

const IDENTITIES = {
  basic: "clientId: basic, clientAuth: basic, clientSecret: 's3cret:with+signs'",
  post: "clientId: post, clientAuth: post, clientSecret: 's3cret:with+signs'",
  signing: 'clientId: signing, clientAuth: privateKeyJwt, key: { file: signing.key }',
  certified: 'clientId: certified, clientAuth: tls',
} as const;

t.test('client credentials, by each kind of client', { skip }, async (t) => {
  const { tokenFor, gatewayWith } = await useProvider(t);
  const caller = await tokenFor('ann');
  for (const [id, identity] of Object.entries(IDENTITIES)) {
    const gateway = await gatewayWith(`${identity}, scopes: [stock:read]`);
    t.match(await stockOf(gateway, caller), `"stock":"${id}"`);
  }
  for (const wrong of [
    IDENTITIES.basic.replace('s3cret', 'other'),
    IDENTITIES.post.replace('s3cret', 'other'),
    IDENTITIES.signing.replace('signing.key', 'other.key'),
    'clientId: signing, clientAuth: tls',
  ])
    t.match(await stockOf(await gatewayWith(wrong), caller), 'UPSTREAM_AUTH', wrong);
});

t.test('JWT bearer, by each kind of client', { skip }, async (t) => {
  const { url, tokenFor, gatewayWith } = await useProvider(t);
  const caller = await tokenFor('ann');
  const assertion = `grant: jwtBearer, assertion: { issuer: app, subject: robot, audience: "${url}" }`;
  const key = 'key: { file: signing.key }';
  for (const identity of [
    'clientId: open',
    `${IDENTITIES.basic}`,
    IDENTITIES.post,
    IDENTITIES.signing.replace(`, ${key}`, ''),
    IDENTITIES.certified,
  ])
    t.match(
      await stockOf(await gatewayWith(`${assertion}, ${identity}, ${key}`), caller),
      '"stock":"robot"',
      identity,
    );
  const other = await gatewayWith(`${assertion}, clientId: open, key: { file: other.key }`);
  t.match(await stockOf(other, caller), 'UPSTREAM_AUTH', 'an assertion of another key');
});

t.test('token exchange, by each kind of client: 50 users at once', { skip }, async (t) => {
  const { tokenFor, gatewayWith } = await useProvider(t);
  const users = await Promise.all(Array.from({ length: 50 }, (_, at) => tokenFor(`user${at}`)));
  for (const identity of Object.values(IDENTITIES)) {
    const gateway = await gatewayWith(`grant: tokenExchange, ${identity}`);
    const answers = await Promise.all(
      users.flatMap((token) => [stockOf(gateway, token), stockOf(gateway, token)]),
    );
    const foreign = answers.filter(
      (text, at) => !text.includes(`"stock":"user${Math.floor(at / 2)}"`),
    );
    t.same(foreign, [], identity);
  }
});
