import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { hashPassword } from '../../../src/access/passwords/password-hash.js';
import { postGraphql } from '../../kit/graphql-client.js';
import { listen } from '../../kit/listen.js';
import {
  acknowledged,
  type Desk,
  placeAs,
  running,
  startDesk,
  subscribe,
} from '../../kit/live-desk.js';
import { AUDIENCE, ISSUER, makeIssuer } from '../../kit/token-issuer.js';
import { until } from '../../kit/until.js';

type Headers = Readonly<Record<string, string>>;

const PLACED = 'subscription { orderPlaced { id } }';
const STAYS = { 'x-api-key': 'the-key-of-the-staying' };

/** Clients of these kinds beside one that nothing is withdrawn from. */
const clients = (more: string, classes = 'all: {}'): string => `clients:
  apiKeys: { header: x-api-key, clients: { stays: { class: other, keys: [the-key-of-the-staying] \
}, gone: { class: all, keys: [the-key-of-gone-client] } } }
${more}  classes: { other: {}, ${classes} }
`;

const streamed = (desk: Desk, headers: Headers): Promise<Response> =>
  postGraphql(
    desk.gateway.url,
    { query: 'subscription { receipts { id } }' },
    { accept: 'text/event-stream', ...headers },
  );

/** Withdraws from one client what it has, and not from the other. */
async function withdraw(
  t: Test,
  desk: Desk,
  credentials: { readonly params?: Headers; readonly headers?: Headers },
  change: () => unknown,
): Promise<void> {
  const { params = {}, headers = {} } = credentials;
  const gone = await acknowledged(desk, params, { headers });
  const stays = await acknowledged(desk, STAYS);
  gone.say(subscribe('1', PLACED));
  stays.say(subscribe('1', PLACED));
  await running(desk.gateway, 'orderPlaced', 2);
  const stream = await streamed(desk, { ...headers, ...params });
  await running(desk.gateway, 'receipts', 1);
  await change();
  t.equal(await gone.closed, 4403, 'the WebSocket');
  t.match(await stream.text(), /"code":"UNAUTHENTICATED".*event: complete/s, 'the event stream');
  await running(desk.gateway, 'orderPlaced', 1);
  await running(desk.gateway, 'receipts', 0);
  t.equal(gone.messages.length, 1, 'nothing more was sent');
  t.equal((await placeAs(desk.gateway, 'Bob', STAYS)).status, 200);
  await stays.heard(2);
  t.match(
    stays.messages[1],
    { type: 'next', payload: { data: { orderPlaced: { id: 101 } } } },
    'the other client',
  );
  const ended = desk.gateway
    .logLines()
    .filter(
      ({ msg, operation, code }) =>
        msg === 'request' && operation === 'websocket' && code !== undefined,
    );
  t.match(ended, [{ code: 'UNAUTHENTICATED' }], 'the log has it');
  t.match(
    await desk.gateway.metrics(),
    /soapstone_refusals_total\{[^}]*code="UNAUTHENTICATED"[^}]*\} [123]\n/,
  );
}

const KEY = { params: { 'x-api-key': 'the-key-of-gone-client' } };

for (const [what, edit] of Object.entries({
  'a key': (yaml: string) =>
    yaml.replace('keys: [the-key-of-gone-client]', 'keys: [another-key-of-gone]'),
  'a client': (yaml: string) =>
    yaml.replace(', gone: { class: all, keys: [the-key-of-gone-client] }', ''),
  'the right to an operation': (yaml: string) =>
    yaml.replace('all: {}', 'all: { deny: [orders.PlaceOrder] }'),
  'another class': (yaml: string) => yaml.replace('gone: { class: all', 'gone: { class: other'),
  scopes: (yaml: string) => yaml.replace('all: {}', 'all: { scopes: [few] }'),
})) {
  t.test(`a reload that changes ${what} ends what is open`, async (t) => {
    const desk = await startDesk(t, clients(''));
    await withdraw(t, desk, KEY, () => desk.gateway.reload(edit));
  });
}

t.test(
  'a user whose password changed, and one that was removed, are ended by a reload',
  async (t) => {
    const hash = await hashPassword('secret');
    const other = await hashPassword('other');
    const params = { authorization: `Basic ${Buffer.from('erp:secret').toString('base64')}` };
    for (const edit of [
      (yaml: string) => yaml.replace(hash, other),
      (yaml: string) => yaml.replace('erp:', 'another:'),
    ]) {
      const desk = await startDesk(
        t,
        clients(`  basic: { users: { erp: { class: all, password: "${hash}" } } }\n`),
      );
      await withdraw(t, desk, { params }, () => desk.gateway.reload(edit));
    }
  },
);

t.test('a network that is removed, or of another class, is ended by a reload', async (t) => {
  for (const [from, to] of [
    ['127.0.0.1/32', '192.0.2.0/24'],
    ['class: all, addresses', 'class: other, addresses'],
  ] as const) {
    const desk = await startDesk(
      t,
      clients('  networks: { office: { class: all, addresses: [127.0.0.1/32] } }\n'),
    );
    await withdraw(t, desk, {}, () => desk.gateway.reload((yaml) => yaml.replace(from, to)));
  }
});

t.test('fields that now need a right end what was begun without', async (t) => {
  const desk = await startDesk(t, clients(''));
  const socket = await acknowledged(desk, KEY.params);
  socket.say(subscribe('1', PLACED));
  await running(desk.gateway, 'orderPlaced', 1);
  await desk.gateway.reload((yaml) =>
    yaml.replace(
      '    operations:\n',
      '    schema: { types: { Order: { fields: { total: { scopes: ' +
        '[money] } } } } }\n    operations:\n',
    ),
  );
  t.equal(await socket.closed, 4403);
});

t.test('tokens whose issuer or key was withdrawn by a reload end what is open', async (t) => {
  const [issuer, stranger] = [await makeIssuer(), await makeIssuer()];
  const token = await issuer.sign();
  for (const [from, to] of [
    [ISSUER, 'https://other.example'],
    [issuer.keySet, stranger.keySet],
  ] as const) {
    const desk = await startDesk(
      t,
      clients(
        `  jwt: { issuer: "${ISSUER}", audience: ${AUDIENCE}, class: all, algorithms: ` +
          `[ES256], jwks: '${issuer.keySet}' }\n`,
      ),
    );
    const params = { authorization: `Bearer ${token}` };
    await withdraw(t, desk, { params }, () =>
      desk.gateway.reload((yaml) => yaml.replace(from, to)),
    );
  }
});

t.test('a key that its issuer has withdrawn is no good after a reload', async (t) => {
  const [issuer, next] = [await makeIssuer('one'), await makeIssuer('two')];
  let shown = issuer.keySet;
  const server = createServer((_request, response) => response.end(shown));
  const { url } = await listen(t, server);
  const jwt =
    `issuer: "${ISSUER}", audience: ${AUDIENCE}, class: all, algorithms: ` +
    `[ES256], jwksUrl: "${url}/"`;
  const desk = await startDesk(t, clients(`  jwt: { ${jwt} }\n`));
  const params = { authorization: `Bearer ${await issuer.sign()}` };
  const statusNow = async (): Promise<number> =>
    (
      await fetch(`${desk.url}?query=%7B__typename%7D`, {
        headers: { ...params, accept: 'application/json' },
      })
    ).status;
  t.equal(await statusNow(), 200);
  await withdraw(t, desk, { params }, async () => {
    shown = next.keySet;
    t.equal(await statusNow(), 200, 'the keys were asked for a moment ago');
    await desk.gateway.reload();
    t.equal(await statusNow(), 401, 'the first token after the reload');
  });
});

/** An authorization server that knows all tokens but those that were ended. */
async function startAuthority(t: Test) {
  const ended = new Set<string>();
  const state = { asked: 0, together: 0, most: 0, isHolding: false };
  const held: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const token = new URLSearchParams(body).get('token') ?? '';
    state.asked++;
    state.most = Math.max(state.most, ++state.together);
    if (state.isHolding) await new Promise<void>((resolve) => held.push(resolve));
    state.together--;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(ended.has(token) ? { active: false } : { active: true, sub: token }),
    );
  });
  const { url } = await listen(t, server);
  const release = (): void => {
    for (const resolve of held.splice(0)) resolve();
  };
  return {
    url,
    ended,
    state,
    /** Answers what is held. */
    release,
  };
}

type Authority = Awaited<ReturnType<typeof startAuthority>>;

const introspection = ({ url }: Authority, more = ''): string =>
  clients(
    `  introspection: { url: "${url}", clientId: gateway, clientSecret: secret, class: ` +
      `all, timeoutMillis: 60000${more} }\n`,
  );

t.test(
  'a token that introspection ended ends what is open, after activeMillis and without a reload',
  async (t) => {
    const authority = await startAuthority(t);
    const desk = await startDesk(t, introspection(authority, ', activeMillis: 200'));
    const params = { authorization: 'Bearer alice' };
    await withdraw(t, desk, { params }, () => authority.ended.add('alice'));
  },
);

t.test('a token that stays active stays, however often it is asked about', async (t) => {
  const authority = await startAuthority(t);
  const desk = await startDesk(t, introspection(authority, ', activeMillis: 100'));
  const socket = await acknowledged(desk, { authorization: 'Bearer alice' });
  socket.say(subscribe('1', PLACED));
  await running(desk.gateway, 'orderPlaced', 1);
  await until(() => authority.state.asked >= 3);
  t.equal((await placeAs(desk.gateway, 'Bob', STAYS)).status, 200);
  await socket.heard(2);
  t.equal(socket.socket.readyState, socket.socket.OPEN);
});

t.test(
  'rights of many clients are not checked at once, and no other client waits for them',
  async (t) => {
    const authority = await startAuthority(t);
    const desk = await startDesk(t, introspection(authority));
    const sockets = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        acknowledged(desk, { authorization: `Bearer token${n}` }),
      ),
    );
    const stays = await acknowledged(desk, STAYS);
    authority.ended.add('token7');
    authority.state.most = 0;
    authority.state.isHolding = true;
    await desk.gateway.reload();
    await until(() => authority.state.together === 16);
    stays.say(subscribe('1', '{ order(id: 1) { id } }'));
    await stays.heard(2);
    t.match(stays.messages[1], { type: 'next' }, 'a client with a key');
    // What comes while its token is in question waits for the answer.
    sockets[7]?.say(subscribe('1', '{ order(id: 1) { id } }'));
    authority.state.isHolding = false;
    authority.release();
    t.equal(await sockets[7]?.closed, 4403);
    t.equal(sockets[7]?.messages.length, 1);
    await until(() => authority.state.asked >= 120);
    t.ok(authority.state.most <= 16, `${authority.state.most} together`);
    t.equal(desk.backend.begun, 1);
    t.equal(sockets.filter(({ socket }) => socket.readyState === socket.OPEN).length, 59);
  },
);

t.test('operations over a WebSocket run by the configuration of now', async (t) => {
  const desk = await startDesk(t, clients(''));
  const socket = await acknowledged(desk, KEY.params);
  const rename = (yaml: string): string =>
    yaml.replace('Query.own,', 'Query.mine,').replace(' own(', ' mine(');
  await desk.gateway.reload((yaml) => `${rename(yaml)}limits: { graphql: { aliases: 0 } }\n`);
  socket.say(subscribe('1', '{ own(id: 1) { id } }'));
  await socket.heard(2);
  t.match(socket.messages[1], {
    type: 'error',
    payload: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
  });
  socket.say(subscribe('2', '{ other: order(id: 1) { id } }'));
  await socket.heard(3);
  t.match(socket.messages[2], {
    type: 'error',
    payload: [{ extensions: { code: 'MAX_ALIASES_LIMIT' } }],
  });
  socket.say(subscribe('3', PLACED));
  await running(desk.gateway, 'orderPlaced', 1);
  t.equal((await placeAs(desk.gateway, 'Bob', STAYS)).status, 200);
  await socket.heard(4);
  t.match(
    socket.messages[3],
    { id: '3', type: 'next' },
    'a subscription of the present generation',
  );
  t.equal(await desk.gateway.drain(), 0);
  t.equal(await socket.closed, 1001);
});
