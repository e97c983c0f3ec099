import t from 'tap';

import { EventQueue } from '../../src/pubsub/event-queue.js';

t.test('so many items fit, of so many bytes together', async (t) => {
  const queue = new EventQueue<string>({ queueEvents: 3, queueBytes: 100 });
  t.ok(queue.hasRoom(3, 99));
  t.ok(queue.hasRoom(3, 100));
  t.notOk(queue.hasRoom(4, 0), 'too many');
  t.notOk(queue.hasRoom(2, 101), 'too long');
  queue.push('a', 60);
  t.notOk(queue.hasRoom(1, 41));
  t.ok(queue.hasRoom(2, 40));
  t.notOk(queue.hasRoom(3, 0));
  t.ok(queue.hasRoom(0, 0));
});
