import t from 'tap';
import { ReplayQueue } from '../../src/pubsub/replay-queue.js';
import { until } from '../kit/until.js';

t.test('clients take turns, and between two replays of one client is a pause', async (t) => {
  let nowMillis = 0;
  const queue = new ReplayQueue(() => nowMillis);
  const made: string[] = [];
  const replay = (name: string, tookMillis: number) => async (): Promise<void> => {
    made.push(`${name} at ${nowMillis}`);
    nowMillis += tookMillis;
  };
  for (const count of [1, 2, 3]) queue.add('greedy', replay(`greedy ${count}`, 5));
  queue.add('other', replay('other', 0.5));
  queue.add('other', replay('other again', 0.5));
  await until(() => made.length >= 3);
  t.same(made, ['greedy 1 at 0', 'other at 5', 'other again at 5.5'], 'short ones need no pause');
  // The timer of the pause has to find that it is over: nine times what the replay took.
  nowMillis = 49;
  queue.add('late', replay('late', 2000));
  await until(() => made.length >= 4);
  t.same(made.slice(3, 4), ['late at 49'], 'a client that has a pause holds up no other');
  await until(() => made.length >= 5);
  t.equal(made[4], 'greedy 2 at 2049');
  nowMillis = 3040;
  queue.add('late', replay('late again', 0));
  await until(() => made.length >= 6);
  nowMillis = 3049;
  await until(() => made.length >= 7);
  t.same(made.slice(5), ['greedy 3 at 3040', 'late again at 3049'], 'a pause is a second at most');
  queue.close();
});

t.test('nothing is replayed after the end', async (t) => {
  const queue = new ReplayQueue(() => 0);
  let made = 0;
  queue.add('a', async () => {
    made++;
    queue.close();
  });
  queue.add('a', async () => {
    made++;
  });
  await until(() => made === 1);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(made, 1);
});
