import { ConfigurationError, diagnosis } from '../core/index.js';
import type { Log } from '../observe/log/log.js';
import type { Gateway } from '../server.js';
import type { WorkerGroup } from './parent/worker-group.js';
import { compiledFacts } from './reload/reload-source.js';
import type { ExitCode } from './terminal.js';

/** The one worker of a gateway that forks none: this process. */
export const ownWorker = (gateway: Gateway, log: Log): WorkerGroup => ({
  ready: Promise.resolve(gateway.urls),
  broken: gateway.whole.then(
    () => new Promise<never>(() => {}),
    (error: unknown) => reportBroken(error, log),
  ),
  silentMillis: 0,
  adminUrl: gateway.adminUrl,
  async reload(next) {
    await gateway.whole.catch(() => {});
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

/** The schema that an earlier start has compiled has errors now: the next start reports them. */
function reportBroken(error: unknown, log: Log): ExitCode {
  const isBug = !(error instanceof ConfigurationError);
  if (isBug) {
    log.bug(error);
  }
  const problems = isBug ? [] : error.diagnostics.map(diagnosis.printDiagnostic);
  log.event('error', 'the GraphQL schema cannot be compiled', { problems });
  return 1;
}
