import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { type GatewayProcess, rest, startProcess } from '../catalogue/overload-kit.js';
import { RawClient } from '../kit/raw-client.js';

/** Processes of their own from start to end: signals, drains, and workers that die. */

const WSDL = resolve('config/demo/legacy.wsdl');
const SERVICES = `services: { orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ } }\n`;
const GET = 'GET /soap/orders?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n';

type Line = Readonly<Record<string, unknown>>;

interface Started extends GatewayProcess {
  /** What was logged so far. */
  readonly lines: readonly Line[];
  /** Waits for a line. */
  line(isWanted: (line: Line) => boolean): Promise<Line>;
}

async function start(t: Test, yaml: string): Promise<Started> {
  const gateway = await startProcess(t, SERVICES + yaml, 'pipe');
  const { stdout } = gateway.child;
  if (stdout === null) throw new Error('no standard output');
  const lines: Line[] = [];
  createInterface({ input: stdout }).on('line', (text) => lines.push(JSON.parse(text)));
  return {
    ...gateway,
    lines,
    async line(isWanted) {
      for (;;) {
        const found = lines.find(isWanted);
        if (found !== undefined) return found;
        await rest();
      }
    },
  };
}

const connectTo = (url: string, count: number): Promise<RawClient[]> =>
  Promise.all(Array.from({ length: count }, () => RawClient.connect(url)));

/** Statuses of the next answers; 0 where the connection ended without one. */
const statusesOf = async (clients: readonly RawClient[]): Promise<readonly number[]> =>
  (await Promise.all(clients.map((client) => client.reply()))).map(({ status }) => status);

const allFine = (count: number): readonly number[] => Array<number>(count).fill(200);

/** Stops the process as the system does that has no time for it. */
async function holdUp(child: ChildProcess, meanwhile: () => Promise<void>): Promise<void> {
  child.kill('SIGSTOP');
  await meanwhile();
  child.kill('SIGCONT');
}

t.test('a drain loses no request that has reached the machine, though the process is held up', async (t) => {
  const { child, url, line } = await start(t, '');
  const clients = await connectTo(url, 20);
  for (const client of clients) void client.send(GET);
  t.same(await statusesOf(clients), allFine(20), 'kept connections');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await line(({ msg }) => msg === 'draining');
  await holdUp(child, async () => {
    for (const client of clients) await client.send(GET);
    // Longer than kept connections have to bring something.
    await delay(600);
  });
  t.same(await statusesOf(clients), allFine(20), 'every request is answered');
  t.same(await exit, [0, null]);
});

t.test('a drain answers connections that were not accepted yet', async (t) => {
  const { child, url } = await start(t, '');
  const exit = once(child, 'exit');
  let clients: RawClient[] = [];
  await holdUp(child, async () => {
    clients = await connectTo(url, 20);
    for (const client of clients) await client.send(GET);
    child.kill('SIGTERM');
  });
  t.same(await statusesOf(clients), allFine(20), 'every request is answered');
  t.same(await exit, [0, null]);
});
