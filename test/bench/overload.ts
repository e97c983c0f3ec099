import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { type Dispatcher, Pool } from 'undici';

import {
  fileOf,
  isolate,
  isProgram,
  isQuick,
  print,
  quantile,
  type Server,
  startServer,
  table,
} from './kit.js';
import { startKeys } from './soapstone.js';

/** What the gateway does of what it can at most, while it is asked for more: at least this. */
const BAR = 0.8;

/** Orders in a reply: a request costs the client little, and the gateway some milliseconds. */
const ORDERS = 200;
const QUERY = Buffer.from(`{"query":"{ orders(limit: ${ORDERS}) { id total lines { sku } } }"}`);

/** Requests that take longer than this are given up. */
const PATIENCE_MILLIS = 5000;

/** The controller begins in the third second, and needs some more to find the share to refuse. */
const SETTLING_MILLIS = 7000;

interface Round {
  readonly offeredPerSecond: number;
  readonly goodPerSecond: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly shed: number;
  /** Neither answered nor refused in time. */
  readonly failed: number;
}

/**
 * Goodput and latency at multiples of what the gateway can do; and an idle gateway on a busy host,
 * which refuses nothing.
 */
export async function benchOverload(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const gateway = await startGateway(`${backend.url}/soap/bench?orders=${ORDERS}`);
  const isIsolated = isolate(gateway.pid, [backend.pid]);
  const clients = new Clients(gateway.url);
  try {
    await clients.peak(quick ? 3000 : 5000);
    const peak = await clients.peak(quick ? 4000 : 8000);
    print(
      `\nOpen-loop load at multiples of ${peak.toFixed(0)} requests a second (peak), ` +
        `${isIsolated ? 'the gateway on a processor of its own' : 'all processes on the same processors'}\n\n`,
    );
    const rows: string[][] = [];
    let worst = Number.POSITIVE_INFINITY;
    for (const times of [2, 4]) {
      const round = await clients.offer(peak * times, SETTLING_MILLIS, quick ? 4000 : 8000);
      const recovered = await recoveryMillis(clients);
      worst = Math.min(worst, round.goodPerSecond / peak);
      rows.push([
        `${times}`,
        round.offeredPerSecond.toFixed(0),
        round.goodPerSecond.toFixed(0),
        (round.goodPerSecond / peak).toFixed(2),
        round.p50Millis.toFixed(0),
        round.p99Millis.toFixed(0),
        String(round.shed),
        String(round.failed),
        (recovered / 1000).toFixed(1),
      ]);
    }
    const heads = [
      'times',
      'offered/s',
      'good/s',
      'of peak',
      'p50 ms',
      'p99 ms',
      'refused',
      'failed',
      'recovery s',
    ];
    print(table(heads, rows));
    print(
      `\n  worst ${worst.toFixed(2)} of peak: ` +
        `${worst >= BAR ? 'within' : 'beyond'} the bar of ${BAR}\n`,
    );
    await busyHost(clients, quick ? 8000 : 20_000);
  } finally {
    await clients.close();
    await gateway.stop();
    await backend.stop();
  }
}

/**
 * Ten requests a second while other processes want all processors, those of the gateway among them.
 */
async function busyHost(clients: Clients, millis: number): Promise<void> {
  const count = 2 * availableParallelism();
  const neighbours = Array.from({ length: count }, () => fork(fileOf('spin.js'), [String(millis)]));
  const exits = Promise.all(neighbours.map((neighbour) => once(neighbour, 'exit')));
  const round = await clients.offer(10, 0, millis - 500);
  await exits;
  print(
    `\nAn idle gateway (10 requests a second) beside ${count} busy processes: ` +
      `${round.shed} refused, p99 ${round.p99Millis.toFixed(0)} ms\n`,
  );
}

/** How long after an overload anything is refused: two requests, twenty times a second. */
async function recoveryMillis(clients: Clients): Promise<number> {
  const fromMillis = performance.now();
  let lastMillis = fromMillis;
  while (performance.now() - lastMillis < 3000 && performance.now() - fromMillis < 30_000) {
    const outcomes = await Promise.all([clients.one(), clients.one()]);
    if (outcomes.includes('shed')) lastMillis = performance.now();
    await wait(50);
  }
  return lastMillis - fromMillis;
}

/**
 * Connections of all clients; a request that finds none free is given up, as by a client with a
 * timeout.
 */
const CONNECTIONS = 1900;

/**
 * Clients with so many connections that the gateway, and not the client, is where requests wait.
 */
class Clients {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, {
      connections: CONNECTIONS,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Requests per second with 12 at a time, too few for an overload. */
  async peak(millis: number): Promise<number> {
    let count = 0;
    const start = performance.now();
    const worker = async (): Promise<void> => {
      for (; performance.now() < start + millis; count++) await this.one();
    };
    await Promise.all(Array.from({ length: 12 }, worker));
    return (count / (performance.now() - start)) * 1000;
  }

  /** Sends requests when they are due, and counts those that were due after `settlingMillis`. */
  async offer(perSecond: number, settlingMillis: number, millis: number): Promise<Round> {
    const good: number[] = [];
    const running = new Set<Promise<void>>();
    const counted = { offered: 0, shed: 0, failed: 0 };
    const start = performance.now();
    const total = Math.floor((perSecond * (settlingMillis + millis)) / 1000);
    for (let sent = 0; sent < total; ) {
      const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond);
      for (; sent < due; sent++) {
        const dueMillis = start + (sent / perSecond) * 1000;
        const isCounted = dueMillis >= start + settlingMillis;
        if (isCounted) counted.offered++;
        if (running.size >= CONNECTIONS) {
          if (isCounted) counted.failed++;
          continue;
        }
        const one = this.one().then((outcome) => {
          running.delete(one);
          if (!isCounted) return;
          const tookMillis = performance.now() - dueMillis;
          if (outcome === 'good' && tookMillis < PATIENCE_MILLIS) good.push(tookMillis);
          else if (outcome === 'shed') counted.shed++;
          else counted.failed++;
        });
        running.add(one);
      }
      await wait(2);
    }
    await Promise.race([Promise.all(running), wait(PATIENCE_MILLIS)]);
    return {
      offeredPerSecond: (counted.offered / millis) * 1000,
      goodPerSecond: (good.length / millis) * 1000,
      p50Millis: quantile(good, 0.5),
      p99Millis: quantile(good, 0.99),
      shed: counted.shed,
      failed: counted.failed + running.size,
    };
  }

  one(): Promise<'good' | 'shed' | 'failed'> {
    return new Promise((settle) => {
      let status = 0;
      let hasErrors = false;
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, answered) {
          status = answered;
        },
        onResponseData(_controller, chunk) {
          hasErrors ||= chunk.includes('"errors":[');
        },
        onResponseEnd: () =>
          settle(status === 200 && !hasErrors ? 'good' : status === 503 ? 'shed' : 'failed'),
        onResponseError: () => settle('failed'),
      };
      const headers = ['content-type', 'application/json'];
      this.#pool.dispatch({ method: 'POST', path: '/graphql', headers, body: QUERY }, handler);
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/**
 * With every limit as it comes, but for the connections of one address: those of the bench stand
 * for many clients.
 */
function startGateway(url: string): Promise<Server> {
  const wsdl = resolve('config/demo/legacy.wsdl');
  return startKeys(
    `services:\n  legacy: { wsdl: "${wsdl}", url: "${url}", operations: { ListOrders: ` +
      '{ field: Query.orders } } }\nlimits: { http: { connectionsPerClient: 2000 } }\n',
  );
}

if (isProgram(import.meta.url)) await benchOverload(isQuick());
