import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import t from 'tap';

import {
  faceSize,
  facesOf,
  housesOf,
  PACKAGES,
  packageArrows,
  packageOf,
  printHouse,
} from '../kit/packages.js';
import { replaceSection } from '../kit/reference/configuration.js';
import { declarationsOf, importsIn, isFace, isHouse, readSources } from '../kit/source.js';

/** The packages of the source: each has one face, and depends on few others. */

/**
 * The most names of each face, where a house of the package is one name, and of all that it offers
 * with its houses. These bounds may only fall.
 */
const NAMES_MAX: Readonly<Record<string, readonly [face: number, all: number]>> = {
  core: [39, 169],
  xml: [39, 50],
  soap: [34, 98],
  wss: [28, 60],
  wsdl: [38, 83],
  codec: [22, 123],
  graphql: [23, 194],
  upstream: [39, 88],
};

/** The most names of a house: a folder or a file that a package offers as one namespace. */
const HOUSE_MAX = 24;

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

t.test('a face has few names, and so has each of its houses', async (t) => {
  const faces = facesOf(sources);
  t.same([...faces.keys()].sort(), [...PACKAGES].sort(), 'each package has one');
  for (const [name, names] of faces) {
    const [max = 0, allMax = 0] = NAMES_MAX[name] ?? [];
    const size = faceSize(names);
    t.comment(`${name}: ${size} names, ${names.length} with those of its houses`);
    t.ok(size <= max, `${name}: ${size} names, at most ${max}`);
    t.ok(names.length <= allMax, `${name} with its houses: ${names.length}, at most ${allMax}`);
    for (const [house, count] of housesOf(names))
      t.ok(count <= HOUSE_MAX, `${name}: ${house} has ${count} names, at most ${HOUSE_MAX}`);
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
  const isRead = (name: string): boolean =>
    readers.some((code) => code.includes(name.split('.').at(-1) ?? name));
  const needless = [...facesOf(sources)].flatMap(([name, names]) => {
    const face = `src/${name}/index.ts`;
    const declared = declarationsOf(face);
    // A house of one file has the types of its functions.
    const isOfFile = (each: string): boolean =>
      each.includes('.') && declared.get(each)?.isType === true;
    return names
      .filter((each) => !used.has(`${face}: ${each}`) && !isOfFile(each) && !isRead(each))
      .map((each) => `${name}: ${each}`);
  });
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
      !isFace(path) &&
      !isHouse(path) &&
      !path.endsWith('.d.ts') &&
      text.split('\n').length - 1 < SMALL_LINES,
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
