import t from 'tap';
import { defaultsOf } from '../../src/base/limit.js';
import { CACHE_LIMITS, type CacheLimits } from '../../src/cache/limits.js';
import { ReplyCache } from '../../src/cache/reply-cache.js';
import { forget, type ReadRule, unsettle } from '../../src/cache/rules.js';

const cacheOf = (limits: Partial<CacheLimits> = {}): ReplyCache =>
  new ReplyCache({ ...defaultsOf(CACHE_LIMITS), ...limits });

const rule = (more: Partial<ReadRule> = {}): ReadRule => ({
  service: 'desk',
  operation: 'Get',
  freshMillis: 1000,
  staleMillis: 0,
  isShared: true,
  isData: true,
  mark: { name: 'desk.Get', generation: 0, unsettledUntilMillis: 0 },
  ...more,
});

const reply = (bytes: number) => ({ contentType: 'text/xml', body: Buffer.alloc(bytes) });

t.test('a reply is good for its time, then stale for its time, then gone', async (t) => {
  const cache = cacheOf();
  const read = rule({ staleMillis: 500 });
  t.equal(cache.find('k', 0), null);
  t.equal(cache.keep('k', read, 0, reply(10), 5000), true);
  t.match(cache.find('k', 5000), { ageMillis: 0, leftMillis: 1000 });
  t.match(cache.find('k', 5999), { ageMillis: 999, leftMillis: 1 });
  t.match(cache.find('k', 6000), { leftMillis: 0 });
  t.match(cache.find('k', 6499), { leftMillis: -499 });
  t.equal(cache.find('k', 6500), null);
  t.same([cache.entries, cache.bytes], [0, 0]);
  t.equal(cache.keep('k', rule({ freshMillis: 0 }), 0, reply(10), 0), false, 'not to be remembered');
});

t.test('while a write may be under way of which nobody hears, nothing is remembered', async (t) => {
  const cache = cacheOf();
  const read = rule();
  unsettle({ marks: [read.mark] }, 5000);
  unsettle({ marks: [read.mark] }, 4000);
  t.equal(cache.keep('k', read, 0, reply(10), 4999), false);
  t.equal(cache.keep('k', read, 0, reply(10), 5000), true);
});

t.test('what is found to be no answer is forgotten', async (t) => {
  const cache = cacheOf();
  cache.keep('k', rule(), 0, reply(10), 0);
  cache.forget('k');
  cache.forget('never known');
  t.same([cache.find('k', 1), cache.bytes, cache.entries], [null, 0, 0]);
});

t.test('what was read before something was written is gone, in memory and under way', async (t) => {
  const cache = cacheOf();
  const read = rule();
  const other = rule({ mark: { name: 'desk.Other', generation: 0, unsettledUntilMillis: 0 } });
  cache.keep('a', read, 0, reply(10), 0);
  cache.keep('b', other, 0, reply(10), 0);
  forget({ marks: [read.mark] });
  t.equal(cache.find('a', 1), null);
  t.not(cache.find('b', 1), null);
  t.equal(cache.keep('a', read, 0, reply(10), 2), false, 'asked before');
  t.equal(cache.keep('a', read, 1, reply(10), 2), true);
  t.not(cache.find('a', 3), null);
});

t.test('bytes and entries are bounded, the least recently used go first', async (t) => {
  const cache = cacheOf({ entries: 3 });
  for (const key of ['a', 'b', 'c']) cache.keep(key, rule(), 0, reply(1), 0);
  cache.find('a', 1);
  cache.keep('d', rule(), 0, reply(1), 1);
  t.same(
    ['a', 'b', 'c', 'd'].map((key) => cache.find(key, 2) !== null),
    [true, false, true, true],
  );

  const one = cacheOf();
  one.keep('k', rule(), 0, reply(1000), 0);
  const entryBytes = one.bytes;
  t.ok(entryBytes > 1000 && entryBytes < 2000);
  const small = cacheOf({ bytes: 3 * entryBytes });
  for (const key of ['a', 'b', 'c', 'd', 'e']) small.keep(key, rule(), 0, reply(1000), 0);
  t.same([small.entries, small.bytes], [3, 3 * entryBytes]);
  small.keep('e', rule(), 0, reply(500), 0);
  t.same([small.entries, small.bytes], [3, 3 * entryBytes - 500], 'in place of the one before');
  t.equal(cacheOf({ bytes: entryBytes - 1 }).keep('k', rule(), 0, reply(1000), 0), false);
  t.equal(cacheOf({ replyBytes: 1000 }).keep('k', rule(), 0, reply(1000), 0), true);
  t.equal(cacheOf({ replyBytes: 1000 }).keep('k', rule(), 0, reply(1001), 0), false);
});
