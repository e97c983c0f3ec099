import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import t from 'tap';
import { envelope } from '../kit/envelope.js';
import { useBackend, useGateway } from '../kit/use.js';

/** Token exchange where the client is named by another claim than the user. */

t.test('users of one application have tokens of their own', async (t) => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = await useBackend(t, async (_message, response) => {
    response.end(JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k' }] }));
  });
  const tokenFor = (user: string | null, scope = 'a') => {
    const token = new SignJWT({ azp: 'portal', scope })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer('https://idp')
      .setAudience('gateway')
      .setJti(crypto.randomUUID())
      .setExpirationTime('1h');
    return (user === null ? token : token.setSubject(user)).sign(privateKey);
  };
  const server = await useBackend(t, async ({ body }, response) => {
    const { payload } = await jwtVerify(new URLSearchParams(String(body)).get('subject_token') ?? '', publicKey);
    const token = `for-${payload.sub ?? payload.jti}`;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 3600 }));
  });
  const seen: string[] = [];
  const backend = await useBackend(t, (message, response) => {
    const token = String(message.headers['authorization']).replace('Bearer ', '');
    seen.push(token);
    const reply = String(message.body).includes('Pay')
      ? `<PayResponse xmlns="urn:shop"><pay>${token}</pay></PayResponse>`
      : `<WhoResponse xmlns="urn:shop"><who>${token}</who></WhoResponse>`;
    response.writeHead(200, { 'content-type': 'text/xml' }).end(envelope(reply));
  });
  const gateway = await useGateway(
    t,
    `services:
  shop:
    url: ${backend.url}/shop
    namespace: urn:shop
    types: |
      type Query { who(sku: String): String }
      type Mutation { pay(sku: String): String }
    operations:
      Who: { field: Query.who }
      Pay: { field: Mutation.pay, idempotency: { keepMillis: 60000 } }
    auth: { oauth2: { grant: tokenExchange, tokenUrl: "${server.url}/token", clientId: gw, clientSecret: s3cret } }
clients:
  jwt: { issuer: "https://idp", audience: gateway, jwksUrl: "${keys.url}/", algorithms: [ES256], class: all, clientClaim: azp }
  classes: { all: {} }
`,
  );
  const ask = async (user: string | null): Promise<string> => {
    const headers = { accept: 'application/json', authorization: `Bearer ${await tokenFor(user)}` };
    return (await fetch(`${gateway.url}/graphql?query={who}`, { headers })).text();
  };
  t.match(await ask('alice'), 'for-alice');
  t.match(await ask('bob'), 'for-bob', 'another user of the same application');
  const together = ['carol', 'dave', 'erin'].flatMap((user) => [user, user]);
  const answers = await Promise.all(together.map(ask));
  for (const [at, user] of together.entries()) t.match(answers[at], `for-${user}`);
  const [one, other] = [await ask(null), await ask(null)];
  t.match(one, '"who":"for-');
  t.not(one, other, 'tokens that name no user are not taken for one');
  const pay = async (user: string, scope = 'a'): Promise<string> => {
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': 'k1',
      authorization: `Bearer ${await tokenFor(user, scope)}`,
    };
    const body = JSON.stringify({ query: 'mutation { pay }' });
    return (await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body })).text();
  };
  t.match(await pay('alice'), 'for-alice');
  t.match(await pay('bob'), 'for-bob', "an answer that is kept is the user's own");
  const paid = seen.length;
  t.match(await pay('alice', 'a b'), 'for-alice');
  t.equal(seen.length, paid, 'the same user with other scopes repeats no write');
});
