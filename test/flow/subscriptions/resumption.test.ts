import { createClient as createEventClient } from 'graphql-sse';
import t from 'tap';

import { SubscriptionStream } from '../../../src/flow/subscriptions/sources/subscription-stream.js';
import { missingBrowser, startBrowser } from '../../kit/browser.js';
import { EventReader } from '../../kit/event-reader.js';
import { type Desk, envelope, place, running, startDesk } from '../../kit/live-desk.js';
import { startSite } from '../../kit/site.js';
import { useProxy } from '../../redis/kit.js';

const RECEIPTS = 'subscription { receipts { id by } }';

const open = (
  desk: Desk,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> => EventReader.open(desk.url, query, headers);

const placeAll = async ({ gateway }: Desk, ...customers: readonly string[]): Promise<void> => {
  for (const customer of customers) await place(gateway, customer);
};

const by = (results: readonly unknown[]): readonly unknown[] =>
  results.map((result) => EventReader.value(result, 'by'));

t.test(
  'a client that comes again with the last id gets the events it missed, then the live ones',
  async (t) => {
    const desk = await startDesk(t);
    const first = await open(desk, RECEIPTS);
    await first.idAfter('');
    const begun = first.lastId;
    await placeAll(desk, 'Ann', 'Bob');
    t.same(by(await first.results(2)), ['Ann', 'Bob']);
    t.match(
      first.lastId,
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      'which tells nothing but itself',
    );
    t.not(first.lastId, begun);
    await first.close();
    await running(desk.gateway, 'receipts', 0);
    await placeAll(desk, 'Cleo', 'Dan');
    const second = await open(desk, RECEIPTS, { 'last-event-id': first.lastId });
    t.same(by(await second.results(2)), ['Cleo', 'Dan']);
    await placeAll(desk, 'Eve');
    t.same(by(await second.results(1)), ['Eve']);
    const third = await open(desk, RECEIPTS, { 'last-event-id': begun });
    t.same(by(await third.results(5)), ['Ann', 'Bob', 'Cleo', 'Dan', 'Eve'], 'from where it began');
    await second.close();
    await third.close();
  },
);

t.test('ids hold over a reload', async (t) => {
  const desk = await startDesk(t);
  const first = await open(desk, RECEIPTS);
  await placeAll(desk, 'Ann');
  await first.results(1);
  await first.close();
  await running(desk.gateway, 'receipts', 0);
  await placeAll(desk, 'Bob');
  await desk.gateway.reload((yaml) => yaml.replace('everyMillis: 24h', 'everyMillis: 12h'));
  await placeAll(desk, 'Cleo');
  const second = await open(desk, RECEIPTS, { 'last-event-id': first.lastId });
  t.same(by(await second.results(2)), ['Bob', 'Cleo']);
  await second.close();
});

t.test('an id that is not known, or malformed, is a gap, and the next one is not', async (t) => {
  const desk = await startDesk(t);
  for (const id of ['7b1c5ad2-0f4e-4b0e-9d4f-0a8f7a1f2b3c', '42', '*', 'a'.repeat(5000)]) {
    const reader = await open(desk, RECEIPTS, { 'last-event-id': id });
    const [gap] = await reader.results(1);
    t.match(gap, { errors: [{ extensions: { code: 'SUBSCRIPTION_GAP' } }] }, id.slice(0, 40));
    t.notMatch(JSON.stringify(gap), id.slice(0, 40));
    await placeAll(desk, 'Ann');
    t.same(by(await reader.results(1)), ['Ann'], 'it goes on');
    await reader.close();
    const again = await open(desk, RECEIPTS, { 'last-event-id': reader.lastId });
    await placeAll(desk, 'Bob');
    t.same(by(await again.results(1)), ['Bob']);
    await again.close();
  }
});

t.test('replayed events are filtered, answered and charged as live ones are', async (t) => {
  const desk = await startDesk(t);
  const query = 'subscription { orderPlaced(customer: "Bob") { id total } }';
  const first = await open(desk, query);
  await first.idAfter('');
  await first.close();
  await running(desk.gateway, 'orderPlaced', 0);
  await placeAll(desk, 'Ann', 'Bob', 'Ann', 'Bob');
  const calls = desk.backend.complete.length;
  const second = await open(desk, query, { 'last-event-id': first.lastId });
  const results = await second.results(2);
  t.same(
    results.map((result) => EventReader.value(result, 'id')),
    [102, 104],
  );
  t.match(results, [
    { extensions: { cost: { actualQueryCost: 11 } } },
    { extensions: { cost: { actualQueryCost: 11 } } },
  ]);
  t.equal(desk.backend.complete.length, calls + 2, 'each is asked for');
  await second.close();
});

t.test('events that the filter drops move the position on, unless others wait', async (t) => {
  const stream = new SubscriptionStream<string>({
    id: 'one',
    limits: { queueEvents: 10, queueBytes: 1000 },
    answer: async (event) => (event === 'none' ? null : { data: { event } }),
    ended() {},
    report() {},
  });
  t.equal(stream.position, null);
  stream.pass('a');
  t.equal(stream.position, 'a');
  stream.push('event', 1, 'b');
  stream.pass('c');
  t.equal(stream.position, 'a', 'one waits');
  await stream.next();
  t.equal(stream.position, 'b');
  stream.push('none', 1, 'd');
  stream.gap();
  await stream.next();
  t.equal(stream.position, 'd', 'a gap without an id');
  stream.push('event', 1, 'e');
  const last = stream.next();
  stream.end('drain', 'GATEWAY_DRAINING');
  t.match((await last).value, { errors: [{ extensions: { code: 'GATEWAY_DRAINING' } }] });
  t.equal(stream.position, 'd', 'the answer was not sent');
});

t.test(
  'more missed events than are queued for a client are a gap, and no endless overflow',
  async (t) => {
    const desk = await startDesk(t, 'limits: { subscriptions: { queueEvents: 2 } }\n');
    const first = await open(desk, RECEIPTS);
    await first.idAfter('');
    await first.close();
    await placeAll(desk, 'Ann', 'Bob', 'Cleo');
    const second = await open(desk, RECEIPTS, { 'last-event-id': first.lastId });
    t.match(await second.results(1), [{ errors: [{ extensions: { code: 'SUBSCRIPTION_GAP' } }] }]);
    await placeAll(desk, 'Dan');
    t.same(by(await second.results(1)), ['Dan']);
    await second.close();
  },
);

t.test(
  'without subscribers events are read for a while only, and beyond it is a gap',
  async (t) => {
    const desk = await startDesk(t, 'limits: { subscriptions: { resumeMillis: 0 } }\n');
    const first = await open(desk, RECEIPTS);
    await first.idAfter('');
    await first.close();
    await running(desk.gateway, 'receipts', 0);
    const idle = await open(desk, RECEIPTS, { 'last-event-id': first.lastId });
    await idle.idAfter('');
    t.equal(idle.lastId, first.lastId, 'no event, no loss');
    await idle.close();
    await running(desk.gateway, 'receipts', 0);
    await placeAll(desk, 'Ann');
    const second = await open(desk, RECEIPTS, { 'last-event-id': first.lastId });
    t.match(await second.results(1), [{ errors: [{ extensions: { code: 'SUBSCRIPTION_GAP' } }] }]);
    await second.close();
  },
);

t.test('an event that is too large has an id like any other, and polls have none', async (t) => {
  const desk = await startDesk(t, 'limits: { subscriptions: { eventBytes: 1024 } }\n');
  const first = await open(desk, RECEIPTS);
  await first.idAfter('');
  const begun = first.lastId;
  await place(desk.gateway, 'x'.repeat(2000));
  t.match(await first.results(1), [{ errors: [{ extensions: { code: 'SUBSCRIPTION_GAP' } }] }]);
  t.not(first.lastId, begun);
  await first.close();
  const second = await open(desk, RECEIPTS, { 'last-event-id': first.lastId });
  await placeAll(desk, 'Ann');
  t.same(by(await second.results(1)), ['Ann'], 'the loss is reported once');
  await second.close();
  const polled = await open(desk, 'subscription { orderChanged(id: 7) { status } }', {
    'last-event-id': first.lastId,
  });
  t.match(await polled.results(1), [{ data: { orderChanged: { status: 'NEW' } } }]);
  t.equal(polled.lastId, '');
  await polled.close();
});

t.test('the client of graphql-sse takes streams with ids', async (t) => {
  const desk = await startDesk(t);
  const client = createEventClient({ url: desk.url, retryAttempts: 0 });
  const events = client.iterate({ query: RECEIPTS });
  const first = events.next();
  await running(desk.gateway, 'receipts', 1);
  await placeAll(desk, 'Ann', 'Bob');
  t.match((await first).value, { data: { receipts: { by: 'Ann' } } });
  t.match((await events.next()).value, { data: { receipts: { by: 'Bob' } } });
  await events.return?.();
  client.dispose();
});

t.test('a notification that came meanwhile is replayed', async (t) => {
  const desk = await startDesk(t);
  const notify = (left: number): Promise<Response> =>
    fetch(`${desk.gateway.url}/callback/orders`, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: envelope(`<Notify xmlns="urn:orders"><sku>A</sku><left>${left}</left></Notify>`),
    });
  const query = 'subscription { stockAlert { sku left } }';
  const first = await open(desk, query);
  await first.idAfter('');
  await first.close();
  t.equal((await notify(3)).status, 202);
  const second = await open(desk, query, { 'last-event-id': first.lastId });
  t.match(await second.results(1), [{ data: { stockAlert: { sku: 'A', left: 3 } } }]);
  await second.close();
});

t.test(
  'the EventSource of a page comes again by itself, with its last id',
  { skip: missingBrowser() },
  async (t) => {
    const shop = await startSite(t);
    const desk = await startDesk(t, `graphql: { cors: { origins: ["${shop}"] } }\n`);
    const proxy = await useProxy(t, Number(new URL(desk.url).port));
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    const page = await browser.open(shop);
    await page.until('document.title === "shop"');
    const url = `${proxy.url.replace('redis', 'http')}/graphql?query=${encodeURIComponent(RECEIPTS)}`;
    await page.evaluate(`window.seen = []; window.source = new EventSource('${url}');
    source.addEventListener('next', ({ data }) => seen.push(JSON.parse(data).data?.receipts.by ?? \
data)); 0`);
    await running(desk.gateway, 'receipts', 1);
    const drop = async (): Promise<void> => {
      proxy.cut();
      await running(desk.gateway, 'receipts', 0);
    };
    await page.until('source.readyState === 1');
    await placeAll(desk, 'Ann');
    await page.until('seen.length === 1');
    await drop();
    await placeAll(desk, 'Bob');
    proxy.mend();
    await page.until('seen.length === 2');
    await placeAll(desk, 'Cleo');
    await page.until('seen.length === 3');
    t.same(await page.evaluate('JSON.stringify(seen)'), '["Ann","Bob","Cleo"]');
  },
);
