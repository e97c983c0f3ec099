import cluster from 'node:cluster';
import type { Compiled } from '../compile.js';
import { type LoadedConfig, loadConfig, rootSection } from '../config/load.js';
import { processCount } from '../config/process-count.js';
import { checkRestartKeys } from '../config/restart-keys.js';
import { inputFiles, TimeSlices } from '../core/index.js';
import { Log } from '../observe/log/log.js';
import { announce } from './announce.js';
import { demoIntroduction, type Introduction, type Running } from './introduction.js';
import { PendingSignal } from './pending-signal.js';
import { FileWatch } from './reload/file-watch.js';
import { throwWithWsdls } from './reload/wsdl-errors.js';
import { WsdlTakeover } from './reload/wsdl-takeover.js';
import { type Origin, runGateway } from './running.js';
import { notifyServiceManager, reportToWatchdog, whileReloading } from './service-manager.js';
import { overridesOf, type StartOptions } from './start-options.js';
import { drainDelayOf, endCode, type StopCause, stopCause } from './stop-cause.js';
import type { ExitCode, Terminal } from './terminal.js';
import { parentChannel, runWorker } from './worker-process.js';

/**
 * Runs the gateway until SIGTERM or SIGINT, then drains it. The first line on standard output has
 * `ready` and the addresses. Throws `ConfigurationError`, also for an address that cannot be bound.
 */
export async function start(
  file: string,
  options: StartOptions,
  terminal: Terminal,
  introduction: Introduction = demoIntroduction,
): Promise<ExitCode> {
  const parent = cluster.isWorker ? parentChannel() : null;
  const begin = (await parent?.ask('begin', null)) ?? null;
  const snapshot = begin?.inputs ?? inputFiles.emptySnapshot();
  const watch = new FileWatch();
  const inputs =
    parent === null
      ? watch.track(inputFiles.recordInputs(snapshot))
      : inputFiles.replayInputs(snapshot);
  const loaded = await loadConfig(file, process.env, overridesOf(options), inputs);
  const { log: logging, limits } = loaded.config;
  const log = new Log(logging.level, null, limits.overload.logBacklogBytes);
  log.configure(logging);
  // Without a listener Node opens a debugger at this signal (catalogue K09).
  process.on('SIGUSR1', () => log.event('warn', 'SIGUSR1 is ignored: it opens no debugger', {}));
  const signals = { hangUp: new PendingSignal('SIGHUP'), roll: new PendingSignal('SIGUSR2') };
  let code: ExitCode;
  try {
    const count = processCount(loaded.config);
    const origin = {
      loaded,
      snapshot,
      load: (again: inputFiles.Inputs) => loadAgain(loaded, again),
      watch,
      takeover: new WsdlTakeover(log, whileReloading),
      reloading: whileReloading,
      open: (compiled: Compiled) => ({
        introduce: introduction(compiled),
        stopping: stopCause(log),
      }),
    };
    code =
      parent !== null && begin !== null
        ? await runWorker(parent, begin, loaded, log)
        : await run(count, origin, signals, terminal, log);
  } finally {
    watch.listen(null);
    signals.hangUp.close();
    signals.roll.close();
    // The system would wait for ever for a thread that waits for the reader of the log (O08).
    const canEnd = await log.close();
    if (log.lostLines > 0) {
      terminal.error(`${log.lostLines} lines of the log could not be written and are lost.`);
    }
    if (!canEnd) {
      process.kill(process.pid, 'SIGKILL');
    }
  }
  return endCode({ code }, log.lostLines > 0);
}

/**
 * Reads the configuration of a running gateway anew. Throws `ConfigurationError`, also for a key
 * that needs a restart.
 */
async function loadAgain(running: LoadedConfig, inputs: inputFiles.Inputs): Promise<LoadedConfig> {
  const pace = new TimeSlices();
  const { file, overrides } = running;
  const next = await loadConfig(file, process.env, overrides, inputs, pace).catch(
    (error: unknown) => throwWithWsdls(file, error, pace),
  );
  checkRestartKeys(rootSection(running), rootSection(next));
  return next;
}

/** What the configuration says once it is compiled, and why the process ends. */
interface Opened {
  readonly introduce: (running: Running) => string | null;
  readonly stopping: Promise<StopCause>;
}

async function run(
  count: number,
  origin: Origin<Opened>,
  { hangUp, roll }: Readonly<Record<'hangUp' | 'roll', PendingSignal>>,
  terminal: Terminal,
  log: Log,
): Promise<ExitCode> {
  const { opened, group, reloader, warnings, config, closeDemo } = await runGateway(
    count,
    origin,
    log,
  );
  const { adminUrl } = group;
  void group.ready.then((urls) =>
    announce({ url: urls[0] ?? '', urls, adminUrl }, { ...opened, warnings }, log, terminal),
  );
  void group.ready.then(() => {
    hangUp.listen(() => void reloader.request('SIGHUP'));
    roll.listen(() => void group.roll());
  });
  const endReports = reportToWatchdog(() => group.silentMillis);
  const why = await Promise.race([opened.stopping, group.broken]);
  endReports();
  const cause: StopCause = typeof why === 'object' ? why : { name: 'broken', code: why };
  const delayMillis = drainDelayOf(cause, config());
  if (typeof why === 'object') {
    log.event('info', 'draining', { signal: why.name, delayMillis });
  }
  void notifyServiceManager('STOPPING=1');
  // Without waiting for a reload that goes on: it may ask a service for its schema that does not
  // answer.
  reloader.close();
  const { cut, lostRecords, isForced = false, fields } = await group.stop(delayMillis);
  await closeDemo();
  if (lostRecords > 0) {
    reportLost(lostRecords, log, terminal);
  }
  log.event('info', 'stopped', { ...fields, cut });
  return endCode(cause, isForced || cut > 0 || lostRecords > 0);
}

/** On standard error as well: the log may be on the same disk. */
function reportLost(lines: number, log: Log, terminal: Terminal): void {
  log.event('error', 'lines of the audit are lost', { lines });
  terminal.error(`${lines} lines of the audit could not be written and are lost.`);
}
