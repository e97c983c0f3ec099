import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as util from 'node:util';
import t, { type Test } from 'tap';

import { answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import { startProcess, terminate } from '../kit/gateway-process.js';
import { useBackend } from '../kit/use.js';
import { Rows } from './rows.js';

const rows = new Rows('supply');
const run = util.promisify(execFile);

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Manifest {
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lockfile: { readonly packages: Readonly<Record<string, Package>> } = JSON.parse(
  readFileSync('package-lock.json', 'utf8'),
);
const installed = Object.entries(lockfile.packages).filter(([path]) => path !== '');

/** All TypeScript of the program. */
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.ts$/.test(file),
);

t.test('D01 to D04: packages of others', async (t) => {
  const scripted = installed.filter(
    ([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true,
  );
  t.same(scripted, [], rows.answer('D01', 'packages at run time'));
  for (const name of ['preinstall', 'install', 'postinstall'])
    t.notOk(name in manifest.scripts, name);

  for (const [name, version] of Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
  })) {
    const exact = version.replace(/^npm:.+@/, '');
    t.match(exact, /^\d+\.\d+\.\d+$/, `${name}: ${rows.answer('D02', 'versions')}`);
    t.equal(lockfile.packages[`node_modules/${name}`]?.version, exact, name);
  }

  const table = readFileSync('src/README.md', 'utf8');
  const imported = sources.flatMap((file) =>
    [
      ...readFileSync(join('src', file), 'utf8').matchAll(
        /^(?:import|export) [^;]*?from '([^'.][^']*)';$/gm,
      ),
    ].flatMap(([, name = '']) =>
      name.startsWith('node:') ? [] : (/^(?:@[^/]+\/)?[^/]+/.exec(name) ?? []),
    ),
  );
  t.ok(imported.length > 10);
  for (const name of new Set(imported))
    t.ok(table.includes(`| \`${name}\` `), `${name}: ${rows.answer('D03', 'reasons')}`);

  for (const [path, { resolved, integrity }] of installed) {
    // Without an address a package is of the registry that npm uses.
    t.match(resolved ?? 'https://registry.npmjs.org/', /^https:\/\/registry\.npmjs\.org\//, path);
    t.match(integrity, /^sha512-/, `${path}: ${rows.answer('D04', 'entries of the lockfile')}`);
  }
});

t.test('D05: packages with known vulnerabilities', async (t) => {
  // The first version of each line without known vulnerabilities. All of npm's list: `npm audit`,
  // at each release.
  const table: Readonly<Record<string, readonly string[]>> = JSON.parse(
    rows.answer('D05', 'named packages'),
  );
  const used = new Set<string>();
  for (const [path, { version = '' }] of installed) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const mended = table[name];
    if (mended === undefined) continue;
    used.add(name);
    t.ok(isMended(version, mended), `${name} ${version}, mended in ${mended}`);
  }
  t.ok(
    used.has('undici') && used.has('ws') && used.has('graphql'),
    'those of the program are among them',
  );
});

/** Whether a version is as late as the mended one of its line, or of a later line. */
function isMended(version: string, mended: readonly string[]): boolean {
  const own = version.split('.').map(Number);
  const lines = mended.map((text) => text.split('.').map(Number));
  const least = lines.find(([major]) => major === own[0]);
  if (least === undefined) return lines.every(([major = 0]) => (own[0] ?? 0) > major);
  const at = own.findIndex((part, index) => part !== least[index]);
  return at < 0 || (own[at] ?? 0) > (least[at] ?? 0);
}

/**
 * Files of a gateway that write: the record of decisions, the log, a Unix socket, recordings,
 * compiled WSDLs. That of a library copies a WSDL into a temporary folder; the others run at the
 * build.
 */
const WRITERS: ReadonlySet<string> = new Set([
  'observe/audit/audit-file.ts',
  'observe/log/log-target.ts',
  'flow/record/recording-folder.ts',
  'core/files/private-folder.ts',
  'library/schema/wsdl-source.ts',
  'listen/bind.ts',
  'process/write-whole.ts',
  'config/check/write-validator.ts',
  'flow/rest/page/openapi-copy.ts',
  'graphql/page/copy-files.ts',
  'wsdl/copy.ts',
]);
const WRITES =
  /import \{[^}]*\b(?:writeFile|appendFile|createWriteStream|mkdir|unlink|rm|rename|copyFile|open|write)(?:Sync)?\b[^}]*\} from 'node:fs/;

/** What gateways of D07 and D08 need: a folder of their own with a configuration. */
const YAML = (backend: string): string =>
  `services: { desk: { url: "${backend}/desk", namespace: urn:desk, types: ` +
  '"type Query { order: Order } type Order { id: ID }", operations: { GetOrder: ' +
  '{ field: Query.order } } } }\n';

/** Starts a gateway with these options of Node, uses every endpoint, and ends it. */
async function exercise(t: Test, name: string, nodeOptions: readonly string[]): Promise<void> {
  const reply = envelope(
    '<r:GetOrderResponse xmlns:r="urn:desk"><r:id>7</r:id></r:GetOrderResponse>',
  );
  const backend = await useBackend(t, answerWith(reply));
  const { url, adminUrl, child } = await startProcess(t, YAML(backend.url), { nodeOptions });
  const call = envelope('<m:GetOrder xmlns:m="urn:desk"/>');
  const soap = (body: string): Promise<number> =>
    postSoap(`${url}/soap/desk`, body).then(({ status }) => status);
  t.equal(await soap(call), 200, name);
  t.equal(await soap('<a'), 500, name);
  const hostile =
    '{"query":"{ order { id } }","variables":{"__proto__":{"a":1},' +
    '"constructor":{"prototype":{"b":1}}}}';
  const graphql = (body: string): Promise<Response> =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  t.match(
    await (await graphql('{"query":"{ order { id } }"}')).json(),
    { data: { order: { id: '7' } } },
    name,
  );
  t.ok((await graphql(hostile)).status < 500, name);
  t.match(
    await (await graphql('{"query":"{ __schema { types { name } } }"}')).text(),
    '"Query"',
    name,
  );
  t.equal((await fetch(`${adminUrl}/reload`, { method: 'POST' })).status, 200, name);
  t.match(await (await fetch(`${adminUrl}/metrics`)).text(), 'soapstone_requests_total', name);
  t.equal((await terminate(child)).code, 0, name);
}

/** Freezes what scripts can reach of the language. */
const FREEZE =
  'for(const each of [Object,Array,Function,String,Number,Boolean,RegExp,Map,Set,WeakMap,' +
  'Promise,Date,Symbol,Uint8Array])Object.freeze(each.prototype);for(const each of ' +
  '[JSON,Math,Reflect])Object.freeze(each)';

t.test('D06, D07: Node', async (t) => {
  t.equal(manifest.engines.node, '>=20.19', rows.answer('D06', 'an older Node'));
  await exercise(t, rows.answer('D07', 'frozen prototypes'), [
    `--import=data:text/javascript,${encodeURIComponent(FREEZE)}`,
  ]);
  // pino sets a property of Error where Node has no `getCallSites` (before 22.9).
  t.ok(rows.answer('D07', 'frozen intrinsics, from Node 22.9 on'));
  if ('getCallSites' in util)
    await exercise(t, 'frozen intrinsics', ['--frozen-intrinsics', '--no-warnings']);
});

t.test('D08: the source runs no text, and no other program', async (t) => {
  // It runs `systemd-notify`, with fixed arguments and without a shell, where systemd asks for
  // that. `core/buffers/packet-memory.ts` runs the text `gc`, once: Node has no other way to its
  // collector.
  const allowed = ['process/service-manager.ts', 'core/buffers/packet-memory.ts'];
  const others = sources.filter((file) => !allowed.includes(file));
  for (const file of others) {
    const text = readFileSync(join('src', file), 'utf8');
    t.notMatch(
      text,
      /\beval\(|new Function\(|from 'node:(?:child_process|vm)'/,
      `${file}: ${rows.answer('D08', 'the source')}`,
    );
    // Commands of operators write files.
    if (!file.startsWith('cli/') && !WRITERS.has(file))
      t.notMatch(text, WRITES, `${file}: ${rows.answer('D08', 'files')}`);
  }
});

t.test('D08: with the permissions of Node', async (t) => {
  const allowed = ['dist', 'config', 'schemas', 'package.json', 'node_modules', tmpdir()].map(
    (path) => `--allow-fs-read=${resolve(path)}${/\./.test(path) ? '' : '/'}`,
  );
  const [permission = '', network = ''] = ['--permission', '--allow-net'].map((flag) =>
    process.allowedNodeEnvironmentFlags.has(flag) ? flag : '',
  );
  const flags = [permission || '--experimental-permission', network].filter(Boolean);
  const name = rows.answer('D08', 'neither programs, nor threads, nor files written');
  await exercise(t, name, [...flags, '--no-warnings', ...allowed]);
});

t.test('D09, D10: the package', async (t) => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const [packed]: { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(stdout);
  const paths = packed?.files.map(({ path }) => path) ?? [];
  t.ok(paths.includes('dist/bin/main.js'));
  const other = paths.filter(
    (path) =>
      !/^(?:dist\/(?:bin|types)|config|deploy|schemas)\/|^(?:CHANGELOG|LICENSE|README|SECURITY)(?:\.md)?$|^package\.json$/.test(
        path,
      ),
  );
  t.same(other, [], rows.answer('D09', 'what npm packs'));
  t.same(
    paths.filter((path) => /(?:^|\/)tests?\/|(?<!\.d)\.ts$|\.env|\.npmrc|\.pem$|\.key$/.test(path)),
    [],
    rows.answer('D10', 'what npm packs'),
  );
  t.same(
    manifest.files,
    [
      ...['dist/bin', 'dist/types', 'config', '!config/**/*.ts', 'deploy', 'schemas'],
      ...['CHANGELOG.md', 'SECURITY.md'],
    ],
    rows.answer('D09', 'the folders of the package'),
  );
  const tests = manifest.files.filter((entry) => /test/.test(entry));
  t.same(tests, [], rows.answer('D10', 'tests'));
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
