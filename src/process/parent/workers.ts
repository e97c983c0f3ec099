import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { InputSnapshot } from '../../base/inputs.js';
import { nextPollPhase } from '../../base/poll-phase.js';
import { withResolver } from '../../base/with-resolver.js';
import type { AdminListener } from '../../compile/listen/admin.js';
import { listenHosts } from '../../config/listen/listen-keys.js';
import type { LoadedConfig } from '../../config/load.js';
import { clearTextOf, makeConsole } from '../../console/console.js';
import type { WsdlOffer } from '../../flow/drift/safe-changes.js';
import { serve } from '../../listen/serve.js';
import { TicketKeys } from '../../listen/ticket-keys.js';
import { loggedStates } from '../../observe/address-states.js';
import { type AdminSources, adminHosts, makeAdminServer, type Reload } from '../../observe/admin.js';
import type { AuditCheckpoints } from '../../observe/audit/audit-checkpoints.js';
import { reportHandshakes } from '../../observe/handshakes.js';
import type { Log } from '../../observe/log/log.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { printOpenMetrics } from '../../observe/metrics/open-metrics.js';
import { METRICS_TYPE } from '../../observe/metrics/prometheus.js';
import { type LabelNames, retiredLabels } from '../../observe/metrics/retired-labels.js';
import type { CompiledFacts, ReloadSource } from '../reload/reload-source.js';
import type { ExitCode } from '../terminal.js';
import { EndedReplicas } from './ended-replicas.js';
import { ensureDisconnect, HandedConnections } from './handed-connections.js';
import { ReplacementPauses } from './replacement-pauses.js';
import { WorkerConsole } from './worker-console.js';
import { WorkerHealth } from './worker-health.js';
import type { FromWorker } from './worker-messages.js';
import { WorkerMetrics } from './worker-metrics.js';
import { WorkerReload } from './worker-reload.js';
import { type Ended, type RunningWorker, WorkerRoller, type WorkerSlot } from './worker-roller.js';
import { relay, send } from './worker-send.js';
import { WorkerUsage } from './worker-usage.js';
import { WorkerWatch } from './worker-watch.js';

/** Several processes on one traffic address, seen from their parent. */
export interface Workers {
  readonly adminUrl: string;
  /** Resolves to the traffic addresses once every worker has taken requests. */
  readonly ready: Promise<readonly string[]>;
  /** Resolves when a worker ended by itself before all were ready for the first time. */
  readonly broken: Promise<ExitCode>;
  /**
   * Gives a configuration to all workers or to none. `ownOf` makes the parent's part of it; `compileHere` compiles it where no
   * worker runs. Throws `ConfigurationError`.
   */
  reload(
    source: ReloadSource,
    compileHere: () => Promise<CompiledFacts>,
    ownOf: (facts: CompiledFacts) => ParentConfig,
  ): Promise<CompiledFacts>;
  /** Replaces all workers one by one by the program as it is on disk now. Resolves when that is over. */
  roll(): Promise<void>;
  /** The longest time that one of them has not answered for. */
  silentMillis(): number;
  /** Readiness off, every worker drains. Resolves when all have ended, to whether requests had to be cut. */
  stop(): Promise<boolean>;
}

/** A worker that has not ended so long after its drain had to be over is killed. */
const KILL_AFTER_MILLIS = 10_000;

/** The part of a configuration that the parent itself uses. */
export interface ParentConfig {
  readonly names: LabelNames;
  /** The addresses for operators, of which a reload changes the credentials alone. */
  readonly admin: readonly AdminListener[];
  /** The longest time of a drain, with its delay. */
  readonly drainMillis: number;
}

/** The endpoints of operators. */
export interface WorkersOperation {
  readonly log: Log;
  readonly loads: ConfigLoads;
  readonly reload: Reload;
  /** Takes the changed WSDL of a backend. */
  readonly offer: (offer: WsdlOffer) => void;
  /** Of the configuration at the start. */
  readonly first: ParentConfig;
  /** Null without an audit. */
  readonly checkpoints: AuditCheckpoints | null;
}

/**
 * Keeps `count` workers, each of which runs the same command line, and serves operators for all of them. Workers start
 * from `firstInputs`, or the inputs of the last reload, and not from the disk: a change of the files meanwhile cannot keep them
 * from starting.
 */
export async function startWorkers(
  count: number,
  loaded: LoadedConfig,
  firstInputs: InputSnapshot,
  { log, loads, reload, offer, first, checkpoints }: WorkersOperation,
): Promise<Workers> {
  let inputs = firstInputs;
  let own = first;
  const tickets = new TicketKeys(null, loaded.config.limits.http.ticketKeyMillis);
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  const running = new Set<Worker>();
  const taking = new Set<Worker>();
  const metrics = new WorkerMetrics(count, taking, (worker) => send(worker, { kind: 'askMetrics' }), loads);
  const usage = new WorkerUsage();
  let trafficUrls: readonly string[] = [];
  const console = new WorkerConsole(
    taking,
    (worker, number, question) => send(worker, { kind: 'askConsole', number, question }),
    metrics,
    usage,
    loads,
    () => clearTextOf(trafficUrls),
  );
  const reloading = new WorkerReload(send);
  const health = new WorkerHealth(taking, send);
  const addresses = loggedStates(log);
  let isForced = false;
  const watch = new WorkerWatch(taking, {
    hangMillis: loaded.config.limits.overload.hangMillis,
    ask: (worker) => send(worker, { kind: 'askAlive' }),
    hung: (worker) => {
      log.event('error', 'a worker does not answer and is killed', { pid: worker.process.pid });
      worker.process.kill('SIGKILL');
    },
  });
  const replicas = new EndedReplicas(taking, send);
  let isStarted = false;
  const { promise: broken, resolve: breakOff } = withResolver<ExitCode>();
  // JSON has no bytes, and no infinite numbers for metrics. The file is named: which one is the default may change.
  const args = [...process.argv.slice(2), '--config', loaded.file];
  cluster.setupPrimary({ serialization: 'advanced', args });

  /** The inputs that each worker uses. */
  const sources = new WeakMap<Worker, InputSnapshot>();
  /** A reload does not reach a worker that is starting meanwhile. */
  const catchUp = async (worker: Worker): Promise<void> => {
    while (sources.get(worker) !== inputs) {
      const latest = inputs;
      await reloading.replace([worker], latest, () => sources.set(worker, latest));
    }
  };

  const runOne = (reportReady: (urls: readonly string[]) => void): RunningWorker => {
    const worker = cluster.fork();
    ensureDisconnect(worker);
    const handed = new HandedConnections(worker);
    const replica = randomBytes(8).toString('hex');
    checkpoints?.add(replica);
    let readyAtMillis: number | null = null;
    sources.set(worker, inputs);
    running.add(worker);
    const ready = async (urls: readonly string[]): Promise<void> => {
      await catchUp(worker);
      readyAtMillis = performance.now();
      taking.add(worker);
      health.elect();
      replicas.remove();
      reportReady(urls);
    };
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'askInputs') {
        sources.set(worker, inputs);
        send(worker, { kind: 'inputs', inputs, tickets: tickets.share(), replica });
      } else if (message.kind === 'askNewerInputs') {
        send(worker, { kind: 'newerInputs', inputs: sources.get(worker) === inputs ? null : inputs });
        sources.set(worker, inputs);
      } else if (message.kind === 'askTurn') void nextPollPhase().then(() => send(worker, { kind: 'turn' }));
      else if (message.kind === 'health') health.take(worker, message.result);
      else if (message.kind === 'address') addresses.take(worker, message.event);
      else if (message.kind === 'invalidations') relay(running, worker, message);
      else if (message.kind === 'metrics') metrics.take(worker, message.metrics);
      else if (message.kind === 'auditHead') checkpoints?.take(message.head);
      else if (message.kind === 'usage') usage.take(worker, message.usage);
      else if (message.kind === 'console') console.take(worker, message.number, message.answer);
      else if (message.kind === 'offer') offer(message.offer);
      else if (message.kind === 'step') reloading.take(message);
      else if (message.kind === 'alive') watch.clear(worker);
      else ready(message.urls).catch(() => worker.process.kill('SIGKILL'));
    });
    // A worker that cannot be reached has ended, or is about to.
    worker.on('error', () => {});
    worker.once('disconnect', () => {
      for (const each of [metrics, usage, reloading, addresses]) each.retire(worker);
      taking.delete(worker);
      handed.release(taking.size > 0);
    });
    const ended = new Promise<Ended>((resolve) => {
      worker.once('exit', (code: number | null, signal: string | null) => {
        running.delete(worker);
        taking.delete(worker);
        // One that was starting had no request to cut.
        if (stopped.aborted) isForced ||= code !== 0 && readyAtMillis !== null;
        else health.elect();
        watch.clear(worker);
        replicas.add(replica);
        checkpoints?.remove(replica);
        const readyMillis = readyAtMillis === null ? 0 : performance.now() - readyAtMillis;
        resolve({ code, signal, wasReady: readyAtMillis !== null, readyMillis });
      });
    });
    return { worker, ended };
  };

  /** Replaces a worker whenever it ends. */
  const keepOne = async (slot: WorkerSlot, reportReady: (urls: readonly string[]) => void): Promise<void> => {
    const pauses = new ReplacementPauses();
    while (!stopped.aborted) {
      slot.current = slot.successor ?? runOne(reportReady);
      slot.successor = null;
      const { code, signal, wasReady, readyMillis } = await slot.current.ended;
      const successor = successorOf(slot);
      if (stopped.aborted) return void (await successor?.ended);
      if (successor !== null) continue;
      if (!isStarted && !wasReady && code !== null) return breakOff(code === 2 ? 2 : 1);
      const pauseMillis = pauses.next(readyMillis);
      log.event('error', 'a worker ended', { code, signal, wasReady, pauseMillis });
      await delay(pauseMillis, null, { signal: stopped }).catch(() => {});
    }
  };

  const admin: AdminSources = {
    metrics: () => metrics.print(),
    metricsType: METRICS_TYPE,
    openMetrics: async () => printOpenMetrics(await metrics.list()),
    ...adminHosts(listenHosts(loaded.config.admin), loaded.config.adminHosts, log),
    isReady: () => !stopped.aborted && taking.size > 0,
    reload,
    pages: makeConsole(console),
  };
  const served = await serve(
    ({ access }, index) => makeAdminServer(admin, () => own.admin[index]?.access ?? access),
    first.admin,
    loaded.config.limits.http,
    reportHandshakes(log, null),
  );
  const adminUrl = served.url;
  const firsts = Array.from({ length: count }, () => withResolver<readonly string[]>());
  const slots = firsts.map((): WorkerSlot => ({ current: null, successor: null }));
  const kept = slots.map((slot, at) => keepOne(slot, firsts[at]?.resolve ?? (() => {})));
  const ready = Promise.all(firsts.map(({ promise }) => promise)).then(([urls = []]) => {
    isStarted = true;
    trafficUrls = urls;
    return urls;
  });
  const stop = async (): Promise<boolean> => {
    stopping.abort();
    watch.close();
    addresses.close();
    for (const worker of running) worker.process.kill('SIGTERM');
    const late = setTimeout(() => {
      for (const worker of running) {
        log.event('error', 'a worker did not end and is killed', { pid: worker.process.pid });
        worker.process.kill('SIGKILL');
      }
    }, own.drainMillis + KILL_AFTER_MILLIS);
    await Promise.all(kept);
    clearTimeout(late);
    await served.close();
    return isForced;
  };
  const reloadAll: Workers['reload'] = async (source, compileHere, ownOf) => {
    const next = source.reads.snapshot;
    const facts = await reloading.reload(
      () => [...taking],
      source,
      compileHere,
      (found, workers) => {
        const nextOwn = ownOf(found);
        inputs = next;
        metrics.retireLabels(retiredLabels(own.names, [nextOwn.names]));
        own = nextOwn;
        for (const worker of workers) sources.set(worker, next);
      },
    );
    await Promise.all([...taking].map((worker) => catchUp(worker).catch(() => worker.process.kill('SIGKILL'))));
    return facts;
  };
  const roller = new WorkerRoller(slots, { runOne, log, endMillis: () => own.drainMillis + KILL_AFTER_MILLIS });
  return {
    adminUrl,
    ready,
    broken,
    reload: reloadAll,
    roll: () => roller.roll(stopped),
    silentMillis: () => watch.silentMillis,
    stop,
  };
}

/** It has been set meanwhile, which the compiler does not see. */
const successorOf = ({ successor }: WorkerSlot): RunningWorker | null => successor;
