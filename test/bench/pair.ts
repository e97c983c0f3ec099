import { pathToFileURL } from 'node:url';
import { contend, endAll, slice } from './contender.js';
import {
  fileOf,
  isProgram,
  isQuick,
  median,
  print,
  quantile,
  type Server,
  startServer,
  table,
} from './kit.js';
import { startSoapstone } from './soapstone.js';

const SLICE = 1_000;
const WARM_UP = 20_000;

/**
 * Processor time of a small SOAP message through this checkout, through another one that is built,
 * and through the bare forwarder, in short slices in turns. The ratio of each slice is to the slice
 * of the other checkout beside it.
 */
export async function benchPair(other: string, quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const before = contend('other', await startOther(other, `${backend.url}/soap/bench`));
  const after = contend('this', await startSoapstone(`${backend.url}/soap/bench`));
  const base = contend(
    'undici',
    await startServer(fileOf('forwarders.js'), ['undici', backend.url]),
  );
  const all = [before, after, base];
  try {
    for (const { load } of all) await load.small(WARM_UP);
    for (let round = 0; round < (quick ? 20 : 100); round++) {
      for (const contender of round % 2 === 0 ? all : all.toReversed())
        await slice(contender, SLICE);
    }
  } finally {
    await endAll(all, backend);
  }
  const rows = all.map(({ name, micros }) => {
    const ratios = micros.map((each, index) => each / (before.micros[index] ?? each));
    return [
      name,
      median(micros),
      quantile(micros, 0.25),
      median(ratios),
      quantile(ratios, 0.25),
      quantile(ratios, 0.75),
    ];
  });
  print(`\nSmall messages, ${before.micros.length} slices of ${SLICE} each, in turns\n\n`);
  print(
    table(
      ['checkout', 'CPU µs', 'lower quartile', 'ratio', 'ratio, quartiles', ''],
      rows.map(([name, ...figures]) => [
        String(name),
        ...figures.map((figure, index) => Number(figure).toFixed(index < 2 ? 1 : 3)),
      ]),
    ),
  );
}

/** The gateway of another checkout, by its own bench. */
async function startOther(root: string, url: string): Promise<Server> {
  const module: { startSoapstone: typeof startSoapstone } = await import(
    pathToFileURL(`${root}/dist/test/bench/soapstone.js`).href
  );
  return module.startSoapstone(url);
}

if (isProgram(import.meta.url)) {
  const [root] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  if (root === undefined)
    print('node dist/test/bench/pair.js CHECKOUT: another one, built by `npm run build`\n');
  else await benchPair(root, isQuick());
}
