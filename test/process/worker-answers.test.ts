import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { makeConsole } from '../../src/console/console.js';
import { TimeSlices } from '../../src/core/time-slices.js';
import { canaryPages } from '../../src/flow/canary/canary-page.js';
import { inspectPages } from '../../src/flow/inspect/inspect-pages.js';
import { type AdminPages, makeAdminServer } from '../../src/observe/admin.js';
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
function workerWith(share: number | null): Worker {
  const channel: Channel<WorkerCalls, ParentCalls> = new Channel(async (message) => {
    if (share === null || !('call' in message) || message.number === null) return;
    const answer: Message = { answered: message.number, data: { service: 'shop', share } };
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
      isReady: () => true,
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
