import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { startTestGateway } from '../kit/gateway.js';
import { missing } from '../real/programs.js';
import * as proxies from '../real/proxies.js';
import { isProgram, isQuick, print, table } from './kit.js';

/** Two of three addresses fail in one way under constant load. */
const FAULTS = ['none', 'refused', 'hung', 'slow', '503', 'broken'] as const;
type Fault = (typeof FAULTS)[number];

const PER_SECOND = 150;
/** The time to notice; errors count after it. */
const SETTLING_MILLIS = 2_000;
const SLOW_MILLIS = 1_000;

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const REPLY =
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStockResponse xmlns="urn:shop"><stock>7</stock>` +
  '</GetStockResponse></s:Body></s:Envelope>';

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
    if (this.fault === '503')
      response.writeHead(503, { 'content-type': 'text/html' }).end('<p>sorry');
    else
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(this.fault === 'broken' ? REPLY.slice(0, -20) : REPLY);
  }
}

/** A balancer in front of the backends, and one call through it. */
interface Balancer {
  readonly url: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  readonly expected: string;
  close(): Promise<void>;
}

async function startSoapstone(urls: readonly string[], balance: string): Promise<Balancer> {
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
  return {
    url: gateway.url,
    path: '/graphql',
    contentType: 'application/json',
    body: '{"query":"{ stock(sku: \\"1\\") }"}',
    expected: '"stock":7',
    close: () => gateway.close(),
  };
}

const REQUEST =
  `<s:Envelope xmlns:s="${SOAP}"><s:Body><GetStock xmlns="urn:shop"><sku>1</sku></GetStock>` +
  '</s:Body></s:Envelope>';

/**
 * HAProxy with the same retries, ejection by answers, and checks of its own, without which it does
 * worse.
 */
async function startHaproxy(urls: readonly string[], balance: string): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-bench-'));
  const servers = urls.map((url, index) => `  server s${index} ${new URL(url).host}\n`);
  const haproxy = await proxies.startHaproxy(
    directory,
    (port) => `defaults
  mode http
  timeout connect 500ms
  timeout client 5s
  timeout server 500ms
  timeout queue 5s
  timeout check 500ms
frontend shop
  bind 127.0.0.1:${port}
  default_backend shops
backend shops
  balance ${balance === 'roundRobin' ? 'roundrobin' : 'leastconn'}
  option httpchk GET /shop
  option redispatch 1
  retries 2
  retry-on conn-failure empty-response response-timeout junk-response 502 503 504
  default-server check inter 1s fall 2 rise 2 observe layer7 error-limit 5 on-error mark-down
${servers.join('')}`,
  );
  return {
    url: `http://127.0.0.1:${haproxy.port}`,
    path: '/shop',
    contentType: 'text/xml',
    body: REQUEST,
    expected: '<stock>7</stock></GetStockResponse></s:Body></s:Envelope>',
    async close() {
      await haproxy.stop();
      await rm(directory, { recursive: true });
    },
  };
}

const BALANCERS = { Soapstone: startSoapstone, HAProxy: startHaproxy } as const;

async function run(
  name: keyof typeof BALANCERS,
  fault: Fault,
  balance: string,
  seconds: number,
): Promise<string[]> {
  const backends = [new Backend(), new Backend(), new Backend()] as const;
  const urls = await Promise.all(backends.map((backend) => backend.listen()));
  const balancer = await BALANCERS[name](urls, balance);
  const pool = new Pool(balancer.url, { connections: 256 });
  const ask = async (): Promise<boolean> => {
    const { path, contentType, body, expected } = balancer;
    try {
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': contentType },
        body,
      });
      return (await answer.body.text()).includes(expected);
    } catch {
      return false;
    }
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
  await balancer.close();
  for (const backend of backends) backend.close();
  return [
    name,
    fault,
    balance,
    String(counted.calls),
    String(counted.early),
    String(counted.errors),
    `${((100 * counted.errors) / counted.calls).toFixed(2)} %`,
    share.toFixed(2),
  ];
}

/**
 * Error share and load on the healthy address, for each way to fail; HAProxy beside it where it is
 * installed.
 */
export async function benchBalance(quick: boolean): Promise<void> {
  const rows: string[][] = [];
  const absent = missing('haproxy');
  for (const balance of ['leastRequests', 'roundRobin']) {
    for (const fault of FAULTS) {
      rows.push(await run('Soapstone', fault, balance, quick ? 3 : 10));
      if (absent === false) rows.push(await run('HAProxy', fault, balance, quick ? 3 : 10));
    }
  }
  print(`\nTwo of three addresses fail, ${PER_SECOND} idempotent calls a second\n\n`);
  const heads = [
    '',
    'fault',
    'balance',
    'calls',
    'errors in 2 s',
    'errors after',
    'share',
    'calls at the healthy one',
  ];
  print(table(heads, rows));
  if (absent !== false) print(`\n  ${absent}\n`);
}

if (isProgram(import.meta.url)) await benchBalance(isQuick());
