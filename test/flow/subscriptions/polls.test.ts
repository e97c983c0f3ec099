import t from 'tap';
import type { TestGateway } from '../../kit/gateway.js';

import { postGraphql } from '../../kit/graphql-client.js';
import { type Desk, envelope, holdAnswers, running, startDesk } from '../../kit/live-desk.js';

/** A poll that several share: none of them feels what another does, or has not. */

const KEYS = {
  one: 'key-of-one-at-once-01',
  poor: 'key-of-the-poor-00001',
  all: 'key-of-another-000001',
};

const CLIENTS = `clients:
  apiKeys:
    clients:
      one: { class: one, keys: [${KEYS.one}] }
      poor: { class: poor, keys: [${KEYS.poor}] }
      all: { class: all, keys: [${KEYS.all}] }
  classes: { one: { requestsAtOnce: 1 }, poor: { budget: { maximum: \
14, restoreRate: 1 } }, all: {} }
`;

const as = (
  client: keyof typeof KEYS,
): { headers: Record<string, string>; connectionParams: Record<string, string> } => ({
  headers: { 'x-api-key': KEYS[client] },
  connectionParams: { 'x-api-key': KEYS[client] },
});

const ask = (gateway: TestGateway, client: keyof typeof KEYS): Promise<Response> =>
  postGraphql(gateway.url, { query: '{ order(id: 9) { id } }' }, as(client).headers);

/**
 * Asks for an order until the backend has the call, which waits there; everything else is answered.
 */
async function holdOrder(
  { backend }: Desk,
  id: number,
  asked: () => Promise<Response>,
): Promise<{ answer: Promise<Response>; letGo(): void }> {
  const { answer } = backend;
  return new Promise((resolve) => {
    let current = asked();
    const again = (response: Response): void => {
      if (response.status !== 429) return;
      current = asked();
      void current.then(again);
    };
    void current.then(again);
    backend.answer = (message, response) => {
      if (!message.body.toString().includes(`id>${id}<`)) answer(message, response);
      else resolve({ answer: current, letGo: () => answer(message, response) });
    };
  });
}

t.test('a subscriber without a free permit does not pay for the poll: another does', async (t) => {
  const desk = await startDesk(t, CLIENTS);
  const { gateway, backend, order, socket } = desk;
  const [busy, other] = [socket(as('one')), socket(as('all'))];
  const query = 'subscription { orderChanged(id: 7) { status } }';
  const one = busy.iterate({ query });
  const all = other.iterate({ query });
  await one.next();
  t.match((await all.next()).value, { data: { orderChanged: { status: 'NEW' } } });
  const slow = await holdOrder(desk, 9, () => ask(gateway, 'one'));
  const before = backend.complete.length;
  while (backend.complete.length < before + 6) await gateway.metrics();
  order.status = 'SHIPPED';
  t.match(
    (await all.next()).value,
    { data: { orderChanged: { status: 'SHIPPED' } } },
    'each turn is made',
  );
  t.match(
    (await one.next()).value,
    { data: { orderChanged: { status: 'SHIPPED' } } },
    'and heard by all',
  );
  await one.return?.();
  order.status = 'DELIVERED';
  t.match(
    (await all.next()).value,
    { data: { orderChanged: { status: 'DELIVERED' } } },
    'after it has left as well',
  );
  const late = busy.iterate({ query });
  t.match(
    (await late.next()).value,
    { data: { orderChanged: { status: 'DELIVERED' } } },
    'who joins is told at once',
  );
  slow.letGo();
  t.equal((await slow.answer).status, 200);
  await late.return?.();
  await all.return?.();
});

t.test('a poll waits for the first free permit of any subscriber', async (t) => {
  const desk = await startDesk(t, CLIENTS);
  const { gateway, socket } = desk;
  const { held, arrived } = holdAnswers(desk);
  const slow = ask(gateway, 'one');
  await arrived(1);
  const query = 'subscription { orderDaily(id: 7) { id } }';
  const one = socket(as('one')).iterate({ query });
  const first = one.next();
  await running(gateway, 'orderDaily', 1);
  for (let count = 0; count < 3; count++) await gateway.metrics();
  t.equal(held.length, 1, 'there is no room for the call');
  const all = socket(as('all')).iterate({ query });
  const second = all.next();
  await arrived(2);
  held[1]?.();
  t.match((await second).value, { data: { orderDaily: { id: 7 } } });
  t.match((await first).value, { data: { orderDaily: { id: 7 } } }, 'another had room');
  await all.return?.();
  await one.return?.();
  await running(gateway, 'orderDaily', 0);

  const again = socket(as('one')).iterate({ query: 'subscription { orderDaily(id: 8) { id } }' });
  const third = again.next();
  await running(gateway, 'orderDaily', 1);
  for (let count = 0; count < 3; count++) await gateway.metrics();
  t.equal(held.length, 2);
  held[0]?.();
  t.equal((await slow).status, 200);
  await arrived(3);
  held[2]?.();
  t.match((await third).value, { data: { orderDaily: { id: 8 } } }, 'there is room again');
  await again.return?.();
  await running(gateway, 'orderDaily', 0);
  const fourth = ask(gateway, 'one');
  await arrived(4);
  held[3]?.();
  t.equal((await fourth).status, 200, 'all places were given back');
});

t.test('a subscriber that leaves while it waits gives its permit back', async (t) => {
  const desk = await startDesk(t, CLIENTS);
  const { gateway, socket } = desk;
  const { held, arrived } = holdAnswers(desk);
  const slow = ask(gateway, 'one');
  await arrived(1);
  const one = socket(as('one')).iterate({ query: 'subscription { orderDaily(id: 7) { id } }' });
  void one.next();
  await running(gateway, 'orderDaily', 1);
  await one.return?.();
  await running(gateway, 'orderDaily', 0);
  held[0]?.();
  t.equal((await slow).status, 200);
  const next = ask(gateway, 'one');
  await arrived(2);
  held[1]?.();
  t.equal((await next).status, 200);
  t.equal(held.length, 2, 'nothing is called for who has left');
});

const SMALL = 'limits: { upstream: { breakerFailures: 0 }, xml: { textBytes: 1KiB } }\n';

/** Orders whose customer has a name of so many characters. */
function nameCustomers({ backend, order }: Desk, length: { of: number }): void {
  backend.answer = ({ body }, response) => {
    const operation = /Body><(?:\w+:)?(\w+)/.exec(body.toString())?.[1] ?? '';
    const content =
      `<id>7</id><status>${order.status}</status><total>${order.total}</total><customer>` +
      `${'x'.repeat(length.of)}</customer>`;
    const answer = envelope(
      `<${operation}Response xmlns="urn:orders">${content}</${operation}Response>`,
    );
    response
      .writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(answer) })
      .end(answer);
  };
}

type Events = AsyncIterableIterator<unknown>;
const next = async (events: Events): Promise<unknown> => (await events.next()).value;
const TOO_LONG = { errors: [{ extensions: { code: 'UPSTREAM_RESPONSE_LIMIT' } }] };

for (const field of ['orderChanged', 'orderWatched']) {
  t.test(
    `a selection that cannot be read fails for its own subscriber alone: ${field}`,
    async (t) => {
      const desk = await startDesk(t, SMALL);
      const { backend, gateway, order, socket } = desk;
      const name = { of: 2000 };
      nameCustomers(desk, name);
      const subscribe = (selection: string): Events =>
        socket().iterate({ query: `subscription { ${field}(id: 7) { ${selection} } }` });
      const good = subscribe('status');
      t.match(await next(good), { data: { [field]: { status: 'NEW' } } });
      const bad = subscribe('customer');
      t.match(await next(bad), TOO_LONG);
      const other = subscribe('status total');
      t.match(await next(other), { data: { [field]: { status: 'NEW', total: 1 } } });
      const same = subscribe('customer');
      t.match(await next(same), TOO_LONG, 'another who selects the same');
      for (const status of ['PACKED', 'SHIPPED', 'DELIVERED']) {
        order.status = status;
        t.match(await next(good), { data: { [field]: { status } } }, 'no change is lost');
        t.match(await next(other), { data: { [field]: { status } } });
      }
      let calls = backend.complete.length;
      const count = async (): Promise<number> => {
        const before = backend.complete.length;
        order.status = `${order.status}!`;
        t.match(await next(good), { data: { [field]: { status: order.status } } });
        await next(other);
        return backend.complete.length - before;
      };
      t.ok(
        (await count()) <= 6,
        'one call for those who can be told something, one for the others',
      );
      t.match(
        await gateway.metrics(),
        'soapstone_subscription_pollers 1\n',
        'it is one call still',
      );

      name.of = 3;
      t.match(
        await next(bad),
        { data: { [field]: { customer: 'xxx' } } },
        'as soon as it can be read',
      );
      t.match(await next(same), { data: { [field]: { customer: 'xxx' } } });
      calls = backend.complete.length;
      order.status = 'LOST';
      for (const events of [good, other])
        t.match(await next(events), { data: { [field]: { status: 'LOST' } } });
      t.ok(backend.complete.length - calls <= 6, 'together again');
      name.of = 2000;
      order.status = 'FOUND';
      for (const events of [good, other])
        t.match(await next(events), { data: { [field]: { status: 'FOUND' } } });
      t.match(await next(bad), field === 'orderChanged' ? {} : TOO_LONG);
      for (const events of [good, bad, other, same]) await events.return?.();
      await running(gateway, field, 0);
      t.match(await gateway.metrics(), 'soapstone_subscription_pollers 0\n');
      const after = backend.complete.length;
      for (let turn = 0; turn < 10; turn++) await gateway.metrics();
      t.ok(backend.complete.length - after <= 2, 'nobody is asked for nobody');
    },
  );
}

t.test('many subscribers with failed selections leave the others as they are', async (t) => {
  const desk = await startDesk(t, SMALL);
  const { gateway, order, socket } = desk;
  const name = { of: 3 };
  nameCustomers(desk, name);
  const all = Array.from({ length: 16 }, (_, index) => ({
    isBad: index % 5 === 0,
    events: socket().iterate({
      query:
        `subscription { orderWatched(id: 7) { a${index}: ` +
        `${index % 5 === 0 ? 'customer' : 'id'} status } }`,
    }),
  }));
  for (const { events } of all)
    t.match(await next(events), { data: { orderWatched: { status: 'NEW' } } });
  name.of = 2000;
  for (const { events } of all.filter(({ isBad }) => isBad)) t.match(await next(events), TOO_LONG);
  for (const status of ['PACKED', 'SHIPPED']) {
    order.status = status;
    for (const { events } of all.filter(({ isBad }) => !isBad))
      t.match(await next(events), { data: { orderWatched: { status } } });
  }
  name.of = 3;
  for (const { events } of all.filter(({ isBad }) => isBad))
    t.match(await next(events), { data: { orderWatched: { status: 'SHIPPED' } } });
  for (const { events } of all) await events.return?.();
  await running(gateway, 'orderWatched', 0);
});

t.test('a failure of every selection is reported to all, and the poll stays one', async (t) => {
  const desk = await startDesk(t, SMALL);
  const { backend, socket } = desk;
  const all = Array.from({ length: 8 }, (_, index) =>
    socket().iterate({ query: `subscription { orderWatched(id: 7) { a${index}: id } }` }),
  );
  for (const events of all) t.match(await next(events), { data: { orderWatched: {} } });
  const { answer } = backend;
  backend.answer = (_message, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': 2 }).end('no');
  };
  for (const events of all) t.match(await next(events), { errors: [{ extensions: {} }] });
  const before = backend.complete.length;
  backend.answer = answer;
  for (const events of all) t.match(await next(events), { data: { orderWatched: {} } });
  t.ok(
    backend.complete.length - before <= 4,
    `${backend.complete.length - before} calls for eight`,
  );
  for (const events of all) await events.return?.();
});

t.test('what can be read, but not all together, is read in parts', async (t) => {
  const desk = await startDesk(t, 'limits: { codec: { attachmentBytes: 1000 } }\n');
  const { backend, gateway, order, socket } = desk;
  const include = (id: string): string =>
    `<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:${id}"/>`;
  const part = (type: string, id: string, content: string): string =>
    `--b\r\nContent-Type: ${type}\r\nContent-ID: <${id}>\r\n\r\n${content}\r\n`;
  backend.answer = (_message, response) => {
    const content =
      `<id>7</id><total>${order.total}</total><front>${include('s')}</front><back>` +
      `${include('c')}</back>`;
    const parts = [
      part(
        'application/xop+xml; type="text/xml"',
        'root',
        envelope(`<GetOrderResponse xmlns="urn:orders">${content}</GetOrderResponse>`),
      ),
      part('application/octet-stream', 's', order.status.repeat(200)),
      part('application/octet-stream', 'c', order.status.repeat(200)),
    ];
    const body = `${parts.join('')}--b--\r\n`;
    const type =
      'multipart/related; boundary=b; type="application/xop+xml"; ' +
      'start="<root>"; start-info="text/xml"';
    response
      .writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
      .end(body);
  };
  const all = ['total', 'front', 'back', 'total front', 'total back'].map((selection) =>
    socket().iterate({ query: `subscription { orderWatched(id: 7) { ${selection} } }` }),
  );
  for (const events of all) t.equal(JSON.stringify(await next(events)).includes('"errors"'), false);
  for (let turn = 2; turn < 5; turn++) {
    order.total = turn;
    order.status = `NE${turn}`;
    for (const events of all)
      t.equal(JSON.stringify(await next(events)).includes('"errors"'), false, 'no change is lost');
  }
  for (const events of all) await events.return?.();
  await running(gateway, 'orderWatched', 0);
  t.match(await gateway.metrics(), 'soapstone_subscription_pollers 0\n');
});
