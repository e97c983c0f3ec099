#!/usr/bin/env node
// npm oidc-provider: dpop.mjs PORT
// Gives tokens as JWT for client credentials, bound to the key of their client (DPoP, RFC 9449), with nonces of its own.
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

const port = Number(process.argv[2]);
const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'signing' };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: 'app',
      client_secret: 's3cret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
      dpop_bound_access_tokens: true,
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: [randomBytes(16).toString('hex')] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:desk',
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'stock:read',
        audience: 'gateway',
        accessTokenTTL: 600,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
provider.listen(port, '127.0.0.1');
