import t, { type Test } from 'tap';
import { postJson } from '../kit/graphql-client.js';
import {
  type Desk,
  INIT,
  PROTOCOL,
  place,
  placeAs,
  rawSocket,
  running,
  startDesk,
  subscribe,
} from '../kit/live-desk.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { until } from '../kit/until.js';
import { useGraphqlServer } from '../kit/use.js';

type Headers = Readonly<Record<string, string>>;

/** What must not reach a backend, and what must. */
const KEY = 'the-key-of-one-client';
const FORGED = 'CN=bank';
const OTHER = 'Bearer a-token-for-the-backend';

const FORWARD = 'forwardHeaders: [authorization, x-api-key, x-client-certificate, x-tenant]';

async function startDeskFor(t: Test, clients: string): Promise<Desk> {
  const desk = await startDesk(t, `clients:\n${clients}  classes: { all: {} }\n`);
  await desk.gateway.reload((yaml) =>
    yaml.replace(
      '    callerHeaders: [x-user]\n',
      `    callerHeaders: [x-user, authorization]\n    ${FORWARD}\n`,
    ),
  );
  return desk;
}

const post = (desk: Desk, headers: Headers, body: unknown): Promise<Response> =>
  postJson(desk.url, body, headers);

/** Asks for a subscription by server-sent events. */
const listen = (desk: Desk, headers: Headers, field: string): Promise<Response> =>
  post(
    desk,
    { ...headers, accept: 'text/event-stream' },
    { query: `subscription { ${field} { id } }` },
  );

const QUERY = '{ order(id: 1) { id } }';

/** Each way in which a GraphQL operation comes, with these header fields. */
const CARRIERS: Readonly<Record<string, (desk: Desk, headers: Headers) => Promise<unknown>>> = {
  POST: async (desk, headers) => (await post(desk, headers, { query: QUERY })).text(),
  GET: async (desk, headers) =>
    (
      await fetch(`${desk.url}?query=${encodeURIComponent(QUERY)}`, {
        headers: {
          ...headers,
          accept: 'application/graphql-response+json',
          'x-requested-with': 'test',
        },
      })
    ).text(),
  'server-sent events': async (desk, headers) =>
    (await post(desk, { ...headers, accept: 'text/event-stream' }, { query: QUERY })).text(),
  'a poll': async (desk, headers) => {
    const answer = await listen(desk, headers, 'orderWatched(id: 1)');
    await until(() => desk.backend.complete.length > 0);
    await answer.body?.cancel();
  },
  'an event': async (desk, headers) => {
    const answer = await listen(desk, headers, 'orderPlaced');
    await running(desk.gateway, 'orderPlaced', 1);
    await placeAs(desk.gateway, 'A', headers);
    await until(() => desk.backend.complete.length > 1);
    await answer.body?.cancel();
  },
  'a WebSocket': async (desk, headers) => overSocket(desk, {}, headers),
  'the parameters of a WebSocket': async (desk, headers) => {
    const { 'x-api-key': key, authorization, ...rest } = headers;
    await overSocket(
      desk,
      { ...(key && { 'x-api-key': key }), ...(authorization && { authorization }) },
      rest,
    );
  },
};

async function overSocket(desk: Desk, params: Headers, headers: Headers): Promise<void> {
  const raw = await rawSocket(desk, PROTOCOL, { headers });
  raw.say({ ...INIT, payload: params });
  await raw.heard(1);
  raw.say(subscribe('1', QUERY));
  await raw.heard(2);
  raw.socket.terminate();
}

/** Every carrier with these fields; what reached the backend. */
async function sentBy(
  t: Test,
  desk: Desk,
  headers: Headers,
  expected: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const [name, send] of Object.entries(CARRIERS)) {
    desk.backend.complete.length = 0;
    await send(desk, { ...headers, 'x-tenant': 'one' });
    const calls = desk.backend.complete;
    t.ok(calls.length > 0, name);
    for (const call of calls) {
      const isOfSoap = call.body.includes('PlaceOrder');
      t.equal(call.headers['x-tenant'], 'one', `${name}: what is meant for the backend`);
      for (const [field, value] of Object.entries(expected))
        t.equal(
          call.headers[field],
          value,
          `${name}: ${field}${isOfSoap ? ' of a SOAP call' : ''}`,
        );
    }
  }
}

t.test(
  'a key for the gateway, and a certificate that no proxy named, reach no backend',
  async (t) => {
    const desk = await startDeskFor(
      t,
      `  apiKeys: { header: x-api-key, clients: { one: { class: all, keys: [${KEY}] } } }
  certificate: { header: x-client-certificate, clients: { bank: { class: all, subject: \
"${FORGED}" } } }
  trustedProxies: [192.0.2.1]
`,
    );
    const headers = { 'x-api-key': KEY, 'x-client-certificate': FORGED, authorization: OTHER };
    const expected = {
      'x-api-key': undefined,
      'x-client-certificate': undefined,
      authorization: OTHER,
    };
    await sentBy(t, desk, headers, expected);
  },
);

t.test('a token for the gateway reaches a backend with forward: true alone', async (t) => {
  const issuer = await makeIssuer();
  const headers = await issuer.bearer({ sub: 'alice' });
  for (const forward of [false, true]) {
    const desk = await startDeskFor(t, `  ${issuer.yaml(`class: all, forward: ${forward}`)}\n`);
    await sentBy(t, desk, headers, { authorization: forward ? headers.authorization : undefined });
  }
});

t.test(
  'the items of a batch, and a service that speaks GraphQL, get no credentials for the gateway',
  async (t) => {
    const crm = await useGraphqlServer(t, {
      sdl: 'type Query { name: String }',
      rootValue: { name: 'x' },
    });
    const desk = await startDesk(
      t,
      `graphql: { batch: 5 }
clients:
  apiKeys: { header: x-api-key, clients: { one: { class: all, keys: [${KEY}] } } }
  classes: { all: {} }
`,
    );
    await desk.gateway.reload((yaml) =>
      yaml
        .replace('    callerHeaders: [x-user]\n', `    callerHeaders: [x-user]\n    ${FORWARD}\n`)
        .replace(
          'subscriptions:\n',
          `  crm: { kind: graphql, url: "${crm.url}", ${FORWARD} }\nsubscriptions:\n`,
        ),
    );
    const batch = [{ query: QUERY }, { query: '{ order(id: 2) { id } name }' }];
    const answer = await post(desk, { 'x-api-key': KEY, 'x-tenant': 'one' }, batch);
    t.match(await answer.json(), [
      { data: { order: { id: 1 } } },
      { data: { order: { id: 2 }, name: 'x' } },
    ]);
    const asked = [
      ...desk.backend.complete,
      ...crm.requests.filter(({ query }) => !query.includes('__schema')),
    ];
    t.equal(asked.length, 3);
    for (const { headers } of asked)
      t.match([headers['x-api-key'], headers['x-tenant']], [undefined, 'one']);
    t.equal((await place(desk.gateway, 'A')).status, 500, 'without a key');
  },
);
