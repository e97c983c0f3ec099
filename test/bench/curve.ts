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
import {
  SHAPES,
  type Shape,
  SMALL_REPLY,
  SMALL_REQUEST,
  sizedEnvelope,
  type Way,
} from './messages.js';
import { PATH, startKeys } from './soapstone.js';

/**
 * Processor time by the size of a message, beside a bare `undici` forwarder: small and whole
 * gigabytes hide the rest.
 */

const KIB = 1024;
const SIZES_KIB = [1, 2, 4, 8, 16, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10_240];
const QUICK_SIZES_KIB = [2, 64, 256, 1024, 4096];
const CONNECTIONS = 8;
/** The bytes of one slice of a contender, about, and its fewest requests. */
const SLICE_BYTES = 24 * KIB * KIB;
const SLICE_REQUESTS_MIN = 16;
const SLICE_REQUESTS_MAX = 1_000;

/** The kinds of service: without a WSDL, with one, and with content that is validated by it. */
const SERVICES = {
  bare: '',
  described: 'wsdl: WSDL, validate: { requests: off, replies: off }',
  validated: 'wsdl: WSDL, validate: { requests: enforce, replies: enforce }',
} as const;
type Service = keyof typeof SERVICES;

const keysOf = (service: Service, url: string): string => `services:
  bench: { url: "${url}", ${SERVICES[service].replace('WSDL', resolve(WSDL))} }
limits:
  xml: { messageBytes: 2147483648, children: 100000000, elements: 1000000000 }
  overload: { eventLoopMillis: 0 }
`;
const WSDL = 'test/bench/typed-orders.wsdl';

interface Contender {
  readonly server: Server;
  readonly load: Load;
}

interface Point {
  readonly kib: number;
  readonly forwarderMicros: number;
  readonly micros: number;
  /** Of each pair of slices. */
  readonly ratios: readonly number[];
}

export async function benchCurve(
  quick: boolean,
  shapes: readonly Shape[],
  ways: readonly Way[],
  services: readonly Service[],
): Promise<void> {
  for (const service of services) await benchService(service, quick, shapes, ways);
}

async function benchService(
  service: Service,
  quick: boolean,
  shapes: readonly Shape[],
  ways: readonly Way[],
): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const contender = (server: Server): Contender => ({
    server,
    load: new Load(server.url, undefined, CONNECTIONS),
  });
  const forwarder = contender(await startServer(fileOf('forwarders.js'), ['undici', backend.url]));
  const soapstone = contender(await startKeys(keysOf(service, `${backend.url}${PATH}`)));
  try {
    for (const way of ways) {
      for (const shape of shapes) {
        const points: Point[] = [];
        for (const kib of quick ? QUICK_SIZES_KIB : SIZES_KIB)
          points.push(await measure(forwarder, soapstone, kib, shape, way, quick ? 3 : 9));
        const what = way === 'up' ? 'Requests' : 'Replies';
        const about = `${service} service, ${CONNECTIONS} connections`;
        print(`\n${what}, ${shape}, ${about}: processor time of one\n\n`);
        print(
          table(
            ['size KiB', 'undici µs', 'Soapstone µs', 'ratio', 'quartiles', 'to its line'],
            rowsOf(points),
          ),
        );
      }
    }
  } finally {
    await Promise.all([forwarder, soapstone].map(({ load }) => load.close()));
    await Promise.all([backend, forwarder.server, soapstone.server].map((server) => server.stop()));
  }
}

async function measure(
  forwarder: Contender,
  soapstone: Contender,
  kib: number,
  shape: Shape,
  way: Way,
  slices: number,
): Promise<Point> {
  const envelope = sizedEnvelope(kib * KIB, shape, way);
  const [query, body, replyBytes] =
    way === 'up'
      ? (['', envelope, SMALL_REPLY.length] as const)
      : ([`?${shape}=${kib * KIB}`, SMALL_REQUEST, envelope.length] as const);
  const count = Math.round(
    Math.min(
      SLICE_REQUESTS_MAX,
      Math.max(SLICE_REQUESTS_MIN, SLICE_BYTES / Math.max(envelope.length, 4096)),
    ),
  );
  const slice = async ({ server, load }: Contender): Promise<number> => {
    // Connections that were left idle while the other ran are made anew before anything counts.
    await load.many(CONNECTIONS, query, body, replyBytes);
    const before = await server.usage();
    await load.many(count, query, body, replyBytes);
    return ((await server.usage()).cpuMicros - before.cpuMicros) / count;
  };
  await slice(forwarder);
  await slice(soapstone);
  const pairs: (readonly [number, number])[] = [];
  for (let at = 0; at < slices; at++) {
    const first = at % 2 === 0 ? forwarder : soapstone;
    const a = await slice(first);
    const b = await slice(first === forwarder ? soapstone : forwarder);
    pairs.push(first === forwarder ? [a, b] : [b, a]);
  }
  return {
    kib,
    forwarderMicros: median(pairs.map(([bare]) => bare)),
    micros: median(pairs.map(([, ours]) => ours)),
    ratios: pairs.map(([bare, ours]) => ours / bare),
  };
}

const rowsOf = (points: readonly Point[]): readonly (readonly string[])[] =>
  points.map(({ kib, forwarderMicros, micros, ratios }, at) => [
    String(kib),
    forwarderMicros.toFixed(0),
    micros.toFixed(0),
    median(ratios).toFixed(2),
    `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`,
    toLine(points, at),
  ]);

/** The point as a share of the straight line through its neighbours. */
function toLine(points: readonly Point[], at: number): string {
  const [before, point, after] = [points[at - 1], points[at], points[at + 1]];
  if (before === undefined || point === undefined || after === undefined) return '';
  const share = (point.kib - before.kib) / (after.kib - before.kib);
  return (point.micros / (before.micros + share * (after.micros - before.micros))).toFixed(2);
}

const isService = (name: string): name is Service => Object.hasOwn(SERVICES, name);

/** `--up`, `--down`, the names of shapes and of services: these alone. */
const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
  const named = all.filter((name) => process.argv.includes(`--${name}`));
  return named.length === 0 ? all : named;
};

if (isProgram(import.meta.url)) {
  const services = Object.keys(SERVICES).filter(isService);
  await benchCurve(isQuick(), chosen(SHAPES), chosen(['up', 'down']), chosen(services));
}
