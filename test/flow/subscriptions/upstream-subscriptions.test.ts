// biome-ignore-all lint/suspicious/noExplicitAny: answers are what they are
import { createClient as createEventClient } from 'graphql-sse';
import t from 'tap';
import { WebSocket } from 'ws';
import { answerWith } from '../../kit/backend.js';
import { envelope } from '../../kit/envelope.js';
import { startTestGateway, type TestGateway } from '../../kit/gateway.js';
import { postGraphql } from '../../kit/graphql-client.js';
import { running } from '../../kit/live-desk.js';
import { ofKind, startReceiver, valuesOf } from '../../kit/otlp.js';
import { startSubscriptionServer } from '../../kit/subscription-server.js';
import { AUDIENCE, ISSUER, makeIssuer } from '../../kit/token-issuer.js';
import { untilStill } from '../../kit/until.js';
import {
  allOf,
  BOTH,
  codesOf,
  EVENTS,
  PROTOCOLS,
  reply,
  SDL,
  startUpstreamDesk,
  toldBy,
} from '../../kit/upstream-desk.js';
import { useBackend, useGateway } from '../../kit/use.js';

const soapService = (url: string): string => `
  orders:
    url: ${url}
    namespace: urn:orders
    types: |
      type Query { order(id: ID!): Order }
      type Order { id: ID!, total: Int }
    operations:
      GetOrder: { field: Query.order }
`;

for (const protocol of PROTOCOLS) {
  for (const transport of BOTH) {
    t.test(`events pass through, from ${protocol} to ${transport}`, async (t) => {
      const { remote, gateway, events } = await startUpstreamDesk(t, protocol);
      const query =
        'subscription S($id: ID!) { c: customerChanged(id: $id) { __typename ...P } } ' +
        'fragment P on Node { id ... on Customer { n: name } }';
      const told = events(transport, query, { variables: { id: '7' } });
      const first = told.next();
      await remote.runs(1);
      await running(gateway, 'customerChanged', 1);
      const [asked] = remote.subscribed;
      t.match(asked?.query, /subscription.*customerChanged\(id: \$/s);
      t.same(Object.values(asked?.variables ?? {}), ['7']);
      t.equal(asked?.transport, protocol === 'sse' ? 'sse' : 'websocket');
      remote.tell('customerChanged', { id: '7', name: 'Ada' });
      remote.tell('customerChanged', null);
      t.match((await first).value, { data: { c: { __typename: 'Customer', id: '7', n: 'Ada' } } });
      t.match(await toldBy(told), { data: { c: null } });
      remote.tell('customerChanged', {
        id: '7',
        name: () => {
          throw new Error('no name today');
        },
      });
      t.match(await toldBy(told), {
        data: { c: null },
        errors: [
          {
            message: 'no name today',
            path: ['c', 'n'],
            extensions: { code: 'GRAPHQL_UPSTREAM_ERROR' },
          },
        ],
      });
      remote.complete('customerChanged');
      t.same(
        await told.next(),
        { done: true, value: undefined },
        'the end of it is the end of it here',
      );
      await running(gateway, 'customerChanged', 0);
      t.match(await gateway.logLine('subscription ended'), {
        field: 'customerChanged',
        why: 'completed',
        events: 3,
      });
      t.match(await gateway.metrics(), 'soapstone_upstream_subscriptions{service="crm"} 0\n');
    });
  }

  t.test(
    `a subscription at a service is a span of the request that subscribed, ${protocol}`,
    async (t) => {
      const { url, received } = await startReceiver(t);
      const { remote, gateway, events } = await startUpstreamDesk(
        t,
        protocol,
        '',
        `traces: { otlp: "${url}", sample: 1 }`,
      );
      for (const transport of BOTH) {
        const told = events(transport, 'subscription { tick }');
        const first = told.next();
        await remote.runs(1);
        remote.tell('tick', 1);
        t.match((await first).value, { data: { tick: 1 } });
        if (transport === 'sse') await told.return?.();
        else remote.complete('tick');
        await running(gateway, 'tick', 0);
      }
      const calls = ofKind(await received(6), 3);
      t.same(
        calls.map((span) => [
          span.name,
          valuesOf(span).get('http.response.status_code'),
          span.status,
        ]),
        Array.from({ length: 2 }, () => [
          'crm/subscription',
          protocol === 'sse' ? '200' : '101',
          undefined,
        ]),
      );
      t.same(
        remote.subscribed.map(({ headers }) => headers['traceparent']),
        calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
      );
      const requests = ofKind(await received(6), 2);
      t.same(
        calls.map(({ parentSpanId }) => parentSpanId),
        requests.map(({ spanId }) => spanId),
      );
    },
  );

  t.test(`a client that leaves ends its subscription upstream, ${protocol}`, async (t) => {
    const { remote, gateway, events } = await startUpstreamDesk(t, protocol);
    const told = [
      events('sse', 'subscription { tick }'),
      events('websocket', 'subscription { tick }'),
    ];
    const firsts = told.map((each) => each.next());
    await remote.runs(2);
    t.match(await gateway.metrics(), 'soapstone_upstream_subscriptions{service="crm"} 2\n');
    remote.tell('tick', 1);
    for (const first of firsts) t.match((await first).value, { data: { tick: 1 } });
    for (const each of told) await each.return?.();
    await remote.runs(0);
    await running(gateway, 'tick', 0);
  });

  t.test(
    `a subscription that breaks off ends with an error, after its events, ${protocol}`,
    async (t) => {
      for (const transport of BOTH) {
        const { remote, gateway, events } = await startUpstreamDesk(t, protocol);
        const told = events(transport, 'subscription { tick }');
        const first = told.next();
        await remote.runs(1);
        remote.tell('tick', 1);
        t.match((await first).value, { data: { tick: 1 } });
        remote.cut();
        t.match(await toldBy(told), { errors: [{ extensions: { code: 'UPSTREAM_TRUNCATED' } }] });
        t.same(await told.next(), { done: true, value: undefined });
        t.match(await gateway.logLine('subscription ended'), { why: 'failed', events: 1 });
        t.match(
          await gateway.metrics(),
          /soapstone_refusals_total\{route="graphql",code="UPSTREAM_TRUNCATED"\} 1/,
        );
      }
    },
  );
}

t.test(
  'unless it is said otherwise they are offered where everything else is; or not at all',
  async (t) => {
    const remote = await startSubscriptionServer(SDL);
    const directory = t.testdir({ 'crm.graphql': SDL });
    const start = (more: string): Promise<TestGateway> =>
      startTestGateway(
        `services:\n  crm:\n    kind: graphql\n    url: ${remote.url}\n` +
          `    schema: crm.graphql\n${more}`,
        directory,
      );
    const plain = await start('');
    const silent = await start('    subscriptions: false\n');
    t.teardown(async () => {
      await plain.close();
      await silent.close();
      await remote.close();
    });
    const client = createEventClient({ url: `${plain.url}/graphql`, retryAttempts: 0 });
    const told = client.iterate({ query: 'subscription { tick }' });
    const first = told.next();
    await remote.runs(1);
    remote.tell('tick', 3);
    t.match((await first).value, { data: { tick: 3 } });
    client.dispose();
    await remote.runs(0);
    const answer = await postGraphql(
      silent.url,
      { query: 'subscription { tick }' },
      { accept: 'text/event-stream' },
    );
    t.match(await answer.text(), /GRAPHQL_VALIDATION_FAILED|not configured|BAD_REQUEST/);
  },
);

t.test('what is renamed, hidden and prefixed is asked under its own name', async (t) => {
  for (const protocol of PROTOCOLS) {
    const { remote, events, gateway } = await startUpstreamDesk(
      t,
      protocol,
      '    prefix: crm\n    rename: { Subscription.tick: beat, Customer.name: ' +
        'title, Customer: Person }\n' +
        '    hide: [Subscription.internal, Customer.ssn]\n',
      'graphql: { introspection: true }\n',
    );
    const query = `query { __schema { subscriptionType { fields { name type { name } } } } }`;
    const asked = await postGraphql(gateway.url, { query });
    const answer: any = await asked.json();
    t.same(
      answer.data.__schema.subscriptionType.fields.map(({ name }: any) => name),
      ['crmCustomerChanged', 'beat', 'crmTexts', 'crmNumbers'],
    );
    const told = events(
      'websocket',
      'subscription { c: crmCustomerChanged(id: 7) { ... on CrmNode { __typename } t: ' +
        'title ...P } } fragment P on Person { title }',
    );
    const first = told.next();
    await remote.runs(1);
    remote.tell('customerChanged', { id: '7', name: 'Ada' });
    t.match((await first).value, { data: { c: { __typename: 'Person', t: 'Ada', title: 'Ada' } } });
    t.match(
      remote.subscribed[0]?.query,
      /: customerChanged\(id: [\s\S]*on Customer [\s\S]*title: name/,
    );
    const refused = events('sse', 'subscription { crmCustomerChanged(id: 1) { ssn } }');
    t.match(await toldBy(refused), {
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    t.equal(remote.subscribed.length, 1);
  }
});

t.test('links lead on from events, each event anew', async (t) => {
  const backend = await useBackend(t, ({ body }, response) => {
    const id = /id>(\w+)</.exec(body.toString())?.[1] ?? '';
    const reply = `<GetOrderResponse xmlns="urn:orders"><id>${id}</id><total>5</total></GetOrderResponse>`;
    answerWith(envelope(reply))({ body } as never, response);
  });
  const { remote, events } = await startUpstreamDesk(
    t,
    'sse',
    '',
    'links:\n  Customer.order: { operation: orders.GetOrder, arguments: { id: orderId } }\n',
    soapService(backend.url).slice(1),
  );
  const told = events(
    'websocket',
    'subscription { customerChanged(id: 7) { name order { id total } } }',
  );
  const first = told.next();
  await remote.runs(1);
  t.match(remote.subscribed[0]?.query, /orderId/);
  t.notMatch(remote.subscribed[0]?.query, /order \{/);
  remote.tell('customerChanged', { id: '7', name: 'Ada', orderId: 'o1' });
  const event = (await first).value;
  t.strictSame(event.data, { customerChanged: { name: 'Ada', order: { id: 'o1', total: 5 } } });
  remote.tell('customerChanged', { id: '7', name: 'Bob', orderId: null });
  t.strictSame((await toldBy(told)).data, { customerChanged: { name: 'Bob', order: null } });
  remote.tell('customerChanged', { id: '7', name: 'Cleo', orderId: 'o2' });
  t.strictSame((await toldBy(told)).data, {
    customerChanged: { name: 'Cleo', order: { id: 'o2', total: 5 } },
  });
  t.equal(backend.complete.length, 2);
  await told.return?.();
});

t.test(
  'secrets, the allowed fields of the caller and connection parameters are sent, and no others',
  async (t) => {
    for (const protocol of PROTOCOLS) {
      const isSocket = protocol !== 'sse';
      const { remote, events } = await startUpstreamDesk(
        t,
        protocol,
        '    headers: { authorization: "Bearer secret" }\n    forwardHeaders: [x-tenant]\n',
      );
      const told = events('websocket', 'subscription { tick }', {
        headers: { 'x-tenant': 'blue', 'x-other': 'red' },
      });
      const first = told.next();
      await remote.runs(1);
      const { headers = {} } = remote.subscribed[0] ?? {};
      t.match(headers, { authorization: 'Bearer secret', 'x-tenant': 'blue' });
      t.notOk('x-other' in headers);
      const other = events('websocket', 'subscription { tick }', {
        headers: { 'x-tenant': 'green' },
      }).next();
      await remote.runs(2);
      t.equal(
        remote.subscribed[1]?.headers['x-tenant'],
        'green',
        'nobody is served by what another asked for',
      );
      t.notOk('sec-websocket-extensions' in headers, 'nothing is compressed');
      if (!isSocket) t.equal(headers.accept, 'text/event-stream');
      remote.complete('tick');
      t.equal((await first).done, true);
      t.equal((await other).done, true);
    }
    const remote = await startSubscriptionServer(SDL);
    const gateway = await useGateway(
      t,
      'services:\n  crm:\n    kind: graphql\n    url: http://127.0.0.1:1/none\n' +
        '    schema: crm.graphql\n' +
        `    subscriptions: { url: "${remote.url.replace('http', 'ws')}", ` +
        'connectionParams: { token: abc } }\n',
      t.testdir({ 'crm.graphql': SDL }),
    );
    t.teardown(() => remote.close());
    const client = createEventClient({ url: `${gateway.url}/graphql`, retryAttempts: 0 });
    const first = client.iterate({ query: 'subscription { tick }' }).next();
    await remote.runs(1);
    t.match(remote.subscribed[0], { transport: 'websocket', connectionParams: { token: 'abc' } });
    remote.tell('tick', 1);
    t.match((await first).value, { data: { tick: 1 } });
    client.dispose();
  },
);

t.test('a client that does not take its events is cut, on both sides', async (t) => {
  for (const protocol of PROTOCOLS) {
    const { remote, gateway, url } = await startUpstreamDesk(
      t,
      protocol,
      '',
      'limits: { subscriptions: { queueEvents: 20 }, remote: { eventBytes: 64KiB } }\n',
    );
    const query = 'subscription { customerChanged(id: 7) { text } }';
    const stream = await postGraphql(gateway.url, { query }, { accept: 'text/event-stream' });
    const raw = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
    raw.on('message', () => {
      raw.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
      raw.pause();
    });
    raw.on('open', () => raw.send(JSON.stringify({ type: 'connection_init' })));
    await remote.runs(2);
    const text = 'x'.repeat(30_000);
    while (remote.running > 0) {
      remote.tell('customerChanged', { id: '7', name: 'Ada', text });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await running(gateway, 'customerChanged', 0);
    const ends = gateway.logLines().filter(({ msg }) => msg === 'subscription ended');
    t.same(
      ends.map(({ why }) => why),
      ['overflow', 'overflow'],
    );
    t.match(await stream.text(), /SUBSCRIPTION_OVERFLOW.*\n\nevent: complete/s);
    raw.terminate();
  }
});

t.test('a client that takes its events late gets all of them, in whatever script', async (t) => {
  const limits =
    'limits: { subscriptions: { queueBytes: 16MiB }, remote: { eventBytes: 64KiB } }\n';
  const { remote, gateway } = await startUpstreamDesk(t, 'sse', '', limits);
  const query = 'subscription { customerChanged(id: 7) { text } }';
  const stream = await postGraphql(gateway.url, { query }, { accept: 'text/event-stream' });
  await remote.runs(1);
  const text = '字'.repeat(6000);
  const sent = async (): Promise<number> =>
    Number(
      /^soapstone_subscription_events_total\{.*outcome="sent"\} (\d+)/m.exec(
        await gateway.metrics(),
      )?.[1] ?? 0,
    );
  let told = 0;
  // Until one of them waits for the client.
  for (let before = -1; before < (await sent()); ) {
    before = await sent();
    for (const end = told + 200; told < end; told++)
      remote.tell('customerChanged', { id: '7', name: 'Ada', text });
    await untilStill(sent);
  }
  remote.complete('customerChanged');
  t.equal((await stream.text()).split(text).length - 1, told);
});

t.test('so many at one service and no more, and after failures none for a while', async (t) => {
  for (const protocol of PROTOCOLS) {
    const { remote, gateway, events } = await startUpstreamDesk(
      t,
      protocol,
      '',
      'limits: { remote: { subscriptions: 2 }, upstream: { breakerFailures: 2 } }\n',
    );
    const query = 'subscription { tick }';
    const told = [events('sse', query), events('websocket', query)];
    const firsts = told.map((each) => each.next());
    await remote.runs(2);
    t.strictSame(codesOf(await allOf(events('sse', query))), ['POOL_EXHAUSTED']);
    await told[0]?.return?.();
    while (
      !(await gateway.metrics()).includes('soapstone_upstream_subscriptions{service="crm"} 1\n')
    );
    remote.instead = (_request, response) => response.destroy();
    remote.insteadOfUpgrade = (_request, socket) => socket.destroy();
    t.strictSame(codesOf(await allOf(events('sse', query))), ['UPSTREAM_RESET']);
    t.strictSame(codesOf(await allOf(events('sse', query))), ['UPSTREAM_RESET']);
    t.strictSame(codesOf(await allOf(events('sse', query))), ['CIRCUIT_OPEN']);
    t.match(await gateway.metrics(), 'soapstone_upstream_breakers_open{service="crm"} 1\n');
    remote.tell('tick', 1);
    t.match((await firsts[1])?.value, { data: { tick: 1 } }, 'those that run go on');
    await told[1]?.return?.();
  }
});

t.test('at the end both sides get the reason', async (t) => {
  for (const protocol of PROTOCOLS) {
    for (const transport of BOTH) {
      const { remote, gateway, events } = await startUpstreamDesk(t, protocol);
      const told = events(transport, 'subscription { tick }');
      const first = told.next().catch((caught: unknown) => caught);
      await remote.runs(1);
      await gateway.drain();
      await remote.runs(0);
      const drained = { value: { errors: [{ extensions: { code: 'GATEWAY_DRAINING' } }] } };
      t.match(await first, transport === 'sse' ? drained : { code: 1001 });
    }
  }
});

t.test('events are paid for, rights hold, and what a client has is counted', async (t) => {
  const { remote, gateway, events } = await startUpstreamDesk(
    t,
    'sse',
    '',
    `limits: { subscriptions: { perClient: 2 } }
clients:
  apiKeys:
    clients:
      poor: { class: poor, keys: [a-key-of-the-poor] }
      other: { class: other, keys: [a-key-of-another] }
  classes:
    poor: { budget: { maximum: 20, restoreRate: 1 } }
    other: { allow: [crm.customer, crm.texts] }
`,
  );
  const as = (key: string, query: string): AsyncIterableIterator<any> =>
    events('sse', query, { headers: { 'x-api-key': key } });
  t.strictSame(codesOf(await allOf(as('a-key-of-another', 'subscription { tick }'))), [
    'FORBIDDEN',
  ]);
  t.equal(remote.subscribed.length, 0);
  const texts = [0, 1].map(() => as('a-key-of-another', 'subscription { texts }'));
  const firsts = texts.map((each) => each.next());
  await remote.runs(2);
  t.strictSame(codesOf(await allOf(as('a-key-of-another', 'subscription { texts }'))), [
    'RATE_LIMITED',
  ]);
  remote.complete('texts');
  await Promise.all(firsts);
  const poor = as('a-key-of-the-poor', 'subscription { customerChanged(id: 7) { name } }');
  const first = poor.next();
  await remote.runs(1);
  for (let count = 0; count < 60; count++)
    remote.tell('customerChanged', { id: '7', name: String(count) });
  const told = [(await first).value];
  while (told.length < 60) told.push(await toldBy(poor));
  t.match(told[0], {
    data: { customerChanged: { name: '0' } },
    extensions: { cost: { requestedQueryCost: 1 } },
  });
  t.ok(
    codesOf(told).includes('RATE_LIMITED'),
    'the subscription has cost 11, and each event costs its object',
  );
  await poor.return?.();
  await running(gateway, 'customerChanged', 0);
});

t.test('a value that is none of its type is reported without the value', async (t) => {
  const { remote, events } = await startUpstreamDesk(
    t,
    'sse',
    '',
    'limits: { upstream: { breakerFailures: 0 } }\n',
  );
  const answer = async (query: string, data: unknown): Promise<any> => {
    remote.instead = (_request, response) =>
      reply(
        200,
        EVENTS,
        `event: next\ndata: ${JSON.stringify({ data })}\n\nevent: complete\n\n`,
      )(response);
    return toldBy(events('sse', query));
  };
  const wrong = { errors: [{ extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }] };
  t.match(await answer('subscription { numbers }', { numbers: [1, 'secret'] }), {
    data: { numbers: [1, null] },
    ...wrong,
  });
  t.match(await answer('subscription { numbers }', { numbers: 'secret' }), {
    data: { numbers: null },
    ...wrong,
  });
  for (const tick of ['secret', 1.5, [1], {}]) {
    const told = await answer('subscription { tick }', { tick });
    t.match(told, { data: null, ...wrong }, JSON.stringify(tick));
    t.notMatch(JSON.stringify(told), 'secret');
  }
  t.match(await answer('subscription { tick }', { tick: null }), { data: null, ...wrong });
  const none = await answer('subscription { none: customerChanged(id: 1) { age } }', {
    customerChanged: null,
  });
  t.match(
    none,
    { data: { none: null }, errors: undefined },
    'a null under an alias is none of these',
  );
  t.match(await answer('subscription { texts }', { texts: ['a', null] }), wrong);
  t.match(
    await answer('subscription { customerChanged(id: 1) { age } }', {
      customerChanged: { age: 'secret' },
    }),
    wrong,
  );
  t.match(
    await answer('subscription { customerChanged(id: 1) { age } }', { customerChanged: 'secret' }),
    wrong,
  );
  const more = await answer('subscription { customerChanged(id: 1) { age } }', {
    customerChanged: { age: 3, ssn: 'secret' },
    tick: 4,
  });
  t.strictSame(more.data, { customerChanged: { age: 3 } }, 'what nobody asked for is dropped');
});

t.test('a subscription ends there when the credentials expire here', async (t) => {
  const issuer = await makeIssuer();
  const { remote, gateway, events } = await startUpstreamDesk(
    t,
    'graphql-transport-ws',
    '    forwardHeaders: [authorization]\n',
    `clients:
  jwt: { issuer: "${ISSUER}", audience: ${AUDIENCE}, class: all, algorithms: [ES256], jwks: \
'${issuer.keySet}', toleranceMillis: 0, requireNotBefore: false, forward: true }
  classes: { all: {} }
`,
  );
  const token = await issuer.sign({ exp: Math.ceil(Date.now() / 1000) + 3 });
  const headers = { authorization: `Bearer ${token}` };
  const told = BOTH.map((transport) =>
    events(transport, 'subscription { tick }', { headers })
      .next()
      .catch((caught: unknown) => caught),
  );
  await remote.runs(2);
  t.same(remote.subscribed[0]?.headers.authorization, headers.authorization);
  t.match(await told[0], { value: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
  await told[1];
  await remote.runs(0);
  await running(gateway, 'tick', 0);
});
