import t from 'tap';

import type {
  BusMessage,
  EventTransport,
  EventValues,
  Replay,
  TopicEvent,
  TransportReceiver,
} from '../../src/core/shared/event-bus.js';
import { EventQueue } from '../../src/pubsub/event-queue.js';
import { MemoryTransport } from '../../src/pubsub/memory-transport.js';
import { OrderedBus } from '../../src/pubsub/ordered-bus.js';

/** A transport whose messages the test delivers. */
class ManualTransport implements EventTransport {
  receiver: TransportReceiver | null = null;
  /** Answer of a replay; null: unknown. */
  kept: readonly BusMessage[] | null = [];
  /** Number of the newest event, where nothing is kept. */
  newest = 0;
  readonly asked: (string | null)[] = [];

  hasSubscribers(): boolean {
    return this.receiver !== null;
  }

  publish(): void {}

  skip(): void {}

  async settle(): Promise<void> {}

  subscribe(_topic: string, receiver: TransportReceiver): () => void {
    this.receiver = receiver;
    return () => {
      this.receiver = null;
    };
  }

  async replay(_topic: string, after: string | null): Promise<Replay> {
    this.asked.push(after);
    const { id, sequence } = this.kept?.at(-1) ?? message(this.newest);
    return { position: id, sequence, missed: after === null ? [] : this.kept };
  }

  async close(): Promise<void> {}
}

const message = (
  sequence: number,
  id = `id${sequence}`,
  values: EventValues = { n: sequence },
): BusMessage => ({
  id,
  topic: 'a',
  sequence,
  values,
});

function listening(): {
  transport: ManualTransport;
  reported: unknown[];
  deliver: (...messages: BusMessage[]) => void;
  release: () => void;
} {
  const transport = new ManualTransport();
  const reported: unknown[] = [];
  const release = new OrderedBus(transport).subscribe('a', {
    event: ({ values }) => reported.push(values === null ? 'gap' : values['n']),
    gap: () => reported.push('gap'),
  });
  const deliver = (...messages: readonly BusMessage[]): void => {
    for (const each of messages) transport.receiver?.message(each);
  };
  return { transport, reported, release, deliver };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('R14: lost events are replayed and delivered in order', async (t) => {
  const { transport, reported, deliver } = listening();
  transport.kept = [message(6), message(7), message(8)];
  deliver(message(5), message(8), message(9));
  t.same(reported, [5], 'events after a hole are queued');
  await turn();
  t.same(reported, [5, 6, 7, 8, 9]);
  t.same(transport.asked, ['id5']);
  deliver(message(10));
  t.same(reported.at(-1), 10);
});

t.test('R14: events that cannot be replayed are reported as a gap', async (t) => {
  const { transport, reported, deliver } = listening();
  transport.kept = null;
  deliver(message(5), message(8), message(9));
  await turn();
  t.same(reported, [5, 'gap', 8, 9]);
  transport.kept = [];
  deliver(message(12));
  await turn();
  t.same(reported.slice(4), ['gap', 12], 'a replay without the missing events');
});

t.test('R15: a duplicate is delivered once, and a reused number is a gap', async (t) => {
  const { reported, deliver } = listening();
  deliver(message(1), message(1), message(2), message(1), message(2));
  t.same(reported, [1, 2]);
  deliver(message(1, 'of another count'), message(2, 'too'));
  t.same(reported, [1, 2, 'gap', 1, 2]);
});

t.test('missed events are replayed as soon as the transport resumes', async (t) => {
  const { transport, reported, deliver } = listening();
  transport.receiver?.resumed();
  t.same(reported, ['gap'], 'events before the first may have been missed');
  deliver(message(3));
  transport.kept = [message(4)];
  transport.receiver?.resumed();
  await turn();
  t.same(reported, ['gap', 3, 4]);
  transport.receiver?.lost();
  deliver(message(5));
  t.same(reported.slice(3), ['gap', 5], 'a loss that no number reveals');
});

t.test('a failed replay is a gap, and so is an event that is too large', async (t) => {
  const { transport, reported, deliver, release } = listening();
  transport.replay = () => Promise.reject(new Error('away'));
  deliver(message(1), message(4));
  await turn();
  t.same(reported, [1, 'gap', 4]);
  deliver(message(5, 'big', null));
  t.same(reported.at(-1), 'gap');
  release();
  deliver(message(6));
  t.same(reported.at(-1), 'gap', 'nothing is delivered after release');
  t.equal(transport.receiver, null);
});

t.test('inside one process nothing is lost', async (t) => {
  const transport = new MemoryTransport({ historyEvents: 2, resumeMillis: 0 });
  const bus = new OrderedBus(transport);
  t.notOk(bus.hasSubscribers('a'));
  const reported: TopicEvent[] = [];
  const listener = {
    event: (event: TopicEvent) => reported.push(event),
    gap: () => t.fail('a gap'),
  };
  const releases = [bus.subscribe('a', listener), bus.subscribe('a', listener)];
  t.ok(bus.hasSubscribers('a'));
  for (let n = 1; n <= 6; n++) bus.publish('a', { n });
  bus.publish('b', { n: 9 });
  t.same(
    reported.map(({ values }) => values?.['n']),
    [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
    'each of two subscribers gets each event',
  );
  for (const release of releases) release();
  t.notOk(bus.hasSubscribers('a'));
  await bus.close();
});

t.test('a queue is bounded in events and bytes, and drops everything on overflow', async (t) => {
  for (const limits of [
    { queueEvents: 2, queueBytes: 1000 },
    { queueEvents: 100, queueBytes: 20 },
  ]) {
    const queue = new EventQueue<number>(limits);
    queue.push(1, 10);
    queue.push(2, 10);
    t.equal(await queue.take(), 1);
    queue.push(3, 10);
    t.notOk(queue.hasOverflowed);
    queue.push(4, 10);
    t.ok(queue.hasOverflowed);
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
