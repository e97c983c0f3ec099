#!/usr/bin/env node
// npm oidc-provider: grants.mjs PORT FOLDER
// Gives tokens over HTTPS for client credentials, for assertions (RFC 7523) and for tokens of users (RFC 8693), to clients
// that identify themselves in four ways. /shop answers SOAP calls with the name of whom their token is for.
// FOLDER has ca.pem, own.pem, own.key, client.jwk (a public key of the clients) and users.jwk (of who signs tokens of users).
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { importJWK, jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';

const [port, folder] = process.argv.slice(2);
const read = (name) => readFileSync(join(folder, name), 'utf8');
const url = `https://127.0.0.1:${port}`;
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const client = (id, method, more) => ({
  client_id: id,
  token_endpoint_auth_method: method,
  grant_types: ['client_credentials', JWT_BEARER, EXCHANGE],
  redirect_uris: [],
  response_types: [],
  scope: 'stock:read',
  ...more,
});
const key = JSON.parse(read('client.jwk'));
const secret = { client_secret: 's3cret:with+signs' };

const provider = new Provider(url, {
  clients: [
    client('basic', 'client_secret_basic', secret),
    client('post', 'client_secret_post', secret),
    client('signing', 'private_key_jwt', { jwks: { keys: [key] }, token_endpoint_auth_signing_alg: 'ES256' }),
    client('certified', 'tls_client_auth', { tls_client_auth_subject_dn: 'CN=app' }),
    client('open', 'none'),
  ],
  scopes: ['stock:read'],
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'tls_client_auth', 'none'],
  enabledJWA: { clientAuthSigningAlgValues: ['ES256'] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    mTLS: {
      enabled: true,
      tlsClientAuth: true,
      getCertificate: ({ socket }) => socket.getPeerX509Certificate(),
      certificateAuthorized: ({ socket }) => socket.authorized,
      certificateSubjectMatches: ({ socket }, property, expected) =>
        property === 'tls_client_auth_subject_dn' && socket.getPeerX509Certificate()?.subject === expected,
    },
  },
  ttl: { ClientCredentials: 600 },
});

/** Whom each token is for. */
const holders = new Map();
const issue = async (ctx, holder) => {
  const { ClientCredentials } = ctx.oidc.provider;
  const token = new ClientCredentials({ client: ctx.oidc.client, scope: 'stock:read' });
  const value = await token.save();
  holders.set(value, holder);
  ctx.body = { access_token: value, expires_in: token.expiration, token_type: 'Bearer', scope: token.scope };
  if (ctx.oidc.params.grant_type === EXCHANGE)
    ctx.body.issued_token_type = 'urn:ietf:params:oauth:token-type:access_token';
};
const refuse = (ctx) => {
  ctx.status = 400;
  ctx.body = { error: 'invalid_grant' };
};
const verified = async (ctx, text, jwk, options) => {
  const payload = await jwtVerify(text ?? '', await importJWK(JSON.parse(jwk)), options).then(
    (result) => result.payload,
    () => null,
  );
  return payload === null ? refuse(ctx) : issue(ctx, payload.sub);
};
provider.registerGrantType(
  JWT_BEARER,
  (ctx) => verified(ctx, ctx.oidc.params.assertion, read('client.jwk'), { audience: url, requiredClaims: ['iss', 'sub', 'exp'] }),
  ['assertion', 'scope'],
);
provider.registerGrantType(
  EXCHANGE,
  (ctx) =>
    ctx.oidc.params.subject_token_type === 'urn:ietf:params:oauth:token-type:access_token'
      ? verified(ctx, ctx.oidc.params.subject_token, read('users.jwk'), { audience: 'gateway' })
      : refuse(ctx),
  ['subject_token', 'subject_token_type', 'audience', 'resource', 'scope', 'requested_token_type'],
);
const callback = provider.callback();

createServer({ cert: read('own.pem'), key: read('own.key'), ca: read('ca.pem'), requestCert: true, rejectUnauthorized: false }, async (request, response) => {
  if (request.url !== '/shop') return callback(request, response);
  for await (const _ of request);
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const found = await provider.ClientCredentials.find(token);
  if (found?.isValid !== true) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  const body = `<GetStockResponse xmlns="urn:shop"><stock>${holders.get(token) ?? found.clientId}</stock></GetStockResponse>`;
  response
    .writeHead(200, { 'content-type': 'text/xml' })
    .end(`<s:Envelope xmlns:s="${SOAP}"><s:Body>${body}</s:Body></s:Envelope>`);
}).listen(Number(port), '127.0.0.1');
