import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';

import {
  ConfigurationError,
  type GatewayConfiguration,
  type StartedGateway,
  type StartGatewayOptions,
  startGateway,
} from '../../src/library/soapstone.js';
import { postSoap } from '../kit/envelope.js';
import { freePort } from '../kit/free-port.js';
import { listen } from '../kit/listen.js';
import { answerStock, GET_STOCK, stockShop } from '../kit/stock-shop.js';
import { useBackend } from '../kit/use.js';

/** The gateway as programs of others start it. */

const shop = (url: string): GatewayConfiguration => ({
  listen: '127.0.0.1:0',
  ...parse(stockShop(url)),
});

async function useOwnGateway(
  t: Test,
  configuration: string | GatewayConfiguration,
  options: StartGatewayOptions = {},
): Promise<StartedGateway> {
  const gateway = await startGateway(configuration, options);
  t.teardown(() => gateway.close());
  return gateway;
}

const stockFrom = async (gateway: StartedGateway): Promise<string> =>
  (await postSoap(`${gateway.urls[0]}/soap/shop`, GET_STOCK)).text();

/** The text of the configuration error that a promise rejects with. */
async function problemOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => null,
    (caught: unknown) => caught,
  );
  if (error instanceof ConfigurationError) return error.message;
  throw error ?? new Error('nothing was rejected');
}

/** The place of a variable in a configuration. */
const variable = (name: string): string => `\${${name}}`;

const LISTENED = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'uncaughtException',
] as const;

t.test('a configuration as an object serves calls, and logs to a function alone', async (t) => {
  const backend = await useBackend(t, answerStock);
  const before = LISTENED.map((name) => process.listenerCount(name));
  const lines: string[] = [];
  const gateway = await useOwnGateway(t, shop(backend.url), { log: (line) => lines.push(line) });
  t.match(gateway.urls, [/^http:\/\/127\.0\.0\.1:\d+$/]);
  t.match(await stockFrom(gateway), '<stock>7</stock>');
  t.match(await (await fetch(`${gateway.adminUrl}/metrics`)).text(), 'soapstone_requests_total');
  await gateway.close();
  await gateway.close();
  const logged = lines.map((line) => JSON.parse(line));
  t.match(logged[0], { msg: 'ready', listen: gateway.urls[0], admin: gateway.adminUrl });
  t.ok(logged.some(({ msg, operation }) => msg === 'request' && operation === 'GetStock'));
  t.notOk(lines.some((line) => line.includes('\n')));
  t.same(
    LISTENED.map((name) => process.listenerCount(name)),
    before,
    'no signal is handled',
  );
  await t.rejects(stockFrom(gateway), 'closed');
});

t.test('two gateways in a process share nothing', async (t) => {
  const first = await useBackend(t, answerStock);
  const second = await useBackend(t, answerStock);
  const lines: string[] = [];
  const one = await useOwnGateway(t, shop(first.url), { log: (line) => lines.push(line) });
  const other = await useOwnGateway(t, shop(second.url));
  await stockFrom(one);
  await one.close();
  const logged = lines.length;
  t.match(await stockFrom(other), '<stock>7</stock>');
  t.equal(lines.length, logged);
  t.same([first.complete.length, second.complete.length], [1, 1]);
  t.match(await (await fetch(`${other.adminUrl}/metrics`)).text(), /requests_total{[^}]*} 1\n/);
});

t.test('a reload takes another object, or refuses it and stays', async (t) => {
  const first = await useBackend(t, answerStock);
  const second = await useBackend(t, answerStock);
  const gateway = await useOwnGateway(t, shop(first.url));
  // @ts-expect-error: no section has this name
  t.match(await problemOf(gateway.reload({ ...shop(first.url), servces: {} })), /servces/);
  await stockFrom(gateway);
  await gateway.reload(shop(second.url));
  await stockFrom(gateway);
  await gateway.reload();
  await stockFrom(gateway);
  t.same([first.complete.length, second.complete.length], [1, 2]);
  await gateway.close();
  t.match(await problemOf(gateway.reload()), /stopping/);
});

t.test('a configuration in a file is read anew', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const first = await useBackend(t, answerStock);
  const second = await useBackend(t, answerStock);
  const file = join(folder, 'soapstone.yaml');
  const text = (url: string): string =>
    `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n${stockShop(url)}`;
  await writeFile(file, text(variable('BACKEND')));
  const environment = { BACKEND: first.url };
  const gateway = await useOwnGateway(t, file, { environment });
  await stockFrom(gateway);
  await writeFile(file, text(second.url));
  await gateway.reload();
  await stockFrom(gateway);
  t.same([first.complete.length, second.complete.length], [1, 1]);
  await t.rejects(gateway.reload(shop(first.url)), /is a file/);
});

t.test('an error of the log function does not reach callers', async (t) => {
  const backend = await useBackend(t, answerStock);
  const gateway = await useOwnGateway(t, shop(backend.url), {
    log: () => {
      throw new Error('of the log');
    },
  });
  t.match(await stockFrom(gateway), '<stock>7</stock>');
});

t.test('a configuration that cannot be used is refused, with the key', async (t) => {
  const backend = await useBackend(t, answerStock);
  const taken = await listen(t, createServer());
  const cycle: Record<string, unknown> = {};
  cycle['services'] = cycle;
  for (const [configuration, problem] of [
    [{ ...shop(backend.url), listn: 'x' }, /listn/],
    [{ ...shop(backend.url), limits: () => {} }, /`limits` is of the type function/],
    [{ ...shop(backend.url), workers: Number.NaN }, /`workers` is the number NaN/],
    [{ ...shop(backend.url), services: new Map() }, /`services` is an object of a class/],
    [cycle, /`services.services.services` is an object without an end/],
    [{ ...shop(backend.url), listen: `127.0.0.1:${taken.port}` }, /is in use by another program/],
  ] as const) {
    const untyped: object = configuration;
    t.match(await problemOf(startGateway(untyped)), problem);
  }
  t.match(await problemOf(startGateway('/nowhere/soapstone.yaml')), /nowhere/);
});

t.test('a start that fails leaves no demonstration behind', async (t) => {
  const taken = await listen(t, createServer());
  const demo = `127.0.0.1:${await freePort()}`;
  const backend = await useBackend(t, answerStock);
  const configuration = { ...shop(backend.url), demo: { listen: demo } };
  const listening = `127.0.0.1:${taken.port}`;
  t.match(await problemOf(startGateway({ ...configuration, listen: listening })), /is in use/);
  await t.rejects(fetch(`http://${demo}/orders`), 'nothing listens there');
});

t.test('paths of an object begin in its folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const backend = await useBackend(t, answerStock);
  const configuration = { ...shop(backend.url), audit: { file: 'audit.log' } };
  const gateway = await useOwnGateway(t, configuration, { folder });
  await postSoap(`${gateway.urls[0]}/soap/shop`, '<no');
  await gateway.close();
  t.match(await readFile(join(folder, 'audit.log'), 'utf8'), 'XML_NOT_WELLFORMED');
});
