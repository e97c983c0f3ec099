import type { Test } from 'tap';

import type { RecordedMessage } from '../kit/backend.js';
import { EventReader } from '../kit/event-reader.js';
import { startProcess } from '../kit/gateway-process.js';
import { envelope } from '../kit/live-desk.js';
import { post, sendRaw } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { RedisServer } from '../redis/kit.js';

const config = (
  backend: string,
  redis: string,
): string => `redis: { url: "${redis}", replicas: 2, operationMillis: 1000, secret: \
a-secret-of-the-replicas }
services:
  desk:
    url: ${backend}/desk
    namespace: urn:desk
    types: "type Query { order: ID } type Mutation { place(n: Int!): Receipt } type Receipt { n: \
Int }"
    operations: { GetOrder: { field: Query.order }, PlaceOrder: { field: Mutation.place } }
subscriptions: { placed: { on: { operation: desk.PlaceOrder, fields: { n: request.n } } } }
`;

const PLACED = 'subscription { placed { n } }';

/** L04: a client of server-sent events at SIGTERM, and at the next process, while writes go on. */
export async function resumption(t: Test): Promise<void> {
  const redis = await RedisServer.start();
  const held: (() => void)[] = [];
  let heldNumber = 0;
  const backend = await useBackend(t, ({ body }: RecordedMessage, response) => {
    const n = Number(/<n>(\d+)</.exec(body.toString())?.[1]);
    const reply = envelope(`<PlaceOrderResponse xmlns="urn:desk"><n>${n}</n></PlaceOrderResponse>`);
    const answer = (): unknown =>
      response.writeHead(200, { 'content-type': 'text/xml' }).end(reply);
    if (n === heldNumber) held.push(answer);
    else answer();
  });
  t.teardown(() => redis.close());
  const [ending, next] = await Promise.all(
    [0, 1].map(() => startProcess(t, config(backend.url, redis.url))),
  );
  if (ending === undefined || next === undefined) throw new Error('two processes');
  // One that subscribes before its process has Redis may have missed events, and is told so.
  for (const each of [ending, next])
    await until(async () => (await each.metric('soapstone_redis_up')) === 1);

  const written: number[] = [];
  let last = 0;
  const write = async (url: string): Promise<void> => {
    const n = ++last;
    const call = envelope(`<PlaceOrder xmlns="urn:desk"><n>${n}</n></PlaceOrder>`);
    if ((await sendRaw(url, post('/soap/desk', 'text/xml', call))).status === 200) written.push(n);
  };
  const first = await EventReader.open(`${ending.url}/graphql`, PLACED);
  await first.idAfter('');
  for (const { url } of [ending, next, ending]) await write(url);
  const got = [...(await first.results(3))];

  heldNumber = last + 1;
  const late = write(ending.url);
  await until(() => held.length === 1);
  ending.child.kill('SIGTERM');
  for (let isOver = false; !isOver; isOver = first.isComplete) await write(next.url);
  const [drained] = first.untaken.slice(-1);
  t.match(drained, { errors: [{ extensions: { code: 'GATEWAY_DRAINING' } }] });
  got.push(...first.untaken.slice(0, -1));
  for (const answer of held) answer();
  await late;
  t.ok(written.includes(heldNumber), 'a write that the ending process has begun');
  await write(next.url);

  const second = await EventReader.open(`${next.url}/graphql`, PLACED, {
    'last-event-id': first.lastId,
  });
  await write(next.url);
  got.push(...(await second.results(written.length - got.length)));
  await write(next.url);
  got.push(...(await second.results(1)));
  t.same(second.untaken, []);
  const others = got.filter((result) => EventReader.value(result, 'n') === null);
  t.same(others, [], 'no gap');
  const numbers = got.map((result) => Number(EventReader.value(result, 'n')));
  t.same(
    numbers.toSorted((one, other) => one - other),
    written.toSorted((one, other) => one - other),
    'nothing is lost, and nothing comes twice',
  );
  await second.close();

  const after = await startProcess(t, config(backend.url, redis.url));
  await until(async () => (await after.metric('soapstone_redis_up')) === 1);
  await write(next.url);
  const third = await EventReader.open(`${after.url}/graphql`, PLACED, {
    'last-event-id': second.lastId,
  });
  t.same(
    (await third.results(1)).map((result) => EventReader.value(result, 'n')),
    [last],
    'at a process that is new',
  );
  await third.close();
}
