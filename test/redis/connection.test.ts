import t, { type Test } from 'tap';

import type { RedisConnection } from '../../src/redis/connection.js';
import { connect, MISSING, RecordedEvents, RedisProxy, RedisServer, until } from './kit.js';

/** The channels of one connection in subscriber mode. */

const PATIENT = { operationMillis: 2000 };

async function setUp(t: Test): Promise<{ server: RedisServer; operator: RedisConnection }> {
  const server = await RedisServer.start();
  const operator = connect(server.url, new RecordedEvents(), PATIENT);
  t.teardown(async () => {
    operator.close();
    await server.close();
  });
  await until(async () => operator.isUp, 'up');
  return { server, operator };
}

/** Publishes to the channel until a message arrives. */
async function expectMessage(
  operator: RedisConnection,
  channel: string,
  received: readonly string[],
): Promise<void> {
  const arrives = async (): Promise<boolean> => {
    await operator.tryCommand(['PUBLISH', channel, 'hello']);
    return received.includes(channel);
  };
  await until(arrives, `a message of ${channel}`);
}

t.test(
  'a channel that is left and joined again at once has messages',
  { skip: MISSING },
  async (t) => {
    const { server, operator } = await setUp(t);
    const received: string[] = [];
    const subscriber = connect(server.url, new RecordedEvents(), PATIENT);
    t.teardown(() => subscriber.close());
    const join = (): void => subscriber.subscribe('one', () => received.push('one'));
    join();
    await expectMessage(operator, 'one', received);
    subscriber.unsubscribe('one');
    join();
    // Redis answers in order.
    subscriber.subscribe('two', () => received.push('two'));
    await expectMessage(operator, 'two', received);
    received.length = 0;
    await expectMessage(operator, 'one', received);
  },
);

/** A subscriber whose connection goes through a proxy that can delay, hold or cut it. */
async function subscribeThrough(t: Test, server: RedisServer) {
  const proxy = await RedisProxy.to(server.port);
  const received: string[] = [];
  const subscriber = connect(proxy.url, new RecordedEvents(), PATIENT);
  t.teardown(async () => {
    subscriber.close();
    await proxy.close();
  });
  return { proxy, received, subscriber };
}

t.test(
  'a channel that is joined, left and joined while Redis answers has messages',
  { skip: MISSING },
  async (t) => {
    const { server, operator } = await setUp(t);
    const { proxy, received, subscriber } = await subscribeThrough(t, server);
    await until(async () => subscriber.isUp, 'up');
    proxy.delayMillis = 300;
    const join = (): void => subscriber.subscribe('one', () => received.push('one'));
    join();
    // Its message comes after the answer to the first command, and before that to the second.
    subscriber.subscribe('two', () => {
      if (received.length === 0) join();
      received.push('two');
    });
    await until(
      async () => (await operator.tryCommand(['PUBLISH', 'two', ''])) === 1,
      'it is subscribed to',
    );
    subscriber.unsubscribe('one');
    await until(async () => received.length > 0, 'it is joined again');
    subscriber.subscribe('three', () => received.push('three'));
    await expectMessage(operator, 'three', received);
    received.length = 0;
    await expectMessage(operator, 'one', received);
  },
);

t.test(
  'a channel that is joined while the connection subscribes to others has messages',
  { skip: MISSING },
  async (t) => {
    const { server, operator } = await setUp(t);
    const { proxy, received, subscriber } = await subscribeThrough(t, server);
    proxy.delayMillis = 200;
    subscriber.subscribe('one', () => received.push('one'));
    await until(
      async () => (await operator.tryCommand(['PUBLISH', 'one', ''])) === 1,
      'the first is subscribed to',
    );
    t.notOk(subscriber.isUp, 'the reply is on its way');
    subscriber.subscribe('two', () => received.push('two'));
    await expectMessage(operator, 'one', received);
    await expectMessage(operator, 'two', received);
  },
);

t.test(
  'a connection that is lost while a channel is joined subscribes to it again',
  { skip: MISSING },
  async (t) => {
    const { server, operator } = await setUp(t);
    const { proxy, received, subscriber } = await subscribeThrough(t, server);
    await until(async () => subscriber.isUp, 'up');
    proxy.stall();
    subscriber.subscribe('one', () => received.push('one'));
    await until(
      async () => (await operator.tryCommand(['PUBLISH', 'one', ''])) === 1,
      'it is subscribed to',
    );
    proxy.cut();
    await until(async () => !subscriber.isUp, 'the connection is lost');
    proxy.mend();
    await expectMessage(operator, 'one', received);
  },
);
