import { once } from 'node:events';
import t from 'tap';
import { envelope } from '../kit/envelope.js';
import { areAnswering, childrenOf, type GatewayProcess } from '../kit/gateway-process.js';
import { until } from '../kit/until.js';
import { useBackend } from '../kit/use.js';
import { MISSING, useConnection, useRedis } from '../redis/kit.js';
import { connectTo, edit, GET, reload, start, statusOf, WSDL } from './process-kit.js';

/** Workers that hang or die, and what that costs others. */

/** Longer than a busy machine takes to let a process answer. */
const HANG = 'limits: { overload: { hangMillis: 3s } }\n';

t.test('connections that were handed to a worker that dies are taken by another', async (t) => {
  const gateway = await start(t, 'workers: 2\n');
  await areAnswering(gateway, 2);
  const [victim = 0] = childrenOf(gateway.child);
  process.kill(victim, 'SIGSTOP');
  // In turn: one of two goes to the worker that does not take it.
  const clients = await connectTo(gateway.url, 6);
  for (const client of clients) void client.send(GET);
  const answers = clients.map((client) => client.reply());
  const waiting = new Set(answers);
  for (const answer of answers) void answer.then(() => waiting.delete(answer));
  await until(() => waiting.size === 1);
  process.kill(victim, 'SIGKILL');
  t.same(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]));
});

t.test(
  'a worker whose event loop hangs is replaced, also the one that checks health',
  async (t) => {
    const backend = await useBackend(t, (_message, response) => response.writeHead(204).end());
    const health = 'health: { everyMillis: 500, path: /health }';
    const services =
      `services: { orders: { wsdl: "${WSDL}", url: "${backend.url}", ` + `${health} } }\n`;
    // Without processor time, which others need.
    const hang =
      'process.on("SIGURG",()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0))';
    const options = [`--import=data:text/javascript,${encodeURIComponent(hang)}`];
    const gateway = await start(t, `workers: 2\n${HANG}`, services, options);
    const { child, lines } = gateway;
    await areAnswering(gateway, 2);
    for (const pid of childrenOf(child)) {
      process.kill(pid, 'SIGURG');
      await until(() =>
        lines.some((line) => line['pid'] === pid && /does not answer/.test(String(line['msg']))),
      );
      await until(() => !childrenOf(child).includes(pid));
      await areAnswering(gateway, 2);
      const before = backend.complete.length;
      await until(() => backend.complete.length > before + 1);
    }
    t.pass('both are replaced, and health is checked');
  },
);

const statuses = async (gateway: GatewayProcess, service: string): Promise<ReadonlySet<number>> =>
  new Set(await Promise.all(Array.from({ length: 12 }, () => statusOf(gateway, service))));

t.test('a reload reaches all workers, though one hangs or dies meanwhile', async (t) => {
  const gateway = await start(t, `workers: 2\n${HANG}`);
  const { child } = gateway;
  for (const isKilled of [true, false]) {
    await areAnswering(gateway, 2);
    const [, victim = 0] = childrenOf(child);
    process.kill(victim, 'SIGSTOP');
    await edit(gateway, (yaml) =>
      yaml.replace(isKilled ? 'orders:' : 'bills:', isKilled ? 'bills:' : 'orders:'),
    );
    const answer = reload(gateway);
    if (isKilled) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      process.kill(victim, 'SIGKILL');
    }
    t.equal((await answer).status, 200, isKilled ? 'killed' : 'hangs');
    await areAnswering(gateway, 2);
    t.same(await statuses(gateway, isKilled ? 'bills' : 'orders'), new Set([200]));
    t.same(await statuses(gateway, isKilled ? 'orders' : 'bills'), new Set([404]));
  }
});

t.test(
  'the share of the budgets of a worker that is killed goes to the others',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const operator = await useConnection(t, redis.url);
    const members = async (): Promise<number> =>
      Number(await operator.tryCommand(['ZCARD', 'soapstone:v1:replicas']));
    const gateway = await start(t, `workers: 3\nredis: { url: "${redis.url}" }\n`);
    await until(async () => (await members()) === 3);
    const [victim = 0] = childrenOf(gateway.child);
    process.kill(victim, 'SIGSTOP');
    process.kill(victim, 'SIGKILL');
    const isBack = async (): Promise<boolean> =>
      !childrenOf(gateway.child).includes(victim) &&
      (await gateway.metric('soapstone_workers_answered')) === 3;
    let most = 0;
    await until(async () => {
      most = Math.max(most, await members());
      return isBack();
    });
    await until(async () => (await members()) === 3);
    t.equal(most, 3, 'never counted beside the next one');
  },
);

t.test('the line of the stop has the connections that all workers have cut', async (t) => {
  const backend = await useBackend(t, () => {});
  const services = `services: { slow: { url: "${backend.url}/", mode: monitor } }\n`;
  const yaml = `workers: 2\nlimits: { http: { drainMillis: 300 } }\n`;
  const gateway = await start(t, yaml, services);
  await areAnswering(gateway, 2);
  const clients = await connectTo(gateway.url, 6);
  const message = envelope('<Slow xmlns="urn:slow"/>');
  const head =
    'POST /soap/slow HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: ""\r\n' +
    `Content-Length: ${Buffer.byteLength(message)}\r\n\r\n`;
  for (const client of clients) await client.send(head + message);
  await until(() => backend.complete.length === 6);
  const ended = once(gateway.child, 'exit');
  gateway.child.kill('SIGTERM');
  t.match(await gateway.line('stopped'), { workers: 2, cut: 6 });
  t.equal((await ended)[0], 1);
  for (const client of clients) client.close();
});
