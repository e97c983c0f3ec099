import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

/**
 * Runs the test files that hold properties, over and over, with another seed each time, until the
 * time is up. Prints what fails with its seed; exit 1 when anything did. `--seed` repeats one
 * round, arguments choose files by a part of the name.
 */
const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const MINUTE = 60_000;
const end = performance.now() + Number(values.minutes) * MINUTE;
const files = readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .map((name) => join('dist/test', name))
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .filter((file) => readFileSync(file, 'utf8').includes("from 'fast-check'"))
  .sort();
if (files.length === 0 || Number.isNaN(end))
  throw new Error('Usage: npm run fuzz -- [--minutes N] [--seed N] [file ...]');

/** What the test file printed, or null when it passed. */
function failureOf(file: string, seed: number): string | null {
  const loaded = ['unrecorded', 'seed'].map((name) => `--import=./dist/test/kit/${name}.js`);
  const env = { ...process.env, FUZZ_SEED: String(seed) };
  const options = {
    env,
    encoding: 'utf8',
    timeout: 10 * MINUTE,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loaded, file], options);
  return status === 0 ? null : `${stdout}\n${stderr}`;
}

let failures = 0;
let rounds = 0;
do {
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  console.log(`seed ${seed}`);
  for (const file of files) {
    if (performance.now() > end && values.seed === undefined) break;
    const failure = failureOf(file, seed);
    if (failure === null) continue;
    failures += 1;
    console.log(`${failure}\nnot ok: ${file}\nAgain: npm run fuzz -- --seed ${seed} ${file}`);
  }
  rounds += 1;
} while (performance.now() < end && values.seed === undefined);
console.log(`${rounds} seed${rounds === 1 ? '' : 's'}, ${files.length} files: ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
