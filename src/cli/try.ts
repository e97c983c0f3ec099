import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseListenAddress } from '../config/keys/address.js';
import { diagnosis } from '../core/index.js';
import { trialIntroduction } from '../process/introduction.js';
import { start } from '../process/start.js';
import type { ExitCode, Terminal } from '../process/terminal.js';
import { importWsdl } from './import/import.js';
import type { SourceOptions } from './import/import-source.js';
import { oneLine } from './table.js';

export interface TryOptions {
  /**
   * The address for callers. Null: port 4000 of this machine, or another one where that is taken.
   */
  readonly listen: string | null;
  /** The address of the backend; null: that of the WSDL. */
  readonly url: string | null;
  readonly source: SourceOptions;
}

/**
 * Imports a WSDL into a folder that goes at the end, and runs the gateway in front of its services;
 * 1 when no operation can be called. Throws `ConfigurationError`.
 */
export async function tryWsdl(
  location: string,
  { listen, url, source }: TryOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (listen !== null && parseListenAddress(listen) === null) {
    const what = `${oneLine(listen)} is no address to listen at.`;
    const remedy = 'Give a host and a port, such as 0.0.0.0:4000.';
    throw diagnosis.unplacedError(what, remedy);
  }
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-try-'));
  try {
    const addresses = {
      listen: listen === null ? await freeAddress(4000) : JSON.stringify(listen),
      admin: await freeAddress(4001),
      more: ['console: { tryOut: true }'],
      hasRestAndTools: true,
    };
    const options = {
      directory,
      name: null,
      ports: [],
      force: false,
      json: false,
      url,
      source,
      addresses,
    };
    const code = await importWsdl(location, options, terminal);
    if (code !== 0) return code;
    return await start(join(directory, 'soapstone.yaml'), {}, terminal, trialIntroduction);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The address with this port, or, where another program has it, with one that the system chooses.
 */
function freeAddress(port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve('127.0.0.1:0'));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(`127.0.0.1:${port}`)));
  });
}
