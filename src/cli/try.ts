import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialIntroduction } from '../process/introduction.js';
import { start } from '../process/start.js';
import type { ExitCode, Terminal } from '../process/terminal.js';
import { importWsdl } from './import.js';
import type { SourceOptions } from './import-source.js';

/**
 * Imports a WSDL into a folder that goes at the end, and runs the gateway in front of its services; 1 when no operation
 * can be called. Throws `ConfigurationError`.
 */
export async function tryWsdl(location: string, source: SourceOptions, terminal: Terminal): Promise<ExitCode> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-try-'));
  try {
    const addresses = {
      listen: await freeAddress(4000),
      admin: await freeAddress(4001),
      more: ['console: { tryOut: true }'],
    };
    const options = { directory, name: null, ports: [], force: false, json: false, source, addresses };
    const code = await importWsdl(location, options, terminal);
    if (code !== 0) return code;
    return await start(join(directory, 'soapstone.yaml'), null, terminal, trialIntroduction);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The address with this port, or, where another program has it, with one that the system chooses. */
function freeAddress(port: number): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve('127.0.0.1:0'));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(`127.0.0.1:${port}`)));
  });
}
