import t from 'tap';
import { OnceMemory } from '../../src/gateway/shared/once-memory.js';

t.test(
  'a full memory takes nothing new until an entry expires, and forgets nothing before its time',
  async (t) => {
    const memory = new OnceMemory(3);
    // The times come in no order: the first that came is the last to expire.
    t.equal(memory.take('late', 300, 0), 'new');
    t.equal(memory.take('early', 100, 0), 'new');
    t.equal(memory.take('middle', 200, 0), 'new');
    t.equal(memory.take('further', 400, 0), 'full');
    t.equal(memory.take('late', 400, 99), 'seen', 'what is remembered is refused as such');
    t.equal(memory.take('further', 400, 99), 'full');
    t.equal(memory.count, 3);
    t.equal(memory.nextExpiryMillis(40), 60);
    t.equal(memory.take('further', 400, 100), 'new', 'one has expired');
    t.equal(memory.take('early', 500, 100), 'full');
    t.equal(memory.take('middle', 500, 199), 'seen');
    t.equal(memory.take('middle', 500, 200), 'new', 'a key that expired is new');
  },
);

t.test('a reload keeps what is remembered, also under a smaller limit', async (t) => {
  const before = new OnceMemory(10);
  for (let index = 0; index < 10; index++) before.take(`key ${index}`, 100 + index, 0);
  const after = new OnceMemory(5, before);
  t.equal(after.take('key 9', 200, 0), 'seen');
  t.equal(after.take('new', 200, 104), 'full');
  t.equal(after.take('new', 200, 105), 'new');
  t.equal(before.take('new', 200, 105), 'seen', 'requests of the generation before see it');
});

t.test('entries expire in the order of their times, whatever the order they came in', async (t) => {
  const memory = new OnceMemory(1000);
  const times = Array.from({ length: 1000 }, (_, index) => (index * 617) % 1000);
  for (const time of times) t.equal(memory.take(`key ${time}`, time + 1, 0), 'new');
  for (let now = 1; now <= 1000; now += 111) {
    t.equal(memory.take(`key ${now}`, 2000, now), now >= 1000 ? 'new' : 'seen');
    t.equal(memory.count, 1000 - now + (now >= 1000 ? 1 : 0));
  }
});
