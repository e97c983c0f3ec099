import { setImmediate, setTimeout } from 'node:timers/promises';
import t from 'tap';

import {
  FairScheduler,
  IDLE_QUEUES_MAX,
  type SlicedTask,
  type TaskOwner,
  TaskQueues,
} from '../../../src/flow/http/fair-scheduler.js';
import { until } from '../../kit/until.js';

/**
 * Long work is done in turns: of addresses with each other, behind short messages, and hardly at
 * all for penalised connections.
 */

/** A scheduler with a clock of its own, and works that say when they are done a piece of. */
function start() {
  let nowMillis = 1000;
  const fairScheduler = new FairScheduler(() => nowMillis);
  const done: string[] = [];
  return {
    fairScheduler,
    done,
    pass: (millis: number) => {
      nowMillis += millis;
    },
    /** Each of its pieces takes so much of the clock: a turn, unless told. */
    work: (name: string, pieces: number, pieceMillis = 1, beganMillis = nowMillis): SlicedTask => ({
      beganMillis,
      step() {
        done.push(name);
        nowMillis += pieceMillis;
        return --pieces > 0 ? 'more' : 'waits';
      },
    }),
  };
}

const ordinary = (address: string): TaskOwner => ({ address, isPenalised: false });
const penalised = (address: string): TaskOwner => ({ address, isPenalised: true });

/** Until the event loop went round so many times. */
async function rounds(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await setImmediate();
}

/** Longer than a scheduler waits for the time to come, by a clock that stands still. */
const aWhile = (): Promise<void> => setTimeout(60);

t.test('addresses take turns, whatever the number of works of each', async (t) => {
  const { fairScheduler, done, work } = start();
  for (const name of ['a1', 'a2', 'a3']) fairScheduler.enqueue(work(name, 2), ordinary('a'));
  fairScheduler.enqueue(work('b1', 2), ordinary('b'));
  await rounds(20);
  t.equal(done.length, 8);
  t.equal(
    done.slice(0, 4).filter((name) => name === 'b1').length,
    2,
    'half of the turns are of the other',
  );
});

t.test('of one address every other turn is of what began first, and the rest go on', async (t) => {
  const { fairScheduler, done, work } = start();
  fairScheduler.enqueue(work('young', 4, 1, 30), ordinary('a'));
  fairScheduler.enqueue(work('middle', 4, 1, 20), ordinary('a'));
  fairScheduler.enqueue(work('old', 4, 1, 10), ordinary('a'));
  await rounds(30);
  t.equal(done.length, 12);
  t.same(
    done.filter((_name, at) => at < 8 && at % 2 === 0),
    ['old', 'old', 'old', 'old'],
  );
  t.ok(done.indexOf('young') < done.lastIndexOf('old'));
  t.ok(done.indexOf('middle') < done.lastIndexOf('old'));
});

t.test('pieces that take no time are done together', async (t) => {
  const { fairScheduler, done, work } = start();
  fairScheduler.enqueue(work('a', 100, 0), ordinary('a'));
  await rounds(2);
  t.equal(done.length, 100);
});

t.test('what waits for bytes ends the turn', async (t) => {
  const { fairScheduler, done, work } = start();
  fairScheduler.enqueue(work('a', 1, 0), ordinary('a'));
  fairScheduler.enqueue(work('b', 1, 0), ordinary('b'));
  await setImmediate();
  t.same(done, ['a']);
  await rounds(3);
  t.same(done, ['a', 'b']);
});

t.test(
  'nothing long is done in a turn that brought something short, until it is due',
  async (t) => {
    const { fairScheduler, done, work, pass } = start();
    fairScheduler.enqueue(work('a', 10), ordinary('a'));
    await rounds(1);
    t.equal(done.length, 1, 'the first');
    for (let n = 0; n < 8; n++) {
      fairScheduler.addShortMessage();
      await rounds(1);
      t.equal(done.length, 1, `${n} ms later`);
      pass(1);
    }
    pass(1);
    fairScheduler.addShortMessage();
    await rounds(1);
    t.equal(done.length, 2, 'a tenth of the time is its own');
    await rounds(40);
    t.equal(done.length, 10, 'and all of it where nothing short comes');
  },
);

t.test('work need not wait while nothing else does, for one slice of each turn', async (t) => {
  const { fairScheduler, done, work } = start();
  const owner = ordinary('a');
  t.ok(fairScheduler.admits(owner));
  fairScheduler.spend(0.2);
  t.ok(fairScheduler.admits(owner), 'some of the slice is left');
  fairScheduler.spend(0.2);
  t.notOk(fairScheduler.admits(owner), 'it is used up');
  fairScheduler.enqueue(work('b', 2), ordinary('b'));
  await rounds(1);
  t.same(done, [], 'for others too');
  t.notOk(fairScheduler.admits(owner), 'another waits');
  await rounds(3);
  t.same(done, ['b', 'b']);
  t.ok(fairScheduler.admits(owner));
  t.notOk(fairScheduler.admits(penalised('a')));
});

t.test('work waits behind short messages until its share is due', async (t) => {
  const { fairScheduler, pass } = start();
  const owner = ordinary('a');
  fairScheduler.spend(1);
  await rounds(1);
  fairScheduler.addShortMessage();
  t.notOk(fairScheduler.admits(owner));
  pass(9);
  t.ok(fairScheduler.admits(owner), 'a tenth of the time is its own');
});

t.test('a slice that is used up at once does not keep penalised connections waiting', async (t) => {
  const { fairScheduler, done, work, pass } = start();
  fairScheduler.enqueue(work('s', 2), penalised('s'));
  for (let n = 0; n < 3; n++) {
    fairScheduler.spend(0.3);
    await rounds(1);
    pass(25);
  }
  t.same(done, ['s', 's']);
});

t.test('penalised connections get a fiftieth of the time, whatever else waits', async (t) => {
  const { fairScheduler, done, work, pass } = start();
  fairScheduler.enqueue(work('s', 3), penalised('s'));
  fairScheduler.enqueue(work('a', 1), ordinary('a'));
  await rounds(10);
  t.same(done, ['s', 'a'], 'the first slice of a penalised one does not wait');
  await aWhile();
  t.same(done, ['s', 'a'], 'the next does, even when nobody else is there');
  fairScheduler.enqueue(work('b', 3), ordinary('b'));
  await rounds(20);
  t.same(done, ['s', 'a', 'b', 'b', 'b'], 'and nobody waits for it');
  pass(49);
  await aWhile();
  t.equal(done.filter((name) => name === 's').length, 2);
  pass(49);
  await aWhile();
  t.equal(done.filter((name) => name === 's').length, 3);
});

t.test('what is done for the promise of a turn counts as its time', async (t) => {
  const { fairScheduler, done, work, pass } = start();
  const long: SlicedTask = {
    beganMillis: 0,
    step() {
      void Promise.resolve().then(() => pass(1));
      return 'waits';
    },
  };
  fairScheduler.enqueue(long, penalised('s'));
  fairScheduler.enqueue(work('s', 1), penalised('s'));
  await rounds(5);
  pass(40);
  await aWhile();
  t.same(done, []);
  pass(9);
  await aWhile();
  t.same(done, ['s']);
});

t.test(
  'a connection penalised while its task is queued gets the share of penalised ones',
  async (t) => {
    const { fairScheduler, done, work, pass } = start();
    const owner = { address: 's', isPenalised: false };
    fairScheduler.enqueue(work('s', 5), owner);
    await rounds(1);
    t.same(done, ['s']);
    owner.isPenalised = true;
    await rounds(6);
    t.same(done, ['s', 's', 's'], 'one slice before it is known, and the first penalised one');
    await aWhile();
    t.equal(done.length, 3);
    owner.isPenalised = false;
    pass(49);
    await aWhile();
    t.equal(done.length, 5, 'until the penalty is over');
  },
);

t.test('a penalised connection does not slow another of its address', async (t) => {
  const { fairScheduler, done, work, pass } = start();
  fairScheduler.enqueue(work('bad', 2), penalised('s'));
  fairScheduler.enqueue(work('good', 3), ordinary('s'));
  await rounds(10);
  t.same(done, ['bad', 'good', 'good', 'good']);
  pass(49);
  await until(() => done.length === 5);
  t.equal(done[4], 'bad');
});

t.test(
  'of each penalised address the task goes on that began first, and addresses take turns',
  async (t) => {
    const { fairScheduler, done, work, pass } = start();
    fairScheduler.enqueue(work('young', 1, 0.5, 20), penalised('s'));
    fairScheduler.enqueue(work('old', 3, 0.5, 10), penalised('s'));
    fairScheduler.enqueue(work('other', 2, 0.5, 30), penalised('r'));
    for (let n = 0; n < 6; n++) {
      await aWhile();
      pass(49);
    }
    t.same(done, ['old', 'other', 'old', 'other', 'old', 'young']);
  },
);

t.test('a penalty ends', async (t) => {
  const { fairScheduler, done, work, pass } = start();
  const owner = { address: 's', isPenalised: true };
  fairScheduler.enqueue(work('s', 1), owner);
  await rounds(2);
  fairScheduler.enqueue(work('s', 1), owner);
  await aWhile();
  t.equal(done.length, 1);
  pass(500);
  await aWhile();
  owner.isPenalised = false;
  fairScheduler.enqueue(work('s', 2), owner);
  await rounds(8);
  t.equal(done.length, 4);
});

t.test('empty queues are kept of a few addresses only', async (t) => {
  const queues = new TaskQueues('always');
  const task: SlicedTask = { beganMillis: 0, step: () => 'waits' };
  for (let count = 0; count < 10 * IDLE_QUEUES_MAX; count++) {
    queues.add({ task, owner: ordinary(`${count}`) });
  }
  t.equal(queues.addresses, 10 * IDLE_QUEUES_MAX, 'all that have tasks');
  while (queues.take() !== null);
  t.ok(queues.isEmpty);
  t.equal(queues.addresses, IDLE_QUEUES_MAX);
  queues.add({ task, owner: ordinary('new') });
  t.equal(queues.take()?.owner.address, 'new');
  t.equal(queues.addresses, IDLE_QUEUES_MAX);
});
