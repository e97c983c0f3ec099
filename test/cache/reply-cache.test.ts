import t from 'tap';
import { defaultsOf } from '../../src/base/limit.js';
import { CACHE_LIMITS, type CacheLimits } from '../../src/cache/limits.js';
import { ReplyCache } from '../../src/cache/reply-cache.js';
import { invalidate, pauseCaching, type ReadRule } from '../../src/cache/rules.js';

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
  pauseCaching({ invalidations: [read.invalidation] }, 5000);
  pauseCaching({ invalidations: [read.invalidation] }, 4000);
  t.equal(cache.store('k', read, 0, reply(10), 4999), false);
  t.equal(cache.store('k', read, 0, reply(10), 5000), true);
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
  invalidate({ invalidations: [read.invalidation] });
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
