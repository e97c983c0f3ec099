import t from 'tap';

import type { BusMessage, EventTransport, EventValues, TransportReceiver } from '../../src/base/event-bus.js';
import { EventQueue } from '../../src/pubsub/event-queue.js';
import { MemoryTransport } from '../../src/pubsub/memory-transport.js';
import { OrderedBus } from '../../src/pubsub/ordered-bus.js';

/** A transport whose messages are told by hand. */
class Wire implements EventTransport {
  receiver: TransportReceiver | null = null;
  /** What a replay answers; null: nobody knows. */
  kept: readonly BusMessage[] | null = [];
  readonly asked: number[] = [];

  wants(): boolean {
    return this.receiver !== null;
  }

  publish(): void {}

  subscribe(_topic: string, receiver: TransportReceiver): () => void {
    this.receiver = receiver;
    return () => {
      this.receiver = null;
    };
  }

  async replay(_topic: string, after: number): Promise<readonly BusMessage[] | null> {
    this.asked.push(after);
    return this.kept;
  }

  async close(): Promise<void> {}
}

const message = (sequence: number, id = `id${sequence}`, values: EventValues = { n: sequence }): BusMessage => ({
  id,
  topic: 'a',
  sequence,
  values,
});

function listening(): { wire: Wire; told: unknown[]; say: (...messages: BusMessage[]) => void; release: () => void } {
  const wire = new Wire();
  const told: unknown[] = [];
  const release = new OrderedBus(wire).subscribe('a', {
    event: (values) => told.push(values?.['n']),
    gap: () => told.push('gap'),
  });
  const say = (...messages: readonly BusMessage[]): void => {
    for (const each of messages) wire.receiver?.message(each);
  };
  return { wire, told, release, say };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('R14: what was lost is asked for once more, and told in order', async (t) => {
  const { wire, told, say } = listening();
  wire.kept = [message(6), message(7), message(8)];
  say(message(5), message(8), message(9));
  t.same(told, [5], 'what comes after a hole waits');
  await turn();
  t.same(told, [5, 6, 7, 8, 9]);
  t.same(wire.asked, [5]);
  say(message(10));
  t.same(told.at(-1), 10);
});

t.test('R14: what is not to be had again is announced, never silent', async (t) => {
  const { wire, told, say } = listening();
  wire.kept = null;
  say(message(5), message(8), message(9));
  await turn();
  t.same(told, [5, 'gap', 8, 9]);
  wire.kept = [];
  say(message(12));
  await turn();
  t.same(told.slice(4), ['gap', 12], 'a replay that does not fill the hole');
});

t.test('R15: what comes twice is told once, and a number that is used again is a gap', async (t) => {
  const { told, say } = listening();
  say(message(1), message(1), message(2), message(1), message(2));
  t.same(told, [1, 2]);
  say(message(1, 'of another count'), message(2, 'too'));
  t.same(told, [1, 2, 'gap', 1, 2]);
});

t.test('after an interruption the rest is asked for at once', async (t) => {
  const { wire, told, say } = listening();
  wire.receiver?.resumed();
  t.same(told, ['gap'], 'nobody knows what there was before the first');
  say(message(3));
  wire.kept = [message(4)];
  wire.receiver?.resumed();
  await turn();
  t.same(told, ['gap', 3, 4]);
  wire.receiver?.lost();
  say(message(5));
  t.same(told.slice(3), ['gap', 5], 'what was lost without a number');
});

t.test('a transport that fails is a gap, and an event that was too much too', async (t) => {
  const { wire, told, say, release } = listening();
  wire.replay = () => Promise.reject(new Error('away'));
  say(message(1), message(4));
  await turn();
  t.same(told, [1, 'gap', 4]);
  say(message(5, 'big', null));
  t.same(told.at(-1), 'gap');
  release();
  say(message(6));
  t.same(told.at(-1), 'gap', 'who has left is told nothing');
  t.equal(wire.receiver, null);
});

t.test('inside one process nothing is lost, and nothing is kept for nobody', async (t) => {
  const transport = new MemoryTransport(2);
  const bus = new OrderedBus(transport);
  t.notOk(bus.wants('a'));
  bus.publish('a', { n: 0 });
  const told: unknown[] = [];
  const listener = { event: (values: EventValues) => told.push(values), gap: () => told.push('gap') };
  const releases = [bus.subscribe('a', listener), bus.subscribe('a', listener)];
  t.ok(bus.wants('a'));
  for (let n = 1; n <= 6; n++) bus.publish('a', { n });
  bus.publish('b', { n: 9 });
  t.equal(told.length, 12, 'each of two is told each');
  const kept = await transport.replay('a', 5);
  t.same(
    kept?.map(({ sequence, values }) => [sequence, values]),
    [
      [6, { n: 5 }],
      [7, { n: 6 }],
    ],
  );
  t.equal(await transport.replay('a', 1), null, 'longer ago than what is kept');
  for (const release of releases) release();
  t.notOk(bus.wants('a'));
  t.equal(await transport.replay('a', 6), null);
  await bus.close();
});

t.test('a queue has room for so many events and so many bytes, and gives up all at once', async (t) => {
  for (const limits of [
    { queueEvents: 2, queueBytes: 1000 },
    { queueEvents: 100, queueBytes: 20 },
  ]) {
    const queue = new EventQueue<number>(limits);
    queue.push(1, 10);
    queue.push(2, 10);
    t.equal(await queue.take(), 1);
    queue.push(3, 10);
    t.notOk(queue.overflowed);
    queue.push(4, 10);
    t.ok(queue.overflowed);
    t.equal(await queue.take(), null);
  }
  const queue = new EventQueue<number>({ queueEvents: 5000, queueBytes: 5000 });
  const first = queue.take();
  for (let n = 0; n < 3000; n++) queue.push(n, 1);
  t.equal(await first, 0);
  for (let n = 1; n < 2500; n++) if ((await queue.take()) !== n) t.fail(`not ${n}`);
  queue.end('kept');
  t.equal(await queue.take(), 2500);
  queue.end('dropped');
  queue.push(1, 1);
  t.equal(await queue.take(), null);
});
