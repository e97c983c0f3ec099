import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { makeConsole } from '../../src/console/console.js';
import { TimeSlices } from '../../src/core/time-slices.js';
import { canaryPages } from '../../src/flow/canary/canary-page.js';
import { inspectPages } from '../../src/flow/inspect/inspect-pages.js';
import { type AdminPages, makeAdminServer } from '../../src/observe/admin.js';
import { LastHour, SLOTS } from '../../src/observe/last-hour.js';
import { FIRST_LOAD } from '../../src/observe/metrics/gauges.js';
import type { ParentCalls, WorkerCalls } from '../../src/process/calls.js';
import { Channel, type Message } from '../../src/process/channel.js';
import type { Worker } from '../../src/process/parent/worker.js';
import { workerCanaries } from '../../src/process/parent/worker-canaries.js';
import { WorkerConsole } from '../../src/process/parent/worker-console.js';
import { workerInspection } from '../../src/process/parent/worker-inspection.js';
import { WorkerMetrics } from '../../src/process/parent/worker-metrics.js';

/** What operators are answered while workers do not answer the process that serves operators. */

/** A worker that answers `canary` alone, or nothing. */
const workerWith = (share: number | null): Worker =>
  workerBy(share === null ? null : () => ({ service: 'shop', share }));

/** A worker that answers all calls by this; null: none. */
function workerBy(answerTo: ((call: string) => unknown) | null): Worker {
  const channel: Channel<WorkerCalls, ParentCalls> = new Channel(async (message) => {
    if (answerTo === null || !('call' in message) || message.number === null) return;
    const answer: Message = { answered: message.number, data: answerTo(message.call) };
    setImmediate(() => channel.receive(answer));
  });
  const never = new Promise<never>(() => {});
  return { pid: 0, channel, ended: never, stop: () => {}, kill: () => {} };
}

async function startAdmin(t: Test, pages: readonly AdminPages[]): Promise<string> {
  const server = makeAdminServer(
    {
      metrics: async () => [],
      pace: new TimeSlices(),
      hosts: new Set(),
      refused: () => {},
      unready: () => null,
      reload: null,
      pages,
    },
    () => ({ identify: null, permitsPosts: true, compresses: false }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const move = (url: string): Promise<Response> =>
  fetch(`${url}/canary/shop`, { method: 'POST', body: '{"share": 0.2}' });

t.test('while no worker answers, operators are asked to come later, not refused', async (t) => {
  const taking = new Set<Worker>();
  const loads = { ...FIRST_LOAD };
  const metrics = new WorkerMetrics(2, taking, loads);
  const url = await startAdmin(t, [
    canaryPages(workerCanaries(taking)),
    inspectPages(workerInspection(taking)),
    makeConsole(new WorkerConsole(taking).sources(metrics, loads, () => null)),
  ]);
  const answers = [
    await move(url),
    ...(await Promise.all(
      [
        '/canary/shop',
        '/console/hour',
        '/console/description',
        '/console/exchanges?service=shop&operation=GetPrice',
        '/console/operation?service=shop&name=GetPrice',
      ].map((path) => fetch(url + path)),
    )),
  ];
  for (const answer of answers) {
    t.equal(answer.status, 503, answer.url);
    t.equal(answer.headers.get('retry-after'), '1');
    t.match(await answer.text(), /no worker answers/);
  }
});

t.test('a worker that hangs is passed over for another', async (t) => {
  const url = await startAdmin(t, [
    canaryPages(workerCanaries(new Set([workerWith(null), workerWith(0.2)]))),
  ]);
  const answer = await move(url);
  t.equal(answer.status, 200);
  t.strictSame(await answer.json(), { service: 'shop', share: 0.2 });
});

t.test('exchanges of workers that all hang are not called absent', async (t) => {
  const paths = [
    '/console/exchanges?service=shop&operation=GetPrice',
    '/console/exchange?service=shop&operation=GetPrice&id=1',
  ];
  const statuses = async (workers: readonly Worker[]): Promise<readonly number[]> => {
    const url = await startAdmin(t, [inspectPages(workerInspection(new Set(workers)))]);
    const answers = await Promise.all(paths.map((path) => fetch(url + path)));
    return answers.map(({ status }) => status);
  };
  const hanging = workerBy(null);
  const empty = workerBy(() => null);
  t.strictSame(await statuses([hanging, hanging]), [503, 503]);
  t.strictSame(await statuses([hanging, empty]), [404, 404]);
  const keeping = workerBy((call) => (call === 'exchanges' ? [] : {}));
  t.strictSame(await statuses([empty, hanging, keeping]), [200, 200]);
});

t.test(
  'the hour of workers that have ended is added to the present, and never is it',
  async (t) => {
    const taking = new Set<Worker>();
    const loads = { ...FIRST_LOAD };
    const workers = new WorkerConsole(taking);
    const sources = workers.sources(new WorkerMetrics(2, taking, loads), loads, () => null);
    const url = await startAdmin(t, [makeConsole(sources)]);
    const hourOf = (daysAgo: number) =>
      new LastHour(() => Date.now() - daysAgo * 24 * 3600 * 1000).report();
    for (const daysAgo of [30, -3650, 0]) workers.takeHour(hourOf(daysAgo));
    t.equal((await fetch(`${url}/console/hour`)).status, 503, 'no worker answers');
    const present = hourOf(0);
    taking.add(workerBy(() => present));
    const { fromSeconds, times } = JSON.parse(await (await fetch(`${url}/console/hour`)).text());
    t.equal(fromSeconds + times.length * 30, present.fromSeconds + present.times.length * 30);
    t.ok(times.length <= SLOTS);
  },
);
