import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { writeEvent } from '../../src/redis/events/event-message.js';
import { turn, until, useProxy, useRedis } from '../redis/kit.js';
import { type EventLimits, EventReplica, SECRET, TOPIC } from './event-replica.js';
import type { Rows } from './rows.js';

/**
 * Interval of announcements in some tests, and the time after which an announcement has expired.
 */
const OFTEN_MILLIS = 200;
const FORGOTTEN_MILLIS = 10 * OFTEN_MILLIS;

/** One replica with a subscriber, and the events that it received. */
class Listener extends EventReplica {
  readonly received: string[] = [];

  constructor(url: string, subscriberUrl = url, limits: EventLimits = {}) {
    super(url, subscriberUrl, limits);
  }

  /** Subscribes, and clears what was received until then. */
  async listen(): Promise<void> {
    await until(() => this.isUp, 'up');
    const before = await this.#subscribers();
    this.bus.subscribe(TOPIC, {
      event: ({ values }) => this.received.push(values === null ? 'gap' : String(values['n'])),
      gap: () => this.received.push('gap'),
    });
    await until(async () => (await this.#subscribers()) > before, 'subscribed');
    this.received.length = 0;
  }

  async #subscribers(): Promise<number> {
    const reply = await this.connection.tryCommand(['PUBSUB', 'NUMSUB', `test:v1:events:${TOPIC}`]);
    return Array.isArray(reply) ? Number(reply[1]) : 0;
  }
}

export function testEvents(t: Test, rows: Rows): void {
  const test = (name: string, run: (t: Test) => Promise<void>): void => {
    void t.test(name, { buffered: true }, run);
  };
  /** Two replicas; the subscriber connection of the second can be cut. */
  const setUp = async (t: Test, historyEvents = 100, announceMillis = 2000) => {
    const server = await useRedis(t);
    const proxy = await useProxy(t, server.port);
    const a = new Listener(server.url, server.url, { historyEvents, announceMillis });
    const b = new Listener(server.url, proxy.url, { historyEvents, announceMillis });
    t.teardown(() => Promise.all([a.close(), b.close()]));
    await a.listen();
    await b.listen();
    return { server, proxy, a, b };
  };

  test('R14, R15: events get lost, or come twice', async (t) => {
    const { server, proxy, a, b } = await setUp(t);
    t.ok(a.bus.hasSubscribers(TOPIC) && b.bus.hasSubscribers(TOPIC));
    a.publish(1, 2);
    b.publish(3);
    await until(() => a.received.length === 3 && b.received.length === 3, 'three events');
    t.same(b.received, a.received, 'both receive the same');
    t.same(a.received.toSorted(), ['1', '2', '3']);

    proxy.cut();
    a.publish(4, 5, 6);
    await until(() => a.received.length === 6, 'six events');
    proxy.mend();
    await until(() => b.received.length === 6, 'all of them');
    t.equal(rows.answer('R14', 'events while one is cut off'), 'replayed in order');
    t.same(b.received.slice(3), ['4', '5', '6']);

    const channel = `test:v1:events:${TOPIC}`;
    const again = `7 ${writeEvent(TOPIC, { id: 'one', values: { n: 7 } }, SECRET)}`;
    for (let count = 0; count < 3; count += 1)
      await a.connection.command('again', ['PUBLISH', channel, again]);
    await until(() => b.received.length === 7, 'the seventh');
    await turn(50);
    rows.answer('R15', 'the same message again');
    t.same(b.received.slice(6), ['7'], 'delivered once');

    a.received.length = 0;
    b.received.length = 0;
    await server.kill();
    await until(() => !a.connection.isUp && !b.subscriber.isUp, 'down');
    a.publish(8);
    await until(() => a.received.includes('8'), 'this process still receives');
    await server.start();
    await until(() => a.received.includes('gap') && b.received.includes('gap'), 'a gap');
    rows.answer('R14', 'Redis killed and back');
    a.publish(9);
    await until(() => a.received.includes('9') && b.received.includes('9'), 'it goes on');
    t.notOk(b.received.includes('8'), 'the lost event was reported as a gap');
  });

  test('R14: more is lost than is kept', async (t) => {
    const { proxy, a, b } = await setUp(t, 10);
    a.publish(0);
    await until(() => b.received.length === 1, 'the first');
    proxy.cut();
    a.publish(...Array.from({ length: 500 }, (_, index) => index + 1));
    await until(() => a.received.length === 501, 'all of them');
    proxy.mend();
    await until(() => b.received.length === 2, 'a gap');
    t.equal(rows.answer('R14', 'more of them than are kept'), 'one gap');
    a.publish(501);
    await until(() => b.received.length === 3, 'the next');
    t.same(b.received, ['0', 'gap', '501']);
  });

  test('R14: a replica that has just started takes every topic as subscribed', async (t) => {
    const { server, a } = await setUp(t, 100, OFTEN_MILLIS);
    const fresh = new Listener(server.url, server.url, { announceMillis: OFTEN_MILLIS });
    t.teardown(() => fresh.close());
    t.ok(fresh.bus.hasSubscribers(TOPIC), 'before it is connected');
    fresh.publish(1);
    await until(() => a.received.includes('gap'), 'a gap for what could not be sent');
    await until(() => fresh.isUp, 'up');
    t.ok(fresh.bus.hasSubscribers(TOPIC), 'before any announcement');
    fresh.publish(2);
    await until(() => a.received.includes('2'), 'the first that could');
    const isWanted = (): boolean => fresh.bus.hasSubscribers('on unused');
    t.ok(isWanted());
    await until(() => !isWanted(), 'it has received all announcements');
    t.ok(fresh.bus.hasSubscribers(TOPIC), 'a topic with a subscriber');
    t.equal(
      rows.answer('R14', 'a write through a replica that has just started'),
      'heard, or one gap',
    );
  });

  test('R14: Redis is away for longer than announcements are valid', async (t) => {
    const { server, a, b } = await setUp(t, 100, OFTEN_MILLIS);
    const other = new Listener(server.url, server.url, { announceMillis: OFTEN_MILLIS });
    t.teardown(() => other.close());
    await until(
      () => !other.bus.hasSubscribers('on unused'),
      'it receives the announcements of others',
    );
    t.ok(other.bus.hasSubscribers(TOPIC));

    server.stop();
    await turn(FORGOTTEN_MILLIS);
    t.ok(
      other.bus.hasSubscribers(TOPIC),
      'it receives no announcements, in whatever state the connection is',
    );
    other.publish(1);
    await until(() => !other.connection.isUp, 'away');
    server.resume();
    await until(() => a.received.length > 0 && b.received.length > 0, 'the event, or a gap');
    t.ok(['1', 'gap'].includes(a.received[0] ?? ''), a.received.join());

    await until(() => other.isUp && a.isUp, 'up');
    await server.kill();
    await until(() => !other.connection.isUp && !a.connection.isUp && !b.connection.isUp, 'down');
    await turn(FORGOTTEN_MILLIS);
    t.ok(other.bus.hasSubscribers(TOPIC));
    a.received.length = 0;
    other.publish(2);
    await server.start();
    await until(() => a.received.includes('gap'), 'a gap');
    t.equal(rows.answer('R14', 'a write while Redis is away for long'), 'heard, or a gap');
  });

  test('R14: Redis is late because the machine is busy', async (t) => {
    const { server, a } = await setUp(t);
    const hasty = new Listener(server.url, server.url, { operationMillis: 20 });
    t.teardown(() => hasty.close());
    await hasty.listen();
    server.stop();
    hasty.publish(1, 2, 3, 4, 5, 6, 7, 8);
    await turn(400);
    server.resume();
    await until(() => a.received.length >= 8 && hasty.received.length >= 8, 'all of them');
    t.same(a.received, ['1', '2', '3', '4', '5', '6', '7', '8'], 'and no gap');
    t.same(hasty.received, a.received);
  });

  test('R14: a replica is cut off for longer than its announcements are valid', async (t) => {
    const { proxy, a } = await setUp(t, 100, OFTEN_MILLIS);
    const far = new Listener(proxy.url, proxy.url, { announceMillis: OFTEN_MILLIS });
    t.teardown(() => far.close());
    await far.listen();
    a.publish(1);
    await until(() => far.received.includes('1'), 'the first');
    proxy.cut();
    await until(() => !far.subscriber.isUp && !far.connection.isUp, 'cut off');
    await turn(FORGOTTEN_MILLIS);
    // Nothing was published: the announcements had expired.
    const before = far.received.length;
    proxy.mend();
    await until(() => far.received.slice(before).includes('gap'), 'a gap');
    await until(() => far.subscriber.isUp && far.connection.isUp, 'up');
    a.publish(2);
    await until(() => far.received.includes('2'), 'it goes on');
  });

  test('R16: Redis closes the connection of a slow subscriber', async (t) => {
    const { a, b } = await setUp(t);
    a.publish(1);
    await until(() => b.received.length === 1, 'the first');
    await a.connection.tryCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
    a.publish(2, 3);
    await until(() => b.received.length === 3 && a.received.length === 3, 'all of them');
    t.equal(rows.answer('R16', 'Redis ends the connection that listens'), 'replayed in order');
    t.same(b.received, ['1', '2', '3']);
  });

  test('R16: the output buffer of a subscriber overflows in Redis', async (t) => {
    const { proxy, a, b } = await setUp(t);
    await a.connection.tryCommand([
      'CONFIG',
      'SET',
      'client-output-buffer-limit',
      'pubsub 1mb 0 0',
    ]);
    a.publish(1);
    await until(() => b.received.length === 1, 'the first');
    proxy.stall();
    const long = 'x'.repeat(50_000);
    // No faster than the first receives them: its own connection has the same bound.
    for (let sent = 1; sent < 801; sent += 10) {
      for (let n = 0; n < 10; n += 1) a.bus.publish(TOPIC, { n: 2, long });
      await until(() => a.received.length >= sent + 10, 'ten of them');
    }
    proxy.flow();
    await until(() => b.received.includes('gap'), 'a gap');
    t.equal(rows.answer('R16', 'more waits for it than Redis keeps'), 'one gap');
    a.publish(3);
    await until(() => b.received.at(-1) === '3', 'it goes on');
    t.equal(b.received.filter((received) => received === 'gap').length, 1);
  });

  test('R17: forged events', async (t) => {
    const { a, b } = await setUp(t);
    const channel = `test:v1:events:${TOPIC}`;
    const send = async (name: string, message: string): Promise<void> => {
      t.equal(rows.answer('R17', name), 'dropped and counted');
      const before = b.forged;
      await a.connection.command('forge', ['PUBLISH', channel, message]);
      await until(() => b.forged === before + 1, name);
    };
    const body = JSON.stringify({
      topic: TOPIC,
      id: randomUUID(),
      at: Date.now(),
      values: { n: 1 },
    });
    await send('without a signature', `1 ${body}`);
    const other = writeEvent(TOPIC, { id: 'x', values: { n: 1 } }, 'the secret of others');
    await send('signed with another secret', `1 ${other}`);
    await send(
      'signed, for another topic',
      `1 ${writeEvent('on other', { id: 'x', values: { n: 1 } }, SECRET)}`,
    );
    await send(
      'signed, of another form',
      `1 ${writeEvent(TOPIC, { id: '', values: { n: 1 } }, SECRET)}`,
    );
    t.same(b.received, [], 'none was delivered');
    a.publish(2);
    await until(() => b.received.includes('2'), 'a signed event');
  });
}
