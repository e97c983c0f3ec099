import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { ReplayPace, TopicEvent } from '../../src/core/shared/event-bus.js';
import { until, useProxy, useRedis } from '../redis/kit.js';
import { EventReplica, TOPIC } from './event-replica.js';
import type { Rows } from './rows.js';

const OFTEN_MILLIS = 200;
const QUEUE_BYTES = 512 * 1024;

/** A subscription: numbers of events, `gap`, and the ids. */
interface Received {
  readonly received: (number | 'gap')[];
  readonly ids: string[];
  readonly position: () => string | null;
  leave(): void;
}

class Replica extends EventReplica {
  resume(after: string | null, pace?: ReplayPace): Received {
    const received: (number | 'gap')[] = [];
    const ids: string[] = [];
    let at: string | null = null;
    const event = ({ id, values }: TopicEvent): void => {
      received.push(values === null ? 'gap' : Number(values['n']));
      ids.push(id);
    };
    const gap = (): unknown => received.push('gap');
    const begin = (position: string, missed: readonly TopicEvent[] | null): void => {
      at = position;
      if (missed === null) gap();
      else for (const each of missed) event(each);
    };
    const leave = this.bus.resume(TOPIC, { event, gap, begin }, after, pace);
    return { received, ids, position: () => at, leave };
  }

  /** The same, when it has begun. */
  async resumed(after: string | null): Promise<Received> {
    const received = this.resume(after);
    await until(() => received.position() !== null, 'begun');
    return received;
  }
}

/** R14: subscriptions that go on at another replica. */
export function testResumption(t: Test, rows: Rows): void {
  // A machine that stands still for some intervals is a subscription that may have lost events.
  const setUp = async (t: Test, historyEvents = 100, announceMillis = 2000) => {
    const server = await useRedis(t);
    const proxy = await useProxy(t, server.port);
    const limits = { historyEvents, announceMillis, queueBytes: QUEUE_BYTES };
    const a = new Replica(server.url, server.url, limits);
    const b = new Replica(server.url, proxy.url, limits);
    t.teardown(() => Promise.all([a.close(), b.close()]));
    await until(() => a.isUp && b.isUp, 'up');
    return { server, proxy, a, b };
  };
  const test = (name: string, run: (t: Test) => Promise<void>): void => {
    void t.test(name, { buffered: true }, run);
  };

  test('R14: a subscription goes on at another replica, while events come', async (t) => {
    const { a, b } = await setUp(t, 2000);
    const first = await a.resumed(null);
    const count = 1500;
    const others: { readonly from: number; readonly events: Received }[] = [];
    for (let n = 1; n <= count; n++) {
      (n % 2 === 0 ? a : b).publish(n);
      if (n % 25 !== 0) continue;
      await until(() => first.received.length > n - 20, 'most of them');
      const from = Math.floor(first.ids.length / 2);
      others.push({ from, events: (n % 3 === 0 ? a : b).resume(first.ids[from] ?? '') });
    }
    await until(() => first.received.length === count, 'all of them');
    for (const { from, events } of others) {
      await until(() => events.received.length >= count - from - 1, 'the rest');
      if (JSON.stringify(events.received) !== JSON.stringify(first.received.slice(from + 1)))
        t.same(events.received, first.received.slice(from + 1), `after ${from}`);
    }
    t.equal(others.length, 60);
    t.same((await b.resumed(first.position())).received, first.received, 'from where it began');
    t.equal(
      rows.answer('R14', 'a subscription goes on at another replica'),
      'each event once, in order',
    );
  });

  test('R14: an id that Redis does not know is a gap', async (t) => {
    const { server, proxy, a, b } = await setUp(t, 10);
    const first = await a.resumed(null);
    t.same((await b.resumed(first.position())).received, [], 'nothing has come yet');
    a.publish(...Array.from({ length: 12 }, (_, index) => index));
    await until(() => first.ids.length === 12, 'all of them');
    t.same((await b.resumed(first.ids[1] ?? '')).received.length, 10, 'as many as are kept');
    t.same((await b.resumed(first.ids[0] ?? '')).received, ['gap'], 'more of them');
    for (const id of [randomUUID(), 'x', '']) t.same((await b.resumed(id)).received, ['gap'], id);
    const newest = first.ids.at(-1) ?? '';
    await a.connection.command('flush', ['FLUSHALL']);
    const emptied = await b.resumed(newest);
    t.same(emptied.received, ['gap'], 'Redis has forgotten it');
    a.publish(20);
    await until(() => emptied.received.includes(20), 'the next');
    t.same((await a.resumed(newest)).received, ['gap'], 'the numbers come again');
    await a.connection.command('other', ['SET', `test:v1:ids:${TOPIC}`, 'of another type']);
    t.same((await a.resumed(emptied.ids.at(-1) ?? '')).received, ['gap']);
    proxy.cut();
    const cut = b.resume(emptied.ids.at(-1) ?? '');
    await until(() => cut.received.length > 0, 'cut off from events');
    t.equal(cut.received[0], 'gap');
    const away = a.resume(emptied.ids.at(-1) ?? '');
    await server.kill();
    await until(() => away.received.length > 0, 'without Redis');
    t.equal(rows.answer('R14', 'an id that Redis does not know'), 'one gap');
  });

  test('R14: more bytes were missed than one replay takes', async (t) => {
    const { a, b } = await setUp(t, 1000);
    const first = await a.resumed(null);
    const long = 'x'.repeat(65_000);
    const count = Math.ceil((4 * QUEUE_BYTES) / long.length);
    for (let n = 1; n <= count; n++) {
      a.bus.publish(TOPIC, { n, long });
      await until(() => first.ids.length > n - 20, 'most of them');
    }
    await until(() => first.ids.length === count, 'all of them');
    t.equal((await b.resumed(first.ids[10] ?? '')).received.length, count - 11);
    t.same((await b.resumed(first.position())).received, ['gap']);
  });

  test('R14: a replay is read in pages, and goes on in turns', async (t) => {
    const { a, b } = await setUp(t, 1000);
    const first = await a.resumed(null);
    const text = 'x'.repeat(1500);
    for (let n = 1; n <= 1000; n++) {
      a.bus.publish(TOPIC, { n, text });
      if (n % 50 === 0) await until(() => first.ids.length > n - 20, 'most of them');
    }
    await until(() => first.ids.length === 1000, 'all of them');
    let turns = 0;
    const turn = (): Promise<void> => {
      turns++;
      return new Promise((resolve) => setImmediate(resolve));
    };
    const again = b.resume(first.ids[9] ?? '', { client: 'one', turn });
    await until(() => again.received.length === 990, 'replayed');
    t.same(
      again.received,
      Array.from({ length: 990 }, (_, index) => index + 11),
    );
    // Each page of 256 KiB is a turn at least, and so is each quarter of a millisecond.
    t.ok(turns >= 6, `${turns} turns`);
    const pages = b.recorded.operations.get('event_replay ok') ?? 0;
    t.ok(pages >= 6, `${pages} pages`);
  });

  test('R14: events that no replica has read are a gap', async (t) => {
    const { a, b } = await setUp(t, 100, OFTEN_MILLIS);
    const first = await a.resumed(null);
    a.publish(1);
    await until(() => first.ids.length === 1, 'the first');
    const [id = ''] = first.ids;
    first.leave();
    await until(
      () => !a.bus.hasSubscribers(TOPIC) && !b.bus.hasSubscribers(TOPIC),
      'its demand has expired',
    );
    const idle = await a.resumed(id);
    t.same(idle.received, [], 'there was none');
    idle.leave();
    await until(() => !b.bus.hasSubscribers(TOPIC), 'again');
    b.bus.skip(TOPIC);
    b.bus.skip(TOPIC);
    let second = await a.resumed(id);
    await until(() => second.received.length > 0, 'a gap');
    t.same(second.received, ['gap'], 'one for both');
    const [gapId = ''] = second.ids;
    second.leave();
    await until(() => b.bus.hasSubscribers(TOPIC), 'b knows of it');
    await until(() => !b.bus.hasSubscribers(TOPIC), 'and that it has ended');
    b.bus.skip(TOPIC);
    second = await a.resumed(gapId);
    await until(() => second.received.length > 0, 'another gap');
    t.equal(rows.answer('R14', 'a write that was not read for lack of subscribers'), 'one gap');
  });
}
