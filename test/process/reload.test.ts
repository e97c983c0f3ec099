import { readFileSync } from 'node:fs';
import { readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { largeWsdl } from '../bench/wsdl.js';
import { Authority, WITH_OPENSSL } from '../kit/certificates.js';
import {
  areAnswering,
  childrenOf,
  type GatewayProcess,
  startProcess,
} from '../kit/gateway-process.js';
import { startGraphqlServer } from '../kit/graphql-server.js';
import { until } from '../kit/until.js';
import { useFolder } from '../kit/use.js';
import { edit, reload, SERVICES, statusOf, WSDL } from './process-kit.js';

/** Reloads of a process: what asks for them, and what is refused. */

const MIB = 2 ** 20;
const UNWATCHED = `${SERVICES}reload: { watch: false }\n`;

const renamed = (yaml: string): string => yaml.replace('orders:', 'bills:');

const loads = async ({ adminUrl }: GatewayProcess): Promise<readonly string[]> => {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return text.match(/^soapstone_(?:config_loads_total\{.*\}|generation) \d+$/gm) ?? [];
};

t.test('SIGHUP loads the configuration anew', async (t) => {
  const gateway = await startProcess(t, UNWATCHED);
  t.equal(await statusOf(gateway, 'orders'), 200);
  await edit(gateway, renamed);
  gateway.child.kill('SIGHUP');
  await until(async () => (await gateway.metric('soapstone_generation')) === 2);
  t.equal(await statusOf(gateway, 'bills'), 200);
  t.equal(await statusOf(gateway, 'orders'), 404);
});

t.test('POST /reload answers with the generation, or with the problems', async (t) => {
  const gateway = await startProcess(t, UNWATCHED);
  const fine = await reload(gateway);
  t.same([fine.status, await fine.json()], [200, { generation: 2, problems: [] }]);

  await edit(gateway, (yaml) => `${renamed(yaml)}limitz: {}\nlog: { level: loud }\n`);
  const broken = await reload(gateway);
  t.equal(broken.status, 409);
  t.match(await broken.json(), {
    generation: 2,
    problems: [
      { file: gateway.file, line: 5, what: /limitz/, remedy: /limits/ },
      { file: gateway.file, line: 6, what: /loud|log\.level/ },
    ],
  });
  t.equal(await statusOf(gateway, 'orders'), 200, 'the one before goes on');
  t.same(await loads(gateway), [
    'soapstone_config_loads_total{result="ok"} 2',
    'soapstone_config_loads_total{result="refused"} 1',
    'soapstone_generation 2',
  ]);
});

t.test('a key that needs a restart is named, and nothing else changes', async (t) => {
  const gateway = await startProcess(t, UNWATCHED);
  await edit(
    gateway,
    (yaml) => `${renamed(yaml).replace(/^listen: .*$/m, 'listen: 127.0.0.1:1')}workers: 2\n`,
  );
  const answer = await reload(gateway);
  t.equal(answer.status, 409);
  t.match(await answer.json(), {
    problems: [
      { line: 1, what: '`listen` cannot change while the gateway runs.' },
      { line: 5, what: '`workers` cannot change while the gateway runs.' },
    ],
  });
  t.equal(await statusOf(gateway, 'orders'), 200);
});

t.test(
  'another name of a file that listeners read again needs a restart',
  WITH_OPENSSL,
  async (t) => {
    const directory = await useFolder(t);
    const authority = new Authority(directory);
    const { cert, key } = authority.sign('a.example');
    const write = (name: string, text: string): Promise<void> =>
      writeFile(join(directory, name), text);
    for (const name of ['own.pem', 'renewed.pem']) await write(name, cert);
    for (const name of ['clients.pem', 'others.pem']) await write(name, authority.ca.cert);
    await write('own.pem.key', key);
    const certificates =
      `cert: { file: "${directory}/own.pem" }, key: { file: ` + `"${directory}/own.pem.key" }`;
    const clients = `clientCertificate: required, clientCa: { file: "${directory}/clients.pem" }`;
    const gateway = await startProcess(t, UNWATCHED, {
      listen: (address) => `[{ address: "${address}", tls: { ${certificates}, ${clients} } }]`,
    });
    t.equal((await reload(gateway)).status, 200);
    for (const [from, to] of [
      ['clients.pem', 'others.pem'],
      ['own.pem"', 'renewed.pem"'],
    ] as const) {
      await edit(gateway, (yaml) => yaml.replace(from, to));
      const answer = await reload(gateway);
      t.equal(answer.status, 409, to);
      t.match(await answer.json(), {
        problems: [{ what: '`listen` cannot change while the gateway runs.' }],
      });
      await edit(gateway, (yaml) => yaml.replace(to, from));
    }
  },
);

for (const workers of [1, 2]) {
  t.test(`a reload that takes long does not delay a drain, workers: ${workers}`, async (t) => {
    const remote = await startGraphqlServer({ sdl: 'type Query { up: Boolean }', rootValue: null });
    t.teardown(() => remote.close());
    const service = `{ kind: graphql, url: "${remote.url}", limits: { remote: { schemaMillis: 2m } } }`;
    const reloads = 'reload: { watch: false }';
    const gateway = await startProcess(
      t,
      `services: { shop: ${service} }\n${reloads}\nworkers: ${workers}\n`,
    );
    if (workers > 1) await areAnswering(gateway, workers);
    let asked = 0;
    remote.instead = () => asked++;
    gateway.child.kill('SIGHUP');
    await until(() => asked > 0);
    gateway.child.kill('SIGTERM');
    await gateway.line('stopped');
    t.equal(asked, 1, 'the service has not answered');
    t.same(
      gateway.lines.flatMap(({ level, msg }) => (level === 'info' ? [] : [msg])),
      [],
    );
  });
}

for (const workers of [1, 2]) {
  t.test(`credentials of operators change with a reload, workers: ${workers}`, async (t) => {
    const gateway = await startProcess(t, `${UNWATCHED}workers: ${workers}\n`);
    if (workers > 1) await areAnswering(gateway, workers);
    const tokens = ['first-token-of-operators', 'second-token-of-operators'];
    const bearer = (token: string): Record<string, string> => ({
      authorization: `Bearer ${token}`,
    });
    const statuses = (): Promise<readonly number[]> =>
      Promise.all(
        [{}, ...tokens.map(bearer)].map(
          async (headers) => (await fetch(`${gateway.adminUrl}/usage`, { headers })).status,
        ),
      );
    const address = gateway.adminUrl.replace('http://', '');
    for (const [index, token] of tokens.entries()) {
      const admin = `admin: { bearer: { tokens: [${token}] }, address: "${address}" }`;
      await edit(gateway, (yaml) => yaml.replace(/^admin: .*$/m, admin));
      t.equal(
        (await reload(gateway, index === 0 ? {} : bearer(tokens[index - 1] ?? ''))).status,
        200,
      );
      t.same(await statuses(), [401, ...tokens.map((each) => (each === token ? 200 : 401))], token);
    }
    const requestedBy = () => gateway.lines.filter(({ msg }) => msg === 'a reload was requested');
    await until(() => requestedBy().length === 2);
    const requested = requestedBy();
    t.match(
      requested,
      [{ client: '127.0.0.1' }, { client: '127.0.0.1', operator: 'bearer:1' }],
      'who asked is logged',
    );
    t.notHas(requested[0], { operator: String });
  });
}

t.test('a reload is asked for by POST, and not by a page of another site', async (t) => {
  const gateway = await startProcess(t, UNWATCHED);
  t.equal((await fetch(`${gateway.adminUrl}/reload`)).status, 405);
  t.equal((await reload(gateway, { origin: 'http://evil.example' })).status, 403);
  t.equal(await gateway.metric('soapstone_generation'), 1);
});

t.test('requests for a reload that come together get the result of one', async (t) => {
  const gateway = await startProcess(t, UNWATCHED);
  const answers = await Promise.all(Array.from({ length: 20 }, () => reload(gateway)));
  t.ok(
    answers.every(({ status }) => status === 200),
    'all are answered',
  );
  t.ok((await gateway.metric('soapstone_generation')) < 20);
});

t.test('a reload reaches all workers or none, and those that start later', async (t) => {
  const gateway = await startProcess(t, `${UNWATCHED}workers: 2\n`);
  await areAnswering(gateway, 2);
  const statuses = async (service: string): Promise<ReadonlySet<number>> =>
    new Set(await Promise.all(Array.from({ length: 12 }, () => statusOf(gateway, service))));
  await edit(gateway, renamed);
  t.same(await (await reload(gateway)).json(), { generation: 2, problems: [] });
  t.same(await statuses('bills'), new Set([200]), 'all workers use it once it is answered');

  await edit(gateway, (yaml) =>
    yaml.replace('bills:', 'orders:').replace('legacy.wsdl', 'none.wsdl'),
  );
  t.equal((await reload(gateway)).status, 409);
  t.same(await statuses('bills'), new Set([200]));
  const [worker = 0] = childrenOf(gateway.child);
  process.kill(worker, 'SIGKILL');
  await areAnswering(gateway, 2);
  t.same(await statuses('bills'), new Set([200]), 'a new worker starts from what the others use');
  t.same(await loads(gateway), [
    'soapstone_config_loads_total{result="ok"} 2',
    'soapstone_config_loads_total{result="refused"} 1',
    'soapstone_generation 2',
  ]);
});

t.test(
  'a file that only a worker has read is watched, and given to workers that start later',
  async (t) => {
    const schema =
      '<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:more"></schema>';
    const types = '<xs:import namespace="urn:more" schemaLocation="more.xsd"/>';
    const wsdl = readFileSync(WSDL, 'utf8').replace(/<xs:schema[^>]*>/, (head) => head + types);
    const home = t.testdir({ 'orders.wsdl': wsdl, 'more.xsd': schema });
    const without = 'services: { orders: { url: http://127.0.0.1:1/ } }\nworkers: 2\n';
    const gateway = await startProcess(t, without);
    await areAnswering(gateway, 2);
    const isLoads =
      (...expected: readonly number[]) =>
      async () =>
        (await loads(gateway)).map((line) => Number(line.split(' ')[1])).join() === expected.join();
    await edit(gateway, (yaml) =>
      yaml.replace('orders: {', `orders: { wsdl: "${home}/orders.wsdl",`),
    );
    await until(isLoads(2, 0, 2));
    await writeFile(`${home}/more.xsd`, schema.replace('></', '><element name="New"/></'));
    await until(isLoads(3, 0, 3));
    await writeFile(`${home}/orders.wsdl`, '<broken');
    await until(isLoads(3, 1, 3));
    await writeFile(`${home}/orders.wsdl`, wsdl);
    await until(isLoads(4, 1, 4));
    const [worker = 0] = childrenOf(gateway.child);
    process.kill(worker, 'SIGKILL');
    await areAnswering(gateway, 2);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => statusOf(gateway, 'orders')),
    );
    t.same(new Set(answers), new Set([200]));
  },
);

for (const workers of [1, 2]) {
  t.test(
    `the configuration of the start is released by a reload, workers: ${workers}`,
    async (t) => {
      const home = t.testdir({});
      const write = (turn: number): Promise<void> =>
        writeFile(`${home}/large.wsdl`, largeWsdl(300, 300).replaceAll('"f0"', `"f0of${turn}"`));
      await write(0);
      const tell =
        'gc();gc();console.log(JSON.stringify({heap:process.pid,' +
        'bytes:v8.getHeapStatistics().used_heap_size}))';
      const probe = `import v8 from "node:v8";process.on("SIGURG",()=>{${tell}})`;
      const nodeOptions = [
        '--expose-gc',
        `--import=data:text/javascript,${encodeURIComponent(probe)}`,
      ];
      const yaml =
        `services: { a: { wsdl: "${home}/large.wsdl", url: http://127.0.0.1:1/ } }\n` +
        `workers: ${workers}\n`;
      const gateway = await startProcess(t, `${yaml}reload: { watch: false }\n`, { nodeOptions });
      if (workers > 1) await areAnswering(gateway, workers);
      const heapBytes = async (): Promise<readonly number[]> => {
        const found: number[] = [];
        for (const pid of [Number(gateway.child.pid), ...childrenOf(gateway.child)]) {
          const before = gateway.lines.length;
          process.kill(pid, 'SIGURG');
          const line = (): Readonly<Record<string, unknown>> | undefined =>
            gateway.lines.slice(before).find((each) => each['heap'] === pid);
          await until(() => line() !== undefined);
          found.push(Number(line()?.['bytes']));
        }
        return found;
      };
      const before = await heapBytes();
      for (const turn of [1, 2]) {
        await write(turn);
        t.equal((await reload(gateway)).status, 200);
      }
      // A configuration of this size takes 9 MiB. The one before a reload goes when its connections
      // are closed.
      const isReleased = async (): Promise<boolean> =>
        (await heapBytes()).every((bytes, index) => bytes - (before[index] ?? 0) < 4 * MIB);
      await until(isReleased);
      if (workers > 1) {
        const [parent = 0, worker = 0] = await heapBytes();
        t.ok(parent < worker - 4 * MIB, 'the parent keeps none');
      }
    },
  );
}

t.test(
  'a changed file is a reload unless the configuration says otherwise, also behind links',
  async (t) => {
    const home = t.testdir({
      one: { 'orders.wsdl': readFileSync(WSDL) },
      more: {},
      two: {
        'orders.wsdl': readFileSync(WSDL, 'utf8').replace(
          '<definitions',
          '<!-- new --><definitions',
        ),
      },
      data: t.fixture('symlink', 'one'),
      'orders.wsdl': t.fixture('symlink', 'data/orders.wsdl'),
    });
    const yaml =
      `services: { orders: { wsdl: "${home}/orders.wsdl", url: http://127.0.0.1:1/ } }\n` +
      `include: [{ files: "${home}/more/*.yaml", optional: true }]\n`;
    const gateway = await startProcess(t, yaml);
    const isGeneration = (number: number) => async () =>
      (await gateway.metric('soapstone_generation')) === number;

    await symlink('two', `${home}/data2`);
    await rename(`${home}/data2`, `${home}/data`);
    await until(isGeneration(2));

    await writeFile(`${gateway.file}.new`, renamed(await readFile(gateway.file, 'utf8')));
    await rename(`${gateway.file}.new`, gateway.file);
    await until(isGeneration(3));
    t.equal(await statusOf(gateway, 'bills'), 200);

    await writeFile(`${home}/more/new.yaml`, 'services: { new: { url: "http://127.0.0.1:2/" } }');
    await until(isGeneration(4));
    t.equal(await statusOf(gateway, 'new'), 404, 'it has no WSDL');
    await writeFile(
      `${home}/more/new.yaml`,
      `services: { new: { wsdl: "${WSDL}", url: "http://127.0.0.1:2/" } }`,
    );
    await until(isGeneration(5));
    t.equal(await statusOf(gateway, 'new'), 200);

    await edit(gateway, (text) => `${text}limitz: {}\n`);
    await until(async () =>
      (await loads(gateway)).includes('soapstone_config_loads_total{result="refused"} 1'),
    );
    await edit(gateway, (text) => text.replace('limitz: {}\n', 'reload: { watch: false }\n'));
    await until(isGeneration(6));
    t.same(
      (await loads(gateway))[1],
      'soapstone_config_loads_total{result="refused"} 1',
      'refused once, not again',
    );
  },
);
