import { startDemoBackend } from '../../config/demo/backend.js';
import { Problems, printProblem } from '../base/problem.js';
import { type Compiled, compile } from '../compile.js';
import { parseAddress } from '../config/address.js';
import { type LoadedConfig, loadConfig } from '../config/load.js';
import { Log } from '../observe/log.js';
import { type Gateway, startGateway } from '../server.js';
import type { ExitCode, Terminal } from './terminal.js';
import { thingsToTry } from './things-to-try.js';

/**
 * Runs the gateway until SIGTERM or SIGINT, then drains it. The first line on standard output says `ready` with the
 * addresses. Throws `Problems`, also for an address that cannot be had.
 */
export async function start(file: string, terminal: Terminal): Promise<ExitCode> {
  const loaded = await loadConfig(file, process.env);
  const compiled = await compile(loaded);
  const log = new Log(loaded.config.log.level);
  try {
    const closeDemo = await startDemo(loaded);
    const gateway = await startGateway(compiled, log).catch((error: unknown) => {
      throw asProblems(error, loaded, ['listen', 'admin']);
    });
    const stopped = stopSignal();
    announce(gateway, compiled, log, terminal);

    log.event('info', 'draining', { signal: await stopped });
    const cut = await gateway.drain();
    await closeDemo();
    log.event('info', 'stopped', { cut });
    return 0;
  } finally {
    log.close();
  }
}

function announce(gateway: Gateway, compiled: Compiled, log: Log, terminal: Terminal): void {
  log.event('info', 'ready', { listen: gateway.url, admin: gateway.adminUrl, pid: process.pid });
  for (const notice of compiled.notices) log.event('warn', 'note', { note: printProblem(notice) });
  log.flush();
  if (compiled.config.demo !== undefined) terminal.out(thingsToTry(gateway, compiled));
}

/** Starts the bundled backend if the configuration wants it; returns what stops it. */
async function startDemo(loaded: LoadedConfig): Promise<() => Promise<void>> {
  const address = parseAddress(loaded.config.demo?.listen ?? '');
  if (address === null) return async () => {};
  const demo = await startDemoBackend(address.host, address.port).catch((error: unknown) => {
    throw asProblems(error, loaded, ['demo.listen']);
  });
  return () => demo.close();
}

/** The first of the signals that ask a process to end. A second one ends it at once, as the system does. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const stop = (signal: string): void => {
      for (const each of signals) process.off(each, stop);
      resolve(signal);
    };
    for (const each of signals) process.on(each, stop);
  });
}

const LISTEN_ERRORS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'is in use by another program'],
  ['EADDRNOTAVAIL', 'does not belong to this machine'],
  ['EACCES', 'may not be used by this user'],
  ['ENOTFOUND', 'has a host that is not known'],
]);

/** An address that cannot be had is a mistake in the configuration; anything else stays what it is. */
function asProblems(error: unknown, loaded: LoadedConfig, keys: readonly string[]): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const why = LISTEN_ERRORS.get(String(error.code));
  if (why === undefined) return error;
  const port = 'port' in error ? Number(error.port) : null;
  const paths = keys.map((key) => key.split('.'));
  const path = paths.find((each) => parseAddress(valueAt(loaded.config, each))?.port === port) ?? paths[0] ?? [];
  const place = loaded.positionOf(path);
  const what = `The address ${valueAt(loaded.config, path)} of \`${path.join('.')}\` ${why}.`;
  return new Problems([
    { file: loaded.file, line: place?.line ?? null, column: place?.column ?? null, what, remedy: 'Choose another.' },
  ]);
}

function valueAt(config: LoadedConfig['config'], path: readonly string[]): string {
  if (path[0] === 'demo') return config.demo?.listen ?? '';
  return path[0] === 'admin' ? config.admin : config.listen;
}
