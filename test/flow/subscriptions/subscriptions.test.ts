import { connect } from 'node:net';
import { createClient as createEventClient } from 'graphql-sse';
import t from 'tap';
import { WebSocket } from 'ws';
import { postGraphql } from '../../kit/graphql-client.js';
import {
  acknowledged,
  envelope,
  holdAnswers,
  place,
  placeAs,
  running,
  startDesk,
  subscribe,
  subscribed,
} from '../../kit/live-desk.js';

t.test(
  'a GraphQL client learns over a WebSocket of what a SOAP client did, and is answered by a read',
  async (t) => {
    const { gateway, socket, backend } = await startDesk(t);
    const { events, first } = await subscribed(
      { gateway, socket },
      'orderPlaced',
      'subscription { orderPlaced(customer: "Bob") { id status customer } }',
    );
    t.equal((await place(gateway, 'Ann')).status, 200);
    t.equal((await place(gateway, 'Bob')).status, 200);
    t.match((await first).value, {
      data: { orderPlaced: { id: 102, status: 'NEW', customer: 'Ann' } },
    });
    t.equal(backend.complete.length, 3, 'what the filter leaves out is not asked for');
    await events.return?.();
    await running(gateway, 'orderPlaced', 0);
    t.match(
      await gateway.metrics(),
      /soapstone_subscription_events_total\{field="orderPlaced",outcome="sent"\} 1/,
    );
    t.match(await gateway.logLine('subscription ended'), {
      field: 'orderPlaced',
      why: 'left',
      events: 1,
    });
  },
);

t.test(
  'events of their own values lead on through links, over server-sent events, and a ' +
    'mutation sets them off',
  async (t) => {
    const { gateway, url } = await startDesk(t);
    const client = createEventClient({ url, retryAttempts: 0 });
    const events = client.iterate({
      query: 'subscription { receipts { by id __typename order { total } } }',
    });
    const first = events.next();
    await running(gateway, 'receipts', 1);
    const query = 'mutation { place(customer: "Cleo") { status } }';
    const answer = await postGraphql(gateway.url, { query });
    t.match(
      await answer.json(),
      { data: { place: { status: 'OK' } } },
      'the mutation is answered as ever',
    );
    t.match((await first).value, {
      data: { receipts: { by: 'Cleo', id: 101, __typename: 'ReceiptsEvent', order: { total: 1 } } },
    });
    await events.return?.();
    await running(gateway, 'receipts', 0);
    client.dispose();
  },
);

t.test('one poller serves all equal subscriptions, each with a selection of its own', async (t) => {
  const { gateway, socket, backend, order } = await startDesk(t);
  const [one, other] = [socket(), socket()];
  const first = one.iterate({ query: 'subscription { orderChanged(id: 7) { status } }' });
  const second = other.iterate({
    query: 'subscription S($id: Int!) { s: orderChanged(id: $id) { total, id } }',
    variables: { id: 7 },
  });
  t.match(
    (await first.next()).value,
    { data: { orderChanged: { status: 'NEW' } } },
    'what it is at first',
  );
  t.match((await second.next()).value, { data: { s: { total: 1, id: 7 } } });
  t.match(await gateway.metrics(), 'soapstone_subscription_pollers 1\n');
  const polls = backend.complete.length;
  order.total = 2;
  while (backend.complete.length < polls + 3) await gateway.metrics();
  order.status = 'SHIPPED';
  t.match((await first.next()).value, { data: { orderChanged: { status: 'SHIPPED' } } });
  t.match(
    (await second.next()).value,
    { data: { s: { total: 2, id: 7 } } },
    'only a change of the key is told',
  );
  await first.return?.();
  await second.return?.();
  await running(gateway, 'orderChanged', 0);
  t.match(await gateway.metrics(), 'soapstone_subscription_pollers 0\n');
  const after = backend.complete.length;
  await gateway.metrics();
  t.ok(backend.complete.length - after <= 1, 'nobody is asked for nobody');
});

t.test(
  'a client that joins a poll gets the present value at once, not at the next turn',
  async (t) => {
    const { socket, backend, order } = await startDesk(t);
    const first = socket().iterate({ query: 'subscription { orderDaily(id: 7) { status } }' });
    t.match((await first.next()).value, { data: { orderDaily: { status: 'NEW' } } });
    order.status = 'SHIPPED';
    const second = socket().iterate({ query: 'subscription { orderDaily(id: 7) { id status } }' });
    t.match((await second.next()).value, { data: { orderDaily: { id: 7, status: 'SHIPPED' } } });
    t.match(
      (await first.next()).value,
      { data: { orderDaily: { status: 'SHIPPED' } } },
      'news for the others too',
    );
    t.equal(backend.complete.length, 2);
    await first.return?.();
    await second.return?.();
  },
);

const POOR_KEY = 'key-of-the-poor-000001';
const POOR = `clients:
  apiKeys: { clients: { poor: { class: poor, keys: [${POOR_KEY}] }, rich: { class: rich, keys: \
[${POOR_KEY}2] } } }
  classes: { poor: { budget: { maximum: 40, restoreRate: 1 } }, rich: { budget: { maximum: \
10000, restoreRate: 1 } } }
`;

t.test('subscribers pay for polls, which pause while none can pay', async (t) => {
  const { socket, backend } = await startDesk(t, POOR);
  const poor = socket({ connectionParams: { 'x-api-key': POOR_KEY } });
  const events = poor.iterate({ query: 'subscription { orderWatched(id: 7) { total } }' });
  const first = (await events.next()).value;
  t.match(first, { data: { orderWatched: { total: 1 } } });
  t.match(
    first.extensions,
    { cost: { requestedQueryCost: 1, actualQueryCost: 1 } },
    'telling it is no call',
  );
  const next = (await events.next()).value;
  t.match(next, {
    data: { orderWatched: null },
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  t.match(next.extensions, { cost: { requestedQueryCost: 0, actualQueryCost: 0 } });
  t.ok(backend.complete.length <= 4, `${backend.complete.length} calls of 10 points of 40`);

  const rich = socket({ connectionParams: { 'x-api-key': `${POOR_KEY}2` } });
  const others = rich.iterate({ query: 'subscription { orderWatched(id: 7) { total } }' });
  t.match((await others.next()).value, { data: { orderWatched: { total: 1 } } });
  const before = backend.complete.length;
  const paid = events.next();
  while (backend.complete.length < before + 5)
    await new Promise((resolve) => setImmediate(resolve));
  await others.return?.();
  t.match(
    (await paid).value,
    { data: { orderWatched: { total: 1 } } },
    'as soon as it can pay for the answer',
  );
  await events.return?.();
});

t.test('an event of its own values is no call', async (t) => {
  const { gateway, socket } = await startDesk(t);
  const { events, first } = await subscribed(
    { gateway, socket },
    'receipts',
    'subscription { receipts { id } }',
  );
  await place(gateway, 'Ann');
  t.match((await first).value, {
    extensions: { cost: { requestedQueryCost: 1, actualQueryCost: 1 } },
  });
  await events.return?.();
});

t.test('a failed poll is reported once, and the next answer again', async (t) => {
  const { socket, backend, order } = await startDesk(t);
  const events = socket().iterate({ query: 'subscription { orderWatched(id: 7) { total } }' });
  t.match((await events.next()).value, { data: { orderWatched: { total: 1 } } });
  const { answer } = backend;
  let failures = 0;
  backend.answer = (_message, response) => {
    failures++;
    response.writeHead(500, { 'content-length': 0 }).end();
  };
  const failed = (await events.next()).value;
  t.match(failed, { data: { orderWatched: null }, errors: [{ path: ['orderWatched'] }] });
  const next = events.next();
  while (failures < 3) await new Promise((resolve) => setImmediate(resolve));
  order.total = 5;
  backend.answer = answer;
  t.match((await next).value, { data: { orderWatched: { total: 5 } } });
  await events.return?.();
});

t.test(
  'notifications are validated like any envelope, and answered with 202 and nothing',
  async (t) => {
    const { gateway, socket, backend } = await startDesk(t);
    const { events, first } = await subscribed(
      { gateway, socket },
      'stockAlert',
      'subscription { stockAlert { sku left } }',
    );
    const post = async (content: string): Promise<Response> =>
      fetch(`${gateway.url}/callback/orders`, {
        method: 'POST',
        headers: { 'content-type': 'text/xml' },
        body: content,
      });
    const bad = await post(envelope('<Notify xmlns="urn:orders"><sku>A</Notify>'));
    t.equal(bad.status, 500);
    t.match(await bad.text(), 'XML_NOT_WELLFORMED');
    const other = await post(envelope('<GetOrder xmlns="urn:orders"><id>1</id></GetOrder>'));
    t.match(await other.text(), 'UNKNOWN_OPERATION', 'only what somebody wants to hear');
    const pad = `<!--${'x'.repeat(900)}-->`.repeat(100);
    const good = await post(
      envelope(`<Notify xmlns="urn:orders"><sku>A1</sku>${pad}<left>3</left></Notify>`),
    );
    t.equal(good.status, 202);
    t.equal(await good.text(), '');
    t.match(
      (await first).value,
      { data: { stockAlert: { sku: 'A1', left: 3 } } },
      'of a message longer than the window too',
    );
    t.equal(backend.begun, 0, 'nothing of it reaches a backend');
    for (const path of ['/callback/nobody', '/callback/', '/callback/orders/']) {
      t.equal((await fetch(gateway.url + path, { method: 'POST' })).status, 404, path);
    }
    t.equal((await fetch(`${gateway.url}/callback/orders`)).status, 405);
    await events.return?.();
  },
);

t.test(
  'a value of a message that is none of its type is an error where it stands, as it is of a reply',
  async (t) => {
    const { gateway, socket, backend } = await startDesk(t);
    const { events: told, first } = await subscribed(
      { gateway, socket },
      'stockAlert',
      'subscription { stockAlert { sku left } }',
    );
    const notify = (left: string): Promise<Response> =>
      fetch(`${gateway.url}/callback/orders`, {
        method: 'POST',
        headers: { 'content-type': 'text/xml' },
        body: envelope(`<Notify xmlns="urn:orders"><sku>A1</sku><left>${left}</left></Notify>`),
      });
    t.equal((await notify('99999999999')).status, 202);
    const code = 'UPSTREAM_SCHEMA_INVALID';
    t.match((await first).value, {
      data: { stockAlert: { sku: 'A1', left: null } },
      errors: [{ path: ['stockAlert', 'left'], extensions: { code } }],
    });
    await notify('3');
    const good = (await told.next()).value;
    t.match(good, { data: { stockAlert: { left: 3 } } });
    t.notOk(good.errors);
    await told.return?.();

    const { answer } = backend;
    backend.answer = (message, response) => {
      if (!message.body.includes('PlaceOrder')) return answer(message, response);
      const reply = envelope(
        '<PlaceOrderResponse xmlns="urn:orders"><orderId>many</orderId>' +
          '<status>OK</status></PlaceOrderResponse>',
      );
      response
        .writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(reply) })
        .end(reply);
    };
    const own = socket().iterate({ query: 'subscription { receipts { id by order { total } } }' });
    const called = socket().iterate({ query: 'subscription { orderPlaced { total } }' });
    const results = [own.next(), called.next()];
    await running(gateway, 'receipts', 1);
    await running(gateway, 'orderPlaced', 1);
    await place(gateway, 'Ann');
    const [event, answered] = await Promise.all(results);
    t.match(event?.value, {
      data: { receipts: { id: null, by: 'Ann', order: null } },
      errors: [{ path: ['receipts', 'id'], extensions: { code } }],
    });
    t.equal(event?.value.errors.length, 1, 'told once, however often it is read');
    t.match(answered?.value, {
      data: { orderPlaced: null },
      errors: [{ path: ['orderPlaced'], extensions: { code } }],
    });
    await own.return?.();
    await called.return?.();
  },
);

t.test('queries and mutations over a WebSocket have the codes they have over HTTP', async (t) => {
  const { gateway, socket, url } = await startDesk(t);
  const client = socket();
  const over = async (query: string): Promise<unknown> => {
    for await (const result of client.iterate({ query })) return result;
    return null;
  };
  t.match(await over('{ order(id: 3) { id } }'), { data: { order: { id: 3 } } });
  t.match(await over('mutation { place(customer: "D") { orderId } }'), {
    data: { place: { orderId: 101 } },
  });
  const deep = `{ order(id: 1) { ${'... { '.repeat(3)}id${' }'.repeat(3)} } }`;
  t.match(await over(deep), { data: { order: { id: 1 } } });
  const codes: Readonly<Record<string, string>> = {
    '{': 'GRAPHQL_PARSE_FAILED',
    '{ nothing }': 'GRAPHQL_VALIDATION_FAILED',
    'query($id: Int!) { order(id: $id) { id } }': 'BAD_USER_INPUT',
    [`{ ${Array.from({ length: 6 }, (_, at) => `a${at}: __typename`).join(' ')} }`]:
      'MAX_ROOT_FIELDS_LIMIT',
    [`{ order(id: 1) { ${Array.from({ length: 16 }, (_, at) => `a${at}: id`).join(' ')} } }`]:
      'MAX_ALIASES_LIMIT',
    'subscription { orderPlaced { id } receipts { id } }': 'GRAPHQL_VALIDATION_FAILED',
  };
  const events = createEventClient({ url, retryAttempts: 0 });
  for (const [query, code] of Object.entries(codes)) {
    const errors = await over(query).catch((caught: unknown) => caught);
    t.match(errors, [{ extensions: { code } }], `${code} over WebSocket`);
    const told: unknown[] = [];
    for await (const result of events.iterate({ query })) told.push(result);
    t.match(told, [{ errors: [{ extensions: { code } }] }], `${code} over server-sent events`);
    const answer = await postGraphql(gateway.url, { query });
    t.match(await answer.json(), { errors: [{ extensions: { code } }] }, `${code} over HTTP`);
  }
  events.dispose();
});

t.test(
  'a client that accepts JSON too gets events for subscriptions alone, and none over plain HTTP',
  async (t) => {
    const { gateway, url } = await startDesk(t);
    const ask = (query: string, accept: string, method = 'POST'): Promise<Response> =>
      method === 'GET'
        ? fetch(`${url}?query=${encodeURIComponent(query)}`, { headers: { accept } })
        : fetch(url, {
            method,
            headers: { 'content-type': 'application/json', accept },
            body: JSON.stringify({ query }),
          });
    const both = 'application/graphql-response+json, application/json, text/event-stream';
    t.match(
      (await ask('{ order(id: 1) { id } }', both)).headers.get('content-type'),
      'application/graphql-response+json',
    );
    const leave = new AbortController();
    const stream = await postGraphql(
      gateway.url,
      { query: 'subscription { orderWatched(id: 1) { id } }' },
      { accept: both },
      leave.signal,
    );
    t.match(stream.headers.get('content-type'), 'text/event-stream');
    leave.abort();
    const plain = await ask('subscription { orderPlaced { id } }', 'application/json');
    t.match(await plain.json(), { errors: [{ extensions: { code: 'SUBSCRIPTION_TRANSPORT' } }] });
    const byGet = await ask('subscription { orderPlaced { id } }', 'application/json', 'GET');
    t.equal(byGet.status, 405);
    t.equal(byGet.headers.get('allow'), 'POST');
    t.equal(
      (await ask('mutation { place(customer: "x") { status } }', 'text/event-stream', 'GET'))
        .status,
      405,
    );
  },
);

t.test('a client that accepts events alone gets the errors of an invalid request', async (t) => {
  const { url } = await startDesk(t);
  for (const [type, body, status, text] of [
    ['application/json', '{"query":', 400, 'JSON'],
    ['text/plain', '{"query":"{ order(id: 1) { id } }"}', 415, 'Send application/json'],
  ] as const) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': type, accept: 'text/event-stream' },
      body,
    });
    t.equal(answer.status, status, body);
    t.match(await answer.text(), text);
  }
});

t.test('at a drain clients get the signal to subscribe again', async (t) => {
  const desk = await startDesk(t);
  const one = await acknowledged(desk);
  one.say(subscribe('1', 'subscription { orderPlaced { id } }'));
  const stream = await postGraphql(
    desk.gateway.url,
    { query: 'subscription { receipts { id } }' },
    { accept: 'text/event-stream' },
  );
  await running(desk.gateway, 'orderPlaced', 1);
  await running(desk.gateway, 'receipts', 1);
  const drained = desk.gateway.drain();
  t.equal(await one.closed, 1001);
  t.same(one.messages.length, 1, 'a client that is told `complete` would not subscribe again');
  t.match(await stream.text(), /"code":"GATEWAY_DRAINING".*event: complete/s);
  t.equal(await drained, 0, 'nothing had to be cut');
});

t.test(
  'behind a trusted proxy the log names the client of a WebSocket and of its events',
  async (t) => {
    const desk = await startDesk(t, 'clients: { trustedProxies: [127.0.0.1] }\n');
    const forwarded = { client: '203.0.113.9', peer: '127.0.0.1' };
    class Proxied extends WebSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, { headers: { 'x-forwarded-for': forwarded.client } });
      }
    }
    const socket = desk.socket({ webSocketImpl: Proxied });
    const events = socket.iterate({ query: 'subscription { orderPlaced { id } }' });
    const first = events.next();
    await running(desk.gateway, 'orderPlaced', 1);
    await place(desk.gateway, 'Ann');
    await first;
    t.match(await desk.gateway.logLine('subscription began'), { client: forwarded.client });
    const lines = desk.gateway.logLines().filter(({ msg }) => msg === 'request');
    for (const method of ['GET', 'EVENT']) {
      const line = lines.find((each) => each['method'] === method);
      t.match(line, forwarded, method);
    }
  },
);

t.test('one client has so many subscriptions, over however many connections', async (t) => {
  const desk = await startDesk(t, 'limits: { subscriptions: { perClient: 2 } }\n');
  const query = 'subscription { orderPlaced { id } }';
  const [first, second, third] = [desk.socket(), desk.socket(), desk.socket()];
  void first.iterate({ query }).next();
  void second.iterate({ query }).next();
  await running(desk.gateway, 'orderPlaced', 2);
  const refused = await third
    .iterate({ query })
    .next()
    .catch((caught: unknown) => caught);
  t.match(refused, [{ message: /too much is in progress/, extensions: { code: 'RATE_LIMITED' } }]);
  await first.dispose();
  await running(desk.gateway, 'orderPlaced', 1);
  void third.iterate({ query }).next();
  await running(desk.gateway, 'orderPlaced', 2);
  const events = createEventClient({ url: desk.url, retryAttempts: 0 });
  t.match((await events.iterate({ query }).next()).value, {
    errors: [{ extensions: { code: 'RATE_LIMITED' } }],
  });
  events.dispose();
});

const ONE_KEY = 'key-of-one-at-once-01';
const AT_ONCE = `clients:
  apiKeys: { clients: { one: { class: one, keys: [${ONE_KEY}] }, all: { class: all, keys: \
[${ONE_KEY}2] } } }
  classes: { one: { requestsAtOnce: 1 }, all: {} }
`;

t.test('a client has so many requests in progress, over whatever transport (O06)', async (t) => {
  const desk = await startDesk(t, AT_ONCE);
  const { gateway, url, socket } = desk;
  const headers = { 'x-api-key': ONE_KEY };
  const client = socket({ connectionParams: headers });
  const post = (): Promise<Response> =>
    postGraphql(gateway.url, { query: '{ order(id: 1) { id } }' }, headers);
  const over = (): Promise<unknown> =>
    client
      .iterate({ query: '{ order(id: 1) { id } }' })
      .next()
      .then(
        ({ value }) => value,
        (caught: unknown) => caught,
      );
  const { held, arrived } = holdAnswers(desk);
  const first = over();
  await arrived(1);
  t.match(await over(), [{ extensions: { code: 'RATE_LIMITED' } }]);
  t.equal((await post()).status, 429, 'the same place, whatever the endpoint');
  held[0]?.();
  t.match(await first, { data: { order: { id: 1 } } });
  const second = over();
  await arrived(2);
  held[1]?.();
  t.match(await second, { data: { order: { id: 1 } } }, 'it was given back');

  const events = createEventClient({ url, headers, retryAttempts: 0 });
  const placed = events.iterate({ query: 'subscription { orderPlaced { id } }' });
  const told = placed.next();
  await running(gateway, 'orderPlaced', 1);
  const third = post();
  await arrived(3);
  const written = placeAs(gateway, 'Ann', { 'x-api-key': `${ONE_KEY}2` });
  await arrived(4);
  held[3]?.();
  await written;
  for (let count = 0; count < 5; count++) await gateway.metrics();
  t.equal(held.length, 4, 'the event waits for the place of its client');
  held[2]?.();
  t.equal((await third).status, 200, 'who only listens takes no place');
  await arrived(5);
  held[4]?.();
  t.match((await told).value, { data: { orderPlaced: { id: 101 } } });
  await placed.return?.();
  events.dispose();
});

t.test(
  'polls of one client hold no more of a slow backend than its requests may (O06)',
  async (t) => {
    const desk = await startDesk(t, AT_ONCE);
    const client = desk.socket({ connectionParams: { 'x-api-key': ONE_KEY } });
    const { held, arrived } = holdAnswers(desk);
    const polls = [1, 2, 3].map((id) =>
      client.iterate({ query: `subscription { orderDaily(id: ${id}) { id } }` }),
    );
    const firsts = polls.map((poll) => poll.next());
    await running(desk.gateway, 'orderDaily', 3);
    for (let at = 0; at < 3; at++) {
      await arrived(at + 1);
      for (let count = 0; count < 3; count++) await desk.gateway.metrics();
      t.equal(held.length, at + 1, 'one at a time');
      held[at]?.();
    }
    for (const [at, first] of (await Promise.all(firsts)).entries()) {
      t.match(first.value, { data: { orderDaily: { id: at + 1 } } });
    }
    for (const poll of polls) await poll.return?.();
  },
);

t.test(
  'each request of a batch takes a place; those for which there is none wait for the others (O06)',
  async (t) => {
    const desk = await startDesk(
      t,
      `graphql: { batch: 10 }\n${AT_ONCE.replace('requestsAtOnce: 1', 'requestsAtOnce: 2')}`,
    );
    const post = (body: unknown): Promise<Response> =>
      postGraphql(desk.gateway.url, body, { 'x-api-key': ONE_KEY });
    const { held, arrived } = holdAnswers(desk);
    const ask = (id: number): unknown => ({ query: `{ order(id: ${id}) { id } }` });
    const batch = post([1, 2, 3, 4, 5].map(ask));
    await arrived(2);
    t.equal((await post(ask(6))).status, 429);
    for (let count = 0; count < 5; count++) await desk.gateway.metrics();
    for (let at = 0; at < 5; at++) {
      t.ok(held.length <= at + 2, `${held.length} calls when ${at} are answered`);
      await arrived(at + 1);
      held[at]?.();
    }
    const answers = (await (await batch).json()) as { data: { order: { id: number } } }[];
    t.same(
      answers.map(({ data }) => data.order.id),
      [1, 2, 3, 4, 5],
    );
    const again = post(ask(7));
    const third = post(ask(8));
    await arrived(7);
    held[5]?.();
    held[6]?.();
    for (const { status } of await Promise.all([again, third]))
      t.equal(status, 200, 'all were given back');
  },
);

t.test('what a client no longer waits for is not called any further', async (t) => {
  const desk = await startDesk(t);
  const { held, arrived } = holdAnswers(desk);
  const raw = await acknowledged(desk);
  raw.say(subscribe('a', '{ order(id: 1) { id } }'));
  await arrived(1);
  raw.say({ id: 'a', type: 'complete' });
  raw.say(subscribe('a', '{ order(id: 2) { id } }'));
  await arrived(2);
  held[1]?.();
  await raw.heard(3);
  t.match(raw.messages.slice(1), [
    { id: 'a', type: 'next', payload: { data: { order: { id: 2 } } } },
    { id: 'a' },
  ]);
  raw.say(subscribe('b', '{ order(id: 3) { id } }'));
  await arrived(3);
  raw.socket.terminate();
  const lines = await Promise.all([1, 2, 3, 4].map((count) => desk.gateway.accessLine(count)));
  t.same(
    lines.map((line) => line['code'] ?? ''),
    ['', 'CLIENT_GONE', '', 'CLIENT_GONE'],
    'the handshake, what was given up, what was answered, and what ended with the connection',
  );
});

t.test('events are paid for like requests, and need the right to call the operation', async (t) => {
  const desk = await startDesk(
    t,
    `clients:
  apiKeys:
    clients:
      poor: { class: poor, keys: [a-key-of-the-poor] }
      other: { class: other, keys: [a-key-of-another] }
  classes:
    poor: { budget: { maximum: 30, restoreRate: 1 } }
    other: { allow: [orders.PlaceOrder] }
`,
  );
  const params = (key: string): object => ({ connectionParams: { 'X-API-Key': key } });
  const other = desk.socket(params('a-key-of-another'));
  const forbidden = await other
    .iterate({ query: 'subscription { orderPlaced { id } }' })
    .next()
    .catch((caught: unknown) => caught);
  t.match(forbidden, [{ extensions: { code: 'FORBIDDEN' } }]);
  const poor = desk.socket(params('a-key-of-the-poor'));
  const events = poor.iterate({ query: 'subscription { orderPlaced { id } }' });
  const results = [events.next()];
  await running(desk.gateway, 'orderPlaced', 1);
  for (let count = 0; count < 4; count++)
    await placeAs(desk.gateway, 'Ann', { 'x-api-key': 'a-key-of-another' });
  for (let count = 0; count < 3; count++) results.push(events.next());
  const told = (await Promise.all(results)).map(({ value }) => value);
  t.match(told[0], { data: { orderPlaced: { id: 101 } } });
  t.match(told[3], { errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  await events.return?.();
});

t.test('what fails at the backend, or is answered with a Fault, is no event', async (t) => {
  const desk = await startDesk(t);
  const client = desk.socket();
  const events = client.iterate({ query: 'subscription { receipts { id } }' });
  const first = events.next();
  await running(desk.gateway, 'receipts', 1);
  const { answer } = desk.backend;
  const fault = envelope(
    '<E:Fault><faultcode>E:Client</faultcode><faultstring>No.</faultstring></E:Fault>',
  );
  for (const [status, body] of [
    [500, fault],
    [200, fault],
    [500, 'no'],
    [
      200,
      envelope(
        '<PlaceOrderResponse xmlns="urn:orders"><orderId>8</orderId>' +
          '<status>LATE</status></PlaceOrderResponse>',
      ),
    ],
  ] as const) {
    desk.backend.answer = (_message, response) => {
      response
        .writeHead(status, {
          'content-type': 'text/xml',
          'content-length': Buffer.byteLength(body),
        })
        .end(body);
    };
    await place(desk.gateway, 'Ann').then((response) => response.text());
  }
  desk.backend.answer = answer;
  await place(desk.gateway, 'Ann');
  t.match(
    (await first).value,
    { data: { receipts: { id: 101 } } },
    'the first that came to a good end',
  );
  await events.return?.();
});

t.test('a message with more events than allowed is reported as a gap', async (t) => {
  const desk = await startDesk(t, 'limits: { subscriptions: { eventBytes: 1024 } }\n');
  const { events, first } = await subscribed(desk, 'receipts', 'subscription { receipts { by } }');
  t.equal(
    (await place(desk.gateway, 'x'.repeat(2000))).status,
    200,
    'the caller is served as ever',
  );
  t.match((await first).value, { errors: [{ extensions: { code: 'SUBSCRIPTION_GAP' } }] });
  await place(desk.gateway, 'Ann');
  t.match(
    (await events.next()).value,
    { data: { receipts: { by: 'Ann' } } },
    'and then it goes on',
  );
  await events.return?.();
});

t.test('a client of server-sent events that leaves is not waited for', async (t) => {
  const desk = await startDesk(t);
  const leave = new AbortController();
  await fetch(
    `${desk.url}?query=${encodeURIComponent('subscription { orderWatched(id: 1) { id } }')}`,
    {
      headers: { accept: 'text/event-stream' },
      signal: leave.signal,
    },
  );
  await running(desk.gateway, 'orderWatched', 1);
  leave.abort();
  await running(desk.gateway, 'orderWatched', 0);
  t.match(await desk.gateway.metrics(), 'soapstone_subscription_pollers 0\n');
  t.match(await desk.gateway.logLine('subscription ended'), { why: 'left', transport: 'sse' });
});

t.test('an invalid handshake is answered by a status, and leads nowhere', async (t) => {
  const desk = await startDesk(t);
  const { host } = new URL(desk.url);
  const ask = async (...lines: readonly string[]): Promise<string> => {
    const socket = connect(Number(host.split(':')[1]), '127.0.0.1');
    socket.write(`${lines.join('\r\n')}\r\nHost: ${host}\r\n\r\n`);
    let text = '';
    for await (const piece of socket) {
      text += String(piece);
      if (/\r\n\r\n/.test(text)) break;
    }
    return text.slice(9, 12);
  };
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  const key = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
  t.equal(await ask('GET /graphql HTTP/1.1', ...upgrade, ...key), '101');
  t.equal(await ask('GET /graphql HTTP/1.1', ...upgrade), '400', 'no key');
  t.equal(
    await ask('GET /graphql HTTP/1.1', ...upgrade, ...key, 'Content-Length: 5'),
    '400',
    'a body',
  );
  t.equal(
    await ask('GET /graphql HTTP/1.1', ...upgrade, ...key, 'X: y\r\n'.repeat(101)),
    '431',
    'too much of a head',
  );
  t.equal(
    await ask('GET /soap/orders HTTP/1.1', ...upgrade, ...key),
    '200',
    'elsewhere HTTP is spoken',
  );
  t.equal(await ask('GET /nothing HTTP/1.1', ...upgrade, ...key), '404');
  t.equal(
    await ask('POST /graphql HTTP/1.1', ...upgrade, ...key, 'Content-Length: 0'),
    '415',
    'a POST is no handshake',
  );
  await desk.gateway.accessLine(3);
  const lines = desk.gateway.logLines().filter(({ msg }) => msg === 'request');
  t.match(
    lines.find(({ status }) => status === 101),
    { operation: 'websocket', outcome: 'ok' },
  );
  const unknown = { operation: 'websocket', outcome: 'refused', detail: 'closed with 4406' };
  t.match(
    lines.find(({ method }) => method === 'WS'),
    unknown,
    'it names no protocol',
  );
  t.match(
    lines.find(({ status }) => status === 400),
    { code: 'HTTP_BAD_REQUEST', outcome: 'refused' },
  );
});
