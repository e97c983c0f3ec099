import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

import { fileOf, type Server, startServer } from './kit.js';

/** The path on which every proxy of the bench takes requests, and the backend too. */
export const PATH = '/soap/bench';

/**
 * The gateway as `soapstone start` runs it, with metrics and access log: its lines go to a pipe
 * that is emptied. Only what the long messages need is raised, and a machine that is busy with
 * others is no overload.
 */
const configuration = (directory: string, url: string, more: string, listen: string): string => `
listen: ${listen}
admin: 127.0.0.1:0
services:
  bench:
    wsdl: ${relative(directory, resolve('test/bench/orders.wsdl'))}
    url: ${url}
    operations: { GetOrders: false }
  legacy:
    wsdl: ${relative(directory, resolve('config/demo/legacy.wsdl'))}
    url: ${url}
    operations: { ListOrders: { field: Query.orders } }
limits:
  xml: { messageBytes: 2147483648, children: 100000000, elements: 1000000000 }
  upstream: { totalMillis: 3600000 }
  overload: { eventLoopMillis: 0 }
${more}`;

/**
 * Runs `use` with a configuration file for a backend at `url`, and `more` keys; the file is gone
 * afterwards.
 */
export const withConfiguration = <T>(
  url: string,
  use: (file: string) => Promise<T>,
  more = '',
  listen = '127.0.0.1:0',
): Promise<T> => withFile((directory) => configuration(directory, url, more, listen), use);

async function withFile<T>(
  text: (directory: string) => string,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-bench-'));
  try {
    const file = join(directory, 'soapstone.yaml');
    await writeFile(file, text(directory));
    return await use(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Starts the gateway in front of `url`; `more` are keys of its configuration. */
export const startSoapstone = (
  url: string,
  nodeOptions: readonly string[] = [],
  more = '',
): Promise<Server> => withConfiguration(url, (file) => startFile(file, nodeOptions), more);

/** Starts the gateway with a configuration file. */
export const startFile = (file: string, nodeOptions: readonly string[] = []): Promise<Server> =>
  startServer(fileOf('../../bin/main.js'), ['start', '-c', file], nodeOptions);

/**
 * Starts the gateway with these keys, on addresses that the system chooses, or on those of
 * `listen`.
 */
export const startKeys = (yaml: string, listen = '127.0.0.1:0'): Promise<Server> =>
  withFile(() => `listen: ${listen}\nadmin: 127.0.0.1:0\n${yaml}`, startFile);
