import t from 'tap';
import { startTestGateway } from '../kit/gateway.js';
import { BACKENDS, CLIENTS, missing, runClient, type Stack, startStack } from './stacks.js';

/**
 * Other people's clients talk to other people's servers through the gateway, with the WSDL that the gateway serves:
 * what passes directly passes through it. Only where something fails is it tried directly.
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

const STACKS: readonly Stack[] = ['php', 'spyne'];

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

for (const stack of STACKS) {
  t.test(`${stack} server`, { skip: missing(stack) }, async (t) => {
    const server = await startStack(stack);
    t.teardown(() => server.stop());

    const files: Record<string, Buffer> = {};
    for (const { name, path, beside } of SERVICES[stack]) {
      files[`${name}.wsdl`] = await download(`${server.origin}${path}?wsdl`);
      for (const file of beside) files[file.slice(1)] = await download(server.origin + file);
    }
    const directory = t.testdir(files);
    const services = SERVICES[stack].map(
      ({ name, path, versions }) =>
        `  ${name}: { wsdl: ${name}.wsdl, url: "${server.origin}${path}", versions: ${versions} }\n`,
    );
    const gateway = await startTestGateway(
      `listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nservices:\n${services.join('')}`,
      directory,
    );
    t.teardown(() => gateway.close());

    for (const backend of BACKENDS.filter((candidate) => candidate.stack === stack)) {
      const service = SERVICES[stack].find(({ path }) => path === backend.path);
      const through = `${gateway.url}/soap/${service?.name}`;
      const direct = server.origin + backend.path;
      for (const client of CLIENTS) {
        t.test(`${client} client, ${backend.name}`, { skip: missing(client) }, async (t) => {
          const lines = await runClient(client, backend, `${through}?wsdl`, through);
          t.equal(lines.length, CALLS[backend.series][client], 'the client makes all its calls');
          const failed = lines.filter((line) => line.startsWith('FAIL '));
          if (failed.length === 0) return;
          const passDirectly = (await runClient(client, backend, `${direct}?wsdl`, direct)).filter((line) =>
            line.startsWith('PASS '),
          );
          const lost = failed.filter((line) => passDirectly.some((pass) => line.startsWith(`FAIL ${pass.slice(5)} `)));
          t.same(lost, [], 'nothing fails through the gateway that passes directly');
        });
      }
    }
  });
}
