import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { ConfigurationError } from '../../src/core/diagnostic.js';
import { Log } from '../../src/observe/log/log.js';
import { type ReloadCause, Reloader } from '../../src/process/reload/reloader.js';
import { childrenOf, type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { until } from '../kit/until.js';
import { reload, SERVICES, statusOf, WSDL } from './process-kit.js';

/** Changed files that take protection away: refused unless an operator asks for the reload. */

const KEY = '0123456789abcdef';
const CLIENTS =
  `clients: { apiKeys: { clients: { erp: { class: all, keys: [${KEY}] } } }, ` +
  'classes: { all: {} } }\n';
const REFUSED = 'the new configuration was refused: the one before stays';

const weaker = (gateway: GatewayProcess, result: 'taken' | 'refused'): Promise<number> =>
  gateway.metric(`soapstone_config_weaker_total\\{result="${result}"\\}`);

const isCurrent = (gateway: GatewayProcess): Promise<number> =>
  gateway.metric('soapstone_config_current');

for (const workers of [1, 2]) {
  t.test(
    'a file without its clients opens nothing until an operator asks for it, ' +
      `with workers: ${workers}`,
    async (t) => {
      const gateway = await startProcess(t, `${SERVICES}workers: ${workers}\n${CLIENTS}`);
      const whole = readFileSync(gateway.file, 'utf8');
      const half = whole.replace(CLIENTS, '');
      t.equal(await statusOf(gateway, 'orders'), 401);

      await writeFile(gateway.file, half);
      const line = await gateway.line(REFUSED);
      t.match(line, {
        level: 'error',
        cause: 'changed file',
        problems: [
          'The changed files take protection away, and no operator has asked for that. ' +
            'Send SIGHUP or `POST /reload` to take them as they are.',
          /`clients` identifies no clients any more/,
        ],
      });
      t.equal(await weaker(gateway, 'refused'), 1);
      t.equal(await isCurrent(gateway), 0, 'the files are not what runs');
      t.equal(await gateway.metric('soapstone_config_loads_total\\{result="refused"\\}'), 1);
      t.equal(await statusOf(gateway, 'orders'), 401, 'the clients stay');
      t.equal(await statusOf(gateway, 'orders', `x-api-key: ${KEY}\r\n`), 200);

      if (workers > 1) {
        const [first = 0] = childrenOf(gateway.child);
        process.kill(first, 'SIGKILL');
        await until(() => {
          const now = childrenOf(gateway.child);
          return now.length === workers && !now.includes(first);
        });
        await until(async () => (await gateway.metric('soapstone_workers_answered')) === workers);
        for (let asked = 0; asked < 8; asked++)
          t.equal(await statusOf(gateway, 'orders'), 401, 'a replaced worker, too');
      }

      await writeFile(gateway.file, whole.replace(KEY, 'ffffffffffffffff'));
      await until(async () => (await gateway.metric('soapstone_generation')) === 2);
      t.equal(await isCurrent(gateway), 1);
      t.equal(
        await statusOf(gateway, 'orders', `x-api-key: ${KEY}\r\n`),
        401,
        'the whole file is taken, and its new key',
      );
      t.equal(await statusOf(gateway, 'orders', 'x-api-key: ffffffffffffffff\r\n'), 200);

      await writeFile(gateway.file, half);
      t.equal((await reload(gateway)).status, 200, 'an operator asks for it');
      t.equal(await statusOf(gateway, 'orders'), 200);
      t.equal(await weaker(gateway, 'taken'), 1);
      t.match(await gateway.line('the new configuration protects less'), {
        level: 'warn',
        cause: 'POST /reload',
        weaker: [/`clients`/],
      });
    },
  );
}

t.test('`clients: none` is taken without being asked for, and SIGHUP takes all', async (t) => {
  const gateway = await startProcess(t, `${SERVICES}${CLIENTS}`);
  const whole = readFileSync(gateway.file, 'utf8');
  await writeFile(gateway.file, whole.replace(CLIENTS, 'clients: none\n'));
  await until(async () => (await gateway.metric('soapstone_generation')) === 2);
  t.equal(await statusOf(gateway, 'orders'), 200);
  await writeFile(gateway.file, whole);
  await until(async () => (await gateway.metric('soapstone_generation')) === 3);
  t.equal(await statusOf(gateway, 'orders'), 401);
  await writeFile(gateway.file, whole.replace(CLIENTS, ''));
  gateway.child.kill('SIGHUP');
  await until(async () => (await gateway.metric('soapstone_generation')) === 4);
  t.equal(await statusOf(gateway, 'orders'), 200);
});

t.test(
  '`reload.weaker: take` of the configuration in use takes every change, logged and counted',
  async (t) => {
    const gateway = await startProcess(t, `${SERVICES}${CLIENTS}reload: { weaker: take }\n`);
    await writeFile(gateway.file, readFileSync(gateway.file, 'utf8').replace(CLIENTS, ''));
    t.match(await gateway.line('the new configuration protects less'), {
      cause: 'changed file',
      weaker: [/`clients`/],
    });
    t.equal(await statusOf(gateway, 'orders'), 200);
    t.equal(await weaker(gateway, 'taken'), 1);
  },
);

t.test('an included file that is renamed away or empty for a moment opens nothing', async (t) => {
  const gateway = await startProcess(t, `${SERVICES}${CLIENTS}`);
  const directory = join(dirname(gateway.file), 'more');
  await mkdir(directory);
  const included = join(directory, 'clients.yaml');
  await writeFile(included, CLIENTS);
  const main = readFileSync(gateway.file, 'utf8').replace(CLIENTS, 'include: ["more/*.yaml"]\n');
  await writeFile(gateway.file, main);
  await until(async () => (await gateway.metric('soapstone_generation')) === 2);
  t.equal(await statusOf(gateway, 'orders'), 401);

  await rename(included, `${included}.old`);
  const refusals = (): number => gateway.lines.filter(({ msg }) => msg === REFUSED).length;
  await until(() => refusals() === 1);
  t.match(await gateway.line(REFUSED), { problems: [/No file matches more\/\*\.yaml/] });
  await writeFile(included, '');
  await until(() => refusals() === 2);
  await writeFile(included, '# nothing yet\n');
  await until(() => refusals() === 3);
  t.equal(await statusOf(gateway, 'orders'), 401, 'the clients stay');
  t.equal(await weaker(gateway, 'refused'), 1, 'a file that says nothing is no error of its own');
  await rename(`${included}.old`, included);
  await until(async () => (await gateway.metric('soapstone_generation')) === 3);
  t.equal(await statusOf(gateway, 'orders'), 401);
});

t.test('a WSDL of another content, and a service less, are taken', async (t) => {
  const gateway = await startProcess(
    t,
    `services:\n  orders: { wsdl: "${WSDL}", url: http://127.0.0.1:1/ }\n  bills: { wsdl: ` +
      `"${WSDL}", url: http://127.0.0.1:1/ }\n${CLIENTS}`,
  );
  const whole = readFileSync(gateway.file, 'utf8');
  await writeFile(gateway.file, whole.replace(/^ {2}bills.*\n/m, ''));
  await until(async () => (await gateway.metric('soapstone_generation')) === 2);
  t.equal(await statusOf(gateway, 'orders', `x-api-key: ${KEY}\r\n`), 200);
});

for (const workers of [1, 2]) {
  t.test(
    `rights in the schema of a service that speaks GraphQL stay, with workers: ${workers}`,
    async (t) => {
      const home = t.testdir({
        'crm.graphql':
          'type Query { a: String @requiresScopes(scopes: [["x"], ["y"]]) b: ' +
          'String @authenticated c: String }',
      });
      const gateway = await startProcess(
        t,
        'services: { crm: { kind: graphql, url: http://127.0.0.1:1/, schema: ' +
          `"${home}/crm.graphql" } }\nworkers: ${workers}\n`,
      );
      await writeFile(
        `${home}/crm.graphql`,
        'type Query { a: String @requiresScopes(scopes: [["x"], []]) b: String }',
      );
      t.match(await gateway.line(REFUSED), {
        problems: [
          /^The changed files take protection away/,
          /The schema of service `crm` asks for less at `Query\.a`\./,
          /The schema of service `crm` asks for less at `Query\.b`\./,
        ],
      });
      await writeFile(
        `${home}/crm.graphql`,
        'type Query { a: String @requiresScopes(scopes: [["x", "z"]]) c: String @authenticated }',
      );
      await until(async () => (await gateway.metric('soapstone_generation')) === 2);
      await writeFile(`${home}/crm.graphql`, 'type Query { a: String }');
      t.equal((await reload(gateway)).status, 200, 'an operator asks for it');
    },
  );
}

t.test('a reload by an operator counts for a changed file that waits for its own', async (t) => {
  const log = new Log('error');
  t.teardown(() => log.close());
  const causes: ReloadCause[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reloader = new Reloader(log, async (cause) => {
    causes.push(cause);
    await held;
    if (cause === 'changed file' && causes.length > 2)
      throw new ConfigurationError([], { isWeaker: true });
    return { warnings: [], weaker: [] };
  });
  const running = reloader.request('changed file');
  await until(() => causes.length === 1);
  const [waiting, asked] = [reloader.request('changed file'), reloader.request('SIGHUP')];
  release();
  t.same(
    (await Promise.all([running, waiting, asked])).map(({ generation }) => generation),
    [2, 3, 3],
  );
  t.same(causes, ['changed file', 'SIGHUP']);
  await reloader.request('changed file');
  t.match(reloader.loads, { weakerRefused: 1, refused: 1, isCurrent: false, generation: 3 });
  await reloader.request('SIGHUP');
  t.equal(reloader.loads.isCurrent, true, 'taken by an operator');
  await reloader.run('changed WSDL of a backend', async () => {
    throw new ConfigurationError([]);
  });
  t.match(reloader.loads, { refused: 2, isCurrent: true }, 'what a backend shows is in no file');
});
