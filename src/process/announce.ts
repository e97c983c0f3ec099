import type { Diagnostic } from '../core/index.js';
import type { Log } from '../observe/log/log.js';
import type { Running } from './introduction.js';
import { notifyServiceManager } from './service-manager.js';
import type { Terminal } from './terminal.js';

/** What there is to say of a configuration that is in use. */
export interface Announcement {
  readonly warnings: readonly Diagnostic[];
  readonly introduce: (running: Running) => string | null;
}

/** Says that the gateway takes requests: in the log, to the service manager, and to people. */
export async function announce(
  running: Running,
  { warnings, introduce }: Announcement,
  log: Log,
  terminal: Terminal,
): Promise<void> {
  readyEvent(running, warnings, log);
  await log.flush();
  if (!(await notifyServiceManager('READY=1'))) {
    log.event('warn', 'systemd-notify failed: systemd waits for it', {});
  }
  const text = introduce(running);
  if (text !== null) {
    terminal.out(text);
  }
}

/** Says in the log that the gateway takes requests, and what its configuration leaves out. */
export function readyEvent(
  { url, urls, adminUrl }: Running,
  warnings: readonly Diagnostic[],
  log: Log,
): void {
  log.event('info', 'ready', {
    listen: urls.length === 1 ? url : urls,
    admin: adminUrl,
    pid: process.pid,
  });
  log.configurationWarnings(warnings);
}
