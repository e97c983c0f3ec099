import t from 'tap';

import { ReceivedMessages } from '../../../src/flow/subscriptions/transports/received-messages.js';

t.test('what comes while there is too much waits in order, in bounded room', async (t) => {
  const taken: string[] = [];
  const done: string[] = [];
  let isFull = true;
  const incoming = new ReceivedMessages({
    isFull: () => isFull,
    charsMax: 300,
    take: async (message) => void taken.push(message),
    pause: () => void done.push('pause'),
    resume: () => void done.push('resume'),
    overflow: () => void done.push('overflow'),
  });
  for (const message of ['a', 'b', 'c', 'd']) await incoming.message(message);
  t.same([taken, done], [[], ['pause', 'pause', 'pause', 'pause']]);
  await incoming.release();
  t.same(taken, [], 'there is no room yet');
  isFull = false;
  const released = incoming.release();
  await incoming.message('e');
  await released;
  t.same(taken, ['a', 'b', 'c', 'd', 'e']);
  t.equal(done.at(-1), 'resume');
  await incoming.message('f');
  t.equal(taken.length, 6);
  isFull = true;
  for (let count = 0; count < 5; count++) await incoming.message('g');
  t.equal(done.at(-1), 'overflow');
  incoming.close();
  isFull = false;
  await incoming.release();
  t.equal(taken.length, 6, 'nobody is there any more');
});
