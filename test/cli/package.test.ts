import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import t from 'tap';

import { freePort } from '../kit/free-port.js';

const run = promisify(execFile);

/** This Node, without the hooks of the test runner; npm is that of the machine. */
const ENVIRONMENT = {
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

/** The compiler, and what a strict program of others has it check. */
const COMPILER = resolve('node_modules/typescript/lib/tsc.js');
const STRICT = [
  ...['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
  ...['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom', '--types', ''],
];

/** A program of others: a gateway before a backend of its own. */
const ownProgram = (port: number): string => `
import { ConfigurationError, type StartedGateway, startGateway } from 'soapstone';

const desk = 'node_modules/soapstone/config/demo/legacy.wsdl';
const demo = '127.0.0.1:${port}';
const url = 'http://' + demo + '/orders';
const gateway: StartedGateway = await startGateway({
  listen: '127.0.0.1:0',
  demo: { listen: demo },
  services: { orders: { wsdl: desk, url } },
});
const answer = await fetch(gateway.urls[0] + '/graphql?query={getOrder(id:7){id}}', {
  headers: { accept: 'application/json' },
});
const { data }: any = await answer.json();
await gateway.close();
// @ts-expect-error: no key has this name
const wrong: unknown = await startGateway({ listn: '' }).catch((error: unknown) => error);
if (!(wrong instanceof ConfigurationError)) throw wrong;
console.log(data.getOrder.id, wrong.diagnostics.find(({ line }) => line === 0));
`;

/** Bytes of all files in a folder. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (each) => (await stat(join(each.parentPath, each.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The package that a file belongs to, as its bill of materials lists it. */
async function componentOf(
  file: string,
): Promise<{ purl: string; licenses: readonly object[] } | null> {
  const [, folder = null] =
    /^.*?(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (folder === null) return null;
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  return {
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}

/** What is bundled or copied for browsers has no source map. */
const IN_PAGES = [
  '@picocss/pico',
  'graphiql',
  'preact',
  'react',
  'react-dom',
  'swagger-ui-dist',
  'uplot',
];

/** The packages that the source maps of a bundle name, and those of the pages. */
async function bundledComponents(folder: string): Promise<readonly object[]> {
  const maps = (await readdir(folder)).filter((name) => name.endsWith('.js.map'));
  const sources = await Promise.all(
    maps.map(
      async (map): Promise<readonly string[]> =>
        JSON.parse(await readFile(join(folder, map), 'utf8')).sources,
    ),
  );
  const files = [...sources.flat(), ...IN_PAGES.map((name) => `node_modules/${name}/package.json`)];
  const components = new Map<string, object>();
  for (const file of files) {
    const component = await componentOf(file);
    if (component !== null) components.set(component.purl, component);
  }
  return [...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, component]) => component);
}

/** Links in the documents of a folder that lead to nothing in it, as `document: link`. */
async function deadLinks(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md'));
  const dead: string[] = [];
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)) {
      const path = join(dirname(name), link);
      if (path.startsWith('..') || !existsSync(join(folder, path))) dead.push(`${name}: ${link}`);
    }
  }
  return dead;
}

/** The addresses in the line of a gateway that is ready. */
async function addressesOf(
  child: ChildProcess,
): Promise<{ readonly listen: string; readonly admin: string }> {
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    const { msg, listen, admin }: { msg: string; listen: string; admin: string } = JSON.parse(line);
    if (msg === 'ready') return { listen, admin };
  }
  throw new Error('the gateway ended before it was ready');
}

t.test(
  'the packed package installs in an empty folder without a network, and runs there',
  async (t) => {
    const folder = t.testdir({ 'package.json': '{"private":true}' });
    const here = { cwd: folder, env: { ...ENVIRONMENT, HOME: folder } };
    const packed = await run(
      'npm',
      ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
      {
        env: ENVIRONMENT,
      },
    );
    const installed = await run(
      'npm',
      ['install', '--offline', '--engine-strict', join(folder, packed.stdout.trim())],
      here,
    );
    t.notMatch(installed.stderr, 'install-scripts', 'npm has nothing to warn of');

    const modules = join(folder, 'node_modules');
    const { scripts } = JSON.parse(await readFile(join(modules, 'soapstone/package.json'), 'utf8'));
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      t.notHas(scripts, { [name]: String }, name);
    t.same(
      await deadLinks(join(modules, 'soapstone')),
      [],
      'links of its documents lead to files of the package',
    );
    t.same(
      (await readdir(modules)).filter((name) => !name.startsWith('.')),
      ['soapstone'],
      'nothing is installed beside it',
    );
    const bytes = await sizeOf(modules);
    t.ok(bytes < 25_000_000, `${bytes} bytes`);
    t.match(
      await readFile(join(modules, 'soapstone/dist/bin/LICENSES.txt'), 'utf8'),
      /^graphql \d+\.\d+\.\d+ \(MIT\)\n\nMIT License/m,
    );
    const bill = await readFile(join(modules, 'soapstone/dist/bin/sbom.cdx.json'), 'utf8');
    t.equal(
      await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bill),
      null,
      'CycloneDX',
    );
    const { components }: { components: readonly { purl: string; licenses: readonly object[] }[] } =
      JSON.parse(bill);
    t.same(
      components
        .map(({ purl, licenses }) => ({ purl, licenses }))
        .sort((a, b) => (a.purl < b.purl ? -1 : 1)),
      await bundledComponents(join(modules, 'soapstone/dist/bin')),
      'the packages of the bundle with their licences',
    );

    const checked = await run('npx', ['--offline', 'soapstone', 'check'], here);
    t.match(
      checked.stdout,
      /soapstone\.yaml is fine: 3 services, 17 operations/,
      'the demonstration',
    );

    await writeFile(join(folder, 'own.mts'), ownProgram(await freePort()));
    const typed = await run(process.execPath, [COMPILER, ...STRICT, 'own.mts'], here);
    t.equal(typed.stdout, '', 'its types are strict');
    const imported = await run(process.execPath, ['own.mjs'], here);
    t.equal(imported.stdout, '7 undefined\n', 'a program of others starts a gateway');
    t.equal(imported.stderr, '');

    const backend = await freePort();
    const wsdl = join(modules, 'soapstone/config/demo/legacy.wsdl');
    await writeFile(
      join(folder, 'gateway.yaml'),
      `listen: 127.0.0.1:0
admin: 127.0.0.1:0
demo: { listen: "127.0.0.1:${backend}" }
services: { orders: { wsdl: ${wsdl}, url: "http://127.0.0.1:${backend}/orders", drift: { url: \
"http://127.0.0.1:${backend}/orders?wsdl" } } }
`,
    );
    const child = spawn('npx', ['--offline', 'soapstone', 'start', '-c', 'gateway.yaml'], {
      ...here,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { pid } = child;
    t.ok(pid, 'is started');
    t.teardown(async () => {
      // npx, and what it has started.
      if (pid === undefined || child.exitCode !== null) return;
      process.kill(-pid, 'SIGTERM');
      await once(child, 'close');
    });
    const { listen: url, admin } = await addressesOf(child);
    const query = 'query={getOrder(id:7){id}}';
    const answer = await fetch(`${url}/graphql?${query}`, {
      headers: { accept: 'application/json' },
    });
    t.match(await answer.json(), { data: { getOrder: { id: 7 } } });
    const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text();
    const script = /src="([^"]+)"/.exec(page)?.[1] ?? '';
    const part = await fetch(new URL(script, `${url}/graphql`));
    t.equal(part.status, 200, 'the page for browsers has its scripts');
    await part.body?.cancel();
    // Read by a thread of its own, which is another file of the bundle.
    let metrics = '';
    while (!metrics.includes('soapstone_wsdl_drift{service="orders"'))
      metrics = await (await fetch(`${admin}/metrics`)).text();
  },
);
