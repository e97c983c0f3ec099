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
import type { Load } from './load.js';
import { GRAPHQL_CALL } from './messages.js';
import { startSoapstone } from './soapstone.js';

const SLICE = 1_000;
const WARM_UP = 20_000;

/** A kind of call, the query of the backend's address, and whether a bare forwarder carries it. */
interface Kind {
  readonly name: string;
  readonly query: string;
  readonly isForwarded: boolean;
  send(load: Load, count: number): Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'SOAP',
    query: '',
    isForwarded: true,
    send: (load, count) => load.small(count),
  },
  {
    name: 'GraphQL',
    query: '?orders=1',
    isForwarded: false,
    send: (load, count) => load.each(count, () => load.ask(GRAPHQL_CALL)),
  },
];

/**
 * Processor time of small messages through this checkout, through another one that is built, and
 * through the bare forwarder where it can carry them, in short slices in turns. The ratio of each
 * slice is to the slice of the other checkout beside it.
 */
export async function benchPair(other: string, quick: boolean): Promise<void> {
  for (const kind of KINDS) await pairOf(kind, other, quick);
}

async function pairOf(kind: Kind, other: string, quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const url = `${backend.url}/soap/bench${kind.query}`;
  const before = contend('other', await startOther(other, url));
  const all = [before, contend('this', await startSoapstone(url))];
  if (kind.isForwarded)
    all.push(
      contend('undici', await startServer(fileOf('forwarders.js'), ['undici', backend.url])),
    );
  try {
    for (const { load } of all) await kind.send(load, WARM_UP);
    for (let round = 0; round < (quick ? 20 : 100); round++) {
      for (const contender of round % 2 === 0 ? all : all.toReversed())
        await slice(contender, SLICE, kind.send);
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
  print(
    `\nSmall ${kind.name} messages, ${before.micros.length} slices of ${SLICE} each, in turns\n\n`,
  );
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
