import { jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { answerJson, answerOperations } from '../kit/backend.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useBackend, useService } from '../kit/use.js';

/** Token exchange where the client is named by another claim than the user. */

const SHARED = ', read: { cacheMillis: 60000, scope: shared }';

/** `who`: further keys of the operation that reads. */
async function useUsers(t: Test, who = '') {
  const issuer = await makeIssuer();
  const bearer = (sub: string | null, scope = 'a') =>
    issuer.bearer({ azp: 'portal', scope, jti: crypto.randomUUID(), sub: sub ?? undefined });
  const server = await useBackend(t, async (message, response) => {
    const subject = new URLSearchParams(String(message.body)).get('subject_token') ?? '';
    const { payload } = await jwtVerify(subject, issuer.publicKey);
    const token = `for-${payload.sub ?? payload.jti}`;
    answerJson({ access_token: token, token_type: 'Bearer', expires_in: 3600 })(message, response);
  });
  const answer = answerOperations('urn:shop', (name, _text, { headers }) => {
    const token = String(headers['authorization']).replace('Bearer ', '');
    return name === 'Pay' ? `<pay>${token}</pay>` : `<who>${token}</who>`;
  });
  const service = await useService(
    t,
    answer,
    (url) => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query { who(sku: String): String }
      type Mutation { pay(sku: String): String }
    operations:
      Who: { field: Query.who${who} }
      Pay: { field: Mutation.pay, idempotency: { keepMillis: 60000 } }
    auth: { oauth2: { grant: tokenExchange, tokenUrl: "${server.url}/token", clientId: \
gw, clientSecret: s3cret } }
clients:
  ${issuer.yaml('class: all, clientClaim: azp')}
  classes: { all: {} }
`,
  );
  return { ...service, bearer };
}

t.test('users of one application have tokens of their own', async (t) => {
  const { askText, backend, bearer } = await useUsers(t);
  const ask = async (user: string | null): Promise<string> =>
    askText('{ who }', await bearer(user));
  t.match(await ask('alice'), 'for-alice');
  t.match(await ask('bob'), 'for-bob', 'another user of the same application');
  const together = ['carol', 'dave', 'erin'].flatMap((user) => [user, user]);
  const answers = await Promise.all(together.map(ask));
  for (const [at, user] of together.entries()) t.match(answers[at], `for-${user}`);
  const [one, other] = [await ask(null), await ask(null)];
  t.match(one, '"who":"for-');
  t.not(one, other, 'tokens that name no user are not taken for one');
  const pay = async (user: string, scope = 'a'): Promise<string> =>
    askText('mutation { pay }', { 'idempotency-key': 'k1', ...(await bearer(user, scope)) });
  t.match(await pay('alice'), 'for-alice');
  t.match(await pay('bob'), 'for-bob', "an answer that is kept is the user's own");
  const paid = backend.begun;
  t.match(await pay('alice', 'a b'), 'for-alice');
  t.equal(backend.begun, paid, 'the same user with other scopes repeats no write');
});

t.test('a reply that is cached for all callers is for those with the same token', async (t) => {
  const { askText, bearer, backend } = await useUsers(t, SHARED);
  const ask = async (user: string): Promise<string> => askText('{ who }', await bearer(user));
  for (const user of ['alice', 'bob', 'alice', 'bob']) t.match(await ask(user), `for-${user}`);
  const together = ['carol', 'dave', 'carol', 'dave'];
  const answers = await Promise.all(together.map(ask));
  for (const [at, user] of together.entries()) t.match(answers[at], `for-${user}`);
  t.ok(backend.complete.length >= 4, 'one call for each user at least');
});
