import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';

import { Authority } from '../kit/certificates.js';
import { childrenOf } from '../kit/gateway-process.js';
import {
  callAll,
  fileOf,
  isProgram,
  isQuick,
  median,
  mib,
  print,
  residentBytes,
  type Server,
  startServer,
  table,
} from './kit.js';
import { orders } from './messages.js';
import { startFile } from './soapstone.js';

/**
 * Prints what an operator needs to choose processors and memory: deploy/sizing.md has these tables.
 */

const AT_ONCE = 16;
const SETTLE_MILLIS = 1500;
const SOAP_FIELDS = { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' };
const JSON_FIELDS = { 'content-type': 'application/json' };
const LIST_ORDERS =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
  '<d:ListOrders xmlns:d="http://legacy.example.com/desk"/></s:Body></s:Envelope>';

/** One kind of request, sent over and over. */
interface Call {
  readonly name: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Of the kinds with the highest share of time for each request, fewer are sent. */
  readonly share?: number;
}

export async function benchSizing(quick: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-sizing-'));
  const backend = await startServer(fileOf('backend.js'), []);
  try {
    const bench = new Sizing(folder, backend.url, quick);
    await bench.processorTime();
    await bench.connections();
    await bench.processes();
  } finally {
    await backend.stop();
    await rm(folder, { recursive: true });
  }
}

class Sizing {
  readonly #folder: string;
  readonly #backend: string;
  readonly #quick: boolean;
  readonly #rows: string[][] = [];

  constructor(folder: string, backend: string, quick: boolean) {
    this.#folder = folder;
    this.#backend = backend;
    this.#quick = quick;
  }

  /** Processor time of one request, by size and by kind. */
  async processorTime(): Promise<void> {
    const upward = (kib: number): Call => ({
      name: `SOAP, request of ${kib} KiB, reply of 4 KiB`,
      path: '/soap/bench',
      fields: SOAP_FIELDS,
      body: Buffer.from(
        orders(kib * 1024)
          .toString()
          .replaceAll('GetOrdersResponse', 'GetOrders'),
      ),
      share: Math.min(1, 16 / kib),
    });
    const downward = (count: number, kib: number): Call => ({
      name: `SOAP, request of 0.2 KiB, reply of ${kib} KiB`,
      path: `/soap/legacy?orders=${count}`,
      fields: SOAP_FIELDS,
      body: LIST_ORDERS,
      share: Math.min(1, 16 / kib),
    });
    const plain = await this.#start('');
    await this.#measure(plain, [upward(2), upward(16), upward(64), upward(1024)]);
    await this.#measure(plain, [
      downward(1, 1),
      downward(14, 16),
      downward(56, 64),
      downward(900, 1024),
    ]);
    await plain.stop();
    for (const count of [1, 14, 56]) {
      const gateway = await this.#start('', `?orders=${count}`);
      const ask = (query: string, name: string): Call => ({
        name: `GraphQL, one call of ${count} orders, ${name}`,
        path: '/graphql',
        fields: JSON_FIELDS,
        body: JSON.stringify({ query }),
      });
      const all =
        '{ listOrders { id serial status placedAt total note customer { code name phone ' +
        'address { city } } lines { sku price } } }';
      await this.#measure(gateway, [
        ask('{ listOrders { id status } }', '2 fields'),
        ask(all, '13 fields'),
      ]);
      if (count === 1) {
        const calls = Array.from(
          { length: 5 },
          (_, at) => `a${at}: listOrders(limit: ${at}) { id status }`,
        );
        await this.#measure(gateway, [
          {
            ...ask(`{ ${calls.join(' ')} }`, ''),
            name: 'GraphQL, five calls in one query',
            share: 0.2,
          },
        ]);
      }
      await gateway.stop();
    }
    const secure = await this.#start('tls');
    const call = { ...upward(2), share: 1 };
    await this.#measure(secure, [{ ...call, name: 'SOAP over TLS, connections kept' }]);
    await this.#measure(
      secure,
      [{ ...call, name: 'SOAP over TLS, a handshake for each request', share: 0.2 }],
      true,
    );
    await secure.stop();
    print(`\nProcessor time of the gateway for one request, medians; ${AT_ONCE} at once\n\n`);
    print(table(['request', 'CPU µs', 'peak RSS MiB'], this.#rows));
  }

  /** Resident memory of connections in different states. */
  async connections(): Promise<void> {
    const count = this.#quick ? 1_000 : 4_000;
    const answered =
      'POST /soap/bench HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml\r\n' +
      'SOAPAction: ""\r\nContent-Length: ';
    const body = orders(48 * 1024)
      .toString()
      .replaceAll('GetOrdersResponse', 'GetOrders');
    const small = orders(1024).toString().replaceAll('GetOrdersResponse', 'GetOrders');
    const states: readonly (readonly [string, 'tls' | '', string])[] = [
      ['idle, one request answered', '', `${answered}${Buffer.byteLength(small)}\r\n\r\n${small}`],
      [
        'idle over TLS, one request answered',
        'tls',
        `${answered}${Buffer.byteLength(small)}\r\n\r\n${small}`,
      ],
      [
        'half of a head of 1 KiB sent',
        '',
        `POST /soap/bench HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(900)}`,
      ],
      [
        '48 KiB of a message of 49 KiB sent',
        '',
        `${answered}${Buffer.byteLength(body) + 1024}\r\n\r\n${body}`,
      ],
    ];
    const rows: string[][] = [];
    for (const [name, kind, text] of states) {
      const gateway = await this.#start(kind);
      const [before, sockets] = [await resident(gateway.pid), [] as Socket[]];
      for (let at = 0; at < count; at++)
        sockets.push(await open(gateway.url, text, name.startsWith('idle')));
      await wait(SETTLE_MILLIS);
      rows.push([name, (((await resident(gateway.pid)) - before) / count / 1024).toFixed(1)]);
      for (const socket of sockets) socket.destroy();
      await gateway.stop();
    }
    print(`\nResident memory of each of ${count} connections\n\n`);
    print(table(['connection', 'KiB'], rows));
  }

  /** Resident memory of processes, by workers and by WSDLs. */
  async processes(): Promise<void> {
    const demo = resolve('config/demo/legacy.wsdl');
    const services = (count: number): string =>
      Array.from(
        { length: count },
        (_, at) => `  s${at}: { wsdl: w${at}.wsdl, url: "${this.#backend}" }\n`,
      ).join('');
    for (let at = 0; at < 40; at++) {
      const wsdl = readFileSync(demo, 'utf8').replaceAll(
        'http://legacy.example.com/desk',
        `http://legacy.example.com/desk${at}`,
      );
      await writeFile(join(this.#folder, `w${at}.wsdl`), wsdl);
    }
    const rows: string[][] = [];
    for (const [name, wsdls, workers] of [
      ['one process, 1 WSDL with 12 operations', 1, 1],
      ['one process, 40 such WSDLs', 40, 1],
      ['two workers and their parent, 1 WSDL', 1, 2],
      ['three workers and their parent, 1 WSDL', 1, 3],
    ] as const) {
      const file = join(this.#folder, 'processes.yaml');
      await writeFile(
        file,
        `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nworkers: ${workers}\n` +
          `services:\n${services(wsdls)}`,
      );
      const gateway = await startFile(file);
      await wait(SETTLE_MILLIS);
      const pids = [gateway.pid, ...childrenOf(gateway)];
      const sizes = await Promise.all(pids.map(resident));
      rows.push([
        name,
        mib(sizes.reduce((sum, size) => sum + size, 0)),
        sizes.map(mib).join(' + '),
      ]);
      await gateway.stop();
    }
    print('\nResident memory of idle processes\n\n');
    print(table(['configuration', 'MiB', 'of which'], rows));
  }

  async #start(kind: 'tls' | '', query = ''): Promise<Server> {
    let listen = '127.0.0.1:0';
    if (kind === 'tls') {
      const { cert, key } = new Authority(this.#folder).sign('localhost');
      await writeFile(join(this.#folder, 'a.pem'), cert);
      await writeFile(join(this.#folder, 'a.key'), key);
      listen = '{ address: 127.0.0.1:0, tls: { cert: { file: a.pem }, key: { file: a.key } } }';
    }
    const file = join(this.#folder, 'soapstone.yaml');
    const url = `${this.#backend}/soap/bench${query}`;
    await writeFile(
      file,
      `listen: ${listen}
admin: 127.0.0.1:0
limits:
  http: { connections: 20000, connectionsPerClient: 10000, handshakesPerSecond: 100000 }
  overload: { eventLoopMillis: 0 }
services:
  bench: { wsdl: ${resolve('test/bench/orders.wsdl')}, url: "${url}", operations: { GetOrders: \
false } }
  legacy:
    wsdl: ${resolve('config/demo/legacy.wsdl')}
    url: ${url}
`,
    );
    return startFile(file);
  }

  async #measure(gateway: Server, calls: readonly Call[], isConnectionNew = false): Promise<void> {
    const agent = new Agent({
      connections: AT_ONCE,
      pipelining: isConnectionNew ? 0 : 1,
      connect: { rejectUnauthorized: false, maxCachedSessions: 0 },
    });
    const most = this.#quick ? 1_500 : 6_000;
    for (const call of calls) {
      const count = Math.ceil(most * (call.share ?? 1));
      await send(gateway, agent, call, count);
      const micros: number[] = [];
      const peaks: number[] = [];
      for (let round = 0; round < (this.#quick ? 3 : 7); round++) {
        const before = (await gateway.usage()).cpuMicros;
        await send(gateway, agent, call, count);
        const after = await gateway.usage();
        micros.push((after.cpuMicros - before) / count);
        peaks.push(after.rssPeakBytes);
      }
      this.#rows.push([call.name, median(micros).toFixed(0), mib(Math.max(...peaks))]);
    }
    await agent.close();
  }
}

/** Sends so many requests, `AT_ONCE` at a time. */
function send(gateway: Server, dispatcher: Agent, call: Call, count: number): Promise<void> {
  return callAll(count, AT_ONCE, async () => {
    const { statusCode, body } = await request(`${gateway.url}${call.path}`, {
      method: 'POST',
      headers: call.fields,
      body: call.body,
      dispatcher,
    });
    const text = await body.text();
    if (statusCode !== 200 || text.startsWith('{"errors"'))
      throw new Error(`${call.name}: ${statusCode} ${text.slice(0, 300)}`);
  });
}

/** A connection on which `text` was sent, and with `isAnswered` an answer has begun. */
async function open(url: string, text: string, isAnswered: boolean): Promise<Socket> {
  const { protocol, port, hostname: host } = new URL(url);
  const socket =
    protocol === 'https:'
      ? connectTls({ host, port: Number(port), rejectUnauthorized: false })
      : connect(Number(port), host);
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  socket.on('error', () => {}).write(text);
  if (isAnswered) await once(socket, 'data');
  socket.resume();
  return socket;
}

/** Bytes that are resident of a process, as Linux counts them. */
async function resident(pid: number): Promise<number> {
  await wait(100);
  return residentBytes(pid);
}

if (isProgram(import.meta.url)) await benchSizing(isQuick());
