import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  answerBy,
  answerJson,
  answerStatus,
  answerWith,
  type RecordingBackend,
} from '../kit/backend.js';
import { faultOf } from '../kit/envelope.js';
import { answerStock, GET_STOCK, STOCK_REPLY, useStockShop } from '../kit/stock-shop.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder } from '../kit/use.js';

async function startShop(t: Test, keys: string, directory: string | null = null) {
  const shop = await useStockShop(t, keys, 'read: {}', answerStock, directory);
  return {
    ...shop,
    /** Header fields of the last message that the backend got. */
    get last() {
      return shop.backend.complete.at(-1)?.headers ?? {};
    },
  };
}

const LONG = GET_STOCK.replace('<sku>1', `<sku>${'1'.repeat(200_000)}`);

/** Answers calls with this field, and 401 to others. */
const answerWhere =
  (
    isGood: (authorization: string | undefined) => boolean,
    challenge = 'Bearer',
  ): RecordingBackend['answer'] =>
  (message, response) => {
    if (isGood(message.headers['authorization'] as string | undefined))
      answerStock(message, response);
    else response.writeHead(401, { 'www-authenticate': challenge }).end('<html>no</html>');
  };

t.test('fixed header fields go with every call, in place of those of callers', async (t) => {
  const keys =
    '    headers: { X-System: web, user-agent: soapstone }\n    forwardHeaders: [X-Tenant]';
  const shop = await startShop(t, keys);
  for (const call of [shop.ask, shop.send]) {
    await call({
      'x-system': 'forged',
      'user-agent': 'browser',
      'x-tenant': 'acme',
      'x-other': 'no',
    });
    t.match(shop.last, { 'x-system': 'web', 'user-agent': 'soapstone', 'x-tenant': 'acme' });
    t.equal(shop.last['x-other'], undefined);
  }
});

t.test('callers with other forwarded fields do not share a reply', async (t) => {
  const shop = await startShop(t, '    forwardHeaders: [x-tenant]');
  await Promise.all([
    ...['a', 'b', 'a'].map((tenant) => shop.ask({ 'x-tenant': tenant })),
    ...['a', 'c'].map((tenant) => shop.send({ 'x-tenant': tenant })),
  ]);
  t.same([...new Set(shop.backend.complete.map(({ headers }) => headers['x-tenant']))].sort(), [
    'a',
    'b',
    'c',
  ]);
});

t.test(
  'the trace context goes on from both kinds of callers, baggage only where it is listed',
  async (t) => {
    const trace = {
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      tracestate: 'v=1',
      baggage: 'k=v',
    };
    for (const listed of [false, true]) {
      const shop = await startShop(t, listed ? '    forwardHeaders: [baggage]' : '');
      for (const call of [shop.ask, shop.send]) {
        await call(trace);
        t.match(shop.last, { ...trace, baggage: listed ? 'k=v' : undefined });
      }
    }
  },
);

t.test('the backend gets the origin of a request', async (t) => {
  const shop = await startShop(t, '');
  const host = new URL(shop.gateway.url).host;
  const forged = {
    'x-forwarded-for': '198.51.100.1',
    forwarded: 'for=198.51.100.1',
    'x-forwarded-proto': 'https',
  };
  for (const call of [shop.ask, shop.send]) {
    await call(forged);
    t.match(shop.last, {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': host,
      forwarded: `for=127.0.0.1;host="${host}";proto=http`,
    });
  }
  const silent = await startShop(t, '    forwarded: false');
  await silent.send(forged);
  for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']) {
    t.equal(silent.last[name], undefined, name);
  }
});

t.test('a trusted proxy is believed, and added to the chain', async (t) => {
  const shop = await startShop(t, 'clients: { trustedProxies: [127.0.0.1] }');
  const said = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'shop.example',
    forwarded: 'for=203.0.113.9;proto=https',
  };
  for (const call of [shop.ask, shop.send]) {
    await call(said);
    t.match(shop.last, {
      'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'shop.example',
      forwarded: 'for=203.0.113.9;proto=https, for=127.0.0.1;host="shop.example";proto=https',
    });
  }
});

t.test('cookies pass only where the service says so', async (t) => {
  const closed = await startShop(t, '');
  await closed.send({ cookie: 'a=1' });
  t.equal(closed.last['cookie'], undefined);
  const shop = await startShop(t, '    cookies: forward');
  const set = [
    's=1; Path=/',
    't=2',
    'u=a; Path=/soap; Domain=backend.example; HttpOnly',
    'v=b; domain=.example;Path=/app; Secure',
    'w=c=d; path = /soap/sho; Max-Age=9',
    'x=e; path=',
  ];
  shop.backend.answer = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/xml', 'set-cookie': set }).end(STOCK_REPLY);
  };
  const answer = await shop.send({ cookie: 'a=1' });
  t.equal(shop.last['cookie'], 'a=1');
  t.same(answer.headers.getSetCookie(), [
    's=1; Path=/',
    't=2',
    'u=a; Path=/soap; HttpOnly',
    'v=b; Path=/soap/shop; Secure',
    'w=c=d; Path=/soap/shop; Max-Age=9',
    'x=e; path=',
  ]);
  await shop.ask({ cookie: 'a=2' });
  t.equal(shop.last['cookie'], 'a=2');
});

t.test('credentials of the gateway replace those of callers', async (t) => {
  process.env['SHOP_PASSWORD'] = 'pässword';
  const cases = [
    [
      `    auth: { basic: { username: web, password: "$\{SHOP_PASSWORD}" } }`,
      'Basic d2ViOnDDpHNzd29yZA==',
    ],
    ['    auth: { bearer: { token: t0ken } }', 'Bearer t0ken'],
  ] as const;
  for (const [keys, expected] of cases) {
    const shop = await startShop(t, keys);
    for (const call of [shop.ask, shop.send]) {
      await call({ authorization: 'Basic Zm9yZ2Vk' });
      t.equal(shop.last['authorization'], expected);
    }
  }
});

t.test('a token in a file rotates without a failed call', async (t) => {
  const home = await useFolder(t, { token: 'first\n' });
  const shop = await startShop(t, '    auth: { bearer: { token: { file: token } } }', home);
  let valid = 'first';
  const answer = answerWhere((field) => field === `Bearer ${valid}`);
  shop.backend.answer = answer;
  t.match(await shop.ask(), '"stock":7');
  await writeFile(join(home, 'next'), 'second\n');
  await rename(join(home, 'next'), join(home, 'token'));
  valid = 'second';
  t.match(await shop.ask(), '"stock":7', 'refused once, and repeated with the new token');
  t.equal((await shop.send()).status, 200);
  shop.backend.answer = answerBy(() => faultOf('s:Server'));
  t.match(await shop.ask(), 'SOAP_FAULT', 'a Fault ends the call as any answer does');
  shop.backend.answer = answer;
  valid = 'third';
  t.match(await shop.ask(), 'UPSTREAM_AUTH', 'refused twice');
  await writeFile(join(home, 'token'), 'third\n');
  while (!(await shop.ask()).includes('"stock":7'));
  t.notMatch(JSON.stringify(shop.gateway.logLines()), /first|second|third/);
});

t.test('a file rotates where the environment names its folder', async (t) => {
  const home = await useFolder(t, { token: 'first' });
  process.env['SOAPSTONE_TOKEN_FOLDER'] = home;
  const shop = await startShop(
    t,
    `    auth: { bearer: { token: { file: "\${SOAPSTONE_TOKEN_FOLDER}/token" } } }`,
  );
  shop.backend.answer = answerWhere((field) => field === 'Bearer second');
  await writeFile(join(home, 'token'), 'second');
  await until(async () => (await shop.ask()).includes('"stock":7'));
});

t.test(
  'a message that was sent while it came in is not repeated, and the next call has the new token',
  async (t) => {
    const home = await useFolder(t, { token: 'first' });
    const shop = await startShop(t, '    auth: { bearer: { token: { file: token } } }', home);
    shop.backend.answer = answerWhere((field) => field === 'Bearer second');
    await writeFile(join(home, 'token'), 'second');
    const send = () => shop.send({}, LONG);
    const first = await send();
    t.equal(first.status, 500);
    t.match(await first.text(), 'UPSTREAM_AUTH');
    while ((await send()).status !== 200);
  },
);

t.test(
  'Digest: a challenge is met, the nonce serves on, and an expired one is replaced',
  async (t) => {
    const shop = await startShop(t, '    auth: { digest: { username: web, password: s3cret } }');
    let nonce = 'n1';
    let refused = 0;
    shop.backend.answer = (message, response) => {
      const field = String(message.headers['authorization'] ?? '');
      const cnonce = /cnonce="([^"]*)"/.exec(field)?.[1];
      const nc = /nc=(\w+)/.exec(field)?.[1];
      const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
      const expected = md5(
        `${md5('web:shop:s3cret')}:${nonce}:${nc}:${cnonce}:auth:${md5('POST:/shop')}`,
      );
      if (field.includes(`response="${expected}"`)) answerStock(message, response);
      else {
        refused++;
        response
          .writeHead(401, {
            'www-authenticate': `Digest realm="shop", nonce="${nonce}", qop="auth"`,
          })
          .end();
      }
    };
    for (let n = 0; n < 3; n++) t.match(await shop.ask(), '"stock":7');
    t.equal(refused, 1, 'one challenge');
    nonce = 'n2';
    t.equal((await shop.send()).status, 200);
    t.equal(refused, 2, 'the nonce had expired');
    t.equal((await shop.send({}, LONG)).status, 200, 'a message that is sent while it comes in');
  },
);

t.test(
  'Digest: the challenge is asked for before a message that cannot be sent twice',
  async (t) => {
    const shop = await startShop(t, '    auth: { digest: { username: web, password: s3cret } }');
    shop.backend.answer = answerWhere(
      (field) => field !== undefined,
      'Digest realm="shop", nonce="n", qop="auth"',
    );
    t.equal((await shop.send({}, LONG)).status, 200);
    t.same(
      shop.backend.complete.map(({ body }) => body.length > 0),
      [false, true],
    );
  },
);

t.test(
  'OAuth 2.0: one token for all calls, renewed before it ends and when it is refused',
  async (t) => {
    let issued = 0;
    let lifeSeconds = 3600;
    const server = await useBackend(t, (message, response) => {
      const token = {
        access_token: `token${++issued}`,
        token_type: 'Bearer',
        expires_in: lifeSeconds,
      };
      setTimeout(() => answerJson(token)(message, response), 20);
    });
    const shop = await startShop(
      t,
      `    auth: { oauth2: { tokenUrl: "${server.url}/token", clientId: web, clientSecret: ` +
        's3cret, scopes: [a, b], audience: shop } }',
    );
    let valid = 'token1';
    shop.backend.answer = answerWhere(
      (field) => field === `Bearer ${valid}`,
      'Bearer error="invalid_token"',
    );
    const answers = await Promise.all([shop.ask(), shop.send(), shop.send(), shop.ask()]);
    for (const answer of answers)
      t.ok(typeof answer === 'string' ? answer.includes('"stock":7') : answer.status === 200);
    t.equal(issued, 1);
    const [asked] = server.complete;
    t.equal(
      asked?.headers['authorization'],
      `Basic ${Buffer.from('web:s3cret').toString('base64')}`,
    );
    t.same(Object.fromEntries(new URLSearchParams(asked?.body.toString())), {
      grant_type: 'client_credentials',
      scope: 'a b',
      audience: 'shop',
    });
    valid = 'token2';
    lifeSeconds = 1;
    const repeated = await Promise.all([shop.send(), shop.send(), shop.send()]);
    t.same(
      repeated.map(({ status }) => status),
      [200, 200, 200],
      'refused together, one new token',
    );
    t.equal(issued, 2);
    valid = 'token3';
    while (issued < 3) await shop.ask();
    t.match(
      await shop.ask(),
      '"stock":7',
      'the third came before the second had ended, or after the refusal',
    );
    t.notMatch(JSON.stringify(shop.gateway.logLines()), /token\d|s3cret/);
  },
);

t.test('OAuth 2.0: calls that are refused whatever the token cost no tokens', async (t) => {
  let issued = 0;
  const server = await useBackend(t, (message, response) => {
    answerJson({ access_token: `token${++issued}`, token_type: 'Bearer', expires_in: 3600 })(
      message,
      response,
    );
  });
  const auth =
    `    auth: { oauth2: { tokenUrl: "${server.url}/token", clientId: ` +
    'web, clientSecret: s3cret } }';
  const shop = await startShop(t, auth);
  const good = shop.backend.answer;
  shop.backend.answer = answerStatus(401);
  await Promise.all(Array.from({ length: 10 }, () => shop.ask()));
  for (let call = 0; call < 10; call++) {
    t.match(await shop.ask(), 'errors');
    t.equal((await shop.send()).status, 500);
  }
  t.equal(issued, 2, 'the first one, and another');
  shop.backend.answer = good;
  t.match(await shop.ask(), '"stock":7');
  shop.backend.answer = answerWhere((field) => field !== 'Bearer token2');
  t.match(await shop.ask(), '"stock":7', 'refused after it was good: another one at once');
  t.equal(issued, 3);
});

t.test('OAuth 2.0: a token endpoint that fails is not asked by every call', async (t) => {
  const refusal = '{"error":"invalid_client","secret":"s3cret"}';
  const server = await useBackend(t, answerWith(refusal, 'application/json', 400));
  const keys =
    `    auth: { oauth2: { tokenUrl: "${server.url}/token", clientId: web, clientSecret: ` +
    's3cret, clientAuth: post } }';
  const shop = await startShop(t, keys);
  const answers = await Promise.all(Array.from({ length: 20 }, () => shop.ask()));
  for (const answer of answers) t.match(answer, 'UPSTREAM_AUTH');
  t.equal(server.begun, 1);
  t.match(server.complete[0]?.body.toString(), 'client_secret=s3cret');
  t.equal(shop.backend.begun, 0);
  t.notMatch(JSON.stringify([answers, shop.gateway.logLines()]), /s3cret|invalid_client/);
});
