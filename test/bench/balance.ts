import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { startTestGateway } from '../kit/gateway.js';
import { isProgram, isQuick, print, table } from './kit.js';

/** Two of three addresses fail in one way under constant load. */
const FAULTS = ['none', 'refused', 'hung', 'slow', '503', 'broken'] as const;
type Fault = (typeof FAULTS)[number];

const PER_SECOND = 150;
/** The time to notice; errors count after it. */
const SETTLING_MILLIS = 2_000;
const SLOW_MILLIS = 1_000;

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const REPLY = `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStockResponse xmlns="urn:shop"><stock>7</stock></GetStockResponse></s:Body></s:Envelope>`;

class Backend {
  fault: Fault = 'none';
  calls = 0;
  readonly #server: Server = createServer((request, response) => {
    this.calls++;
    request.resume().on('end', () => void this.#answer(response));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/shop`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(response: ServerResponse): Promise<void> {
    if (this.fault === 'hung') return;
    if (this.fault === 'slow') await wait(SLOW_MILLIS);
    if (this.fault === '503') response.writeHead(503, { 'content-type': 'text/html' }).end('<p>sorry');
    else
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(this.fault === 'broken' ? REPLY.slice(0, -20) : REPLY);
  }
}

async function run(fault: Fault, balance: string, seconds: number): Promise<string[]> {
  const backends = [new Backend(), new Backend(), new Backend()] as const;
  const urls = await Promise.all(backends.map((backend) => backend.listen()));
  const gateway = await startTestGateway(`services:
  shop:
    urls: [ ${urls.join(', ')} ]
    balance: ${balance}
    timeoutMillis: 5s
    retry: { times: 2, on: [refused, reset, "502", "503", "504"], perTryMillis: 500 }
    namespace: urn:shop
    types: |
      type Query { stock(sku: String!): Int }
    operations:
      GetStock: { field: Query.stock, idempotent: true }
`);
  const pool = new Pool(gateway.url, { connections: 256 });
  const ask = async (): Promise<boolean> => {
    const { body } = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ stock(sku: \\"1\\") }"}',
    });
    return (await body.text()).includes('"stock":7');
  };
  const counted = { calls: 0, errors: 0, early: 0 };
  const calls: Promise<void>[] = [];
  let healthyBefore = 0;
  const load = async (millis: number, isCounted: boolean): Promise<void> => {
    const started = performance.now();
    for (let made = 0; performance.now() - started < millis; made++) {
      calls.push(
        ask().then((isFine) => {
          if (isCounted) counted.calls++;
          if (!isFine) counted[isCounted ? 'errors' : 'early']++;
        }),
      );
      await wait(Math.max(0, started + (made * 1000) / PER_SECOND - performance.now()));
    }
  };
  await load(1_000, false);
  for (const backend of backends.slice(1)) {
    backend.fault = fault;
    if (fault === 'refused') backend.close();
  }
  await load(SETTLING_MILLIS, false);
  healthyBefore = backends[0].calls;
  await load(seconds * 1000, true);
  await Promise.all(calls);
  const share = (backends[0].calls - healthyBefore) / counted.calls;
  await pool.destroy();
  await gateway.close();
  for (const backend of backends) backend.close();
  return [
    fault,
    balance,
    String(counted.calls),
    String(counted.early),
    String(counted.errors),
    `${((100 * counted.errors) / counted.calls).toFixed(2)} %`,
    share.toFixed(2),
  ];
}

/** Error share and load on the healthy address, for each way to fail. */
export async function benchBalance(quick: boolean): Promise<void> {
  const rows: string[][] = [];
  for (const balance of ['leastRequests', 'roundRobin']) {
    for (const fault of FAULTS) rows.push(await run(fault, balance, quick ? 3 : 10));
  }
  print(`\nTwo of three addresses fail, ${PER_SECOND} idempotent calls a second\n\n`);
  print(
    table(['fault', 'balance', 'calls', 'errors in 2 s', 'errors after', 'share', 'calls at the healthy one'], rows),
  );
}

if (isProgram(import.meta.url)) await benchBalance(isQuick());
