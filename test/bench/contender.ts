import { fileOf, type Server, startServer } from './kit.js';
import { Load } from './load.js';

/** A server under load, and the microseconds of processor time for each message, by slice. */
export interface Contender {
  readonly name: string;
  readonly server: Server;
  readonly load: Load;
  readonly micros: number[];
}

export const contend = (name: string, server: Server): Contender => ({
  name,
  server,
  load: new Load(server.url),
  micros: [],
});

/**
 * Sends a slice of small messages, of SOAP unless `send` sends others: short slices, so that other
 * processes disturb all contenders alike.
 */
export async function slice(
  { server, load, micros }: Contender,
  messages: number,
  send: (load: Load, count: number) => Promise<unknown> = (to, count) => to.small(count),
): Promise<void> {
  const before = (await server.usage()).cpuMicros;
  await send(load, messages);
  micros.push(((await server.usage()).cpuMicros - before) / messages);
}

/** Ends the contenders, and then the backend behind them. */
export async function endAll(
  contenders: readonly Pick<Contender, 'load' | 'server'>[],
  backend: Server,
) {
  await Promise.all(contenders.map(({ load }) => load.close()));
  for (const server of [...contenders.map(({ server }) => server), backend]) await server.stop();
}

/**
 * Runs `use` with a gateway that `start` puts in front of the backend, and so many connections to
 * it. They end then.
 */
export async function withLoad(
  start: (backendUrl: string) => Promise<Server>,
  use: (load: Load, gateway: Server, backend: Server) => Promise<void>,
  connections?: number,
): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const server = await start(backend.url);
  const load = new Load(server.url, undefined, connections);
  try {
    await use(load, server, backend);
  } finally {
    await endAll([{ load, server }], backend);
  }
}
