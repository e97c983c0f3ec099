import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { REFUSAL_CODES } from './dist/src/config/refusal-tables.js';
import { refusalGuides } from './dist/src/core/refusals/guides.js';
import { OPENAPI_FILES } from './dist/src/flow/rest/page/openapi-files.js';
import { PAGE_FILES } from './dist/src/graphql/page/page-files.js';
import { digestOfReader } from './dist/src/wsdl/compiled/reader-digest.js';
import { billOfMaterials, packageFolder } from './sbom.js';

/**
 * Bundles the compiled gateway and the packages it uses into `dist/bin/`, which is what runs and
 * what is published. A part that is imported when a feature is configured is a file of its own.
 */
const FROM = 'dist/src';
const TO = 'dist/bin';

/** What the code reads at run time, seen from the file that reads it: beside the bundle now. */
const ASSETS = [
  ['xml/assembly/skim.wasm', 'assembly/skim.wasm'],
  ['graphql/page/graphiql', 'graphiql'],
  ['flow/rest/page/swagger', 'swagger'],
  ['console/page/console.js', 'page/console.js'],
  ['console/page/console.css', 'page/console.css'],
];

/**
 * What packages get for `node:assert`. Node reads and parses the file of a failed assertion without
 * a message to write one: a bundle takes it seconds, in which the process does nothing else.
 */
const ASSERT = `
class AssertionError extends Error {
  constructor(message) {
    super(message);
    this.name = 'AssertionError';
    this.code = 'ERR_ASSERTION';
  }
}
function assert(value, message = 'an assertion of a package failed') {
  if (!value) throw message instanceof Error ? message : new AssertionError(message);
}
module.exports = Object.assign(assert, {
  AssertionError,
  ok: assert,
  equal: (value, expected, message) => assert(value == expected, message),
  strictEqual: (value, expected, message) => assert(Object.is(value, expected), message),
});
`;

const assertOfPackages = {
  name: 'assert',
  setup(builder) {
    builder.onResolve({ filter: /^(node:)?assert$/ }, () => ({
      path: 'assert',
      namespace: 'assert',
    }));
    builder.onLoad({ filter: /./, namespace: 'assert' }, () => ({
      contents: ASSERT,
      loader: 'js',
    }));
  },
};

/** The houses that packages offer as namespaces: the file of each, by the face and its name. */
const HOUSES = new Map(
  readdirSync(FROM, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(FROM, entry.name, 'index.js')))
    .flatMap(({ name }) => {
      const face = join(FROM, name, 'index.js');
      const houses = readFileSync(face, 'utf8').matchAll(/^export \* as (\w+) from '([^']+)'/gm);
      return [...houses].map(([, house, path]) => [
        `${resolve(face)} ${house}`,
        join(dirname(face), path),
      ]);
    }),
);

/**
 * Imports each house from its own file. Through a face it would be an object of getters, and all of
 * it would be in the file of each part that uses some of it.
 */
const housesApart = {
  name: 'houses',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]dist[\\/]src[\\/].*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /^import \{([^}]*)\} from '([^']*\/index\.js)';/gm,
        (statement, list, from) => importsApart(path, statement, list.split(','), from),
      ),
      resolveDir: dirname(path),
      loader: 'js',
    }));
  },
};

function importsApart(importer, statement, list, from) {
  const face = resolve(dirname(importer), from);
  const names = list.map((name) => name.trim()).filter((name) => name !== '');
  const houses = names.filter((name) => HOUSES.has(`${face} ${name}`));
  if (houses.length === 0) return statement;
  const others = names.filter((name) => !houses.includes(name));
  return (
    [
      ...(others.length === 0 ? [] : [`import { ${others.join(', ')} } from '${from}';`]),
      ...houses.map((name) => {
        const path = relative(dirname(importer), HOUSES.get(`${face} ${name}`));
        return `import * as ${name} from './${path.replaceAll('\\', '/')}';`;
      }),
      // As many lines as before, for source maps.
    ].join(' ') + '\n'.repeat(statement.split('\n').length - 1)
  );
}

/** Leaves the import of the `graphql` of others: everything else uses the copy in the bundle. */
const peerOfSchema = {
  name: 'peer',
  setup(builder) {
    builder.onResolve({ filter: /^graphql$/ }, ({ importer }) =>
      /[\\/]peer-graphql\.js$/.test(importer) ? { path: 'graphql', external: true } : undefined,
    );
  },
};

const unexplained = REFUSAL_CODES.filter((code) => refusalGuides()[code] === undefined);
if (unexplained.length > 0) throw new Error(`config/refusals.json lacks ${unexplained.join(', ')}`);

rmSync(TO, { recursive: true, force: true });
/** What runs in browsers of operators. */
const page = await build({
  entryPoints: ['src/console/page/console.tsx'],
  outdir: `${FROM}/console/page`,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
const { metafile } = await build({
  entryPoints: {
    main: `${FROM}/main.js`,
    'drift-worker': `${FROM}/flow/drift/drift-worker.js`,
    index: `${FROM}/library/soapstone.js`,
    schema: `${FROM}/library/schema.js`,
    security: `${FROM}/library/security.js`,
  },
  outdir: TO,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // ES modules of a package before its CommonJS, of which unused parts cannot be left out.
  mainFields: ['module', 'main'],
  // Names stay as they are, for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  define: {
    'process.env.NODE_ENV': '"production"',
    'globalThis.process.env.NODE_ENV': '"production"',
    SOAPSTONE_READER_DIGEST: JSON.stringify(digestOfReader()),
  },
  // Packages in CommonJS ask for modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  plugins: [assertOfPackages, housesApart, peerOfSchema],
  metafile: true,
  logLevel: 'warning',
});
for (const [from, to] of ASSETS) {
  mkdirSync(dirname(join(TO, to)), { recursive: true });
  cpSync(join(FROM, from), join(TO, to), { recursive: true });
}

/** The folders of packages of which something is in the bundle. */
const packages = new Set(
  [metafile, page.metafile]
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => packageFolder(path) ?? []),
);
const licences = [...packages].sort().map((folder) => {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  if (typeof license !== 'string') throw new Error(`${name} names no licence`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e(\.md|\.txt)?$/i.test(each));
  const text =
    file === undefined
      ? `Copyright ${author?.name ?? author ?? `of the authors of ${name}`}`
      : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(join(TO, 'LICENSES.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));

/**
 * The packages of the pages for callers are copied as they are, with their licences beside them.
 */
const copied = [...PAGE_FILES, ...OPENAPI_FILES].flatMap(({ source }) =>
  source === null ? [] : packageFolder(`node_modules/${source}`),
);
const bill = billOfMaterials([...new Set([...packages, ...copied])].sort(), [
  metafile,
  page.metafile,
]);
writeFileSync(join(TO, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
