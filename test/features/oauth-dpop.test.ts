import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { answerBy, answerJson, type RecordedMessage } from '../kit/backend.js';
import { STOCK, useStockShop } from '../kit/stock-shop.js';
import { useBackend } from '../kit/use.js';

/** Tokens of OAuth 2.0 that are bound to a key of the gateway (RFC 9449). */

/** The claims of the proof of a request, and the thumbprint of its key. */
async function proofOf({ headers }: RecordedMessage): Promise<JWTPayload & { jkt: string }> {
  const { payload, protectedHeader } = await jwtVerify(String(headers['dpop']), EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: ['ES256'],
  });
  const jkt = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
  return { ...payload, jkt };
}

interface Servers {
  readonly proofs: (JWTPayload & { jkt: string })[];
  readonly calls: (JWTPayload & { jkt: string; authorization: string })[];
  /** The nonces that the servers ask for; null: none. */
  nonce: { token: string | null; service: string | null };
  type: string;
  readonly serviceUrl: () => string;
  readonly tokenUrl: string;
  ask(sku?: string): Promise<string>;
}

async function useServers(t: Test): Promise<Servers> {
  const state: Pick<Servers, 'proofs' | 'calls' | 'nonce' | 'type'> = {
    proofs: [],
    calls: [],
    nonce: { token: null, service: null },
    type: 'DPoP',
  };
  let issued = 0;
  const tokens = await useBackend(t, async (message, response) => {
    const proof = await proofOf(message);
    state.proofs.push(proof);
    const { token: nonce } = state.nonce;
    if (nonce !== null && proof['nonce'] !== nonce) {
      const body = JSON.stringify({ error: 'use_dpop_nonce' });
      const fields = { 'content-type': 'application/json', 'dpop-nonce': nonce };
      response.writeHead(400, fields).end(body);
      return;
    }
    const token = `token-${++issued}`;
    answerJson({ access_token: token, token_type: state.type, expires_in: 3600 })(
      message,
      response,
    );
  });
  const answer = answerBy(() => STOCK);
  const shop = await useStockShop(
    t,
    `    auth: { oauth2: { tokenUrl: "${tokens.url}/token", clientId: c, clientSecret: s, ` +
      `dpop: true } }\n`,
    '',
    async (message: RecordedMessage, response: ServerResponse) => {
      const proof = await proofOf(message);
      const authorization = String(message.headers['authorization']);
      state.calls.push({ ...proof, authorization });
      const { service: nonce } = state.nonce;
      if (nonce === null || proof['nonce'] === nonce) {
        answer(message, response);
        return;
      }
      const challenge = 'DPoP error="use_dpop_nonce", algs="ES256"';
      response.writeHead(401, { 'www-authenticate': challenge, 'dpop-nonce': nonce }).end();
    },
  );
  return Object.assign(state, {
    tokenUrl: `${tokens.url}/token`,
    serviceUrl: () => shop.backend.url,
    ask: (sku = '1') => shop.ask({}, sku),
  });
}

t.test('each request has a proof of one key, and each call its token', async (t) => {
  const servers = await useServers(t);
  for (const sku of ['1', '2']) t.match(await servers.ask(sku), /"data":\{"/);
  const [asked] = servers.proofs;
  t.match(asked, { htm: 'POST', htu: servers.tokenUrl, ath: undefined });
  t.equal(servers.proofs.length, 1);
  t.equal(servers.calls.length, 2);
  const ath = createHash('sha256').update('token-1').digest('base64url');
  for (const call of servers.calls) {
    t.match(call, { authorization: 'DPoP token-1', htm: 'POST', ath, jkt: asked?.jkt });
    t.equal(new URL(call['htu'] as string).origin, new URL(servers.serviceUrl()).origin);
  }
  t.equal(new Set(servers.calls.map(({ jti }) => jti)).size, 2, 'no proof is sent twice');
});

t.test('nonces of both servers are used, and a call is repeated once for them', async (t) => {
  const servers = await useServers(t);
  servers.nonce = { token: 'nonce-of-tokens', service: 'nonce-of-service' };
  t.match(await servers.ask('1'), /"data":\{"/);
  t.same(
    servers.proofs.map(({ nonce }) => nonce),
    [undefined, 'nonce-of-tokens'],
  );
  t.same(
    servers.calls.map(({ nonce, authorization }) => [nonce, authorization]),
    [
      [undefined, 'DPoP token-1'],
      ['nonce-of-service', 'DPoP token-1'],
    ],
    'with the same token',
  );
  servers.nonce.service = 'the-next-one';
  t.match(await servers.ask('2'), /"data":\{"/);
  t.same(
    servers.calls.slice(2).map(({ nonce }) => nonce),
    ['nonce-of-service', 'the-next-one'],
  );
  t.equal(servers.proofs.length, 2, 'no other token is asked for');
});

t.test('a token that is not bound is not sent', async (t) => {
  const servers = await useServers(t);
  servers.type = 'Bearer';
  t.match(await servers.ask('1'), /UPSTREAM_AUTH/);
  t.equal(servers.calls.length, 0);
});
