import { createClient as createEventClient } from 'graphql-sse';
import { type Client, createClient } from 'graphql-ws';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';

import { type RecordedMessage, type RecordingBackend, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';

const envelope = (content: string): string =>
  `<E:Envelope xmlns:E="${ENVELOPE}"><E:Body>${content}</E:Body></E:Envelope>`;

const services = (url: string): string => `services:
  orders:
    url: ${url}/orders
    namespace: urn:orders
    types: |
      type Query { order(id: Int!): Order, deep(id: Int!): Order }
      type Mutation {
        place(customer: String!, lines: [LineInput!]): Receipt
        notify(sku: String!, left: Int): Boolean
      }
      type Order { id: Int!, status: String, total: Float, customer: String }
      type Receipt { orderId: Int!, status: String }
      input LineInput { sku: String! }
    operations:
      GetOrder: { field: Query.order }
      GetDeep: { field: Query.deep }
      PlaceOrder: { field: Mutation.place }
      Notify: { field: Mutation.notify }
`;

const SUBSCRIPTIONS = `subscriptions:
  orderChanged: { poll: { operation: orders.GetOrder, everyMillis: 50, changed: status } }
  orderWatched: { poll: { operation: orders.GetOrder, everyMillis: 50 } }
  orderPlaced:
    description: An order, as soon as it is placed.
    on:
      operation: orders.PlaceOrder
      filter: { customer: request.customer }
      answer: orders.GetOrder
      arguments: { id: reply.orderId }
  receipts:
    on:
      operation: orders.PlaceOrder
      where: { reply.status: OK }
      fields: { id: reply.orderId, by: request.customer }
  stockAlert:
    callback: { operation: orders.Notify, fields: { sku: request.sku, left: request.left } }
links:
  ReceiptsEvent.order: { operation: orders.GetOrder, arguments: { id: id } }
`;

interface Desk {
  readonly backend: RecordingBackend;
  readonly gateway: TestGateway;
  /** The state of the one order. */
  readonly order: { status: string; total: number };
  readonly url: string;
  socket(more?: Partial<Parameters<typeof createClient>[0]>): Client;
}

async function startDesk(t: Test, more = ''): Promise<Desk> {
  const order = { status: 'NEW', total: 1 };
  let orderId = 100;
  const backend = await startRecordingBackend(({ body }: RecordedMessage, response) => {
    const text = body.toString();
    const id = /<(?:\w+:)?id>(\d+)</.exec(text)?.[1] ?? '0';
    const operation = /Body><(?:\w+:)?(\w+)/.exec(text)?.[1] ?? '';
    const content = operation.startsWith('Get')
      ? `<id>${id}</id><status>${order.status}</status><total>${order.total}</total><customer>Ann</customer>`
      : `<orderId>${++orderId}</orderId><status>OK</status>`;
    const answer = envelope(`<${operation}Response xmlns="urn:orders">${content}</${operation}Response>`);
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
  const gateway = await startTestGateway(services(backend.url) + SUBSCRIPTIONS + more);
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) await client.dispose();
    await gateway.close();
    await backend.close();
  });
  const url = `${gateway.url}/graphql`;
  return {
    backend,
    gateway,
    order,
    url,
    socket(options = {}) {
      const client = createClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        ...options,
      });
      clients.push(client);
      return client;
    },
  };
}

const place = (gateway: TestGateway, customer: string): Promise<Response> =>
  fetch(`${gateway.url}/soap/orders`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: envelope(`<PlaceOrder xmlns="urn:orders"><customer>${customer}</customer></PlaceOrder>`),
  });

/** Waits until so many subscriptions to a field run. */
async function running(gateway: TestGateway, field: string, count: number): Promise<void> {
  while (!(await gateway.metrics()).includes(`soapstone_subscriptions_active{field="${field}"} ${count}\n`));
}

t.test('a GraphQL client learns over a WebSocket of what a SOAP client did, and is answered by a read', async (t) => {
  const { gateway, socket, backend } = await startDesk(t);
  const events = socket().iterate({ query: 'subscription { orderPlaced(customer: "Bob") { id status customer } }' });
  const first = events.next();
  await running(gateway, 'orderPlaced', 1);
  t.equal((await place(gateway, 'Ann')).status, 200);
  t.equal((await place(gateway, 'Bob')).status, 200);
  t.same((await first).value, { data: { orderPlaced: { id: 102, status: 'NEW', customer: 'Ann' } } });
  t.equal(backend.complete.length, 3, 'what the filter leaves out is not asked for');
  await events.return?.();
  await running(gateway, 'orderPlaced', 0);
  t.match(await gateway.metrics(), /soapstone_subscription_events_total\{field="orderPlaced",outcome="sent"\} 1/);
  t.match(await gateway.logLine('subscription ended'), { field: 'orderPlaced', why: 'left', events: 1 });
});

t.test(
  'events of their own values lead on through links, over server-sent events, and a mutation sets them off',
  async (t) => {
    const { gateway, url } = await startDesk(t);
    const client = createEventClient({ url, retryAttempts: 0 });
    const events = client.iterate({ query: 'subscription { receipts { by id __typename order { total } } }' });
    const first = events.next();
    await running(gateway, 'receipts', 1);
    const query = 'mutation { place(customer: "Cleo") { status } }';
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    t.match(await answer.json(), { data: { place: { status: 'OK' } } }, 'the mutation is answered as ever');
    t.same((await first).value, {
      data: { receipts: { by: 'Cleo', id: 101, __typename: 'ReceiptsEvent', order: { total: 1 } } },
    });
    await events.return?.();
    await running(gateway, 'receipts', 0);
    client.dispose();
  },
);

t.test('one poller serves all who ask for the same, each with a selection of its own', async (t) => {
  const { gateway, socket, backend, order } = await startDesk(t);
  const [one, other] = [socket(), socket()];
  const first = one.iterate({ query: 'subscription { orderChanged(id: 7) { status } }' });
  const second = other.iterate({
    query: 'subscription S($id: Int!) { s: orderChanged(id: $id) { total, id } }',
    variables: { id: 7 },
  });
  t.same((await first.next()).value, { data: { orderChanged: { status: 'NEW' } } }, 'what it is at first');
  t.same((await second.next()).value, { data: { s: { total: 1, id: 7 } } });
  t.match(await gateway.metrics(), 'soapstone_subscription_pollers 1\n');
  const polls = backend.complete.length;
  order.total = 2;
  while (backend.complete.length < polls + 3) await gateway.metrics();
  order.status = 'SHIPPED';
  t.same((await first.next()).value, { data: { orderChanged: { status: 'SHIPPED' } } });
  t.same((await second.next()).value, { data: { s: { total: 2, id: 7 } } }, 'only a change of the key is told');
  await first.return?.();
  await second.return?.();
  await running(gateway, 'orderChanged', 0);
  t.match(await gateway.metrics(), 'soapstone_subscription_pollers 0\n');
  const after = backend.complete.length;
  await gateway.metrics();
  t.ok(backend.complete.length - after <= 1, 'nobody is asked for nobody');
});

t.test('a poll that fails is told once, and the next answer again', async (t) => {
  const { socket, backend, order } = await startDesk(t);
  const events = socket().iterate({ query: 'subscription { orderWatched(id: 7) { total } }' });
  t.same((await events.next()).value, { data: { orderWatched: { total: 1 } } });
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
  t.same((await next).value, { data: { orderWatched: { total: 5 } } });
  await events.return?.();
});

t.test('notifications are judged like any envelope, and answered with 202 and nothing', async (t) => {
  const { gateway, socket, backend } = await startDesk(t);
  const events = socket().iterate({ query: 'subscription { stockAlert { sku left } }' });
  const first = events.next();
  await running(gateway, 'stockAlert', 1);
  const post = async (content: string): Promise<Response> =>
    fetch(`${gateway.url}/callback/orders`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: content });
  const bad = await post(envelope('<Notify xmlns="urn:orders"><sku>A</Notify>'));
  t.equal(bad.status, 500);
  t.match(await bad.text(), 'XML_NOT_WELLFORMED');
  const other = await post(envelope('<GetOrder xmlns="urn:orders"><id>1</id></GetOrder>'));
  t.match(await other.text(), 'UNKNOWN_OPERATION', 'only what somebody wants to hear');
  const pad = `<!--${'x'.repeat(900)}-->`.repeat(100);
  const good = await post(envelope(`<Notify xmlns="urn:orders"><sku>A1</sku>${pad}<left>3</left></Notify>`));
  t.equal(good.status, 202);
  t.equal(await good.text(), '');
  t.same(
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
});

t.test('queries and mutations over a WebSocket have the codes they have over HTTP', async (t) => {
  const { socket, url } = await startDesk(t);
  const client = socket();
  const over = async (query: string): Promise<unknown> => {
    for await (const result of client.iterate({ query })) return result;
    return null;
  };
  t.match(await over('{ order(id: 3) { id } }'), { data: { order: { id: 3 } } });
  t.match(await over('mutation { place(customer: "D") { orderId } }'), { data: { place: { orderId: 101 } } });
  const deep = `{ order(id: 1) { ${'... { '.repeat(3)}id${' }'.repeat(3)} } }`;
  t.match(await over(deep), { data: { order: { id: 1 } } });
  const codes: Readonly<Record<string, string>> = {
    '{': 'GRAPHQL_PARSE_FAILED',
    '{ nothing }': 'GRAPHQL_VALIDATION_FAILED',
    'query($id: Int!) { order(id: $id) { id } }': 'BAD_USER_INPUT',
    [`{ ${Array.from({ length: 6 }, (_, at) => `a${at}: __typename`).join(' ')} }`]: 'MAX_ROOT_FIELDS_LIMIT',
    [`{ order(id: 1) { ${Array.from({ length: 16 }, (_, at) => `a${at}: id`).join(' ')} } }`]: 'MAX_ALIASES_LIMIT',
    'subscription { orderPlaced { id } receipts { id } }': 'GRAPHQL_VALIDATION_FAILED',
  };
  const events = createEventClient({ url, retryAttempts: 0 });
  for (const [query, code] of Object.entries(codes)) {
    const errors = await over(query).catch((caught: unknown) => caught);
    t.match(errors, [{ extensions: { code } }], `${code} over WebSocket`);
    const told: unknown[] = [];
    for await (const result of events.iterate({ query })) told.push(result);
    t.match(told, [{ errors: [{ extensions: { code } }] }], `${code} over server-sent events`);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    t.match(await answer.json(), { errors: [{ extensions: { code } }] }, `${code} over HTTP`);
  }
  events.dispose();
});

t.test('who takes JSON too gets events for subscriptions alone, and over plain HTTP there are none', async (t) => {
  const { url } = await startDesk(t);
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
  const stream = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: both },
    body: JSON.stringify({ query: 'subscription { orderWatched(id: 1) { id } }' }),
    signal: leave.signal,
  });
  t.match(stream.headers.get('content-type'), 'text/event-stream');
  leave.abort();
  const plain = await ask('subscription { orderPlaced { id } }', 'application/json');
  t.match(await plain.json(), { errors: [{ extensions: { code: 'SUBSCRIPTION_TRANSPORT' } }] });
  const byGet = await ask('subscription { orderPlaced { id } }', 'application/json', 'GET');
  t.equal(byGet.status, 405);
  t.equal(byGet.headers.get('allow'), 'POST');
  t.equal((await ask('mutation { place(customer: "x") { status } }', 'text/event-stream', 'GET')).status, 405);
});

/** A WebSocket without a client of the protocol: what it was told, and how it ended. */
async function rawSocket(desk: Desk, protocol: string[], options: object = {}): Promise<Raw> {
  const socket = new WebSocket(desk.url.replace('http', 'ws'), protocol, options);
  const messages: Record<string, unknown>[] = [];
  let wake = (): void => {};
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => resolve(code));
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  socket.on('error', () => {});
  return {
    socket,
    messages,
    closed,
    say: (message) => socket.send(JSON.stringify(message)),
    async heard(count) {
      while (messages.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

interface Raw {
  readonly socket: WebSocket;
  readonly messages: readonly Record<string, unknown>[];
  readonly closed: Promise<number>;
  say(message: unknown): void;
  heard(count: number): Promise<void>;
}

const PROTOCOL = ['graphql-transport-ws'];
const INIT = { type: 'connection_init' };
const subscribe = (id: string, query: string): unknown => ({ id, type: 'subscribe', payload: { query } });

t.test('G26: who does not keep to the protocol is told by the code it names', async (t) => {
  const desk = await startDesk(t, 'limits: { subscriptions: { initMillis: 100 } }\n');
  t.equal(await (await rawSocket(desk, PROTOCOL)).closed, 4408, 'nothing was said');
  const twice = await rawSocket(desk, PROTOCOL);
  twice.say(INIT);
  twice.say(INIT);
  t.equal(await twice.closed, 4429, 'said twice');
  await t.rejects(rawSocket(desk, ['graphql-ws']), 'another protocol');
  t.equal(await (await rawSocket(desk, [])).closed, 4406, 'no protocol');
  const early = await rawSocket(desk, PROTOCOL);
  early.say(subscribe('1', '{ order(id: 1) { id } }'));
  t.equal(await early.closed, 4401, 'asked too early');
  const same = await rawSocket(desk, PROTOCOL);
  same.say(INIT);
  await same.heard(1);
  same.say(subscribe('1', 'subscription { orderPlaced { id } }'));
  await running(desk.gateway, 'orderPlaced', 1);
  same.say(subscribe('1', 'subscription { orderPlaced { id } }'));
  t.equal(await same.closed, 4409, 'an id twice');
  await running(desk.gateway, 'orderPlaced', 0);
  for (const message of ['{', '{"type":"connection_init","type":"ping"}', '[]', '{"type":"nothing"}']) {
    const strange = await rawSocket(desk, PROTOCOL);
    strange.socket.send(message);
    t.equal(await strange.closed, 4400, message);
  }
  const many = await rawSocket(desk, PROTOCOL);
  many.say(INIT);
  await many.heard(1);
  for (let id = 1; id <= 21; id++) many.say(subscribe(String(id), 'subscription { orderPlaced { id } }'));
  await many.heard(2);
  t.match(many.messages[1], { id: '21', type: 'error', payload: [{ extensions: { code: 'RATE_LIMITED' } }] });
  await running(desk.gateway, 'orderPlaced', 20);
  many.socket.terminate();
  await running(desk.gateway, 'orderPlaced', 0);
});

t.test('G28: frames that are broken, too long or compressed end the WebSocket', async (t) => {
  const desk = await startDesk(t);
  const long = await rawSocket(desk, PROTOCOL);
  t.equal(long.socket.extensions, '', 'no compression, though it was offered');
  long.socket.send('x'.repeat(64 * 1024 + 1));
  t.equal(await long.closed, 1009);
  const bytes: Readonly<Record<string, Buffer>> = {
    'an unmasked frame': Buffer.from([0x81, 0x01, 0x61]),
    'a reserved bit': Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x61]),
    'an unknown opcode': Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
    'no beginning': Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
    'a ping in pieces': Buffer.from([0x09, 0x80, 0, 0, 0, 0]),
  };
  for (const [name, frame] of Object.entries(bytes)) {
    const broken = await rawSocket(desk, PROTOCOL);
    const inner: unknown = Reflect.get(broken.socket, '_socket');
    if (typeof inner === 'object' && inner !== null && 'write' in inner && typeof inner.write === 'function')
      inner.write(frame);
    t.equal(await broken.closed, 1002, name);
  }
  const pieces = await rawSocket(desk, PROTOCOL);
  for (let count = 0; count < 1100; count++) pieces.socket.send('', { fin: false });
  t.ok([1006, 1008].includes(await pieces.closed), 'a message in a thousand pieces');
  const binary = await rawSocket(desk, PROTOCOL);
  binary.socket.send(Buffer.from(JSON.stringify(INIT)));
  t.equal(await binary.closed, 1003);
  t.match(await desk.gateway.metrics(), 'soapstone_websockets 0\n');
});

t.test('G32: a page of another site opens no WebSocket', async (t) => {
  const desk = await startDesk(t, 'graphql: { origins: ["https://shop.example"] }\n');
  const own = new URL(desk.url).origin;
  for (const origin of ['https://evil.example', 'null', 'https://shop.example.evil', `${own}0`]) {
    await t.rejects(rawSocket(desk, PROTOCOL, { origin }), { message: 'Unexpected server response: 403' }, origin);
  }
  for (const origin of ['https://shop.example', own, undefined]) {
    const { socket, closed } = await rawSocket(desk, PROTOCOL, origin === undefined ? {} : { origin });
    socket.close();
    t.equal(await closed, 1005, `${origin}`);
  }
  const strange = await fetch(desk.url, { headers: { 'sec-websocket-key': 'x' } });
  t.equal(strange.status, 400, 'no upgrade, no WebSocket');
});

t.test('at the end all is said that there is to say, and the sockets are told', async (t) => {
  const desk = await startDesk(t);
  const one = await rawSocket(desk, PROTOCOL);
  one.say(INIT);
  await one.heard(1);
  one.say(subscribe('1', 'subscription { orderPlaced { id } }'));
  const stream = await fetch(desk.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { receipts { id } }' }),
  });
  await running(desk.gateway, 'orderPlaced', 1);
  await running(desk.gateway, 'receipts', 1);
  const drained = desk.gateway.drain();
  t.equal(await one.closed, 1001);
  t.same(one.messages.at(-1), { id: '1', type: 'complete' });
  t.match(await stream.text(), /event: complete/);
  t.equal(await drained, 0, 'nothing had to be cut');
});

t.test('G29: who takes events too slowly is told that they are too many, and no more', async (t) => {
  const desk = await startDesk(t, 'limits: { subscriptions: { queueEvents: 3 } }\n');
  const stream = await fetch(desk.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { orderPlaced { id } }' }),
  });
  await running(desk.gateway, 'orderPlaced', 1);
  // The answer to the first event does not come: the others wait behind it.
  const { answer } = desk.backend;
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  desk.backend.answer = (message, response) => {
    if (message.body.toString().includes('GetOrder')) void held.then(() => answer(message, response));
    else answer(message, response);
  };
  for (let count = 0; count < 6; count++) await place(desk.gateway, 'Ann');
  letGo();
  const text = await stream.text();
  t.equal(text.match(/event: next/g)?.length, 2, 'the one that was begun, and the end');
  t.match(text, /SUBSCRIPTION_OVERFLOW.*\n\nevent: complete/s);
  t.match(await desk.gateway.logLine('subscription ended'), { why: 'overflow' });
});

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
  t.match(refused, [{ extensions: { code: 'RATE_LIMITED' } }]);
  await first.dispose();
  await running(desk.gateway, 'orderPlaced', 1);
  void third.iterate({ query }).next();
  await running(desk.gateway, 'orderPlaced', 2);
  const events = createEventClient({ url: desk.url, retryAttempts: 0 });
  t.match((await events.iterate({ query }).next()).value, { errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  events.dispose();
});
