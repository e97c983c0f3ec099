import t from 'tap';

import { EventQueue } from '../../src/pubsub/event-queue.js';

t.test('sizes are read only until the items do not fit', async (t) => {
  const queue = new EventQueue<string>({ queueEvents: 3, queueBytes: 100 });
  let read = 0;
  function* sizes(count: number, bytes: number): Iterable<number> {
    for (let at = 0; at < count; at++) {
      read++;
      yield bytes;
    }
  }
  t.ok(queue.hasRoom(sizes(3, 33)));
  t.equal(read, 3);
  t.notOk(queue.hasRoom(sizes(1000, 0)), 'too many');
  t.equal(read, 3 + 4);
  t.notOk(queue.hasRoom(sizes(1000, 60)), 'too long');
  t.equal(read, 3 + 4 + 2);
  queue.push('a', 60);
  t.notOk(queue.hasRoom([41]));
  t.ok(queue.hasRoom([20, 20]));
  t.ok(queue.hasRoom([]));
});
