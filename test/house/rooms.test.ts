import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import t, { type Test } from 'tap';

import { packageOf as packageOfSource } from '../kit/packages.js';
import {
  type Import,
  importsIn,
  isFace,
  isHouse,
  lineAt,
  maskTypeScript,
  readSources,
} from '../kit/source.js';

/**
 * The order of the rooms, and what no file may do. A file imports only from its own room and from
 * rooms further left; every other rule of the house that a program can check is here as well.
 */

/** Each room with those it may import from besides itself. */
const LINE = ['core', 'xml', 'soap', 'wss', 'wsdl', 'codec', 'graphql'] as const;
/** Beside the line: they know neither XML nor GraphQL. */
const SHELVES = ['access', 'budget', 'cache', 'observe', 'pubsub'] as const;
const OF_SHELVES = ['core', 'gateway'] as const;
const ABOVE = [
  'config',
  'compile/',
  'compile.ts',
  'flow',
  'request.ts',
  'generation.ts',
  'generations.ts',
  'console',
  'traffic.ts',
  'server.ts',
  'process',
  'cli',
  'library',
  'main.ts',
];

const ROOMS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...LINE.map((room, index): [string, Set<string>] => [room, new Set(LINE.slice(0, index))]),
  ...['upstream', 'gateway'].map((room): [string, Set<string>] => [room, new Set(['core'])]),
  ...SHELVES.map((room): [string, Set<string>] => [room, new Set(OF_SHELVES)]),
  ['access', new Set([...OF_SHELVES, 'wss'])],
  ['redis', new Set([...OF_SHELVES, 'budget'])],
  ['listen', new Set([...OF_SHELVES, 'access', 'wss'])],
  ...ABOVE.map((room, index): [string, Set<string>] => [
    room,
    new Set<string>([
      ...LINE,
      'upstream',
      'gateway',
      ...SHELVES,
      'redis',
      'listen',
      ...ABOVE.slice(0, index),
    ]),
  ]),
]);

/**
 * The order of the folders of a room; a file in one imports only from its own folder and from
 * folders further left.
 */
const FOLDERS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'config',
    [
      'keys',
      'backend',
      'listen',
      'graphql',
      'soap',
      'clients',
      'process',
      'rest',
      'mcp',
      'check',
      'source',
      'protection',
      'plans',
    ],
  ],
  [
    'compile',
    [
      'backend',
      'soap',
      'own-calls',
      'graphql',
      'rest',
      'mcp',
      'warnings',
      'clients',
      'listen',
      'process',
    ],
  ],
  [
    'flow',
    [
      'http',
      'compare',
      'record',
      'inspect',
      'reply',
      'calls',
      'idempotency',
      'routes',
      'soap',
      'graphql',
      'downloads',
      'rest',
      'mcp',
      'home',
      'subscriptions',
      'drift',
      'canary',
    ],
  ],
]);

/** The demonstration is no part of the gateway: one file may know that it exists. */
const DEMO = 'config/demo/';
const DEMO_IMPORTER = 'src/process/running.ts';

const sources = readSources('src');
const imports = sources.flatMap(importsIn);

/** `src/xml/reader.ts` is in `xml`; a file at the top is a room of its own. */
function roomOf(path: string): string {
  const [, first = '', second] = path.split('/');
  return second === undefined ? first : first === 'compile' ? 'compile/' : first;
}

/**
 * `src/graphql/admission/cost/table.ts` is in `src/graphql/admission/cost`; a file that lies in its
 * room beside folders stands for itself.
 */
const folderOf = (path: string): string =>
  path.split('/').length > 3 ? posix.dirname(path) : path;

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Fails once for each finding, naming file and line. */
function none(t: Test, findings: readonly string[], rule: string): void {
  t.same(findings, [], rule);
}

const place = ({ file, line }: Import): string => `${file}:${line}`;

/** Every match of a pattern in code, outside of comments and strings. */
const inCode = (pattern: RegExp): readonly string[] =>
  sources.flatMap((source) =>
    [...source.code.matchAll(pattern)].map(
      (match) => `${source.path}:${lineAt(source.text, match.index)}: ${match[0].trim()}`,
    ),
  );

t.test('a file imports from its own room and from rooms further left', async (t) => {
  const findings = imports.flatMap((found) => {
    const room = roomOf(found.file);
    const allowed = ROOMS.get(room);
    if (allowed === undefined) return [`${place(found)}: no room is called ${room}`];
    if (found.target === null) return [];
    if (!found.target.startsWith('src/')) {
      const isDemo = found.target.startsWith(DEMO) && found.file === DEMO_IMPORTER;
      return isDemo ? [] : [`${place(found)}: ${found.target} is not of the gateway`];
    }
    const target = roomOf(found.target);
    return target === room || allowed.has(target)
      ? []
      : [`${place(found)}: ${room} may not import ${target}`];
  });
  none(t, findings, 'order of rooms');
  t.ok(imports.length > 100, 'imports are found at all');
});

for (const [room, folders] of FOLDERS) {
  t.test(`the folders of ${room} are in their order, and the table has all of them`, async (t) => {
    const folder = (path: string): string | null => {
      const parts = path.split('/');
      return parts.length > 3 ? (parts[2] ?? null) : null;
    };
    const inside = imports.filter(({ file, target }) =>
      [file, target].every((path) => path?.startsWith(`src/${room}/`)),
    );
    const findings = inside.flatMap((found) => {
      const from = folder(found.file);
      const to = folder(found.target ?? '');
      if (from === null || to === null) return [];
      const [rank, target] = [folders.indexOf(from), folders.indexOf(to)];
      return rank >= 0 && target >= 0 && target <= rank ? [] : [`${place(found)}: ${found.target}`];
    });
    none(t, findings, 'order of folders');
    t.ok(inside.length > 50, 'imports are found at all');
  });
}

t.test('few files know a whole configuration: each compiler gets its section', async (t) => {
  const importers = sources
    .filter(({ code }) => /^import [^;]*\bLoadedConfig\b/m.test(code))
    .map(({ path }) => path);
  t.ok(importers.includes('src/compile.ts'), 'importers are found at all');
  t.ok(importers.length <= 10, `LoadedConfig is imported by ${importers.join(', ')}`);
});

/** What is made once for a generation, from configuration: endpoints, and their tables. */
const MADE_ONCE: readonly string[] = [
  'src/flow/drift/drift.ts',
  'src/flow/graphql/caller-caching.ts',
  'src/flow/graphql/cors.ts',
  'src/flow/graphql/endpoint.ts',
  'src/flow/graphql/page.ts',
  'src/flow/home/endpoint.ts',
  'src/flow/http/host-check.ts',
  'src/flow/mcp/endpoint.ts',
  'src/flow/routes/plain.ts',
  'src/flow/soap/served-address.ts',
  'src/flow/subscriptions/endpoint.ts',
];

t.test('no request looks at configuration', async (t) => {
  const flow = sources.filter(
    ({ path }) => path.startsWith('src/flow/') || path === 'src/request.ts',
  );
  const reading = flow
    .filter(({ code }) => /\bconfig\b(?!\/)|\bConfig\b/.test(code))
    .map(({ path }) => path);
  t.same(reading.toSorted(), MADE_ONCE.toSorted(), 'files that know configuration');
  // Members of an object that lives as long as its generation: read when it is made, never
  // afterwards.
  none(
    t,
    inCode(/#compiled\.config\b|service\.config\b|generation\.compiled\.config\b/g).filter((at) =>
      /^src\/(?:flow\/|request)/.test(at),
    ),
    'reads at request time',
  );
});

t.test('nothing imports itself, by whatever way', async (t) => {
  const byFile = new Map<string, string[]>(sources.map(({ path }) => [path, []]));
  const byRoom = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target === null) continue;
    byFile.get(file)?.push(target);
    if (roomOf(file) !== roomOf(target))
      byRoom.set(roomOf(file), [...(byRoom.get(roomOf(file)) ?? []), roomOf(target)]);
    if (folderOf(file) !== folderOf(target))
      byFolder.set(folderOf(file), [...(byFolder.get(folderOf(file)) ?? []), folderOf(target)]);
  }
  none(t, cyclesIn(byFile), 'cycles of files');
  none(t, cyclesIn(byRoom), 'cycles of rooms');
  none(t, cyclesIn(byFolder), 'cycles of folders inside a room');
  t.same(
    cyclesIn(
      new Map([
        ['a', ['b']],
        ['b', ['c', 'a']],
        ['c', []],
      ]),
    ),
    ['a -> b -> a'],
    'the search finds one',
  );
});

/** Packages that the files of one folder share, with the beginning of their names. */
const SHARING: ReadonlyMap<string, string> = new Map([['yaml', 'src/config/source/yaml-']]);

t.test('a package has one importing file', async (t) => {
  const importers = new Map<string, Set<string>>();
  for (const { specifier, target, file } of imports) {
    if (target !== null || specifier.startsWith('node:')) continue;
    const name = packageOf(specifier);
    importers.set(name, (importers.get(name) ?? new Set()).add(file));
  }
  const several = [...importers].filter(
    ([name, files]) =>
      name !== 'graphql' &&
      files.size > 1 &&
      ![...files].every((file) => file.startsWith(SHARING.get(name) ?? 'none')),
  );
  none(
    t,
    several.map(([name, files]) => `${name}: ${[...files].join(', ')}`),
    'packages with several importers',
  );

  const declared: {
    dependencies?: Record<string, string>;
    devDependencies: Record<string, string>;
  } = JSON.parse(readFileSync('package.json', 'utf8'));
  t.equal(
    declared.dependencies,
    undefined,
    'the bundle has what runs: nothing is installed beside it',
  );
  none(
    t,
    [...importers.keys()].filter((name) => !Object.hasOwn(declared.devDependencies, name)),
    'packages that are not declared',
  );

  const readme = readFileSync('src/README.md', 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith('Dependencies\n')) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const explained = rows.flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? []);
  t.same(
    explained.sort(),
    [...importers.keys()].sort(),
    'each has a row with the reason in src/README.md',
  );
});

t.test('a start without a feature does not load its packages', async (t) => {
  const loaded = imports.filter(({ isLoaded }) => isLoaded);
  const files = new Set(['src/main.ts', 'src/process/start.ts']);
  const packages = new Set<string>();
  // A set is walked with what is added to it meanwhile.
  for (const file of files) {
    for (const { specifier, target } of loaded.filter((each) => each.file === file)) {
      if (target === null) packages.add(packageOf(specifier));
      else files.add(target);
    }
  }
  none(
    t,
    ['@graphql-tools/wrap', '@redis/client', 'jose'].filter((name) => packages.has(name)),
    'packages that are loaded with every start',
  );
  t.ok(packages.has('graphql'), 'packages are found at all');
});

t.test('another package imports from the face alone, and a package not from its own', async (t) => {
  const wrong = imports.filter(({ file, target, face }) => {
    if (target === null || !target.startsWith('src/')) return false;
    const to = packageOfSource(target);
    return packageOfSource(file) === to ? face !== null : to !== null && face === null;
  });
  none(
    t,
    wrong.map((found) => `${place(found)}: ${found.specifier}`),
    'imports from inside of another package: add the name to its index.ts',
  );
  t.ok(imports.filter(({ face }) => face !== null).length > 500, 'imports are found at all');
});

const ENTRIES = ['schema', 'security', 'soapstone'].map((name) => `src/library/${name}.ts`);

/** The faces of the packages, and the entries that programs of others import. */
const mayReExport = (path: string): boolean =>
  isFace(path) || isHouse(path) || ENTRIES.includes(path);

t.test('every name is imported from where it is made, or from the face of a package', async (t) => {
  none(
    t,
    imports
      .filter(({ isReExport, file }) => isReExport && !mayReExport(file))
      .map((found) => `${place(found)}: re-export of ${found.specifier}`),
    're-exports',
  );
  none(
    t,
    sources
      .filter(({ path }) => path.endsWith('/index.ts') && !isFace(path) && !isHouse(path))
      .map(({ path }) => path),
    'index files',
  );
  none(
    t,
    inCode(/^export\s+(?:type\s+)?\{[^}]*\}/gm).filter(
      (at) => !mayReExport(at.split(':', 1)[0] ?? ''),
    ),
    'lists of exports, where imported names could hide',
  );
});

t.test('no code from text, no other programs, nothing untyped, no default exports', async (t) => {
  none(
    t,
    inCode(/(?<![.\w$])eval\s*\(|\bnew\s+Function\b|(?<![.\w$])Function\s*\(/g),
    'code made of text',
  );
  none(
    t,
    imports
      .filter(({ specifier }) => /^(?:node:)?(?:child_process|vm)$/.test(specifier))
      .map(place)
      // One runs systemd-notify alone, with fixed arguments and only where systemd asks for it; the
      // other the text `gc`.
      .filter(
        (at) => !/^src\/(?:process\/service-manager|core\/buffers\/packet-memory)\.ts:/.test(at),
      ),
    'other programs',
  );
  none(t, inCode(/[:<,|&]\s*any\b(?!\s*[(:])|\bas\s+any\b|=>\s*any\b/g), 'any');
  none(t, inCode(/^export\s+default\b/gm), 'default exports');
});

t.test('no class stands on a class that stands on another', async (t) => {
  const parents = new Map<string, string | null>();
  const classes = sources.flatMap((source) =>
    [...source.code.matchAll(/\bclass\s+(\w+)(?:<[^{]*?>)?(?:\s+extends\s+([\w.]+))?/g)].map(
      (match) => {
        const [, name = '', parent = null] = match;
        parents.set(name, parent);
        return { name, parent, at: `${source.path}:${lineAt(source.text, match.index)}` };
      },
    ),
  );
  // A refusal is an error, and what went wrong may be told in more than its code.
  const deep = classes.filter(
    ({ parent }) =>
      parent !== null && parent !== 'Refusal' && (parents.get(parent) ?? null) !== null,
  );
  none(
    t,
    deep.map(
      ({ name, parent, at }) =>
        `${at}: ${name} extends ${parent}, which extends ${parents.get(parent ?? '')}`,
    ),
    'deep classes',
  );
  t.ok(parents.get('Refusal') === 'Error', 'classes are found at all');
});

/** Files outside of `config` that know sections, each with its reason. */
const KNOW_SECTIONS: Readonly<Record<string, string>> = {
  'src/compile/problems.ts': 'finds the lines of what the steps of `compile` find wrong',
  'src/process/refuse-address.ts': 'an address turns out to be in use when it is bound',
  'src/process/reload/check-weaker.ts': 'compares the plain values of two configurations',
  'src/cli/check.ts': 'reports services of which no operation can be called',
};

t.test('the configuration is read once: what follows has plain values', async (t) => {
  const known = imports
    .filter(({ file, target }) => target === 'src/config/section.ts' && roomOf(file) !== 'config')
    .map(({ file }) => file);
  t.same([...new Set(known)].sort(), Object.keys(KNOW_SECTIONS).sort());
});

t.test('the scanner tells code from what only looks like it', async (t) => {
  const masked = (text: string): string => maskTypeScript(text).replaceAll(/ +/g, ' ');
  t.equal(masked("import 'a'; // import 'b'"), "import ' '; ");
  t.equal(masked('a /* eval( */ b'), 'a b');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code as it stands in a file
  t.equal(masked('`x${ { a: `eval(` } }eval(` + y'), '` ${ { a: ` ` } } ` + y');
  t.equal(masked('const a = /[\'"/[/]]/g; b / c / d'), 'const a = / /g; b / c / d');
  t.equal(masked("return /'/.test(x) ? 'it\\'s' : 1"), "return / /.test(x) ? ' ' : 1");
});

/** Cycles reached in a graph, each once, as `a -> b -> a`. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, way: readonly string[]): void => {
    const start = way.indexOf(node);
    if (start >= 0) found.push([...way.slice(start), node].join(' -> '));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
