import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds `dist/` when something it is made of has changed since the last build. `--optional` (npm's
 * `dependencies`, which no installed package has run): without the packages of development nothing
 * is built, and that is no error.
 */
const STAMP = join('dist', '.built');
const SOURCES = [
  'src',
  'config',
  'test',
  'bundle.js',
  'sbom.js',
  'types.js',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

/**
 * Milliseconds of the newest change in a file or folder; a folder changes when a file comes or
 * goes.
 */
function changedAt(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, changedAt(join(path, name))),
    mtimeMs,
  );
}

/**
 * Removes what was compiled of tests that are gone: the suite finds its tests by their names in
 * `dist/`.
 */
function removeGoneTests() {
  const folder = join('dist', 'test');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const isGone =
      name.endsWith('.test.js') && !existsSync(join('test', name.replace(/js$/, 'ts')));
    if (isGone) rmSync(join(folder, name));
  }
}

const builtAt = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
const isCurrent = SOURCES.filter((path) => existsSync(path)).every(
  (path) => changedAt(path) < builtAt,
);
const hasCompiler = existsSync(join('node_modules', 'typescript'));

if (!isCurrent && hasCompiler) {
  const began = new Date();
  console.error('Building Soapstone into dist/ (10 to 60 seconds) ...');
  rmSync(STAMP, { force: true });
  const { status } = spawnSync('npm run --silent compile', { shell: true, stdio: 'inherit' });
  if (status === 0) {
    removeGoneTests();
    writeFileSync(STAMP, '');
    // What changed while it was built is built the next time.
    utimesSync(STAMP, began, began);
    console.error(`Built in ${Math.round((Date.now() - began.getTime()) / 1000)} s.`);
  }
  process.exitCode = status ?? 1;
} else if (!isCurrent) {
  console.error(
    'Nothing is built: the packages of development are not installed. `npm ci` installs them.',
  );
  process.exitCode = process.argv.includes('--optional') ? 0 : 1;
}
