import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Runs the tests of one package, or of another folder of `test`: `npm run test:package -- xml`.
 * Compiles what changed since the last build, without a check of types.
 */
const [folder = ''] = process.argv.slice(2);
/** Compiled by other programs than the compiler of TypeScript, or with other settings. */
const OTHER = /\.d\.ts$|[\\/](?:assembly|graphiql|swagger)[\\/](?!layout)/;

const isStale = (source) => {
  const made = join('dist', source.replace(/\.ts$/, '.js'));
  return !existsSync(made) || statSync(made).mtimeMs < statSync(source).mtimeMs;
};

const run = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;

if (folder === '' || !existsSync(join('test', folder))) {
  console.error('Name a folder of test, such as: npm run test:package -- xml');
  process.exit(2);
}
if (!existsSync(join('dist', '.built'))) {
  const { status } = spawnSync('npm run --silent build', { shell: true, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
const stale = ['src', 'config', 'test']
  .flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  )
  .filter((path) => path.endsWith('.ts') && !OTHER.test(path) && isStale(path));
await build({
  entryPoints: stale,
  outdir: 'dist',
  outbase: '.',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
});
run('dist/test/kit/write-groups.js', folder);
const groups = readdirSync('dist/test/groups').map((name) => join('dist/test/groups', name));
const failed = groups.filter((path) => !run('--import=./dist/test/kit/seed.js', path));
process.exitCode = failed.length === 0 ? 0 : 1;
