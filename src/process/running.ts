import { startDemoBackend } from '../../config/demo/backend.js';
import { compileAdmin } from '../compile/listen/admin.js';
import { type Compiled, compile, compileFirst } from '../compile.js';
import { parseAddress } from '../config/keys/address.js';
import { type LoadedConfig, rootSection } from '../config/load.js';
import { readAudit } from '../config/plans/audit-plan.js';
import { readAdmin } from '../config/plans/listener-plan.js';
import type { Config } from '../config/schema.js';
import { inputFiles, TimeSlices } from '../core/index.js';
import { parentCheckpoints } from '../observe/audit/audit-checkpoints.js';
import type { Log } from '../observe/log/log.js';
import { serveGateway } from '../server.js';
import { enlargeYoungGeneration } from './collector-flags.js';
import { ownWorker } from './own-worker.js';
import type { NextConfig, ParentConfig, WorkerGroup } from './parent/worker-group.js';
import { Workers, type WorkersOptions } from './parent/workers.js';
import { refuseAddress } from './refuse-address.js';
import { askedFrom } from './reload/asked-reloads.js';
import { checkWeaker } from './reload/check-weaker.js';
import type { FileWatch } from './reload/file-watch.js';
import {
  type CompiledFacts,
  compiledFacts,
  type Reads,
  type ReloadOccasion,
} from './reload/reload-source.js';
import { type Applied, type ReloadCause, Reloader } from './reload/reloader.js';
import {
  compileBeside,
  outdated,
  type UseSource,
  type WhileReloading,
  type WsdlTakeover,
} from './reload/wsdl-takeover.js';
import { readRest } from './worker-process.js';

/** How a configuration came about, and how it is loaded again. */
export interface Origin<Opened> {
  readonly loaded: LoadedConfig;
  /** What was read for it. */
  readonly snapshot: inputFiles.InputSnapshot;
  readonly load: (inputs: inputFiles.Inputs) => Promise<LoadedConfig>;
  readonly watch: FileWatch;
  readonly takeover: WsdlTakeover;
  /** Runs the work of a reload, and reports it where something waits for that. */
  readonly reloading: WhileReloading;
  /** Called once it is compiled, before requests are taken. */
  readonly open: (compiled: Compiled) => Opened;
}

/**
 * A gateway that takes requests: nothing of it holds the first configuration beyond its reloads.
 */
export interface RunningGateway<Opened> {
  /** The result of `open`. */
  readonly opened: Opened;
  readonly group: WorkerGroup;
  readonly reloader: Reloader;
  /** What the first configuration leaves out or approximates. */
  readonly warnings: CompiledFacts['warnings'];
  readonly config: () => Config;
  /** Stops the bundled backend. */
  readonly closeDemo: () => Promise<void>;
}

/**
 * Compiles a configuration, and has `count` workers take requests; one is this process. Throws
 * `ConfigurationError`, also for an address that cannot be bound.
 */
export async function runGateway<Opened>(
  count: number,
  origin: Origin<Opened>,
  log: Log,
): Promise<RunningGateway<Opened>> {
  const { loaded, load, takeover, watch } = origin;
  let inUse = loaded.config;
  const follow = (): void => {
    if (reloader.isClosed) return;
    watch.listen(inUse.reload.watch ? () => reloader.request('changed file') : null);
  };
  const use: UseSource = async (source) => {
    const next = await load(source.inputs);
    const weaker = await checkWeaker(inUse, rootSection(next), source.occasion);
    const { wsdls, warnings } = await group.reload(nextConfig(next, source.occasion), source);
    inUse = next.config;
    takeover.use(source.reads.snapshot, wsdls);
    log.configure(inUse.log);
    follow();
    return { warnings, weaker };
  };
  const reloader = new Reloader(log, (cause) => readAnew(origin, use, cause));
  const asked = askedFrom(reloader, takeover, use, log);
  const started = await start(count, origin, asked, log);
  const { group } = started;
  void group.ready.then(follow);
  return { ...started, reloader, config: () => inUse };
}

/** Reads all inputs anew for a reload, and keeps them. */
function readAnew(
  { watch, takeover, reloading }: Origin<unknown>,
  use: UseSource,
  cause: ReloadCause,
): Promise<Applied> {
  const occasion = cause === 'changed file' ? 'changed files' : 'asked';
  const read = (reads: Reads): Promise<Applied> =>
    use({ occasion, inputs: inputFiles.completeInputs(reads.snapshot, readRest(reads)), reads });
  return reloading(() => watch.record((files) => read({ snapshot: takeover.begin(), files })));
}

/** The reloads that operators and backends ask for. */
type AskedReloads = Pick<WorkersOptions, 'loads' | 'reload' | 'offer'>;

/**
 * Compiles the configuration, and has `count` workers take requests. Throws `ConfigurationError`.
 */
async function start<Opened>(
  count: number,
  origin: Origin<Opened>,
  asked: AskedReloads,
  log: Log,
): Promise<Omit<RunningGateway<Opened>, 'reloader' | 'config'>> {
  const { loaded } = origin;
  const compiled = await compileFirst(loaded);
  const isAlone = count === 1;
  if (!isAlone) {
    await compiled.close();
  }
  const opened = origin.open(compiled);
  const closeDemo = await startDemo(loaded);
  const facts = compiledFacts(compiled);
  try {
    const group = isAlone
      ? await serveAlone(compiled, facts, origin, asked, log)
      : await serveByWorkers(count, facts, origin, asked, log);
    return { opened, group, warnings: facts.warnings, closeDemo };
  } catch (error) {
    await closeDemo();
    throw error;
  }
}

/** This process takes the requests. */
async function serveAlone(
  compiled: Compiled,
  facts: CompiledFacts,
  { loaded, snapshot, takeover }: Origin<unknown>,
  asked: AskedReloads,
  log: Log,
): Promise<WorkerGroup> {
  const use = (facts: CompiledFacts): void => {
    if (!takeover.use(snapshot, facts.wsdls)) {
      snapshot.contents.clear();
    }
  };
  use(facts);
  const gateway = await serveGateway(compiled, log, asked).catch(
    refuseAddress(rootSection(loaded), ['listen', 'admin']),
  );
  if (compiled.isForSoap) {
    const compiling = compile(loaded, compiled);
    gateway.complete(compiling);
    void compiling.then((whole) => use(compiledFacts(whole))).catch(() => {});
  }
  void gateway.whole.catch(() => {}).then(enlargeYoungGeneration);
  return ownWorker(gateway, log);
}

/** Processes that this one forks take the requests. */
async function serveByWorkers(
  count: number,
  facts: CompiledFacts,
  { loaded, snapshot, takeover }: Origin<unknown>,
  asked: AskedReloads,
  log: Log,
): Promise<WorkerGroup> {
  const root = rootSection(loaded);
  // Before workers start from it: it drops what cannot be used.
  takeover.use(snapshot, facts.wsdls);
  const { config, file } = loaded;
  const first = parentConfigOf(loaded, facts);
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
  enlargeYoungGeneration();
  return group;
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

/** Starts the bundled backend if the configuration wants it; returns what stops it. */
async function startDemo(loaded: LoadedConfig): Promise<() => Promise<void>> {
  const address = parseAddress(loaded.config.demo?.listen ?? '');
  if (address === null) return async () => {};
  const demo = await startDemoBackend(address.host, address.port).catch(
    refuseAddress(rootSection(loaded), ['demo']),
  );
  return () => demo.close();
}
