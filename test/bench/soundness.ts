import { checkSoundness, startSoundness } from '../graphql/soundness.js';
import { isProgram, isQuick, print } from './kit.js';

/**
 * Random operations beside a brute-force evaluator, in every spelling: as many as the bar asks for.
 */
export async function benchSoundness(quick: boolean): Promise<void> {
  const compiled = await startSoundness();
  const count = quick ? 2_000 : 100_000;
  const seed = Date.now() % 2 ** 31;
  const found = await checkSoundness(compiled, count, seed);
  await compiled.close();
  print(`\n${found.operations} random operations, seed ${seed}, each in 6 spellings\n\n`);
  print(
    `  admitted ${found.admitted}, making ${found.calls} calls; static cost speaks of ` +
      `${found.staticCalls}\n`,
  );
  for (const [code, times] of found.refused) print(`  ${code} ${times}\n`);
  print(`  failures ${found.failures.length}\n`);
  for (const failure of found.failures) print(`${failure}\n`);
  if (found.failures.length > 0) process.exitCode = 1;
}

if (isProgram(import.meta.url)) await benchSoundness(isQuick());
