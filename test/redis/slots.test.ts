import t, { type Test } from 'tap';
import { slotClockMillis } from '../../src/core/shared/slots.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { RedisSlots } from '../../src/redis/redis-slots.js';
import { mostInSecond } from '../kit/most-in-second.js';
import { connect, MISSING, until, useRedis } from './kit.js';

/** Times of calls that replicas share. */

const RATE = { perSecond: 100, burst: 5 };

t.test(
  'three replicas have one rate, of which nearly all is used',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const replicas = await replicasOf(t, redis.url, 3);
    const began = slotClockMillis();
    const times: number[] = [];
    // All ask at once, more often than they wait for.
    for (let round = 0; round < 40; round++) {
      const taken = await Promise.all(
        replicas.map((each, at) => each.slots.take('a', RATE, 1 + ((round + at) % 5))),
      );
      times.push(...taken.flat());
    }
    times.sort((one, other) => one - other);
    const millis = (times.at(-1) ?? 0) - began;
    t.ok(mostInSecond(times) <= RATE.perSecond + 1, `${mostInSecond(times)} in a second`);
    t.ok(
      times.length >= 0.97 * RATE.perSecond * (millis / 1000),
      `${times.length} calls in ${millis} ms`,
    );
    const other = await replicas[0]?.slots.take('b', RATE, 1);
    t.ok((other?.[0] ?? 0) < (times.at(-1) ?? 0), 'another name has a rate of its own');
  },
);

t.test(
  'while Redis is away each replica has its part, a second after its last time',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const [replica] = await replicasOf(t, redis.url, 1, 4);
    if (replica === undefined) return;
    const shared = await replica.slots.take('a', RATE, 3);
    await redis.kill();
    await until(() => !replica.connection.isUp, 'Redis is away');
    const own = await replica.slots.take('a', RATE, 30);
    t.ok((own[0] ?? 0) - (shared.at(-1) ?? 0) >= 1000, 'a second between the two sources');
    for (let at = 1; at < own.length; at++)
      t.ok((own[at] ?? 0) - (own[at - 1] ?? 0) >= 4 * 10 - 0.001);
    await redis.start();
    await until(() => replica.connection.isUp, 'Redis is there');
    const again = await replica.slots.take('a', RATE, 2);
    t.ok((again[0] ?? 0) - (own.at(-1) ?? 0) >= 1000);
  },
);

t.test(
  'times that the clock of Redis has left behind are forgotten, and a foreign value is no time',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const [replica] = await replicasOf(t, redis.url, 1);
    if (replica === undefined) return;
    await replica.slots.take('a', RATE, 1);
    const [key = ''] = (await replica.connection.command('test', [
      'KEYS',
      '*:slots:*',
    ])) as string[];
    await replica.connection.command('test', ['RPUSH', key, String(Date.now() + 3_600_000)]);
    const [soon = 0] = await replica.slots.take('a', RATE, 1);
    t.ok(soon <= slotClockMillis() + 1100, 'an hour ahead is the clock, not a call');
    await replica.connection.command('test', ['SET', key, 'text']);
    const [own = 0] = await replica.slots.take('a', RATE, 1);
    t.ok(own <= slotClockMillis() + 3000 && own >= soon, 'the part of the replica');
  },
);

interface Replica {
  readonly connection: RedisConnection;
  readonly slots: RedisSlots;
}

async function replicasOf(t: Test, url: string, count: number, replicas = count) {
  const made: Replica[] = [];
  for (let at = 0; at < count; at++) {
    const connection = connect(url, undefined, { operationMillis: 500 });
    t.teardown(() => connection.close());
    await until(() => connection.isUp, 'Redis is there');
    made.push({ connection, slots: new RedisSlots(connection, 'soapstone:{a}:', replicas) });
  }
  return made;
}
