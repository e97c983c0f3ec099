import { join } from 'node:path';
import * as oauth from 'oauth4webapi';
import t from 'tap';
import { useCrm } from '../kit/crm.js';
import { missing, startProgram } from './programs.js';
import { STACKS } from './stacks.js';

/** Tokens that oidc-provider binds to a key, sent by oauth4webapi with its proofs (RFC 9449). */

const QUERY = JSON.stringify({ query: '{ getCustomer(id: 1) { name } }' });
const OPEN = { [oauth.allowInsecureRequests]: true };

/** Tries again with the nonce that a server has asked for, which the handle remembers. */
async function withNonce<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return step();
  }
}

t.test(
  'a token of oidc-provider is taken with the proofs of oauth4webapi',
  { skip: missing('oidc-provider') },
  async (t) => {
    const server = await startProgram({
      command: (port) => [process.execPath, join(STACKS, 'oidc', 'dpop.mjs'), String(port)],
    });
    t.teardown(() => server.stop());
    const issuer = new URL(`http://127.0.0.1:${server.port}`);
    const { origin } = issuer;
    const found = await oauth.discoveryRequest(issuer, OPEN);
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const client: oauth.Client = { client_id: 'app' };
    const tokenFor = async (proofs: oauth.DPoPHandle): Promise<string> => {
      const granted = await withNonce(async () => {
        const answer = await oauth.clientCredentialsGrantRequest(
          as,
          client,
          oauth.ClientSecretPost('s3cret'),
          new URLSearchParams({ scope: 'stock:read' }),
          { DPoP: proofs, ...OPEN },
        );
        return oauth.processClientCredentialsResponse(as, client, answer);
      });
      return granted.access_token;
    };
    for (const nonce of [false, true]) {
      const { gateway } = await useCrm(
        t,
        '',
        `clients:
  jwt:
    issuer: "${origin}"
    audience: gateway
    jwksUrl: "${origin}/jwks"
    algorithms: [ES256]
    class: all
    proof: dpop
    dpop: { nonce: ${nonce} }
  classes: { all: {} }
`,
      );
      const proofs = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
      const token = await tokenFor(proofs);
      const url = new URL(`${gateway.url}/graphql`);
      const headers = new Headers({ 'content-type': 'application/json' });
      const ask = (own: oauth.DPoPHandle, sent = token): Promise<Response> =>
        withNonce(() =>
          oauth.protectedResourceRequest(sent, 'POST', url, headers, QUERY, { DPoP: own, ...OPEN }),
        );
      for (let time = 0; time < 3; time++) {
        t.match(await (await ask(proofs)).text(), 'Ada', `with a nonce: ${nonce}`);
      }
      const thief = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
      await t.rejects(ask(thief), oauth.WWWAuthenticateChallengeError, 'proofs of another key');
      const plain = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: QUERY,
      });
      t.equal(plain.status, 401, 'a bound token by the Bearer scheme');
    }
  },
);
