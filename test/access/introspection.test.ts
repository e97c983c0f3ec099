import { createServer, type ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { UNRESTRICTED } from '../../src/access/access.js';
import type { CallerIdentity, Client, ClientClass } from '../../src/access/client.js';
import {
  IntrospectedTokens,
  type IntrospectionRules,
} from '../../src/access/tokens/introspection.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { listen } from '../kit/listen.js';
import { bindingBy } from '../kit/proofs.js';
import { post, type RawReply, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useGateway } from '../kit/use.js';

const classNamed = (name: string): ClientClass => ({ ...UNRESTRICTED, name });
const RULES: IntrospectionRules = {
  clientClaim: 'sub',
  logAs: 'digest',
  scopesClaim: 'scope',
  classClaim: 'tier',
  classes: new Map([['gold', classNamed('gold')]]),
  otherwise: classNamed('plain'),
  audience: null,
  activeMillis: 60_000,
  inactiveMillis: 60_000,
  forward: false,
  binding: bindingBy('none'),
};
const bearer = (token: string): CallerIdentity => ({
  headers: { authorization: `Bearer ${token}` },
  address: '192.0.2.1',
});

async function codeOf(identify: () => Client | Promise<Client> | null): Promise<string> {
  try {
    return `identified ${(await identify())?.id}`;
  } catch (caught) {
    return caught instanceof Refusal ? caught.code : String(caught);
  }
}

/**
 * Tokens by their claims: a token is the JSON of its answer in base64url; others are not active.
 */
function tokensWith(rules: Partial<IntrospectionRules> = {}) {
  const asked: string[] = [];
  const tokens = new IntrospectedTokens({ ...RULES, ...rules }, async (token) => {
    asked.push(token);
    if (token === 'down') throw new Error('down');
    return token.startsWith('e') ? JSON.parse(Buffer.from(token, 'base64url').toString()) : null;
  });
  return { tokens, asked };
}
const active = (claims: Record<string, unknown>): string =>
  Buffer.from(JSON.stringify({ active: true, ...claims })).toString('base64url');

t.test('the answer about a token is its client, asked for once', async (t) => {
  const { tokens, asked } = tokensWith();
  const token = active({
    sub: 'alice',
    iss: 'https://login.example',
    scope: 'a b',
    tier: 'gold',
    exp: 9_999_999_999,
  });
  const clients = await Promise.all(
    Array.from({ length: 20 }, () => tokens.identify(bearer(token))),
  );
  t.equal(asked.length, 1, 'together');
  t.match(clients[0], {
    id: 'introspection:https://login.example alice',
    by: 'introspection',
    className: 'gold',
    claims: { sub: 'alice' },
    expiresMillis: 9_999_999_999_000,
  });
  t.same([...(clients[0]?.scopes ?? [])], ['a', 'b']);
  t.notMatch(clients[0]?.label, 'alice');
  t.equal(tokens.identify(bearer(token)), clients[0], 'without waiting');
  t.equal(asked.length, 1);
  t.equal(tokens.identify({ headers: {}, address: '' }), null);
  t.equal(tokens.identify({ headers: { authorization: 'Basic YTpi' }, address: '' }), null);
  t.equal(
    await codeOf(() => tokens.identify(bearer('a b'))),
    'UNAUTHENTICATED',
    'no token has blanks',
  );
  t.equal(asked.length, 1);
});

t.test('a token that is not active is refused, and asked about again only later', async (t) => {
  const { tokens, asked } = tokensWith({ inactiveMillis: 50 });
  t.equal(await codeOf(() => tokens.identify(bearer('none'))), 'UNAUTHENTICATED');
  t.equal(await codeOf(() => tokens.identify(bearer('none'))), 'UNAUTHENTICATED');
  t.equal(asked.length, 1);
  await until(() => {
    void codeOf(() => tokens.identify(bearer('none')));
    return asked.length === 2;
  });
});

t.test(
  'an answer is used until the token ends, and not for one that has ended, or says so in no number',
  async (t) => {
    const { tokens, asked } = tokensWith();
    const nowSeconds = Date.now() / 1000;
    const ending = active({ sub: 'alice', exp: nowSeconds + 0.05 });
    t.match(await codeOf(() => tokens.identify(bearer(ending))), 'identified');
    t.match(await tokens.identify(bearer(active({ sub: 'bob', exp: null }))), {
      expiresMillis: null,
    });
    await until(() => {
      void codeOf(() => tokens.identify(bearer(ending)));
      return asked.filter((token) => token === ending).length === 2;
    });
    for (const exp of [nowSeconds - 1, 0, -1, '9999999999', '', true, [9_999_999_999], {}])
      t.equal(
        await codeOf(() => tokens.identify(bearer(active({ sub: 'alice', exp })))),
        'UNAUTHENTICATED',
        String(exp),
      );
  },
);

t.test('answers that name no client, or another audience, are refused', async (t) => {
  const { tokens } = tokensWith({ audience: 'soapstone', otherwise: null });
  const CLAIMS = { sub: 'alice', tier: 'gold', aud: ['x', 'soapstone'] };
  t.match(await codeOf(() => tokens.identify(bearer(active(CLAIMS)))), 'identified');
  t.match(
    await codeOf(() => tokens.identify(bearer(active({ ...CLAIMS, token_type: 'bearer' })))),
    'identified',
  );
  for (const [name, claims] of Object.entries({
    'no sub': { sub: undefined },
    'a sub that is no text': { sub: 7 },
    'no aud': { aud: undefined },
    'another aud': { aud: 'other' },
    'no class': { tier: undefined },
    'an unknown class': { tier: '__proto__' },
    'an issuer with blanks': { iss: 'a b' },
    'an issuer that is no text': { iss: {} },
    'a DPoP token': { token_type: 'DPoP' },
    'a bound token': { cnf: { jkt: 'x' } },
  })) {
    t.equal(
      await codeOf(() => tokens.identify(bearer(active({ ...CLAIMS, ...claims })))),
      'UNAUTHENTICATED',
      name,
    );
  }
});

t.test('without an answer requests are refused, not their tokens', async (t) => {
  const { tokens, asked } = tokensWith();
  for (let time = 0; time < 2; time++)
    t.equal(await codeOf(() => tokens.identify(bearer('down'))), 'CREDENTIALS_UNVERIFIED');
  t.equal(asked.length, 2, 'it is asked about again');
});

t.test('made-up tokens do not displace the answers about others', async (t) => {
  const { tokens, asked } = tokensWith();
  const token = active({ sub: 'alice' });
  await tokens.identify(bearer(token));
  for (let at = 0; at < 10_001; at++) await codeOf(() => tokens.identify(bearer(`x${at}`)));
  const before = asked.length;
  t.ok(await tokens.identify(bearer(token)));
  t.equal(asked.length, before);
  await codeOf(() => tokens.identify(bearer('x0')));
  t.equal(asked.length, before + 1, 'of made-up tokens the oldest is forgotten');
});

t.test('a token goes on to a backend only by `forward`', async (t) => {
  for (const forward of [true, false]) {
    const headers: Record<string, string> = { authorization: 'Bearer opaque' };
    tokensWith({ forward }).tokens.withhold({ headers, address: '' });
    t.equal(headers['authorization'], forward ? 'Bearer opaque' : undefined);
  }
  const headers: Record<string, string> = { authorization: 'Basic YTpi' };
  tokensWith().tokens.withhold({ headers, address: '' });
  t.equal(headers['authorization'], 'Basic YTpi');
});

interface Asked {
  readonly authorization: string | undefined;
  readonly form: URLSearchParams;
}

async function startGateway(t: Test, more = '') {
  const asked: Asked[] = [];
  let answer: (response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    let form = '';
    request.on('data', (chunk) => {
      form += String(chunk);
    });
    request.on('end', () => {
      asked.push({ authorization: request.headers.authorization, form: new URLSearchParams(form) });
      answer(response);
    });
  });
  const { url } = await listen(t, server);
  const gateway = await useGateway(
    t,
    `services:
  desk:
    url: http://127.0.0.1:9/desk
    types: |
      type Query { order: ID }
    operations: { GetOrder: { field: Query.order } }
clients:
  introspection: { url: "${url}/introspect", clientId: "gate:way", clientSecret: \
canary-secret, class: all${more} }
  classes: { all: {} }
`,
  );
  return {
    gateway,
    asked,
    answerWith(next: typeof answer) {
      answer = next;
    },
    graphql: (token: string): Promise<RawReply> =>
      sendRaw(
        gateway.url,
        post('/graphql', 'application/json', '{"query":"{ __typename }"}', {
          Authorization: `Bearer ${token}`,
        }),
      ),
    soap: (token: string): Promise<RawReply> =>
      sendRaw(
        gateway.url,
        post('/soap/desk', 'text/xml', '<a/>', { Authorization: `Bearer ${token}` }),
      ),
  };
}

t.test('the endpoint is asked as RFC 7662 has it', async (t) => {
  const { asked, answerWith, graphql, gateway } = await startGateway(t);
  answerWith((response) => response.end('{"active":true,"sub":"alice"}'));
  t.equal((await graphql('opaque-canary')).status, 200);
  t.equal((await graphql('opaque-canary')).status, 200);
  t.equal(asked.length, 1);
  t.equal(asked[0]?.form.get('token'), 'opaque-canary');
  t.equal(asked[0]?.form.get('token_type_hint'), 'access_token');
  const pair = Buffer.from(
    asked[0]?.authorization?.replace('Basic ', '') ?? '',
    'base64',
  ).toString();
  t.equal(pair, 'gate%3Away:canary%2Dsecret', 'encoded as RFC 6749 section 2.3.1 has it');
  answerWith((response) => response.end('{"active":false}'));
  t.equal((await graphql('other-canary')).status, 401);
  t.notMatch(JSON.stringify(gateway.logLines()), 'canary');
});

t.test('an endpoint that gives no answer closes the door', async (t) => {
  const { answerWith, graphql, soap, gateway } = await startGateway(
    t,
    ', timeoutMillis: 300, clientAuth: post',
  );
  const answers: Record<string, (response: ServerResponse) => void> = {
    'another secret': (response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
    'no JSON': (response) => response.end('<canary>'),
    'no `active`': (response) => response.end('{"canary":1}'),
    '`active` that is no flag': (response) => response.end('{"active":"true","sub":"canary"}'),
    'too long': (response) => response.end(`{"active":true,"sub":"${'x'.repeat(70_000)}"}`),
    'another status': (response) => response.writeHead(302, { location: '/canary' }).end(),
    silence: () => {},
  };
  for (const [name, answer] of Object.entries(answers)) {
    answerWith(answer);
    const reply = await graphql(`canary-${name.length}`);
    t.equal(reply.status, 503, name);
    t.equal(reply.body, '', name);
    t.equal(reply.headers.get('retry-after'), '1');
    const fault = await soap(`canary-${name.length}`);
    t.equal(fault.status, 500, name);
    t.match(fault.body, /Server.*code="CREDENTIALS_UNVERIFIED"/s, name);
  }
  t.notMatch(JSON.stringify(gateway.logLines()), 'canary');
});
