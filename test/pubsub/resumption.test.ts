import { randomUUID } from 'node:crypto';
import t from 'tap';

import type {
  BusMessage,
  Replay,
  ResumingListener,
  TopicEvent,
} from '../../src/core/shared/event-bus.js';
import { MemoryTransport } from '../../src/pubsub/memory-transport.js';
import { OrderedBus } from '../../src/pubsub/ordered-bus.js';
import { QUEUED_MAX } from '../../src/pubsub/resumption.js';
import { until } from '../kit/until.js';

const HOUR_MILLIS = 3_600_000;

/** What one subscription was told: numbers of events, `gap`, and where it began. */
class Recorder implements ResumingListener {
  readonly received: unknown[] = [];
  readonly ids: string[] = [];
  position: string | null = null;

  event({ id, values }: TopicEvent): void {
    this.received.push(values === null ? 'gap' : values['n']);
    this.ids.push(id);
  }

  gap(): void {
    this.received.push('gap');
  }

  begin(position: string, missed: readonly TopicEvent[] | null): void {
    this.position = position;
    if (missed === null) this.gap();
    for (const event of missed ?? []) this.event(event);
  }
}

async function resumed(
  bus: OrderedBus,
  after: string | null,
): Promise<Recorder & { leave: () => void }> {
  const recorder = new Recorder();
  const leave = bus.resume('a', recorder, after);
  await until(() => recorder.position !== null);
  return Object.assign(recorder, { leave });
}

const publish = (bus: OrderedBus, ...numbers: readonly number[]): void => {
  for (const n of numbers) bus.publish('a', { n });
};

t.test('a subscription goes on after the event whose id it has', async (t) => {
  const bus = new OrderedBus(new MemoryTransport({ historyEvents: 10, resumeMillis: HOUR_MILLIS }));
  const first = await resumed(bus, null);
  t.same(first.received, [], 'a new one misses nothing');
  publish(bus, 1, 2);
  t.same(first.received, [1, 2]);
  first.leave();
  t.ok(bus.hasSubscribers('a'), 'events are read for a while');
  publish(bus, 3, 4);
  const second = await resumed(bus, first.ids[1] ?? '');
  publish(bus, 5);
  t.same(second.received, [3, 4, 5]);
  t.equal(second.position, second.ids[1], 'it stands at the newest event');
  const third = await resumed(bus, second.ids[2] ?? '');
  publish(bus, 6);
  t.same(third.received, [6], 'nothing was missed');
  t.same(
    (await resumed(bus, first.position)).received,
    [1, 2, 3, 4, 5, 6],
    'from where the first began',
  );
  await bus.close();
});

t.test('ids that are not known, or no longer, are a gap', async (t) => {
  const bus = new OrderedBus(new MemoryTransport({ historyEvents: 3, resumeMillis: HOUR_MILLIS }));
  const first = await resumed(bus, null);
  publish(bus, 1, 2, 3, 4, 5, 6, 7);
  const at = (n: number): string => first.ids[n - 1] ?? '';
  t.same((await resumed(bus, at(4))).received, [5, 6, 7], 'at least so many are kept');
  t.same((await resumed(bus, at(1))).received, ['gap'], 'more of them than are kept');
  for (const id of [
    randomUUID(),
    '1',
    'x'.repeat(10_000),
    `${at(7)}\n`,
    at(7).toUpperCase(),
    `${at(7)}, ${at(7)}`,
  ]) {
    const other = await resumed(bus, id);
    publish(bus, 8);
    t.same(other.received, ['gap', 8], JSON.stringify(id.slice(0, 100)));
    t.not(other.position, id, 'it has another id to come again with');
  }
  await bus.close();
});

t.test('across an event that was not read, subscriptions cannot be resumed', async (t) => {
  const bus = new OrderedBus(new MemoryTransport({ historyEvents: 10, resumeMillis: 0 }));
  bus.skip('a');
  const first = await resumed(bus, null);
  publish(bus, 1);
  first.leave();
  t.notOk(bus.hasSubscribers('a'));
  const [id = ''] = first.ids;
  const second = await resumed(bus, id);
  t.same(second.received, [], 'there was none');
  second.leave();
  bus.skip('a');
  t.same((await resumed(bus, id)).received, ['gap']);
  t.same((await resumed(bus, first.position)).received, ['gap']);
  await bus.close();
});

t.test('histories of operations that are gone are dropped', async (t) => {
  const bus = new OrderedBus(new MemoryTransport({ historyEvents: 10, resumeMillis: 0 }));
  const first = await resumed(bus, null);
  publish(bus, 1);
  first.leave();
  bus.publish('b', { n: 2 });
  t.same((await resumed(bus, first.ids[0] ?? '')).received, ['gap']);
  await bus.close();
});

/** Answers a replay when the test lets it. */
class HeldTransport extends MemoryTransport {
  readonly #held: (() => void)[] = [];
  isAway = false;

  override async replay(name: string, after: string | null): Promise<Replay> {
    const replay = await super.replay(name, after);
    await new Promise<void>((resolve) => this.#held.push(resolve));
    if (this.isAway) throw new Error('away');
    return replay;
  }

  get heldCount(): number {
    return this.#held.length;
  }

  async release(): Promise<void> {
    await until(() => this.#held.length > 0);
    this.#held.shift()?.();
  }
}

t.test('at the seam of replayed and live events each comes once', async (t) => {
  const transport = new HeldTransport({ historyEvents: 100_000, resumeMillis: HOUR_MILLIS });
  const bus = new OrderedBus(transport);
  const live = new Recorder();
  bus.subscribe('a', live);
  publish(bus, 1, 2);
  const late = new Recorder();
  bus.resume('a', late, live.ids[0] ?? '');
  await new Promise((resolve) => setImmediate(resolve));
  publish(bus, 3);
  await transport.release();
  await until(() => late.position !== null);
  t.same(late.received, [2, 3]);

  const flooded = new Recorder();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  bus.resume('a', flooded, live.ids[0] ?? '', { client: 'another', turn });
  await new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n <= QUEUED_MAX; n++) publish(bus, n);
  await transport.release();
  await until(() => flooded.position !== null);
  publish(bus, 7);
  t.same(flooded.received, [2, 3, 'gap', 7], 'more came than is queued');

  transport.isAway = true;
  const lost = new Recorder();
  bus.resume('a', lost, live.ids[0] ?? '');
  const fresh = new Recorder();
  bus.resume('a', fresh, null);
  const gone = new Recorder();
  bus.resume('a', gone, null)();
  await new Promise((resolve) => setImmediate(resolve));
  publish(bus, 8);
  await transport.release();
  await transport.release();
  await until(() => lost.received.length === 2 && fresh.received.length === 1);
  t.same(lost.received, ['gap', 8], 'without its history');
  t.same(fresh.received, [8], 'a new subscription missed nothing');
  t.same([gone.received, gone.position], [[], null], 'one that has ended is told nothing');
  await bus.close();
});

t.test('a new subscription stands at its position when it has all events before', async (t) => {
  const transport = new HeldTransport({ historyEvents: 10, resumeMillis: HOUR_MILLIS });
  const bus = new OrderedBus(transport);
  const begun: unknown[] = [];
  class Fresh extends Recorder {
    override begin(position: string, missed: readonly TopicEvent[] | null): void {
      begun.push(missed?.map(({ values }) => values?.['n']) ?? null);
      super.begin(position, missed);
    }
  }
  const earlier = new Recorder();
  bus.resume('a', earlier, null);
  const fresh = new Fresh();
  bus.resume('a', fresh, null);
  publish(bus, 1);
  await transport.release();
  await until(() => earlier.position !== null);
  publish(bus, 2);
  await transport.release();
  await until(() => fresh.position !== null);
  publish(bus, 3);
  t.same(begun, [[1, 2]], 'the id of the position is sent after them');
  t.same(fresh.received, [1, 2, 3]);
  const second = new Fresh();
  bus.resume('a', second, null);
  for (let n = 0; n <= QUEUED_MAX; n++) publish(bus, n);
  await transport.release();
  await until(() => second.position !== null);
  t.same(second.received, ['gap'], 'more came than is queued');
  await bus.close();
});

t.test('replays come one after the other, and a new subscription waits for none', async (t) => {
  const transport = new HeldTransport({ historyEvents: 10, resumeMillis: HOUR_MILLIS });
  const bus = new OrderedBus(transport);
  for (let times = 0; times < 3; times++) bus.resume('a', new Recorder(), randomUUID());
  await until(() => transport.heldCount > 0);
  const fresh = new Recorder();
  bus.resume('a', fresh, null);
  await until(() => transport.heldCount === 2);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(transport.heldCount, 2, 'one replay, and the position of the new one');
  await transport.release();
  await transport.release();
  await until(() => fresh.position !== null);
  await bus.close();
});

t.test(
  'events that were replayed and come again are dropped, and a reset counter is a gap',
  async (t) => {
    const message = (n: number, id = `0000000${n}-0000-4000-8000-000000000000`): BusMessage => {
      return { id, topic: 'a', sequence: n, values: { n } };
    };
    let receive = (_message: BusMessage): void => {};
    const bus = new OrderedBus({
      hasSubscribers: () => true,
      skip() {},
      publish() {},
      subscribe: (_topic, receiver) => {
        receive = (sent) => receiver.message(sent);
        return () => {};
      },
      settle: async () => {},
      replay: async () => ({
        position: message(3).id,
        sequence: 3,
        missed: [message(2), message(3)],
      }),
      close: async () => {},
    });
    const first = await resumed(bus, message(1).id);
    receive(message(2));
    receive(message(3));
    receive(message(4));
    t.same(first.received, [2, 3, 4]);
    first.leave();
    const second = await resumed(bus, message(1).id);
    receive(message(1, randomUUID()));
    receive(message(2));
    t.same(second.received, [2, 3, 'gap', 1, 2], 'a new event with an old number');
    await bus.close();
  },
);
