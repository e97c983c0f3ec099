import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import type { RecordedMessage } from '../kit/backend.js';
import { problemsOf } from '../kit/configuration.js';
import { envelope, faultOf, postSoap, SOAP_12 } from '../kit/envelope.js';
import { askText } from '../kit/graphql-client.js';
import { GET_STOCK, STOCK } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend, useGateway } from '../kit/use.js';

const PASSWORD = 'pässwörd-canary';

const fault = (code: string, detail = ''): string => envelope(faultOf(`s:${code}`, 'no', detail));

/** Answers a call with this body and status. */
const refuseWith =
  (body: string, status = 500) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  };

const mapping = (url: string, login: string, keys: string): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query { stock(sku: String!): Int, session(user: String!, password: String!): Session }
      type Mutation { logout: Boolean }
      type Session { sessionId: String }
    operations:
      GetStock: { field: Query.stock }
      Login: { field: Query.session }
      Logout: { field: Mutation.logout }
    auth:
      login: { operation: Login, arguments: { user: web, password: "\${LOGIN_PASSWORD}" }, token: \
reply.sessionId, ${login} }
${keys}
`;

type TokenOf = (message: RecordedMessage) => string | null;

const HEADER_PLACE = 'place: "header:{urn:session}SessionHeader/sessionId"';
const inHeader: TokenOf = ({ body }) => {
  const [, header = ''] = /<[a-z]+:Header[^>]*>(.*)<\/[a-z]+:Header>/s.exec(String(body)) ?? [];
  const tokens = [
    ...header.matchAll(
      /<t:SessionHeader xmlns:t="urn:session"><t:sessionId xmlns:t="urn:session">([^<]*)<\/t:sessionId><\/t:SessionHeader>/g,
    ),
  ];
  return tokens.length === 1 ? (tokens[0]?.[1] ?? null) : null;
};

async function startShop(t: Test, login: string, tokenOf: TokenOf, keys = '') {
  process.env['LOGIN_PASSWORD'] = PASSWORD;
  const valid = new Set<string>();
  const logouts: string[] = [];
  let logins = 0;
  const answer = (
    response: ServerResponse,
    body: string,
    fields: Record<string, string | string[]> = {},
  ): void => {
    response.writeHead(200, { 'content-type': 'text/xml', ...fields }).end(envelope(body));
  };
  const backend = await useBackend(t, (message, response) => {
    const body = String(message.body);
    const token = tokenOf(message);
    if (body.includes(':Login ') || body.includes(':Login>')) {
      if (shop.isLocked || !body.includes(PASSWORD)) {
        refuseWith(fault('LOGIN_FAILED'))(response);
        return;
      }
      const made = `canary-token-${++logins}`;
      valid.add(made);
      const cookies = [`sid=${made}; Path=/; HttpOnly`, 'lb=1'];
      const content =
        `<LoginResponse xmlns="urn:shop"><session><sessionId> ${made} </sessionId>` +
        '</session></LoginResponse>';
      setTimeout(() => answer(response, content, { 'set-cookie': cookies }), 20);
    } else if (body.includes('Logout')) {
      logouts.push(token ?? '');
      answer(response, '<LogoutResponse xmlns="urn:shop"/>');
    } else if (token !== null && valid.has(token)) {
      answer(response, STOCK);
    } else shop.refusal(response);
  });
  const gateway = await useGateway(t, mapping(backend.url, login, keys));
  const shop = {
    backend,
    gateway,
    logouts,
    isLocked: false,
    get logins() {
      return logins;
    },
    /** The next calls with older tokens are refused. */
    expire: () => valid.clear(),
    refusal: refuseWith(fault('INVALID_SESSION_ID')),
    ask: () => askText(gateway.url, '{ stock(sku: "1") }'),
    sendText: async (body: string = GET_STOCK): Promise<string> => (await shop.send(body)).text(),
    send: (body: string = GET_STOCK) => postSoap(`${gateway.url}/soap/shop`, body),
  };
  return shop;
}

const field =
  (name: string): TokenOf =>
  ({ headers }) =>
    /canary-token-\d+/.exec(String(headers[name]))?.[0] ?? null;
const RENEW = 'renewOn: [INVALID_SESSION_ID]';

t.test('calls carry the token in a header block, a header field or a cookie', async (t) => {
  for (const [place, tokenOf] of [
    [HEADER_PLACE, inHeader],
    ['place: http:X-Session', field('x-session')],
    ['place: cookie', field('cookie')],
  ] as const) {
    const shop = await startShop(t, `${place}, ${RENEW}`, tokenOf);
    t.equal(shop.logins, 0, 'no login before the first call');
    t.match(await shop.ask(), '"stock":7');
    t.equal((await shop.send()).status, 200);
    t.equal(shop.logins, 1, 'one login for both');
    shop.expire();
    t.equal((await shop.send()).status, 200, 'repeated with another token');
    shop.expire();
    t.match(await shop.ask(), '"stock":7');
    t.equal(shop.logins, 3);
  }
});

t.test(
  "the block replaces that of a SOAP caller, and is no argument of a GraphQL caller's",
  async (t) => {
    const shop = await startShop(t, HEADER_PLACE, inHeader);
    const own =
      '<x:SessionHeader xmlns:x="urn:session"><x:sessionId>forged</x:sessionId></x:SessionHeader>';
    t.equal(
      (await shop.send(GET_STOCK.replace('<s:Body>', `<s:Header>${own}</s:Header><s:Body>`)))
        .status,
      200,
    );
    t.notMatch(String(shop.backend.complete.at(-1)?.body), 'forged');
  },
);

t.test(
  'a token is renewed on a Fault by its code, a subcode, an entry of its detail, and on status 401',
  async (t) => {
    const shop = await startShop(t, `${HEADER_PLACE}, renewOn: [SessionExpired]`, inHeader);
    const subcode = envelope(
      '<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode>' +
        '<s:Value xmlns:q="urn:q">q:SessionExpired</s:Value></s:Subcode></s:Code><s:Reason>' +
        '<s:Text xml:lang="en">no</s:Text></s:Reason></s:Fault>',
      '',
      SOAP_12,
    );
    const refusals: readonly (readonly [number, string])[] = [
      [500, fault('SessionExpired')],
      [200, fault('Client.SessionExpired')],
      [500, fault('Server', '<d:SessionExpired xmlns:d="urn:d">x</d:SessionExpired>')],
      [400, subcode],
      [401, '<html>no</html>'],
    ];
    for (const [status, body] of refusals) {
      shop.refusal = refuseWith(body, status);
      for (const call of [shop.ask, shop.sendText]) {
        shop.expire();
        t.match(await call(), /stock"?>?:?7/, `${status}`);
      }
    }
    const logins = shop.logins;
    shop.refusal = refuseWith(fault('Other'));
    shop.expire();
    t.match(await shop.ask(), 'SOAP_FAULT', 'another Fault is an answer');
    t.match(await shop.sendText(), 'Other');
    t.equal(shop.logins, logins);
  },
);

t.test(
  'a call is repeated once; calls that are refused whatever the token cost no logins',
  async (t) => {
    for (const [status, body] of [
      [500, fault('INVALID_SESSION_ID')],
      [200, fault('INVALID_SESSION_ID')],
      [401, '<html>no</html>'],
    ] as const) {
      const shop = await startShop(t, `${HEADER_PLACE}, ${RENEW}`, () => null);
      shop.refusal = refuseWith(body, status);
      t.match(await shop.ask(), /SOAP_FAULT|UPSTREAM_AUTH/);
      t.equal(shop.logins, 2);
      const begun = shop.backend.begun;
      for (let call = 0; call < 15; call++) {
        t.match(await shop.ask(), /SOAP_FAULT|UPSTREAM_AUTH/);
        t.equal((await shop.send()).status, 500);
      }
      t.equal(shop.logins, 2, `${status}`);
      t.equal(shop.backend.begun - begun, 30, 'nor calls');
    }
  },
);

t.test(
  'refusals of one operation cost no logins while others are answered, and an ' +
    'expired token is renewed',
  async (t) => {
    let isPermitted = true;
    const shop = await startShop(t, `${HEADER_PLACE}, ${RENEW}`, (message) => {
      // The account may ask for the first item only.
      const isOther = String(message.body).includes('>2</');
      return isOther && !isPermitted ? null : inHeader(message);
    });
    const other = GET_STOCK.replace('>1<', '>2<');
    t.equal((await shop.send(other)).status, 200);
    isPermitted = false;
    for (let call = 0; call < 15; call++) {
      t.match(await shop.sendText(other), 'INVALID_SESSION_ID');
      t.equal((await shop.send()).status, 200);
    }
    t.equal(shop.logins, 2);
  },
);

t.test(
  'tokens expire under concurrent calls without a failed call, and one login serves all that wait',
  async (t) => {
    const shop = await startShop(t, `${HEADER_PLACE}, ${RENEW}`, inHeader);
    let failed = 0;
    let calls = 0;
    let expired = 0;
    const caller = async (call: () => Promise<string>): Promise<void> => {
      for (let turn = 0; turn < 25; turn++) {
        if (!/stock"?>?:?7/.test(await call())) failed++;
        if (++calls % 100 === 0) {
          expired++;
          shop.expire();
        }
      }
    };
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => caller(index % 2 === 0 ? shop.ask : shop.sendText)),
    );
    t.equal(failed, 0);
    t.equal(calls, 500);
    t.ok(shop.logins <= expired + 1, `${shop.logins} logins for ${expired} expiries`);
  },
);

t.test('a token is renewed by its age', async (t) => {
  const shop = await startShop(t, `${HEADER_PLACE}, maxAgeMillis: 1000`, inHeader);
  await shop.ask();
  await until(async () => {
    if (!(await shop.ask()).includes('"stock":7')) t.fail('a failed call');
    return shop.logins > 1;
  });
  t.pass('without a refusal');
});

t.test('a failed login is tried again after a pause only', async (t) => {
  const shop = await startShop(t, `${HEADER_PLACE}, ${RENEW}`, inHeader);
  shop.isLocked = true;
  for (let call = 0; call < 5; call++) t.match(await shop.ask(), 'UPSTREAM_AUTH');
  t.match(await shop.sendText(), 'UPSTREAM_AUTH');
  t.equal(shop.backend.complete.length, 1, 'one login for six calls');
  shop.isLocked = false;
  await until(async () => (await shop.ask()).includes('"stock":7'));
});

t.test('the session ends by the logout operation when the gateway stops', async (t) => {
  const shop = await startShop(t, `${HEADER_PLACE}, logout: Logout`, inHeader);
  await shop.ask();
  await shop.gateway.drain();
  t.same(shop.logouts, ['canary-token-1']);
});

t.test(
  'a long SOAP message carries the token; it is not repeated, and the next call has another',
  async (t) => {
    const shop = await startShop(t, `${HEADER_PLACE}, ${RENEW}`, inHeader);
    const long = GET_STOCK.replace('<sku>1', `<sku>${'1'.repeat(200_000)}`);
    t.equal((await shop.send(long)).status, 200);
    shop.expire();
    t.match(await shop.sendText(long), 'INVALID_SESSION_ID');
    await until(async () => (await shop.send(long)).status === 200);
    t.equal(shop.logins, 2);
  },
);

t.test('password and tokens are in no output of the gateway', async (t) => {
  const shop = await startShop(t, `${HEADER_PLACE}, ${RENEW}`, inHeader);
  await shop.ask();
  shop.isLocked = true;
  shop.expire();
  const answers = [await shop.ask(), await shop.sendText()];
  const output = JSON.stringify([answers, shop.gateway.logLines(), await shop.gateway.metrics()]);
  t.notMatch(output, /canary/);
});

t.test('mistakes in the keys are found at start-up', async (t) => {
  process.env['LOGIN_PASSWORD'] = PASSWORD;
  const cases = [
    [HEADER_PLACE.replace('{urn:session}', ''), /^$/],
    ['place: http:content-length', /writes itself/],
    [`${HEADER_PLACE}, logout: Logoff`, /no operation `Logoff`/],
    [`${HEADER_PLACE}, logout: Login`, /cannot be called/],
  ] as const;
  for (const [login, expected] of cases)
    t.match(await problemsOf(t, mapping('http://127.0.0.1:9', login, '')), expected, login);
  const unknown = mapping('http://127.0.0.1:9', HEADER_PLACE, '').replace(
    'password: "',
    'pasword: "',
  );
  const problems = await problemsOf(t, unknown);
  t.match(problems, 'pasword', 'an argument that the operation does not have');
  t.notMatch(problems, 'canary');
});
