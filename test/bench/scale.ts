import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';

import { freePort } from '../kit/free-port.js';
import { makeIssuer } from '../kit/token-issuer.js';
import { RedisServer } from '../redis/kit.js';
import {
  callAll,
  isProgram,
  isQuick,
  mib,
  print,
  residentBytes,
  type Server,
  table,
} from './kit.js';
import { startFile } from './soapstone.js';

/**
 * Prints what each connection, service, key, user and operation costs: deploy/sizing.md has this
 * table, and a formula of it.
 */

const AT_ONCE = 16;
/** In this time garbage of what was done is collected. */
const SETTLE_MILLIS = 4_000;
const BUDGET = '{ budget: { maximum: 1000, restoreRate: 50 } }';

/** A kind of things, and how many of them a gateway gets. */
interface Kind {
  readonly name: string;
  readonly count: number;
  /** Keys of the configuration beside `services`. */
  readonly keys?: string;
  /** Services besides the first. */
  readonly services?: number;
  /** Makes them, once the gateway is ready. Resolves to what ends them. */
  readonly use?: (gateway: Server) => Promise<() => unknown>;
}

export async function benchScale(quick: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-scale-'));
  const redis = await RedisServer.start().catch(() => null);
  try {
    const bench = new Scale(folder);
    const few = quick ? 10 : 1;
    const rows = [
      await bench.row({
        name: 'idle connection',
        count: 4_000 / few,
        use: connections(4_000 / few),
      }),
      await bench.row({
        name: 'WebSocket with a subscription',
        count: 2_000 / few,
        use: webSockets(2_000 / few),
        keys: SUBSCRIPTIONS,
      }),
      await bench.row({
        name: 'service with 12 operations',
        count: 100 / few,
        services: 100 / few,
      }),
      await bench.row({
        name: 'API key of a client of its own',
        count: 10_000 / few,
        keys: keysOfClients(10_000 / few),
      }),
      ...(await tokenUsers(bench, 20_000 / few, redis)),
    ];
    print('\nResident memory of each, beside a gateway without\n\n');
    print(table(['kind', 'number', 'MiB', 'KiB each'], rows));
    print(`\nSeries of metrics for each operation that was called: ${await bench.series()}\n`);
  } finally {
    await redis?.close();
    await rm(folder, { recursive: true });
  }
}

class Scale {
  readonly #folder: string;
  #plainBytes: number | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A row of the table: resident memory with the things, less that of a gateway without. */
  async row(kind: Kind): Promise<string[]> {
    this.#plainBytes ??= await this.#measure({ name: '', count: 0 });
    const bytes = (await this.#measure(kind)) - this.#plainBytes;
    return [kind.name, `${kind.count}`, mib(bytes), (bytes / 1024 / kind.count).toFixed(1)];
  }

  /** Series that `/metrics` has for one more operation, once SOAP and GraphQL have called it. */
  async series(): Promise<number> {
    const backend = `127.0.0.1:${await freePort()}`;
    const gateway = await this.#start(
      { name: '', count: 0, keys: `demo: { listen: ${backend} }\n` },
      backend,
    );
    const count = async (): Promise<number> => {
      const { body } = await request(`${gateway.adminUrl}/metrics`);
      return (await body.text()).split('\n').filter((line) => /^[a-z]/.test(line)).length;
    };
    const call = async (name: string, query: string, content = ''): Promise<void> => {
      await post(`${gateway.url}/graphql`, 'application/json', JSON.stringify({ query }));
      await post(`${gateway.url}/soap/s0`, 'text/xml', envelope(name, content));
    };
    await call('GetOrder', '{ getOrder(id: 7) { id } }', '<id>7</id>');
    const before = await count();
    await call('ListOrders', '{ listOrders { id } }');
    const after = await count();
    await gateway.stop();
    return after - before;
  }

  async #measure(kind: Kind): Promise<number> {
    const gateway = await this.#start(kind);
    const end = await kind.use?.(gateway);
    await wait(SETTLE_MILLIS);
    const bytes = residentBytes(gateway.pid);
    await end?.();
    await gateway.stop();
    return bytes;
  }

  /** Starts a gateway; the services have WSDLs of their own. */
  async #start(
    { keys = '', services = 0 }: Kind,
    backend = '127.0.0.1:9',
  ): Promise<Server & { readonly adminUrl: string }> {
    const demo = await readFile(resolve('config/demo/legacy.wsdl'), 'utf8');
    const schema = await readFile(resolve('config/demo/legacy.xsd'), 'utf8');
    let all = '';
    for (let at = 0; at <= services; at++) {
      const named = (text: string): string =>
        at === 0
          ? text
          : text.replaceAll('legacy.example.com/desk', `legacy.example.com/desk${at}`);
      await writeFile(
        join(this.#folder, `w${at}.wsdl`),
        named(demo).replaceAll('legacy.xsd', `w${at}.xsd`),
      );
      await writeFile(join(this.#folder, `w${at}.xsd`), named(schema));
      all += `  s${at}: { wsdl: w${at}.wsdl, url: "http://${backend}/orders" }\n`;
    }
    const file = join(this.#folder, 'soapstone.yaml');
    const admin = await freePort();
    await writeFile(
      file,
      `listen: 127.0.0.1:0\nadmin: 127.0.0.1:${admin}\n${LIMITS}services:\n${all}${keys}`,
    );
    return { ...(await startFile(file)), adminUrl: `http://127.0.0.1:${admin}` };
  }
}

const SUBSCRIPTIONS = `subscriptions:
  orderPlaced:
    on: { operation: s0.PlaceOrder, answer: s0.GetOrder, arguments: { id: reply.orderId } }
`;

const LIMITS = `limits:
  http: { connections: 20000, connectionsPerClient: 10000 }
  subscriptions: { perClient: 10000 }
  overload: { eventLoopMillis: 0 }
`;

/** Connections on which one request was answered. */
const connections = (count: number) => async (gateway: Server) => {
  const { hostname, port } = new URL(gateway.url);
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write('GET /none HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    sockets.push(socket.resume());
  }
  return () => sockets.map((socket) => socket.destroy());
};

/** WebSockets with one subscription each. */
const webSockets = (count: number) => async (gateway: Server) => {
  const url = `${gateway.url.replace('http', 'ws')}/graphql`;
  const sockets: WebSocket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = new WebSocket(url, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    const payload = { query: 'subscription { orderPlaced { __typename } }' };
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    sockets.push(socket);
  }
  return () => sockets.map((socket) => socket.terminate());
};

const keysOfClients = (count: number): string => {
  const clients = Array.from(
    { length: count },
    (_, at) => `      client${at}: { class: all, keys: [key-of-client-${at}-long-enough] }\n`,
  );
  return `clients:
  apiKeys:
    clients:
${clients.join('')}  classes: { all: ${BUDGET} }
`;
};

/** Users with tokens and budgets: in the gateway, and in Redis where there is one. */
async function tokenUsers(
  bench: Scale,
  count: number,
  redis: RedisServer | null,
): Promise<string[][]> {
  const issuer = await makeIssuer();
  const use = async (gateway: Server) => {
    let user = 0;
    await callAll(count, AT_ONCE, async () => {
      const fields = await issuer.bearer({ sub: `user-${user++}` });
      await post(`${gateway.url}/graphql`, 'application/json', '{"query":"{__typename}"}', fields);
    });
    return () => {};
  };
  const clients = `clients:\n  ${issuer.yaml('class: all')}\n  classes: { all: ${BUDGET} }\n`;
  const own = await bench.row({ name: 'user of a token with a budget', count, keys: clients, use });
  if (redis === null) return [own];
  const store = await createClient({ url: redis.url }).connect();
  const used = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await store.info('memory'))?.[1] ?? 0);
  const before = await used();
  const keys = `${clients}redis: { url: "${redis.url}" }\n`;
  const shared = await bench.row({ name: 'the same with Redis', count, keys, use });
  const bytes = (await used()) - before;
  await store.close();
  const there = ['the same, in Redis', `${count}`, mib(bytes), (bytes / 1024 / count).toFixed(1)];
  return [own, shared, there];
}

const envelope = (name: string, content: string): string =>
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
  `<${name} xmlns="http://legacy.example.com/desk">${content}</${name}></s:Body></s:Envelope>`;

async function post(
  url: string,
  type: string,
  content: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': type, soapaction: '""', ...fields },
    body: content,
    dispatcher: AGENT,
  });
  const text = await body.text();
  if (statusCode !== 200 || text.startsWith('{"errors"')) {
    throw new Error(`${statusCode} ${text.slice(0, 300)}`);
  }
}

const AGENT = new Agent({ connections: AT_ONCE });

if (isProgram(import.meta.url)) await benchScale(isQuick());
