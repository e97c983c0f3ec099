import t from 'tap';
import { CacheSweeper, sweep } from '../../src/cache/cache-sweeper.js';
import { Invalidator } from '../../src/cache/invalidator.js';
import { CACHE_LIMITS, type CacheLimits } from '../../src/cache/limits.js';
import { ReplyCache } from '../../src/cache/reply-cache.js';
import type { Invalidation, ReadRule } from '../../src/cache/rules.js';
import { defaultsOf } from '../../src/core/limit.js';
import {
  type InvalidatedOperations,
  type InvalidationReceiver,
  InvalidationSender,
} from '../../src/gateway/shared/invalidation.js';
import { until } from '../kit/until.js';

const cacheOf = (limits: Partial<CacheLimits> = {}): ReplyCache =>
  new ReplyCache({ ...defaultsOf(CACHE_LIMITS), ...limits });

const rule = (more: Partial<ReadRule> = {}): ReadRule => ({
  service: 'desk',
  operation: 'Get',
  freshMillis: 1000,
  staleMillis: 0,
  isShared: true,
  isData: true,
  invalidation: { name: 'desk.Get', generation: 0, pausedUntilMillis: 0 },
  ...more,
});

const reply = (bytes: number) => ({ contentType: 'text/xml', body: Buffer.alloc(bytes) });

t.test('a reply is fresh, then stale, then removed, each for its time', async (t) => {
  const cache = cacheOf();
  const read = rule({ staleMillis: 500 });
  t.equal(cache.find('k', read, 0), null);
  t.equal(cache.store('k', read, 0, reply(10), 5000), true);
  t.match(cache.find('k', read, 5000), { ageMillis: 0, leftMillis: 1000 });
  t.match(cache.find('k', read, 5999), { ageMillis: 999, leftMillis: 1 });
  t.match(cache.find('k', read, 6000), { leftMillis: 0 });
  t.match(cache.find('k', read, 6499), { leftMillis: -499 });
  t.equal(cache.find('k', read, 6500), null);
  t.same([cache.entries, cache.bytes], [0, 0]);
  t.equal(cache.store('k', rule({ freshMillis: 0 }), 0, reply(10), 0), false, 'not to be stored');
});

t.test('nothing is stored while an aborted write may still be under way', async (t) => {
  const cache = cacheOf();
  const read = rule();
  read.invalidation.pausedUntilMillis = 5000;
  t.equal(cache.store('k', read, 0, reply(10), 4999), false);
  t.equal(cache.store('k', read, 0, reply(10), 5000), true);
});

t.test('expired and invalidated replies are removed, so many at a time', async (t) => {
  const cache = cacheOf({ entries: 5 });
  const [short, long] = [rule({ staleMillis: 500 }), rule({ freshMillis: 100_000 })];
  for (const key of ['a', 'b']) cache.store(key, short, 0, reply(10), 0);
  for (const key of ['c', 'd', 'e']) cache.store(key, long, 0, reply(10), 0);
  cache.removeExpired(1499, 10);
  t.equal(cache.entries, 5, 'stale ones stay');
  const left: number[] = [];
  for (let looks = 0; looks < 5; looks++) {
    cache.removeExpired(1500, 1);
    left.push(cache.entries);
  }
  t.ok((left[0] ?? 0) >= 4, 'one look removes one at most');
  t.equal(left[4], 3, 'all are looked at in turns');
  cache.removeExpired(1500, 1000);
  t.equal(cache.entries, 3, 'once');
  for (const key of ['f', 'g', 'h', 'i', 'j']) cache.store(key, long, 0, reply(10), 1500);
  t.equal(cache.find('c', long, 1600), null, 'evicted');
  long.invalidation.generation++;
  cache.removeExpired(1600, 20);
  t.same([cache.entries, cache.bytes], [0, 0], 'of an older generation');
});

t.test('an expired reply leaves the metrics by itself', async (t) => {
  const cache = cacheOf();
  const sweeper = new CacheSweeper(() => cache);
  t.teardown(() => sweeper.close());
  cache.store('k', rule({ freshMillis: 1 }), 0, reply(10), performance.now());
  await until(() => cache.entries === 0);
  t.equal(cache.bytes, 0);
});

t.test('a sweep looks at each reply within a minute, however many there are', async (t) => {
  const cache = cacheOf({ entries: 100_000, bytes: 1024 ** 3 });
  for (let n = 0; n < 90_000; n++) cache.store(`k${n}`, rule(), 0, reply(0), 0);
  sweep(cache, 1000);
  t.equal(cache.entries, 88_500, 'a sixtieth at once');
  for (let n = 0; n < 100; n++) sweep(cache, 1000);
  t.equal(cache.entries, 0);
});

t.test('a reply that does not answer its call is removed', async (t) => {
  const cache = cacheOf();
  cache.store('k', rule(), 0, reply(10), 0);
  cache.remove('k');
  cache.remove('never stored');
  t.same([cache.find('k', rule(), 1), cache.bytes, cache.entries], [null, 0, 0]);
});

t.test('a reply of another rule, of before a reload, is not found', async (t) => {
  const cache = cacheOf();
  const read = rule();
  cache.store('k', read, 0, reply(10), 0);
  t.equal(cache.find('k', { ...read }, 1), null);
  t.same([cache.bytes, cache.entries], [0, 0]);
});

t.test('a write invalidates replies that are stored or under way', async (t) => {
  const cache = cacheOf();
  const read = rule();
  const other = rule({ invalidation: { name: 'desk.Other', generation: 0, pausedUntilMillis: 0 } });
  cache.store('a', read, 0, reply(10), 0);
  cache.store('b', other, 0, reply(10), 0);
  new Invalidator([], () => new Map()).invalidate({ invalidations: [read.invalidation] });
  t.equal(cache.find('a', read, 1), null);
  t.not(cache.find('b', other, 1), null);
  t.equal(cache.store('a', read, 0, reply(10), 2), false, 'called before the write');
  t.equal(cache.store('a', read, 1, reply(10), 2), true);
  t.not(cache.find('a', read, 3), null);
});

t.test('bytes and entries are bounded, the least recently used are evicted first', async (t) => {
  const cache = cacheOf({ entries: 3 });
  const read = rule();
  for (const key of ['a', 'b', 'c']) cache.store(key, read, 0, reply(1), 0);
  cache.find('a', read, 1);
  cache.store('d', read, 0, reply(1), 1);
  t.same(
    ['a', 'b', 'c', 'd'].map((key) => cache.find(key, read, 2) !== null),
    [true, false, true, true],
  );

  const one = cacheOf();
  one.store('k', rule(), 0, reply(1000), 0);
  const entryBytes = one.bytes;
  t.ok(entryBytes > 1000 && entryBytes < 2000);
  const small = cacheOf({ bytes: 3 * entryBytes });
  for (const key of ['a', 'b', 'c', 'd', 'e']) small.store(key, rule(), 0, reply(1000), 0);
  t.same([small.entries, small.bytes], [3, 3 * entryBytes]);
  small.store('e', rule(), 0, reply(500), 0);
  t.same([small.entries, small.bytes], [3, 3 * entryBytes - 500], 'in place of the one before');
  t.equal(cacheOf({ bytes: entryBytes - 1 }).store('k', rule(), 0, reply(1000), 0), false);
  t.equal(cacheOf({ replyBytes: 1000 }).store('k', rule(), 0, reply(1000), 0), true);
  t.equal(cacheOf({ replyBytes: 1000 }).store('k', rule(), 0, reply(1001), 0), false);
});

t.test('a write invalidates in other processes, which tell what they missed', async (t) => {
  const receivers: InvalidationReceiver[] = [];
  const published: InvalidatedOperations[] = [];
  const channel = {
    publish: (operations: InvalidatedOperations) => void published.push(operations),
    receive: (receiver: InvalidationReceiver) => void receivers.push(receiver),
  };
  const stateOf = (name: string): Invalidation => ({ name, generation: 0, pausedUntilMillis: 0 });
  const [one, other] = [stateOf('a.One'), stateOf('a.Other')];
  const known = new Map([one, other].map((each) => [each.name, each]));
  const invalidator = new Invalidator([channel], () => known);
  invalidator.invalidate({ invalidations: [one] });
  invalidator.invalidate({ invalidations: [] });
  invalidator.pause({ invalidations: [other] }, 700);
  t.same([one.generation, other.generation], [1, 0]);
  t.same(
    published,
    [new Map([['a.One', 0]]), new Map([['a.Other', 700]])],
    'nothing for a write that changes nothing',
  );
  const [receive = () => {}] = receivers;
  const before = performance.now();
  receive(
    new Map([
      ['a.One', 5000],
      ['unknown', 0],
    ]),
  );
  t.same([one.generation, other.generation], [2, 0]);
  t.ok(one.pausedUntilMillis >= before + 5000 && one.pausedUntilMillis <= performance.now() + 5000);
  receive(new Map([['a.One', 1e300]]));
  t.ok(one.pausedUntilMillis <= performance.now() + 3_600_000, 'a pause has an end');
  receive(null);
  t.same([one.generation, other.generation], [4, 1], 'any may have been invalidated');
  t.equal(published.length, 2, 'what comes is not published');
});

t.test('invalidations wait in one bounded place while nothing can be sent', async (t) => {
  const sent: InvalidatedOperations[] = [];
  let isUp = false;
  let settle = (): void => {};
  const sender = new InvalidationSender(async (operations) => {
    await new Promise<void>((resolve) => {
      settle = resolve;
    });
    if (!isUp) throw new Error('down');
    sent.push(operations);
  });
  sender.add(new Map([['a', 5]]));
  for (let count = 0; count < 1000; count++)
    sender.add(
      new Map([
        ['a', 0],
        ['b', count],
      ]),
    );
  settle();
  await new Promise(setImmediate);
  t.same(sent, [], 'what failed waits, also what came meanwhile');
  isUp = true;
  const flushed = sender.flush();
  settle();
  await flushed;
  t.same(
    sent,
    [
      new Map([
        ['b', 999],
        ['a', 5],
      ]),
    ],
    'in one message, with the longest pause',
  );
  for (let count = 0; count < 150; count++) sender.add(new Map([[`n${count}`, 0]]));
  while (sent.length < 4) {
    settle();
    await new Promise(setImmediate);
  }
  t.same(
    sent.slice(1).map(({ size }) => size),
    [1, 100, 49],
    '100 in a message',
  );
});
