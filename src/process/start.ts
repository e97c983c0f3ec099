import cluster from 'node:cluster';
import { compileAdmin } from '../compile/listen/admin.js';
import { compile } from '../compile.js';
import { type LoadedConfig, loadConfig, rootSection } from '../config/load.js';
import { readAudit } from '../config/plans/audit-plan.js';
import { readAdmin } from '../config/plans/listener-plan.js';
import { processCount } from '../config/process-count.js';
import { checkRestartKeys } from '../config/restart-keys.js';
import type { Config } from '../config/schema.js';
import {
  completeInputs,
  emptySnapshot,
  type InputSnapshot,
  type Inputs,
  recordInputs,
  replayInputs,
  TimeSlices,
} from '../core/index.js';
import { parentCheckpoints } from '../observe/audit/audit-checkpoints.js';
import { Log } from '../observe/log/log.js';
import { startGateway } from '../server.js';
import { demoIntroduction, type Introduction } from './introduction.js';
import { announce, type Opening, openingOf } from './opening.js';
import { ownWorker } from './own-worker.js';
import type { NextConfig, ParentConfig, WorkerGroup } from './parent/worker-group.js';
import { Workers, type WorkersOptions } from './parent/workers.js';
import { PendingSignal } from './pending-signal.js';
import { refuseAddress } from './refuse-address.js';
import { askedFrom } from './reload/asked-reloads.js';
import { checkWeaker } from './reload/check-weaker.js';
import { FileWatch } from './reload/file-watch.js';
import {
  type CompiledFacts,
  compiledFacts,
  type Reads,
  type ReloadOccasion,
} from './reload/reload-source.js';
import { type Applied, type ReloadCause, Reloader } from './reload/reloader.js';
import { throwWithWsdls } from './reload/wsdl-errors.js';
import { compileBeside, outdated, type UseSource, WsdlTakeover } from './reload/wsdl-takeover.js';
import { notifyServiceManager, reportToWatchdog, whileReloading } from './service-manager.js';
import { overridesOf, type StartOptions } from './start-options.js';
import { drainDelayOf, endCode, type StopCause } from './stop-cause.js';
import type { ExitCode, Terminal } from './terminal.js';
import { parentChannel, readRest, runWorker } from './worker-process.js';

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
  const snapshot = begin?.inputs ?? emptySnapshot();
  const watch = new FileWatch();
  const inputs = parent === null ? watch.track(recordInputs(snapshot)) : replayInputs(snapshot);
  const loaded = await loadConfig(file, process.env, overridesOf(options), inputs);
  const { log: logging, limits } = loaded.config;
  const log = new Log(logging.level, null, limits.overload.logBacklogBytes);
  // Without a listener Node opens a debugger at this signal (catalogue K09).
  process.on('SIGUSR1', () => log.event('warn', 'SIGUSR1 is ignored: it opens no debugger', {}));
  const hangUp = new PendingSignal('SIGHUP');
  const rollSignal = new PendingSignal('SIGUSR2');
  let code: ExitCode;
  try {
    const count = processCount(loaded.config);
    const load: Origin['load'] = (again) => loadAgain(loaded, again);
    const takeover = new WsdlTakeover(log);
    const origin = {
      loaded,
      snapshot,
      load,
      hangUp,
      rollSignal,
      watch,
      takeover,
      introduction,
      terminal,
    };
    code =
      parent !== null && begin !== null
        ? await runWorker(parent, begin, loaded, log)
        : await run(count, origin, log);
  } finally {
    watch.listen(null);
    hangUp.close();
    rollSignal.close();
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
function readAnew(
  { watch, takeover }: Origin,
  use: UseSource,
  cause: ReloadCause,
): Promise<Applied> {
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

/**
 * Reads the configuration of a running gateway anew. Throws `ConfigurationError`, also for a key
 * that needs a restart.
 */
async function loadAgain(running: LoadedConfig, inputs: Inputs): Promise<LoadedConfig> {
  const pace = new TimeSlices();
  const { file, overrides } = running;
  const next = await loadConfig(file, process.env, overrides, inputs, pace).catch(
    (error: unknown) => throwWithWsdls(file, error, pace),
  );
  checkRestartKeys(rootSection(running), rootSection(next));
  return next;
}

async function run(count: number, origin: Origin, log: Log): Promise<ExitCode> {
  const { loaded, load, rollSignal, takeover, terminal } = origin;
  let inUse = loaded.config;
  const use: UseSource = async (source) => {
    const next = await load(source.inputs);
    const weaker = await checkWeaker(inUse, rootSection(next), source.occasion);
    const { wsdls, warnings } = await group.reload(nextConfig(next, source.occasion), source);
    inUse = next.config;
    takeover.use(source.reads.snapshot, wsdls);
    log.setLevel(inUse.log.level);
    listenForReloads(origin, inUse, reloader);
    return { warnings, weaker };
  };
  const reloader = new Reloader(log, (cause) => readAnew(origin, use, cause));
  const { opening, group } = await open(
    count,
    origin,
    askedFrom(reloader, takeover, use, log),
    log,
  );
  const { adminUrl } = group;
  void group.ready.then((urls) =>
    announce({ url: urls[0] ?? '', urls, adminUrl }, opening, log, terminal),
  );
  void group.ready.then(() => {
    listenForReloads(origin, inUse, reloader);
    rollSignal.listen(() => void group.roll());
  });
  const endReports = reportToWatchdog(() => group.silentMillis);
  const why = await Promise.race([opening.stopping, group.broken]);
  endReports();
  const cause: StopCause = typeof why === 'object' ? why : { name: 'broken', code: why };
  const delayMillis = drainDelayOf(cause, inUse);
  if (typeof why === 'object') {
    log.event('info', 'draining', { signal: why.name, delayMillis });
  }
  void notifyServiceManager('STOPPING=1');
  // Without waiting for a reload that goes on: it may ask a service for its schema that does not
  // answer.
  reloader.close();
  const { cut, lostRecords, isForced = false, fields } = await group.stop(delayMillis);
  await opening.closeDemo();
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

/** What a start leaves behind: nothing of it holds the first configuration beyond its reloads. */
interface Started {
  readonly opening: Opening;
  readonly group: WorkerGroup;
}

/**
 * Compiles the configuration, and has `count` workers take requests. Throws `ConfigurationError`.
 */
async function open(
  count: number,
  origin: Origin,
  asked: Pick<WorkersOptions, 'loads' | 'reload' | 'offer'>,
  log: Log,
): Promise<Started> {
  const { loaded, snapshot, takeover } = origin;
  const root = rootSection(loaded);
  const compiled = await compile(loaded);
  const isAlone = count === 1;
  if (!isAlone) {
    await compiled.close();
  }
  const opening = await openingOf(compiled, origin, log);
  // Before workers start from it: it drops what cannot be used.
  const isKept = takeover.use(snapshot, opening.facts.wsdls);
  if (isAlone) {
    if (!isKept) {
      snapshot.contents.clear();
    }
    const gateway = await startGateway(compiled, log, asked).catch(
      refuseAddress(root, ['listen', 'admin']),
    );
    return { opening, group: ownWorker(gateway, log) };
  }
  const { config, file } = loaded;
  const first = parentConfigOf(loaded, opening.facts);
  const refuse = refuseAddress(root, ['admin']);
  const checkpoints = await parentCheckpoints(readAudit(root), log).catch(refuse);
  const group = new Workers({
    count,
    file,
    config,
    inputs: snapshot,
    log,
    ...asked,
    first,
    checkpoints,
  });
  await group.start().catch(refuse);
  return { opening, group };
}

const nextConfig = (next: LoadedConfig, occasion: ReloadOccasion): NextConfig => ({
  compileBeside: (before) => compileBeside(next, before, occasion),
  async compileUnused() {
    if (occasion === 'WSDL') throw outdated();
    // Connections are accepted by this process.
    const compiled = await compile(next, null, new TimeSlices());
    await compiled.close();
    return compiledFacts(compiled);
  },
  ownOf: (facts) => parentConfigOf(next, facts),
});

const parentConfigOf = (loaded: LoadedConfig, { names }: CompiledFacts): ParentConfig => ({
  names,
  admin: compileAdmin(readAdmin(rootSection(loaded))),
  drainMillis: loaded.config.drainDelayMillis + loaded.config.limits.http.drainMillis,
});
