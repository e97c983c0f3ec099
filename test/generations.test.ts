import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';

import { askGraphql } from './kit/graphql-client.js';
import {
  holdAnswers,
  INIT,
  PROTOCOL,
  place,
  rawSocket,
  running,
  startDesk,
  subscribe,
} from './kit/live-desk.js';
import { post, RawClient } from './kit/raw-client.js';
import { until } from './kit/until.js';

/**
 * Reloads in one process: what goes on in the generation it began in, and what is left of it
 * afterwards.
 */

const ORDER = '{ order(id: 7) { status } }';

t.test('a request is answered by the configuration it began with', async (t) => {
  const desk = await startDesk(t);
  const { held, arrived } = holdAnswers(desk);
  const earlier = askGraphql(desk.gateway.url, ORDER);
  await arrived(1);
  await desk.gateway.reload((yaml) =>
    yaml.replace('Query.order ', 'Query.bestellung ').replace('{ order(', '{ bestellung('),
  );
  const later = askGraphql(desk.gateway.url, '{ bestellung(id: 7) { status } }');
  await arrived(2);
  t.equal(desk.gateway.generations(), 2, 'the first is in use');
  for (const answer of held) answer();
  t.match(await earlier, { data: { order: { status: 'NEW' } } });
  t.match(await later, { data: { bestellung: { status: 'NEW' } } });
  await until(() => desk.gateway.generations() === 1);
  t.match(await askGraphql(desk.gateway.url, ORDER), {
    errors: [{ message: /Cannot query field/ }],
  });
});

t.test(
  'a subscription goes on after a reload, and gets events of requests that begin later',
  async (t) => {
    const { gateway, socket } = await startDesk(t);
    const events = socket().iterate({
      query: 'subscription { orderPlaced(customer: "Bob") { id } }',
    });
    const first = events.next();
    await running(gateway, 'orderPlaced', 1);
    for (let n = 0; n < 3; n++) await gateway.reload();
    t.equal((await place(gateway, 'Bob')).status, 200);
    t.match((await first).value, { data: { orderPlaced: { id: 101 } } });
    t.equal(gateway.generations(), 2, 'those in between are released');
    await running(gateway, 'orderPlaced', 1);
    await events.return?.();
    await until(() => gateway.generations() === 1);
  },
);

t.test(
  'a reload that comes at a drain changes nothing: what it began would not be drained',
  async (t) => {
    const desk = await startDesk(t);
    const { gateway } = desk;
    const { held, arrived } = holdAnswers(desk);
    const answer = askGraphql(gateway.url, ORDER);
    await arrived(1);
    const kept = await RawClient.connect(gateway.url);
    const drained = gateway.drain();
    await gateway.reload();
    t.equal(gateway.generations(), 1);
    const body = JSON.stringify({ query: 'subscription { orderPlaced { id } }' });
    await kept.send(post('/graphql', 'application/json', body, { Accept: 'text/event-stream' }));
    t.match((await kept.reply()).body, '"code":"GATEWAY_DRAINING"');
    held[0]?.();
    t.match(await answer, { data: { order: { status: 'NEW' } } });
    t.equal(await drained, 0);
  },
);

t.test('beyond the limit of generations, WebSockets of the oldest are closed', async (t) => {
  const desk = await startDesk(t, 'limits: { subscriptions: { generations: 2 } }\n');
  const sockets = [];
  for (let n = 0; n < 4; n++) {
    const raw = await rawSocket(desk, PROTOCOL);
    raw.say(INIT);
    raw.say(subscribe('1', 'subscription { orderDaily(id: 7) { status } }'));
    await raw.heard(2);
    sockets.push(raw);
    if (n < 2) await desk.gateway.reload();
    if (n === 2) t.equal(desk.gateway.generations(), 3, 'at the limit');
    if (n === 2) await desk.gateway.reload();
  }
  t.equal(await sockets[0]?.closed, 1001);
  await until(() => desk.gateway.generations() === 3);
  await running(desk.gateway, 'orderDaily', 3);
  t.match(await desk.gateway.metrics(), 'soapstone_websockets 3\n');
});

t.test(
  'metrics of names that vanish are retired once nothing uses them, and others keep their counts',
  async (t) => {
    const desk = await startDesk(t);
    const { gateway } = desk;
    const counts = async (): Promise<readonly string[]> =>
      (await gateway.metrics()).match(
        /^soapstone_(?:requests|cache_requests|replies)_total\{.*\} \d+$/gm,
      ) ?? [];
    const has = async (pattern: RegExp): Promise<boolean> =>
      (await counts()).some((line) => pattern.test(line));
    await place(gateway, 'Ann');
    await askGraphql(gateway.url, ORDER);
    const { answer } = desk.backend;
    const { held, arrived } = holdAnswers(desk);
    const last = askGraphql(gateway.url, ORDER);
    await arrived(1);
    desk.backend.answer = answer;
    const renamed = (yaml: string): string => yaml.replaceAll(/\borders(?=[:.])/g, 'desk');
    await gateway.reload(renamed);
    t.ok(await has(/"orders"/), 'a request is in flight');
    for (const release of held) release();
    await last;
    await until(() => gateway.generations() === 1);
    t.notOk(await has(/"orders"/));
    t.ok(
      await has(/requests_total\{route="graphql",operation="query".* 2$/),
      'counted before and after',
    );
    await gateway.reload();
    await askGraphql(gateway.url, ORDER);
    t.ok(await has(/replies_total\{service="orders",operation="GetOrder"\} 1$/), 'begins anew');
  },
);

t.test('cached replies survive a reload that does not change their meaning', async (t) => {
  const { gateway, backend } = await startDesk(t);
  const cached = (yaml: string): string =>
    yaml
      .replace('{ field: Query.order }', '{ field: Query.order, read: { cacheMillis: 60s } }')
      .replace(
        '{ field: Mutation.place }',
        '{ field: Mutation.place, write: { invalidates: [GetOrder] } }',
      );
  await gateway.reload(cached);
  const ask = async (): Promise<number> => {
    t.match(await askGraphql(gateway.url, ORDER), { data: { order: { status: 'NEW' } } });
    return backend.complete.length;
  };
  t.same([await ask(), await ask()], [1, 1]);
  await gateway.reload((yaml) => `${cached(yaml)}log: { level: warn }\n`);
  t.equal(await ask(), 1, 'other keys changed');
  await gateway.reload((yaml) => cached(yaml).replace('60s', '50s'));
  t.same([await ask(), await ask()], [2, 2], 'the rule changed');
  await gateway.reload(
    (yaml) => `${cached(yaml).replace('60s', '50s')}limits: { codec: { listItems: 60 } }\n`,
  );
  t.equal(await ask(), 3, 'limits changed');
  await gateway.reload(
    (yaml) => `${cached(yaml).replace('60s', '50s')}limits: { codec: { listItems: 60 } }\n`,
  );
  t.equal((await place(gateway, 'Ann')).status, 200);
  t.equal(await ask(), 5, 'a write after a reload invalidates what was cached before it');
});

t.test('a write that ends after a reload invalidates what was cached since', async (t) => {
  const desk = await startDesk(t);
  const { gateway, backend } = desk;
  const cached = (yaml: string): string =>
    yaml
      .replace('{ field: Query.order }', '{ field: Query.order, read: { cacheMillis: 60s } }')
      .replace(
        '{ field: Mutation.place }',
        '{ field: Mutation.place, write: { invalidates: [GetOrder] } }',
      );
  await gateway.reload(cached);
  const { held, arrived } = holdAnswers(desk);
  const writing = place(gateway, 'Ann');
  await arrived(1);
  await gateway.reload((yaml) => cached(yaml).replace('60s', '50s'));
  const reading = askGraphql(gateway.url, ORDER);
  await arrived(2);
  held[1]?.();
  await reading;
  held[0]?.();
  await writing;
  const again = askGraphql(gateway.url, ORDER);
  await arrived(3);
  held[2]?.();
  t.match(await again, { data: { order: { status: 'NEW' } } });
  t.equal(backend.complete.length, 3);
});

t.test(
  'connections and circuit breakers of services that are the same survive a reload',
  async (t) => {
    const { gateway } = await startDesk(t);
    const first = gateway.compiled();
    await askGraphql(gateway.url, ORDER);
    const next = await gateway.reload((yaml) => `${yaml}log: { level: warn }\n`);
    t.equal(next.services[0]?.upstream, first.services[0]?.upstream);
    const renamed = await gateway.reload((yaml) =>
      yaml.replace('Query.order ', 'Query.bestellung ').replace('{ order(', '{ bestellung('),
    );
    t.equal(
      renamed.services[0]?.upstream,
      first.services[0]?.upstream,
      'the backend is reached as before',
    );
    t.match(await askGraphql(gateway.url, '{ bestellung(id: 7) { status } }'), {
      data: { bestellung: { status: 'NEW' } },
    });
    const other = await gateway.reload((yaml) =>
      yaml.replace('namespace: urn:orders', 'namespace: urn:orders\n    earlyEnd: true'),
    );
    t.not(other.services[0]?.upstream, first.services[0]?.upstream);
  },
);

t.test('many reloads leave no generation and no connection behind', async (t) => {
  const { gateway, backend, socket } = await startDesk(t);
  const events = socket().iterate({ query: 'subscription { receipts { id } }' });
  const received: string[] = [];
  const reading = (async () => {
    for await (const { data } of events) received.push(JSON.stringify(data));
  })();
  await running(gateway, 'receipts', 1);
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('no garbage collector');
  const generations: WeakRef<object>[] = [];
  let answered = 0;
  for (let n = 0; n < 100; n++) {
    generations.push(new WeakRef(await gateway.reload()));
    const answers = await Promise.all([askGraphql(gateway.url, ORDER), place(gateway, 'Ann')]);
    t.match(answers, [{ data: { order: { status: 'NEW' } } }, { status: 200 }]);
    answered += answers.length;
  }
  t.equal(backend.complete.length, answered, 'no call is lost or doubled');
  await until(() => received.length >= 100);
  t.equal(new Set(received).size, 100, 'no event is lost');
  t.equal(received.length, 100, 'or doubled');
  await events.return?.();
  await reading;
  await until(() => gateway.generations() === 1);
  const alive = (): number =>
    generations.filter((generation) => generation.deref() !== undefined).length;
  await until(() => {
    collect();
    return alive() <= 2;
  });
  t.ok(alive() >= 1, 'the current one');
});
