import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { startDemoBackend } from '../../config/demo/backend.js';
import { postJson } from '../kit/graphql-client.js';
import { type InstalledPackage, usePackage } from '../library/installed-package.js';
import { GRAPHQL_SERVERS, missing } from './programs.js';

/** The examples of `config/examples/library`, in the servers of others. */

const WITH_SERVERS = { skip: missing('graphql-servers') };
const run = promisify(execFile);

/** The lines of an example that are no comment. */
const LINES_MAX = 25;

const EXAMPLES = 'config/examples/library';

/** An order, and one that is not there. */
const QUERY = `query ($id: Int!) {
  found: getOrder(id: $id) { id customer { name } }
  other: getOrder(id: 999999) { id }
}`;

const ANSWER = {
  data: { found: { id: 7, customer: { name: 'Zoë Søndergård' } }, other: null },
  errors: [{ path: ['other'], extensions: { code: 'SOAP_FAULT', soap: { code: 'Client' } } }],
};

/** The package among the packages of the servers, and the backend of the demonstration. */
async function useServers(
  t: Test,
  files: Readonly<Record<string, string>> = {},
): Promise<InstalledPackage & { readonly backend: string }> {
  const modules = join(GRAPHQL_SERVERS, 'node_modules');
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
  const packages = Object.fromEntries(names.map((name) => [name, join(modules, name)]));
  const demo = await startDemoBackend('127.0.0.1', 0);
  t.teardown(() => demo.close());
  return { ...(await usePackage(t, packages, files)), backend: demo.url };
}

for (const name of ['yoga', 'apollo', 'mercurius']) {
  t.test(`the example of ${name} answers by calls of the backend`, WITH_SERVERS, async (t) => {
    const { folder, backend } = await useServers(t);
    const example = join('node_modules/soapstone', EXAMPLES, `${name}.mjs`);
    const child = spawn(process.execPath, [example], {
      cwd: folder,
      env: { PORT: '0', BACKEND: backend },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    const [url] = await once(lines, 'line');
    const answer = await postJson(String(url), { query: QUERY, variables: { id: 7 } });
    t.match(await answer.json(), ANSWER);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
}

/** A supergraph of the demonstration, in the gateway of others. */
const SUPERGRAPH = `
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { printedSchema } from 'soapstone/schema';
import { transport } from './node_modules/soapstone/${EXAMPLES}/transport.mjs';

const [, , location, query] = process.argv;
const wsdl = 'node_modules/soapstone/config/demo/legacy.wsdl';
const typeDefs = parse(await printedSchema(wsdl));
const orders = { name: 'orders', typeDefs, url: location };
const { supergraphSdl: supergraph } = composeServices([orders]);
const gateway = createGatewayRuntime({
  supergraph,
  logging: false,
  transports: { soapstone: transport },
  transportEntries: { orders: { kind: 'soapstone', location, options: { wsdl } } },
});
const answer = await gateway.fetch('http://localhost/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { id: 7 } }),
});
console.log(await answer.text());
await gateway[Symbol.asyncDispose]();
`;

t.test('Hive Gateway has a WSDL as a subgraph by the transport', WITH_SERVERS, async (t) => {
  const { run: runProgram, backend } = await useServers(t, { 'supergraph.mjs': SUPERGRAPH });
  t.match(JSON.parse(await runProgram('supergraph.mjs', backend, QUERY)), ANSWER);
});

t.test('the package passes publint and attw', WITH_SERVERS, async (t) => {
  const folder = t.testdir();
  const packed = await run(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    { env: { PATH: process.env['PATH'] ?? '', HOME: folder } },
  );
  const tarball = join(folder, packed.stdout.trim());
  const tool = (name: string, ...given: readonly string[]) =>
    run(join(GRAPHQL_SERVERS, 'node_modules/.bin', name), [tarball, ...given]);
  t.match((await tool('publint')).stdout, 'All good!');
  const { stdout } = await tool('attw', '--profile', 'esm-only', '--format', 'ascii');
  t.match(stdout, '"soapstone/schema"');
});

t.test('an example is short', async (t) => {
  for (const name of readdirSync(EXAMPLES)) {
    const lines = (await readFile(join(EXAMPLES, name), 'utf8')).split('\n');
    const own = lines.filter((line) => line.trim() !== '' && !line.startsWith('//'));
    t.ok(own.length <= LINES_MAX, `${name}: ${own.length} lines`);
  }
});
