import { Random } from '../codec/random-values.js';
import { checkInjection, startInjection } from '../graphql/injection.js';
import { isProgram, isQuick, print, table } from './kit.js';

/**
 * Random strings over the bridge and back, through every place for one: as many as the bar asks
 * for.
 */
export async function benchInjection(quick: boolean): Promise<void> {
  const compiled = await startInjection();
  const seed = Date.now() % 2 ** 31;
  const places = 21;
  const strings = Math.ceil((quick ? 50_000 : 1_000_000) / places);
  const found = checkInjection(compiled, strings, new Random(seed));
  await compiled.close();
  print(`\n${found.strings} random strings through each of ${places} places, seed ${seed}\n\n`);
  print(`  sent ${found.sent}, refused ${found.refused}, failures ${found.failures.length}\n\n`);
  print(
    table(
      ['place', 'came back equal'],
      [...found.equal].map(([name, count]) => [name, `${count}`]),
    ),
  );
  for (const failure of found.failures) print(`${failure}\n`);
  if (found.failures.length > 0) process.exitCode = 1;
}

if (isProgram(import.meta.url)) await benchInjection(isQuick());
