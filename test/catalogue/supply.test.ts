import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';

import { Rows } from './rows.js';

const rows = new Rows('supply');
const run = promisify(execFile);

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
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.ts$/.test(file));

t.test('D01 to D04: packages of others', async (t) => {
  const scripted = installed.filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true);
  t.same(scripted, [], rows.answer('D01', 'packages at run time'));
  for (const name of ['preinstall', 'install', 'postinstall']) t.notOk(name in manifest.scripts, name);

  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const exact = version.replace(/^npm:.+@/, '');
    t.match(exact, /^\d+\.\d+\.\d+$/, `${name}: ${rows.answer('D02', 'versions')}`);
    t.equal(lockfile.packages[`node_modules/${name}`]?.version, exact, name);
  }

  const table = readFileSync('src/README.md', 'utf8');
  const imported = sources.flatMap((file) =>
    [...readFileSync(join('src', file), 'utf8').matchAll(/^(?:import|export) [^;]*?from '([^'.][^']*)';$/gm)].flatMap(
      ([, name = '']) => (name.startsWith('node:') ? [] : (/^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [])),
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

t.test('D06, D07: Node', async (t) => {
  t.equal(manifest.engines.node, '>=20.19', rows.answer('D06', 'an older Node'));
  const directory = t.testdir({});
  const file = join(directory, 'soapstone.yaml');
  writeFileSync(
    file,
    'listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nservices: { desk: { url: "http://127.0.0.1:9/", types: "type Query { order: ID }", operations: { GetOrder: { field: Query.order } } } }\n',
  );
  const frozen = join(directory, 'frozen.mjs');
  writeFileSync(frozen, 'Object.freeze(Object.prototype);\n');
  const { stdout } = await run(process.execPath, ['--import', frozen, 'dist/src/main.js', 'check', '-c', file]);
  t.match(stdout, /is fine/, rows.answer('D07', 'a frozen Object.prototype'));
});

t.test('D08: the source runs no text, and no other program', async (t) => {
  // It runs `systemd-notify`, with fixed arguments and without a shell, where systemd asks for that.
  const others = sources.filter((file) => file !== 'cli/service-manager.ts');
  for (const file of others) {
    const text = readFileSync(join('src', file), 'utf8');
    t.notMatch(
      text,
      /\beval\(|new Function\(|from 'node:(?:child_process|vm)'/,
      `${file}: ${rows.answer('D08', 'the source')}`,
    );
  }
});

t.test('D09, D10: the package', async (t) => {
  t.same(
    manifest.files,
    ['dist/bin', 'config', '!config/**/*.ts', 'schemas', 'CHANGELOG.md'],
    rows.answer('D09', 'the folders of the package'),
  );
  const tests = manifest.files.filter((entry) => /test/.test(entry));
  t.same(tests, [], rows.answer('D10', 'tests'));
});

t.test('the part is complete', async (t) => rows.assertComplete(t));
