import { parseArgs } from 'node:util';
import { CONVERSION_PROPERTIES } from '../codec/convert/conversion-properties.js';
import { print } from './kit.js';

/**
 * There and back with random values of each conversion, a million of each by default. Arguments are
 * parts of names of properties; without them all are checked. Exits with 1 when one does not hold.
 */

const { values, positionals } = parseArgs({
  options: {
    values: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
  allowPositionals: true,
});
const seed = Number(values.seed);

/** A run of fast-check keeps what it has tried: a slice of this many values at a time. */
const SLICE = 50_000;

const count = Number(values.values);
const chosen = CONVERSION_PROPERTIES.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);

print(`${count} values of each property, seed ${seed}\n\n`);
for (const { name, check } of chosen) {
  const start = process.cpuUsage();
  try {
    for (let at = 0; at < count; at += SLICE) check(Math.min(SLICE, count - at), seed + at);
    const { user } = process.cpuUsage(start);
    print(`  ${name}: holds, ${(user / 1e6).toFixed(1)} s\n`);
  } catch (error) {
    print(`  ${name}: FAILS: ${String(error)}\n`);
    process.exitCode = 1;
  }
}
