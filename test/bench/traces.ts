import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Contender, contend, endAll } from './contender.js';
import { fileOf, isProgram, isQuick, median, print, quantile, startServer, table } from './kit.js';
import { startSoapstone } from './soapstone.js';

/** Messages of a slice: short, so that other processes disturb all alike. */
const SLICE = 500;
const WARM_UP = 20_000;

interface Traced extends Contender {
  /** Processor time used when the latest slice began; null before the first. */
  begunMicros: number | null;
}

/**
 * Processor time of a small SOAP message without traces, with none sampled and with all, in slices
 * in turns. A round lasts until the next slice of the same gateway begins: spans are sent between
 * slices too.
 */
export async function benchTraces(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  let spanBytes = 0;
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (spanBytes += chunk.length));
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const traces = (sample: number): string =>
    `traces: { otlp: "http://127.0.0.1:${port}/v1/traces", sample: ${sample} }\n`;
  const start = async (name: string, more: string): Promise<Traced> => {
    const server = await startSoapstone(`${backend.url}/soap/bench`, [], more);
    return { ...contend(name, server), begunMicros: null };
  };
  const without = await start('without traces', '');
  const all = [
    without,
    await start('none sampled', traces(0)),
    await start('all sampled', traces(1)),
  ];
  const rounds = quick ? 40 : 300;
  try {
    for (const { load } of all) await load.small(WARM_UP);
    spanBytes = 0;
    for (let round = 0; round <= rounds; round++) {
      for (const contender of all) await slice(contender);
    }
  } finally {
    await endAll(all, backend);
    receiver.closeAllConnections();
    receiver.close();
  }
  print(
    `\nSmall messages, ${rounds} slices of ${SLICE} each, in turns; ` +
      `${(spanBytes / rounds / SLICE).toFixed(0)} bytes sent for each\n\n`,
  );
  const rows = all.map(({ name, micros }) => {
    const ratios = micros.map((each, index) => each / (without.micros[index] ?? each));
    // Other processes only ever make a slice longer.
    const lower = quantile(micros, 0.25);
    const figures = [
      lower / quantile(without.micros, 0.25),
      median(ratios),
      quantile(ratios, 0.25),
      quantile(ratios, 0.75),
    ];
    return [
      name,
      lower.toFixed(1),
      median(micros).toFixed(1),
      ...figures.map((figure) => figure.toFixed(3)),
    ];
  });
  print(
    table(
      [
        '',
        'CPU µs, lower quartile',
        'median',
        'ratio of lower quartiles',
        'of slices',
        'its quartiles',
        '',
      ],
      rows,
    ),
  );
}

async function slice(contender: Traced): Promise<void> {
  const { server, load, micros } = contender;
  const { cpuMicros } = await server.usage();
  if (contender.begunMicros !== null) micros.push((cpuMicros - contender.begunMicros) / SLICE);
  contender.begunMicros = cpuMicros;
  await load.small(SLICE);
}

if (isProgram(import.meta.url)) await benchTraces(isQuick());
