import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import t from 'tap';

import { facesOf, PACKAGES, packageArrows, packageOf, printHouse } from '../kit/packages.js';
import { replaceSection } from '../kit/reference/configuration.js';
import { importsIn, isFace, readSources } from '../kit/source.js';

/** The packages of the source: each has one face, and depends on few others. */

/**
 * The names of each face. These bounds may only fall: below 25 for codec and graphql, below 40 for
 * the others is where they are to come.
 */
const NAMES_MAX: Readonly<Record<string, number>> = {
  core: 177,
  xml: 49,
  soap: 93,
  wss: 48,
  wsdl: 78,
  codec: 120,
  graphql: 208,
  upstream: 81,
};

/** The arrows between packages. The gateway imports from all of them, and none from the gateway. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  xml: ['core'],
  soap: ['core', 'xml'],
  wss: ['core', 'soap', 'xml'],
  wsdl: ['core', 'soap', 'xml'],
  codec: ['core', 'soap', 'wsdl', 'xml'],
  graphql: ['codec', 'core', 'soap', 'wsdl', 'xml'],
  upstream: ['core'],
};

const sources = readSources('src');
const imports = sources.flatMap(importsIn);

/** All that stands at the top level; what is made there is not of the repository. */
const TOP_LEVEL = new Set([
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', 'build.js', 'bundle.js'],
  ...[
    'sbom.js',
    'types.js',
    'src',
    'config',
    'test',
    'deploy',
    'schemas',
    'README.md',
    'CHANGELOG.md',
  ],
  ...['CONTRIBUTING.md', 'SECURITY.md', 'THREAT-MODEL.md', 'LICENSE', '.ci', '.npmrc', '.taprc'],
  ...['.git', '.gitignore', '.git-blame-ignore-revs'],
  ...['dist', 'node_modules', 'coverage', '.tap'],
]);

t.test('the top level has what belongs there', async (t) => {
  t.same(
    readdirSync('.').filter((name) => !TOP_LEVEL.has(name)),
    [],
  );
});

t.test('a face has no more names than before', async (t) => {
  const faces = facesOf(sources);
  t.same([...faces.keys()].sort(), [...PACKAGES].sort(), 'each package has one');
  for (const [name, names] of faces) {
    const max = NAMES_MAX[name] ?? 0;
    t.ok(names.length <= max, `${name}: ${names.length} names, at most ${max}`);
    t.ok(existsSync(`src/${name}/index.ts`));
  }
});

t.test('a face offers what another package uses', async (t) => {
  const through = imports.filter(({ face }) => face !== null);
  const used = new Set(
    through.flatMap(({ face, names }) => names.map((name) => `${face}: ${name}`)),
  );
  // A part that is loaded when it is needed is read as an object.
  const whole = new Set(through.filter(({ names }) => names.length === 0).map(({ file }) => file));
  const readers = sources.filter(({ path }) => whole.has(path)).map(({ code }) => code);
  const isRead = (name: string): boolean => readers.some((code) => code.includes(name));
  const needless = [...facesOf(sources)].flatMap(([name, names]) =>
    names
      .filter((each) => !used.has(`src/${name}/index.ts: ${each}`) && !isRead(each))
      .map((each) => `${name}: ${each}`),
  );
  t.same(needless, []);
});

t.test('the arrows between packages are those of the table, without a circle', async (t) => {
  const arrows = packageArrows(imports);
  for (const name of PACKAGES) {
    t.same(arrows.get(name) ?? [], ARROWS[name], name);
    t.notOk(
      ARROWS[name]?.some((to) => PACKAGES.indexOf(to) >= PACKAGES.indexOf(name)),
      `${name} depends on packages before it`,
    );
  }
});

t.test('the drawing in src/README.md shows the packages as they are', async (t) => {
  const page = readFileSync('src/README.md', 'utf8');
  t.ok(page.includes('<!-- house -->'));
  t.equal(replaceSection(page, 'house', printHouse(sources)), page, 'run `npm run generate`');
});

/** The most files beside the folders of a folder, and the most small ones in all. */
const LOOSE_MAX: Readonly<Record<string, number>> = { core: 30, 'compile/soap': 15 };
const SMALL_LINES = 15;
const SMALL_MAX = 25;

t.test('a folder is no drawer, and few files are small', async (t) => {
  for (const [folder, max] of Object.entries(LOOSE_MAX)) {
    const loose = sources.filter(({ path }) => posix.dirname(path) === `src/${folder}`);
    t.ok(loose.length <= max, `src/${folder}: ${loose.length} files`);
  }
  const small = sources.filter(
    ({ path, text }) =>
      !isFace(path) && !path.endsWith('.d.ts') && text.split('\n').length - 1 < SMALL_LINES,
  );
  t.ok(
    small.length <= SMALL_MAX,
    `${small.length} files of fewer than ${SMALL_LINES} lines: join one to the file that uses it`,
  );
});

t.test('a file of the core has users in several packages', async (t) => {
  const users = new Map<string, Set<string>>();
  for (const { file, target } of imports)
    if (target !== null && packageOf(target) === 'core' && !isFace(file))
      users.set(target, (users.get(target) ?? new Set()).add(packageOf(file) ?? 'gateway'));
  const own = sources.filter(({ path }) => posix.dirname(path) === 'src/core' && !isFace(path));
  t.same(
    own
      .map(({ path }): [string, ReadonlySet<string>] => [path, users.get(path) ?? new Set()])
      .filter(([, from]) => from.size < 2)
      .map(([path, from]) => `${path}: ${[...from].join(', ')}`),
    [],
  );
});
