import { startDemoBackend } from '../../config/demo/backend.js';
import type { Compiled } from '../compile.js';
import { parseAddress } from '../config/keys/address.js';
import { type LoadedConfig, rootSection } from '../config/load.js';
import type { Log } from '../observe/log/log.js';
import type { Introduction, Running } from './introduction.js';
import { refuseAddress } from './refuse-address.js';
import { type CompiledFacts, compiledFacts } from './reload/reload-source.js';
import { notifyServiceManager } from './service-manager.js';
import { type StopCause, stopCause } from './stop-cause.js';
import type { Terminal } from './terminal.js';

/**
 * What is left of a start: the functions that wait for the end would hold the first configuration
 * beyond its reloads.
 */
export interface Opening {
  readonly facts: CompiledFacts;
  readonly introduce: (running: Running) => string | null;
  readonly stopping: Promise<StopCause>;
  /** Stops the bundled backend. */
  readonly closeDemo: () => Promise<void>;
}

interface Opened {
  readonly loaded: LoadedConfig;
  readonly introduction: Introduction;
}

/**
 * The bundled backend starts where the configuration wants it. Throws `ConfigurationError` where it
 * cannot.
 */
export const openingOf = async (
  compiled: Compiled,
  { loaded, introduction }: Opened,
  log: Log,
): Promise<Opening> => ({
  facts: compiledFacts(compiled),
  introduce: introduction(compiled),
  stopping: stopCause(log),
  closeDemo: await startDemo(loaded),
});

/** Says that the gateway takes requests: in the log, to the service manager, and to people. */
export async function announce(
  running: Running,
  { facts, introduce }: Opening,
  log: Log,
  terminal: Terminal,
): Promise<void> {
  log.event('info', 'ready', {
    listen: running.urls.length === 1 ? running.url : running.urls,
    admin: running.adminUrl,
    pid: process.pid,
  });
  log.configurationWarnings(facts.warnings);
  await log.flush();
  if (!(await notifyServiceManager('READY=1'))) {
    log.event('warn', 'systemd-notify failed: systemd waits for it', {});
  }
  const text = introduce(running);
  if (text !== null) {
    terminal.out(text);
  }
}

/** Starts the bundled backend if the configuration wants it; returns what stops it. */
async function startDemo(loaded: LoadedConfig): Promise<() => Promise<void>> {
  const address = parseAddress(loaded.config.demo?.listen ?? '');
  if (address === null) return async () => {};
  const demo = await startDemoBackend(address.host, address.port).catch(
    refuseAddress(rootSection(loaded), ['demo']),
  );
  return () => demo.close();
}
