import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type JWTPayload, jwtVerify } from 'jose';
import t, { type Test } from 'tap';
import { answerBy, answerJson, answerWith, type RecordedMessage } from '../kit/backend.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import { faultOf, textIn } from '../kit/envelope.js';
import { listen } from '../kit/listen.js';
import { answerStock, STOCK, useStockShop } from '../kit/stock-shop.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { useBackend, useFolder, useGateway } from '../kit/use.js';

/**
 * Tokens of OAuth 2.0: what they are asked for with, where calls carry them, and whose they are.
 */

const HEADER = 'place: "header:{urn:session}SessionHeader/sessionId"';

const tokenInHeader = ({ body }: RecordedMessage): string | null =>
  /<t:SessionHeader xmlns:t="urn:session"><t:sessionId xmlns:t="urn:session">([^<]*)</.exec(
    String(body),
  )?.[1] ?? null;
const tokenInField = ({ headers }: RecordedMessage): string | null =>
  /^Bearer (.+)$/.exec(String(headers['authorization'] ?? ''))?.[1] ?? null;

type Form = Readonly<Record<string, string>>;

/** A token endpoint: answers a form with a token, or with null for an error. */
async function useTokenServer(
  t: Test,
  grant: (form: Form, headers: RecordedMessage['headers']) => Promise<string | null>,
) {
  const forms: Form[] = [];
  const refusal = answerWith(
    '{"error":"invalid_grant","error_description":"canary"}',
    'application/json',
    400,
  );
  const server = await useBackend(t, async (message, response) => {
    const form = Object.fromEntries(new URLSearchParams(String(message.body)));
    forms.push(form);
    const token = await grant(form, message.headers).catch(() => null);
    const good = answerJson({ access_token: token, token_type: 'Bearer', expires_in: 3600 });
    (token === null ? refusal : good)(message, response);
  });
  return { url: `${server.url}/token`, forms };
}

/** A service whose calls need one of the `valid` tokens. `auth`: the content of `auth.oauth2`. */
async function useShop(
  t: Test,
  auth: string,
  tokenOf: typeof tokenInField,
  rest = '',
  folder: string | null = null,
) {
  const valid = new Set<string>();
  const tokens: (string | null)[] = [];
  const answer = answerBy((_text, message) => {
    const token = tokenOf(message);
    tokens.push(token);
    return token !== null && valid.has(token) ? STOCK : faultOf('s:INVALID_SESSION_ID');
  });
  const shop = await useStockShop(
    t,
    `    auth: { oauth2: { ${auth} } }\n${rest}`,
    '',
    answer,
    folder,
  );
  return {
    ...shop,
    valid,
    tokens,
    ask: (sku = '1', headers: Record<string, string> = {}): Promise<string> =>
      shop.ask(headers, sku),
  };
}

const pemOf = (kind: 'rsa' | 'ec' | 'ed25519') => {
  const { privateKey, publicKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519');
  return {
    pem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
  };
};

for (const [kind, algorithm] of [
  ['rsa', 'RS256'],
  ['ec', 'ES256'],
  ['ed25519', 'EdDSA'],
] as const) {
  t.test(
    `JWT bearer: an assertion signed by ${algorithm}, the token in a header block`,
    async (t) => {
      const { pem, publicKey } = pemOf(kind);
      const folder = await useFolder(t, { 'k.pem': pem });
      const seen: JWTPayload[] = [];
      let issued = 0;
      const server = await useTokenServer(
        t,
        async ({ grant_type: grant, assertion = '', client_secret: secret }) => {
          if (grant !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || secret !== undefined)
            return null;
          const { payload } = await jwtVerify(assertion, publicKey, {
            audience: 'https://login',
            algorithms: [algorithm],
          });
          seen.push(payload);
          return `token${++issued}`;
        },
      );
      const shop = await useShop(
        t,
        `grant: jwtBearer, tokenUrl: "${server.url}", clientId: app, key: { file: ` +
          `k.pem }, assertion: { subject: robot, audience: "https://login" }, ${HEADER}, ` +
          'renewOn: [INVALID_SESSION_ID]',
        tokenInHeader,
        '',
        folder,
      );
      shop.valid.add('token1');
      t.match(await shop.ask(), '"stock":7');
      t.equal((await shop.send()).status, 200);
      t.match(seen, [{ iss: 'app', sub: 'robot' }]);
      const [{ iat = 0, exp = 0, jti } = {}] = seen;
      t.ok(exp - iat === 180 && jti !== undefined);
      shop.valid.clear();
      shop.valid.add('token2');
      t.match(await shop.ask('2'), '"stock":7', 'renewed after the Fault');
      t.equal(issued, 2);
      writeFileSync(join(folder, 'k.pem'), 'no key');
      t.notMatch(JSON.stringify(shop.gateway.logLines()), /token\d|BEGIN/);
    },
  );
}

t.test('a client that identifies itself by an assertion', async (t) => {
  const { pem, publicKey } = pemOf('ec');
  const folder = await useFolder(t, { 'k.pem': pem });
  const server = await useTokenServer(t, async (form) => {
    const {
      client_id: id,
      client_assertion_type: type,
      client_assertion: assertion = '',
      grant_type: grant,
    } = form;
    const options = { issuer: 'app', subject: 'app', audience: server.url };
    await jwtVerify(assertion, publicKey, options);
    const isRight =
      id === 'app' && type === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    return isRight && grant === 'client_credentials' ? 'token' : null;
  });
  const auth =
    `tokenUrl: "${server.url}", clientId: app, clientAuth: ` +
    'privateKeyJwt, key: { file: k.pem }';
  const shop = await useShop(t, auth, tokenInField, '', folder);
  shop.valid.add('token');
  t.match(await shop.ask(), '"stock":7');
  t.equal((await shop.send()).status, 200);
  t.equal(server.forms.length, 1);
});

t.test('a client that identifies itself by its certificate', WITH_OPENSSL, async (t) => {
  const folder = t.testdir();
  const authority = new Authority(folder);
  const [own, client] = [authority.sign('localhost'), authority.sign('app')];
  const files = { 'ca.pem': authority.ca.cert, 'c.pem': client.cert, 'k.pem': client.key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names: string[] = [];
  const server = createServer(
    { ...own, ca: authority.ca.cert, requestCert: true },
    async (request, response) => {
      const socket = request.socket as TLSSocket;
      if (socket.authorized) names.push(String(socket.getPeerCertificate().subject.CN));
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      names.push(String(Buffer.concat(chunks)));
      const answer = { access_token: 'token', token_type: 'Bearer', expires_in: 3600 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    },
  );
  const url = `https://127.0.0.1:${(await listen(t, server)).port}`;
  const gateway = await useGateway(
    t,
    `services:
  shop:
    url: ${url}/shop
    types: "type Query { stock: Int }"
    operations: { GetStock: { field: Query.stock } }
    tls: { ca: { file: ca.pem }, cert: { file: c.pem }, key: { file: k.pem } }
    auth: { oauth2: { tokenUrl: "${url}/token", clientId: app, clientAuth: tls } }
`,
    folder,
  );
  await fetch(`${gateway.url}/graphql?query={stock}`);
  t.same(names.slice(0, 2), ['app', 'grant_type=client_credentials&client_id=app']);
});

t.test('token exchange: 50 users at once, each with tokens of its own', async (t) => {
  const issuer = await makeIssuer();
  const bearer = (sub: string, scope = 'a') => issuer.bearer({ sub, scope });
  let asked = 0;
  const server = await useTokenServer(t, async (form) => {
    const { grant_type: grant, subject_token: token = '', subject_token_type: type } = form;
    const { payload } = await jwtVerify(token, issuer.publicKey);
    const isRight =
      grant?.endsWith(':token-exchange') &&
      type?.endsWith(':access_token') &&
      form['audience'] === 'shop';
    await new Promise((resolve) => setTimeout(resolve, (asked++ * 7) % 40));
    return isRight && payload.sub !== 'nobody' ? `for-${payload.sub}-${payload['scope']}` : null;
  });
  const foreign: string[] = [];
  const shop = await useShop(
    t,
    `grant: tokenExchange, tokenUrl: "${server.url}", clientId: gw, clientSecret: ` +
      's3cret, audience: shop',
    tokenInField,
    `clients:
  ${issuer.yaml('class: all')}
  apiKeys: { clients: { erp: { class: all, keys: [0123456789abcdef] } } }
  classes: { all: {} }
`,
  );
  shop.backend.answer = (message, response) => {
    const sku = textIn(message.body, 'sku');
    const token = tokenInField(message);
    if (token !== `for-${sku}-a`) foreign.push(`${sku}: ${token}`);
    answerStock(message, response);
  };
  const users = Array.from({ length: 50 }, (_, at) => `user${at}`);
  const calls = users.flatMap(async (user) => {
    const headers = await bearer(user);
    return Promise.all(Array.from({ length: 5 }, () => shop.ask(user, headers)));
  });
  for (const answers of await Promise.all(calls))
    for (const answer of answers) t.match(answer, '"stock":7');
  t.same(foreign, [], 'no call has the token of another user');
  t.equal(server.forms.length, 50, 'one exchange for each user');
  foreign.length = 0;
  t.match(await shop.ask('user1', await bearer('user1', 'b')), '"stock":7');
  t.same(foreign, ['user1: for-user1-b'], 'other scopes have a token of their own');
  const nobody = await shop.ask('x', await bearer('nobody'));
  t.match(nobody, 'UPSTREAM_AUTH');
  t.notMatch(nobody, 'canary');
  t.match(
    await shop.ask('user1', { 'x-api-key': '0123456789abcdef' }),
    'UPSTREAM_AUTH',
    'a caller without a token',
  );
  const sent = await shop.send(await bearer('1'));
  t.equal(sent.status, 200);
  t.same(foreign.length, 1);
});

t.test('a caller whose calls are refused whatever the token costs few tokens', async (t) => {
  let issued = 0;
  const server = await useTokenServer(t, async () => `token${++issued}`);
  const auth =
    `tokenUrl: "${server.url}", clientId: a, clientSecret: ` +
    `b, ${HEADER}, renewOn: [INVALID_SESSION_ID]`;
  const shop = await useShop(t, auth, tokenInHeader);
  for (let at = 0; at < 30; at++) t.match(await shop.ask(String(at)), 'INVALID_SESSION_ID');
  t.equal(issued, 2, 'the first one, and another');
});

t.test('a token that no place can carry is refused', async (t) => {
  const server = await useTokenServer(t, async () => 'a\r\nb');
  const auth = `tokenUrl: "${server.url}", clientId: a, clientSecret: b, place: "http:x-session"`;
  const shop = await useShop(t, auth, tokenInField);
  t.match(await shop.ask(), 'UPSTREAM_AUTH');
  t.equal(shop.backend.begun, 0);
});

t.test('mistakes in auth.oauth2 are errors, with what to do', async (t) => {
  const base = 'tokenUrl: "https://x/t", clientId: c';
  for (const [auth, problem] of [
    [base, /clientSecret` is missing/],
    [`${base}, grant: jwtBearer, assertion: { subject: u }`, /key` is missing/],
    [`${base}, grant: jwtBearer, key: "-----BEGIN x"`, /assertion` is missing/],
    [
      `${base}, grant: jwtBearer, assertion: { subject: u }, key: "-----BEGIN x"`,
      /no private key that can sign/,
    ],
    [`${base}, clientSecret: s, key: "-----BEGIN x"`, /signs nothing/],
    [
      `${base}, clientSecret: s, assertion: { subject: u }`,
      /has no effect: only `grant: jwtBearer`/,
    ],
    [`${base}, clientSecret: s, clientAuth: tls`, /clientSecret` has no effect/],
    [`${base}, clientAuth: tls`, /needs the certificate of `tls`/],
    [`${base}, clientSecret: s, grant: tokenExchange`, /needs the tokens of callers/],
    [`${base}, clientSecret: s, place: "http:content-type"`, /the gateway writes itself/],
    [`${base}, clientSecret: s, dpop: true, place: "http:x-t"`, /place` cannot be combined/],
    [`${base}, clientSecret: s, dpop: true, renewOn: [GONE]`, /renewOn` cannot be combined/],
  ] as const)
    await t.rejects(useShop(t, auth, tokenInField), problem, auth);
});
