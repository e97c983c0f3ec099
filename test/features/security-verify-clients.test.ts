import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { answerWith } from '../kit/backend.js';
import { makeKeys, RSA_KEY, WITH_OPENSSL } from '../kit/certificates.js';
import { envelope } from '../kit/envelope.js';
import { bodyOf, messageOf, securityOf, signedMessage, userToken } from '../kit/signed-message.js';
import { until } from '../kit/until.js';
import { useBackend, useService } from '../kit/use.js';

/**
 * Clients that are known by the WS-Security of their messages: classes, budgets and rights hold for
 * them.
 */

const REPLY = envelope('<PayResponse xmlns="urn:desk"/>');
const CONTENT = '<Pay xmlns="urn:desk"><sum>10</sum></Pay>';

const withUser = (user: string, password: string): string =>
  messageOf(securityOf([userToken(user, password)]), bodyOf(CONTENT));

/** `verify`: the content of `security.verify`; `clients`: that of `clients`. */
async function useDesk(t: Test, verify: string, clients: string, more = '') {
  const service = await useService(
    t,
    answerWith(REPLY),
    (url) => `services:
  desk:
    url: ${url}/desk
    namespace: urn:desk
    types: |
      type Query { pay(sum: String): String }
    operations:
      Pay: { field: Query.pay, read: {} }
    security: { verify: { ${verify} } }${more}
clients: { ${clients} }
`,
  );
  const { backend } = service;
  return {
    ...service,
    /** The code of the refusal; null where the backend got the message. */
    async send(message: string, headers: Record<string, string> = {}): Promise<string | null> {
      const before = backend.complete.length;
      const text = await (await service.send(message, headers)).text();
      if (backend.complete.length > before) return null;
      return /code="([^"]*)"|<code>([^<]*)/.exec(text)?.slice(1).find(Boolean) ?? text;
    },
  };
}

const USERS = 'usernameToken: { users: { erp: { password: one }, crm: { password: two } } }';

t.test(
  'the user of a message has the class, the rights and the budget of its client',
  async (t) => {
    const { gateway, send, backend } = await useDesk(
      t,
      USERS,
      `apiKeys: { clients: { desk: { class: closed, keys: [0123456789abcdef] } } },
  wsSecurity: { clients: { shop: { class: internal, user: erp } }, class: closed },
  classes: { internal: { budget: { maximum: 20, restoreRate: 1 } }, closed: { deny: [desk.Pay] } }`,
    );
    t.equal(await send(withUser('erp', 'wrong')), 'wsse:FailedAuthentication');
    t.equal(await send(withUser('crm', 'two')), 'FORBIDDEN', 'others are of the class of others');
    t.equal(await send(withUser('erp', 'one')), null);
    t.match(
      await gateway.accessLine(3),
      { caller: 'wsSecurity:shop', class: 'internal', sender: 'user:erp' },
      'the log has the client',
    );
    t.equal(
      await send(withUser('erp', 'one'), { 'x-api-key': '0123456789abcdef' }),
      'FORBIDDEN',
      'a key comes first',
    );
    t.equal(await send(withUser('erp', 'one'), { 'x-api-key': 'x' }), 'wsse:FailedAuthentication');
    let code: string | null = null;
    for (let calls = 0; code === null && calls < 10; calls++)
      code = await send(withUser('erp', 'one'));
    t.equal(code, 'RATE_LIMITED');
    const complete = backend.complete.length;
    const graphql = await fetch(`${gateway.url}/graphql?query={pay(sum:"1")}`);
    t.equal(graphql.status, 401, 'a message of SOAP alone proves a sender');
    t.equal((await fetch(`${gateway.url}/soap/desk`)).status, 401, 'a request without a message');
    t.equal(backend.complete.length, complete);
  },
);

t.test('a sender that is no client is refused, also where the service only monitors', async (t) => {
  const { send } = await useDesk(
    t,
    USERS,
    'wsSecurity: { clients: { shop: { class: all, user: erp } } }, classes: { all: {} }',
    '\n    mode: monitor',
  );
  t.equal(await send(withUser('crm', 'two')), 'FORBIDDEN');
  t.equal(await send(messageOf('', bodyOf(CONTENT))), 'wsse:InvalidSecurity');
  t.equal(await send(withUser('erp', 'one')), null);
});

t.test('requests in progress are counted for the sender', async (t) => {
  const waiting: ServerResponse[] = [];
  const { send, backend } = await useDesk(
    t,
    USERS,
    'wsSecurity: { class: one }, classes: { one: { requestsAtOnce: 1 } }',
  );
  backend.answer = (_message, response) => {
    waiting.push(response);
    if (waiting.length === 2)
      for (const each of waiting) each.writeHead(200, { 'content-type': 'text/xml' }).end(REPLY);
  };
  const first = send(withUser('erp', 'one'));
  await until(() => waiting.length > 0);
  t.equal(await send(withUser('erp', 'one')), 'RATE_LIMITED');
  const other = send(withUser('crm', 'two'));
  t.same(await Promise.all([first, other]), [null, null], 'another sender has one of its own');
});

t.test(
  'a user that a decision point refuses spends nothing of the budget of its name',
  async (t) => {
    const point = await useBackend(t, (message, response) => {
      const { input } = JSON.parse(String(message.body));
      response.end(JSON.stringify({ result: input.password === 'right' }));
    });
    const { send } = await useDesk(
      t,
      `usernameToken: { url: "${point.url}/" }`,
      'wsSecurity: { class: one }, classes: { one: { budget: { maximum: 10, restoreRate: 1 } } }',
    );
    for (let calls = 0; calls < 6; calls++)
      t.equal(await send(withUser('ann', 'wrong')), 'wsse:FailedAuthentication');
    t.equal(await send(withUser('ann', 'right')), null);
  },
);

t.test(
  'the certificate that signs names a client, its parts in any order',
  WITH_OPENSSL,
  async (t) => {
    const { folder, authority, identity: erp } = makeKeys(t, '/O=Bank/OU=Clients/CN=erp');
    const other = authority.sign('other', 30, '/O=Bank/OU=Clients/CN=other', 'DNS:a', RSA_KEY);
    const { gateway, send } = await useDesk(
      t,
      `signature: { authorities: { file: ${join(folder, 'ca.pem')} }, subjects: ["O=Bank"] }`,
      'wsSecurity: { clients: { bank: { class: all, certificate: "O=Bank,OU=Clients,CN=erp" } ' +
        '} }, classes: { all: {} }',
    );
    t.equal(await send(signedMessage(erp, CONTENT).message), null);
    t.match(await gateway.accessLine(), { caller: 'wsSecurity:bank' });
    t.equal(await send(signedMessage(other, CONTENT).message), 'FORBIDDEN');
  },
);

t.test('mistakes in the names of senders are errors', async (t) => {
  const start = (clients: string, verify = USERS) =>
    useDesk(t, verify, `wsSecurity: { ${clients} }, classes: { all: {} }`);
  for (const [clients, problem] of [
    ['clients: { a: { class: all } }', /exactly one of `certificate`, `user` and `saml`/],
    ['clients: { a: { class: all, user: x, certificate: "CN=x" } }', /exactly one of/],
    [
      'clients: { a: { class: all, user: x }, b: { class: all, user: x } }',
      /is the sender that `a` is too/,
    ],
    ['clients: { a: { class: al, user: x } }', /is none of `clients\.classes`/],
  ] as const)
    await t.rejects(start(clients), problem, clients);
});
