import { resolve } from 'node:path';
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
import { Load } from './load.js';
import { SMALL_REPLY, SMALL_REQUEST, sizedEnvelope, type Way } from './messages.js';
import { PATH, startKeys } from './soapstone.js';

/** Messages of 200 MB and more, and one of 10 MB that is not valid. */

const TEXT_MIB = 200;
const GIGABYTE = 1e9;
const INVALID_BYTES = 10e6;

const KEYS = (url: string, validate: string): string => `services:
  bench: { wsdl: ${resolve('test/bench/typed-orders.wsdl')}, url: "${url}${PATH}", validate: \
{ ${validate} } }
limits:
  xml: { messageBytes: 2147483648, children: 100000000, elements: 1000000000 }
  upstream: { totalMillis: 3600000 }
  overload: { eventLoopMillis: 0 }
`;
const UNREAD = 'requests: off, replies: off';
const ENFORCED = 'requests: enforce, replies: enforce';

export async function benchLarge(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const forwarder = await startServer(fileOf('forwarders.js'), ['undici', backend.url]);
  const unread = await startKeys(KEYS(backend.url, UNREAD));
  const enforced = await startKeys(KEYS(backend.url, ENFORCED));
  try {
    await text(forwarder, unread, quick);
    await elements(unread, enforced);
    await invalid(enforced, quick);
  } finally {
    await Promise.all([backend, forwarder, unread, enforced].map((server) => server.stop()));
  }
}

/** One text beside the forwarder, in turns. */
async function text(forwarder: Server, gateway: Server, quick: boolean): Promise<void> {
  const mib = quick ? 50 : TEXT_MIB;
  const rows: string[][] = [];
  for (const way of ['up', 'down'] as const) {
    const ask = asking(mib, way);
    const [bare, ours] = [
      new Load(forwarder.url, undefined, 1),
      new Load(gateway.url, undefined, 1),
    ];
    const pairs: (readonly [number, number])[] = [];
    for (let round = 0; round <= (quick ? 3 : 15); round++) {
      const pair = [await ask(bare), await ask(ours)] as const;
      // The first round compiles.
      if (round > 0) pairs.push(pair);
    }
    await Promise.all([bare.close(), ours.close()]);
    const shares = pairs.map(([one, other]) => other / one);
    rows.push([
      way,
      ...[0, 1].map((at) => median(pairs.map((pair) => pair[at] ?? 0)).toFixed(0)),
      median(shares).toFixed(2),
      `${quantile(shares, 0.25).toFixed(2)} to ${quantile(shares, 0.75).toFixed(2)}`,
    ]);
  }
  print(`\nOne text of ${mib} MiB, in turns\n\n`);
  print(table(['way', 'undici MB/s', 'Soapstone MB/s', 'share', 'quartiles'], rows));
}

/** Megabytes a second of one message of text. */
function asking(mib: number, way: Way): (load: Load) => Promise<number> {
  const envelope = sizedEnvelope(mib * 2 ** 20, 'text', way);
  const [query, body, bytes] =
    way === 'up'
      ? (['', envelope, SMALL_REPLY.length] as const)
      : ([`?text=${mib * 2 ** 20}`, SMALL_REQUEST, envelope.length] as const);
  return async (load) => {
    const start = performance.now();
    await load.many(1, query, body, bytes);
    return envelope.length / 1e3 / (performance.now() - start);
  };
}

/** A gigabyte of elements, read past and validated. */
async function elements(unread: Server, enforced: Server): Promise<void> {
  const rows: string[][] = [];
  for (const [name, server] of [
    ['read past', unread],
    ['validated', enforced],
  ] as const) {
    const load = new Load(server.url, undefined, 1);
    for (const shape of ['elements', 'dense', 'prefixed'] as const) {
      const row = [`${name}, ${shape}`];
      for (const way of ['up', 'down'] as const) {
        const start = performance.now();
        await load[way](GIGABYTE, shape);
        row.push(((performance.now() - start) / 1000).toFixed(2));
      }
      rows.push(row);
    }
    await load.close();
  }
  print('\n1 GB of elements\n\n');
  print(table(['Body', 's up', 's down'], rows));
}

/**
 * How long a message takes that is valid, and one that is invalid at its end: the first of its
 * connection, and after others.
 */
async function invalid(enforced: Server, quick: boolean): Promise<void> {
  const valid = sizedEnvelope(INVALID_BYTES, 'elements', 'up');
  const at = valid.lastIndexOf('<o:quantity>') + '<o:quantity>'.length;
  const broken = Buffer.concat([
    valid.subarray(0, at),
    Buffer.from('no number '),
    valid.subarray(at),
  ]);
  const ask = async (load: Load, body: Buffer, status: number): Promise<number> => {
    const start = performance.now();
    await load.answered(body, status);
    return performance.now() - start;
  };
  const kept = new Load(enforced.url, undefined, 1);
  const good: number[] = [];
  for (let round = 0; round < (quick ? 4 : 8); round++) good.push(await ask(kept, valid, 200));
  await kept.close();
  const bad: number[] = [];
  for (let round = 0; round < 6; round++) {
    const fresh = new Load(enforced.url, undefined, 1);
    bad.push(await ask(fresh, broken, 500));
    await fresh.close();
  }
  print(
    `\n${INVALID_BYTES / 1e6} MB, invalid at its end: ms until it is answered, each on a ` +
      'connection of its own\n\n',
  );
  print(
    table(
      ['valid, median', ...bad.map((_, n) => `invalid ${n + 1}`)],
      [[median(good), ...bad].map((ms) => ms.toFixed(0))],
    ),
  );
}

if (isProgram(import.meta.url)) await benchLarge(isQuick());
