import type { Log } from '../observe/log/log.js';
import type { Gateway } from '../server.js';
import type { WorkerGroup } from './parent/worker-group.js';
import { compiledFacts } from './reload/reload-source.js';

/** The one worker of a gateway that forks none: this process. */
export const ownWorker = (gateway: Gateway, log: Log): WorkerGroup => ({
  ready: Promise.resolve(gateway.urls),
  broken: new Promise<never>(() => {}),
  silentMillis: 0,
  adminUrl: gateway.adminUrl,
  async reload(next) {
    const compiled = await next.compileBeside(gateway.compiled());
    gateway.replace(compiled);
    return compiledFacts(compiled);
  },
  async roll() {
    log.event('warn', 'SIGUSR2 replaces workers, and there are none', {});
  },
  async stop(delayMillis) {
    const cut = await gateway.drain(undefined, delayMillis);
    return { cut, lostRecords: gateway.lostRecords, fields: {} };
  },
});
