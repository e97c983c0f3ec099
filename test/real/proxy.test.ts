import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { useGateway } from '../kit/use.js';
import { missing, PYTHON, useProgram } from './programs.js';
import {
  BACKENDS,
  type Backend,
  CLIENTS,
  type Client,
  runClient,
  type Stack,
  startStack,
} from './stacks.js';

/**
 * Other people's clients talk to other people's servers through the gateway, with the WSDL that the
 * gateway serves: what passes directly passes through it, in the version of the server and bridged
 * from the other one. Only where something fails is it tried directly.
 */

/** How many calls a client makes, the loading of the WSDL included. */
const CALLS = {
  desk: { php: 22, zeep: 22, node: 22 },
  inventory: { php: 14, zeep: 11, node: 9 },
} as const;

const SERVICES = {
  php: [
    { name: 'orders', path: '/orders.php', versions: '["1.1", "1.2"]', beside: ['/orders.xsd'] },
    { name: 'inventory', path: '/legacy.php', versions: '["1.1"]', beside: [] },
  ],
  spyne: [
    { name: 'soap11', path: '/soap11', versions: '["1.1"]', beside: [] },
    { name: 'soap12', path: '/soap12', versions: '["1.2"]', beside: [] },
  ],
} as const;

/** Servers of one version, called in another. */
const BRIDGED = {
  php: [
    { name: 'orders', path: '/orders.php', version: '1.1', bridge: '1.2' },
    { name: 'orders', path: '/orders.php', version: '1.2', bridge: '1.1' },
    { name: 'inventory', path: '/legacy.php', version: '1.1', bridge: '1.2' },
  ],
  spyne: [
    { name: 'soap11', path: '/soap11', version: '1.1', bridge: '1.2' },
    { name: 'soap12', path: '/soap12', version: '1.2', bridge: '1.1' },
  ],
} as const;

const STACKS: readonly Stack[] = ['php', 'spyne'];

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The name of a service that is called in another version. */
const nameOf = (service: string, bridge: string): string =>
  `${service}-as-${bridge.replace('.', '')}`;

/** Whether a client's calls through the gateway pass where its calls to the server pass. */
async function losesNothing(
  t: Test,
  client: Client,
  called: Backend,
  through: string,
  backend: Backend,
  direct: string,
): Promise<void> {
  const lines = await runClient(client, called, `${through}?wsdl`, through);
  t.equal(lines.length, CALLS[backend.series][client], 'the client makes all its calls');
  const failed = lines.filter((line) => line.startsWith('FAIL '));
  if (failed.length === 0) return;
  const passDirectly = (await runClient(client, backend, `${direct}?wsdl`, direct)).filter((line) =>
    line.startsWith('PASS '),
  );
  const lost = failed.filter((line) =>
    passDirectly.some((pass) => line.startsWith(`FAIL ${pass.slice(5)} `)),
  );
  t.same(lost, [], 'nothing fails through the gateway that passes directly');
}

for (const stack of STACKS) {
  t.test(`${stack} server`, { skip: missing(stack) }, async (t) => {
    const server = await useProgram(t, startStack(stack));

    const files: Record<string, Buffer> = {};
    for (const { name, path, beside } of SERVICES[stack]) {
      files[`${name}.wsdl`] = await download(`${server.origin}${path}?wsdl`);
      for (const file of beside) files[file.slice(1)] = await download(server.origin + file);
    }
    const directory = t.testdir(files);
    const services = [
      ...SERVICES[stack].map(
        ({ name, path, versions }) =>
          `  ${name}: { wsdl: ${name}.wsdl, url: "${server.origin}${path}", ` +
          `versions: ${versions} }\n`,
      ),
      ...BRIDGED[stack].map(
        ({ name, path, version, bridge }) =>
          `  ${nameOf(name, bridge)}: { wsdl: ${name}.wsdl, url: "${server.origin}${path}", ` +
          `versions: ["${version}"], bridge: ["${bridge}"] }\n`,
      ),
    ];
    const gateway = await useGateway(
      t,
      `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nservices:\n${services.join('')}`,
      directory,
    );

    for (const backend of BACKENDS.filter((candidate) => candidate.stack === stack)) {
      const service = SERVICES[stack].find(({ path }) => path === backend.path);
      const through = `${gateway.url}/soap/${service?.name}`;
      const direct = server.origin + backend.path;
      for (const client of CLIENTS)
        t.test(`${client} client, ${backend.name}`, { skip: missing(client) }, (t) =>
          losesNothing(t, client, backend, through, backend, direct),
        );
    }

    for (const { name, path, version, bridge } of BRIDGED[stack]) {
      const backend = BACKENDS.find((each) => each.path === path && each.version === version);
      if (backend === undefined) throw new Error(`no backend ${path} speaks ${version}`);
      const through = `${gateway.url}/soap/${nameOf(name, bridge)}`;
      for (const client of CLIENTS)
        t.test(
          `${client} client of SOAP ${bridge}, ${backend.name}`,
          { skip: missing(client) },
          (t) =>
            losesNothing(
              t,
              client,
              { ...backend, version: bridge },
              through,
              backend,
              server.origin + path,
            ),
        );
    }
    t.test('calls come in the version of the bridge', { skip: missing('zeep') }, async (t) => {
      const text = await gateway.metrics();
      for (const { name, version, bridge } of BRIDGED[stack]) {
        const route = `soapstone_requests_total{route="${nameOf(name, bridge)}"`;
        const calls = text.split('\n').filter((line) => line.startsWith(route));
        t.ok(calls.some((line) => line.includes(`dialect="${bridge}"`)));
        t.notOk(calls.some((line) => line.includes(`dialect="${version}"`)));
      }
    });
  });
}

/**
 * Programs that make a call and print the code and the id of the refusal, by the means of their
 * stack.
 */
const REFUSED = {
  php: `$about = ['location' => $argv[1], 'uri' => 'urn:a', 'soap_version' => (int) $argv[2]];
    try { (new SoapClient(null, $about))->Nothing(); }
    catch (SoapFault $fault) { echo $fault->detail->error->code, ' ', $fault->detail->error->id; }`,
  zeep: `import sys, zeep
client = zeep.Client(sys.argv[1] + '?wsdl')
try: client.create_service(list(client.wsdl.bindings)[0], sys.argv[1]).GetOrder(id=1)
except zeep.exceptions.Fault as fault: print(' '.join(child.text for child in \
fault.detail[0]), end='')`,
  node: `require('soap').createClientAsync(process.argv[1] + '?wsdl')
    .then((client) => (client.setEndpoint(process.argv[1]), client.GetOrderAsync({ id: 1 })))
    .catch(({ root }) => { const { code, id } = root.Envelope.Body.Fault.detail.error; \
process.stdout.write(code + ' ' + id); })`,
} as const;

t.test('clients read the code and the id of a refusal', async (t) => {
  const wsdl = resolve('config/demo/legacy.wsdl');
  // Nothing listens there.
  const gateway = await useGateway(
    t,
    `services:
  orders: { wsdl: ${wsdl}, url: "http://127.0.0.1:1/", versions: ["1.1", "1.2"] }\n`,
  );
  const through = `${gateway.url}/soap/orders`;
  const rows = [
    ['php', ['php', '-r', REFUSED.php, '--', through, '1'], 'UNKNOWN_OPERATION'],
    ['php', ['php', '-r', REFUSED.php, '--', through, '2'], 'UNKNOWN_OPERATION'],
    ['zeep', [PYTHON, '-c', REFUSED.zeep, through], 'UPSTREAM_UNREACHABLE'],
    ['node', [process.execPath, '-e', REFUSED.node, through], 'UPSTREAM_UNREACHABLE'],
  ] as const;
  for (const [client, [file, ...args], code] of rows) {
    await t.test(`${client} ${args.at(-1)}`, { skip: missing(client) }, async (t) => {
      const { stdout } = await promisify(execFile)(file, args, { timeout: 30_000 });
      const [told, id] = stdout.split(' ');
      t.equal(told, code);
      let lines = 1;
      while ((await gateway.accessLine(lines))['id'] !== id) lines++;
      t.match(await gateway.accessLine(lines), { code }, 'the id is that of the log');
    });
  }
});
