import cluster from 'node:cluster';
import { firstWarnings } from '../base/diagnostic.js';
import {
  completeInputs,
  emptySnapshot,
  type InputSnapshot,
  type Inputs,
  recordInputs,
  replayInputs,
} from '../base/inputs.js';
import { TimeSlices } from '../base/time-slices.js';
import { compileAdmin } from '../compile/listen/admin.js';
import { auditTargetOf } from '../compile/process/audit.js';
import { compile } from '../compile.js';
import { type LoadedConfig, loadConfig, rootSection } from '../config/load.js';
import { processCount } from '../config/process-count.js';
import { checkRestartKeys } from '../config/restart-keys.js';
import type { Config } from '../config/schema.js';
import { parentCheckpoints } from '../observe/audit/audit-checkpoints.js';
import { Log } from '../observe/log/log.js';
import { startGateway } from '../server.js';
import { demoIntroduction, type Introduction } from './introduction.js';
import { announce, openingOf } from './opening.js';
import { workersOption } from './parent/worker-count.js';
import { type ParentConfig, Workers } from './parent/workers.js';
import { PendingSignal } from './pending-signal.js';
import { refuseAddress } from './refuse-address.js';
import { askedFrom } from './reload/asked-reloads.js';
import { checkWeaker } from './reload/check-weaker.js';
import { FileWatch } from './reload/file-watch.js';
import { type CompiledFacts, compiledFacts, type Reads, wsdlsInUse } from './reload/reload-source.js';
import { type Applied, type ReloadCause, Reloader } from './reload/reloader.js';
import { throwWithWsdls } from './reload/wsdl-errors.js';
import { compileBeside, outdated, type UseSource, WsdlTakeover } from './reload/wsdl-takeover.js';
import { notifyServiceManager, reportToWatchdog, whileReloading } from './service-manager.js';
import { drainDelayOf, endCode, type StopCause } from './stop-cause.js';
import type { ExitCode, Terminal } from './terminal.js';
import { parentChannel, readRest, runWorker } from './worker-process.js';

/**
 * Runs the gateway until SIGTERM or SIGINT, then drains it. The first line on standard output has `ready` and the
 * addresses. Throws `ConfigurationError`, also for an address that cannot be bound.
 */
export async function start(
  file: string,
  workers: string | null,
  terminal: Terminal,
  introduction: Introduction = demoIntroduction,
): Promise<ExitCode> {
  const parent = cluster.isWorker ? parentChannel() : null;
  const begin = (await parent?.ask('begin', null)) ?? null;
  const snapshot = begin?.inputs ?? emptySnapshot();
  const watch = new FileWatch();
  const inputs = parent === null ? watch.track(recordInputs(snapshot)) : replayInputs(snapshot);
  const loaded = await loadConfig(file, process.env, workersOption(workers), inputs);
  const { log: logging, limits } = loaded.config;
  const log = new Log(logging.level, null, limits.overload.logBacklogBytes);
  // Without a listener Node opens a debugger at this signal (catalogue K09).
  process.on('SIGUSR1', () => log.event('warn', 'SIGUSR1 is ignored: it opens no debugger', {}));
  const hangUp = new PendingSignal('SIGHUP');
  const rollSignal = new PendingSignal('SIGUSR2');
  try {
    const count = processCount(loaded.config);
    if (parent !== null && begin !== null) return await runWorker(parent, begin, loaded, log);
    const load: Origin['load'] = (again) => loadAgain(loaded, workersOption(workers), again);
    const takeover = new WsdlTakeover(log);
    const origin = { loaded, snapshot, load, hangUp, rollSignal, watch, takeover, introduction, terminal };
    return count > 1 ? await runWorkers(count, origin, log) : await runAlone(origin, log);
  } finally {
    watch.listen(null);
    hangUp.close();
    rollSignal.close();
    // The system would wait for ever for a thread that waits for the reader of the log (O08).
    if (!(await log.close())) process.kill(process.pid, 'SIGKILL');
  }
}

/** How a configuration came about, and how it is loaded again. */
interface Origin {
  readonly loaded: LoadedConfig;
  /** What was read for it. */
  readonly snapshot: InputSnapshot;
  readonly load: (inputs: Inputs) => Promise<LoadedConfig>;
  readonly hangUp: PendingSignal;
  /** Asks for all workers to be replaced. */
  readonly rollSignal: PendingSignal;
  readonly watch: FileWatch;
  readonly takeover: WsdlTakeover;
  readonly introduction: Introduction;
  readonly terminal: Terminal;
}

/** Reads all inputs anew for a reload, and keeps them. */
function readAnew({ watch, takeover }: Origin, use: UseSource, cause: ReloadCause): Promise<Applied> {
  const occasion = cause === 'changed file' ? 'changed files' : 'asked';
  const read = (reads: Reads): Promise<Applied> =>
    use({ occasion, inputs: completeInputs(reads.snapshot, readRest(reads)), reads });
  return whileReloading(() => watch.record((files) => read({ snapshot: takeover.begin(), files })));
}

/** Reloads at a SIGHUP, and after changes of files where the configuration asks for that. */
function listenForReloads({ hangUp, watch }: Origin, { reload }: Config, reloader: Reloader): void {
  hangUp.listen(() => void reloader.request('SIGHUP'));
  watch.listen(reload.watch ? () => reloader.request('changed file') : null);
}

/** Reads the configuration of a running gateway anew. Throws `ConfigurationError`, also for a key that needs a restart. */
async function loadAgain(
  { file, config }: LoadedConfig,
  workers: Config['workers'] | null,
  inputs: Inputs,
): Promise<LoadedConfig> {
  const pace = new TimeSlices();
  const next = await loadConfig(file, process.env, workers, inputs, pace).catch((error: unknown) =>
    throwWithWsdls(file, error, pace),
  );
  checkRestartKeys(config, next);
  return next;
}

async function runAlone(origin: Origin, log: Log): Promise<ExitCode> {
  const { loaded, snapshot, load, rollSignal, takeover, terminal } = origin;
  const use: UseSource = async ({ occasion, inputs, reads }) => {
    const again = await load(inputs);
    const weaker = await checkWeaker(gateway.compiled().config, again, occasion);
    const next = await compileBeside(again, gateway.compiled(), occasion);
    gateway.replace(next);
    takeover.use(reads.snapshot, wsdlsInUse(next));
    listenForReloads(origin, next.config, reloader);
    return { warnings: firstWarnings(next.warnings), weaker };
  };
  const reloader = new Reloader(log, (cause) => readAnew(origin, use, cause));
  const asked = askedFrom(reloader, takeover, use, log);
  const { opening, gateway } = await compile(loaded).then(async (compiled) => {
    const opening = await openingOf(compiled, origin, log);
    const starting = startGateway(compiled, log, asked);
    return { opening, gateway: await starting.catch(refuseAddress(rootSection(loaded), ['listen', 'admin'])) };
  });
  if (!takeover.use(snapshot, opening.facts.wsdls)) snapshot.contents.clear();
  await announce(gateway, opening, log, terminal);
  rollSignal.listen(() => log.event('warn', 'SIGUSR2 replaces workers, and there are none', {}));
  listenForReloads(origin, loaded.config, reloader);
  const endReports = reportToWatchdog(() => 0);
  const why = await opening.stopping;
  endReports();
  const delayMillis = drainDelayOf(why, gateway.compiled().config);
  log.event('info', 'draining', { signal: why.name, delayMillis });
  void notifyServiceManager('STOPPING=1');
  await reloader.close();
  const cut = await gateway.drain(undefined, delayMillis);
  await opening.closeDemo();
  log.event('info', 'stopped', { cut });
  return endCode(why, cut > 0);
}

async function runWorkers(count: number, origin: Origin, log: Log): Promise<ExitCode> {
  const { loaded, snapshot, load, rollSignal, takeover, terminal } = origin;
  const opening = await compile(loaded).then(async (compiled) => {
    await compiled.close();
    return openingOf(compiled, origin, log);
  });
  takeover.use(snapshot, opening.facts.wsdls);
  let inUse = loaded.config;
  const use: UseSource = async (source) => {
    const next = await load(source.inputs);
    const weaker = await checkWeaker(inUse, next, source.occasion);
    const compileHere = async (): Promise<CompiledFacts> => {
      if (source.occasion === 'WSDL') throw outdated();
      // Connections are accepted by this process.
      const compiled = await compile(next, null, new TimeSlices());
      await compiled.close();
      return compiledFacts(compiled);
    };
    const { wsdls, warnings } = await workers.reload(source, compileHere, (facts) => parentConfigOf(next, facts));
    inUse = next.config;
    checkpoints?.write('reload');
    takeover.use(source.reads.snapshot, wsdls);
    log.setLevel(next.config.log.level);
    listenForReloads(origin, next.config, reloader);
    return { warnings, weaker };
  };
  const reloader = new Reloader(log, (cause) => readAnew(origin, use, cause));
  const asked = askedFrom(reloader, takeover, use, log);
  const first = parentConfigOf(loaded, opening.facts);
  const refuse = refuseAddress(rootSection(loaded), ['admin']);
  const checkpoints = await parentCheckpoints(auditTargetOf(rootSection(loaded)), log).catch(refuse);
  const workers = new Workers({
    count,
    file: loaded.file,
    config: loaded.config,
    inputs: snapshot,
    log,
    ...asked,
    first,
    checkpoints,
  });
  await workers.start().catch(refuse);
  const { adminUrl } = workers;
  void workers.ready.then((urls) => announce({ url: urls[0] ?? '', urls, adminUrl }, opening, log, terminal));
  void workers.ready.then(() => {
    listenForReloads(origin, loaded.config, reloader);
    rollSignal.listen(() => void workers.roll());
  });
  const endReports = reportToWatchdog(() => workers.silentMillis);
  const why = await Promise.race([opening.stopping, workers.broken]);
  endReports();
  const cause: StopCause = typeof why === 'object' ? why : { name: 'broken', code: why };
  if (typeof why === 'object')
    log.event('info', 'draining', { signal: why.name, delayMillis: drainDelayOf(why, inUse) });
  void notifyServiceManager('STOPPING=1');
  await reloader.close();
  const isForced = await workers.stop();
  await checkpoints?.close();
  await opening.closeDemo();
  log.event('info', 'stopped', { workers: count });
  return endCode(cause, isForced);
}

const parentConfigOf = (loaded: LoadedConfig, { names }: CompiledFacts): ParentConfig => ({
  names,
  admin: compileAdmin(rootSection(loaded)),
  drainMillis: loaded.config.drainDelayMillis + loaded.config.limits.http.drainMillis,
});
