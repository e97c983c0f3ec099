import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { listenHosts } from '../../config/listen/listen-keys.js';
import type { Config } from '../../config/schema.js';
import { clearTextOf, makeConsole } from '../../console/console.js';
import { type inputFiles, sharedState } from '../../core/index.js';
import { canaryPages } from '../../flow/canary/canary-page.js';
import type { WsdlOffer } from '../../flow/drift/safe-changes.js';
import { nextPollPhase } from '../../flow/http/poll-phase.js';
import { inspectPages } from '../../flow/inspect/inspect-pages.js';
import { USED_MAX } from '../../flow/mcp/pending-confirmations.js';
import { CanaryStates } from '../../gateway/canary/canary-channel.js';
import { OnceMemory } from '../../gateway/shared/once-memory.js';
import { type Served, serve } from '../../listen/serve.js';
import { TicketKeys } from '../../listen/ticket-keys.js';
import { loggedStates } from '../../observe/address-states.js';
import {
  type AdminSources,
  adminHosts,
  makeAdminServer,
  type Reload,
} from '../../observe/admin.js';
import type { AuditCheckpoints } from '../../observe/audit/audit-checkpoints.js';
import { reportHandshakes } from '../../observe/handshakes.js';
import type { Log } from '../../observe/log/log.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { retiredLabels } from '../../observe/metrics/retired-labels.js';
import { usagePages } from '../../observe/usage.js';
import type { WorkerCalls } from '../calls.js';
import type { CompiledFacts, ReloadSource } from '../reload/reload-source.js';
import type { ExitCode } from '../terminal.js';
import { EndedReplicas } from './ended-replicas.js';
import { ReplacementPauses } from './replacement-pauses.js';
import { ForkedWorker, type Worker } from './worker.js';
import { workerCanaries } from './worker-canaries.js';
import { WorkerConsole } from './worker-console.js';
import type { GroupEnd, NextConfig, ParentConfig, WorkerGroup } from './worker-group.js';
import { WorkerHealth } from './worker-health.js';
import { workerInspection } from './worker-inspection.js';
import { WorkerMetrics } from './worker-metrics.js';
import { reloadWorkers, replaceInputs } from './worker-reload.js';
import {
  type Ended,
  type RunningWorker,
  rollWorkers,
  type WorkerSlot,
  withResolver,
} from './worker-roller.js';
import { WorkerUsage } from './worker-usage.js';
import { WorkerWatch } from './worker-watch.js';

/** A worker that has not ended so long after its drain had to be over is killed. */
const KILL_AFTER_MILLIS = 10_000;

/** What the workers of a gateway start from, and what they report to. */
export interface WorkersOptions {
  readonly count: number;
  /** The file of the configuration, and what the start had read from it. */
  readonly file: string;
  readonly config: Config;
  /**
   * Workers start from these inputs, or those of the last reload, and not from the disk: a change
   * of the files meanwhile cannot keep them from starting.
   */
  readonly inputs: inputFiles.InputSnapshot;
  readonly log: Log;
  readonly loads: ConfigLoads;
  readonly reload: Reload;
  /** Takes the changed WSDL of a backend. */
  readonly offer: (offer: WsdlOffer) => void;
  /** The parent's part of the configuration at the start. */
  readonly first: ParentConfig;
  /** Null without an audit. */
  readonly checkpoints: AuditCheckpoints | null;
}

type ReportReady = (urls: readonly string[]) => void;

/** A worker that has been started. */
interface Member {
  readonly worker: Worker;
  /** The name of the worker among the replicas of budgets, and of its chain of audit lines. */
  readonly replica: string;
  /** The inputs that it uses. */
  inputs: inputFiles.InputSnapshot;
  /** Since when it takes requests; null: not yet. */
  readyAtMillis: number | null;
}

/**
 * The workers of a gateway on one traffic address, seen from their parent, which serves operators
 * for all of them.
 */
export class Workers implements WorkerGroup {
  readonly #options: WorkersOptions;
  readonly #log: Log;
  /** Those of the last reload. */
  #inputs: inputFiles.InputSnapshot;
  #own: ParentConfig;
  readonly #tickets: TicketKeys;
  readonly #stateSecret = randomBytes(32).toString('base64url');
  readonly #stopping = new AbortController();
  /** The times of calls of all workers to services that have a rate. */
  readonly #pace = new sharedState.SlotClock();
  readonly #members = new Map<Worker, Member>();
  /** The workers that take requests, the one that has run longest first. */
  readonly #taking = new Set<Worker>();
  readonly #metrics: WorkerMetrics;
  readonly #usage = new WorkerUsage(this.#taking);
  readonly #console = new WorkerConsole(this.#taking);
  readonly #health = new WorkerHealth(this.#taking);
  readonly #replicas = new EndedReplicas(this.#taking);
  readonly #suspicions = new sharedState.Suspicions();
  readonly #canaries = new CanaryStates();
  readonly #confirmations = new OnceMemory(USED_MAX);
  readonly #proofs = new OnceMemory(Number.POSITIVE_INFINITY);
  readonly #addresses;
  readonly #watch: WorkerWatch;
  readonly #slots: readonly WorkerSlot[];
  #rolling: Promise<void> | null = null;
  #kept: Promise<unknown> = Promise.resolve();
  #served: Served | null = null;
  #trafficUrls: readonly string[] = [];
  #isStarted = false;
  #isForced = false;
  /** The sums of workers that have ended since the stop began. */
  #cut = 0;
  #lostRecords = 0;
  readonly #broken = withResolver<ExitCode>();
  readonly #ready = withResolver<readonly string[]>();

  constructor(options: WorkersOptions) {
    const { count, config, inputs, log, loads, first } = options;
    const { limits } = config;
    this.#options = options;
    this.#log = log;
    this.#inputs = inputs;
    this.#own = first;
    this.#tickets = new TicketKeys(null, limits.http.ticketKeyMillis);
    this.#metrics = new WorkerMetrics(count, this.#taking, loads);
    this.#addresses = loggedStates(log);
    this.#watch = new WorkerWatch(this.#taking, limits.overload.hangMillis, (worker) => {
      log.event('error', 'a worker does not answer and is killed', { pid: worker.pid });
      worker.kill();
    });
    this.#slots = Array.from(
      { length: count },
      (): WorkerSlot => ({ current: null, successor: null }),
    );
  }

  get ready(): Promise<readonly string[]> {
    return this.#ready.promise;
  }

  get broken(): Promise<ExitCode> {
    return this.#broken.promise;
  }

  get adminUrl(): string {
    return this.#served?.url ?? '';
  }

  get silentMillis(): number {
    return this.#watch.silentMillis;
  }

  /**
   * Serves operators, and keeps the workers running from now on. Rejects with the error of the
   * system.
   */
  async start(): Promise<void> {
    const { file, config } = this.#options;
    // JSON has no bytes, and no infinite numbers for metrics. The file is named: which one is the
    // default may change.
    const args = [...process.argv.slice(2), '--config', file];
    cluster.setupPrimary({ serialization: 'advanced', args });
    const sources = this.#adminSources();
    this.#served = await serve(
      ({ access }, index) =>
        makeAdminServer(sources, () => this.#own.admin[index]?.access ?? access),
      this.#own.admin,
      config.limits.http,
      reportHandshakes(this.#log, null),
    );
    const firsts = this.#slots.map(() => withResolver<readonly string[]>());
    this.#kept = Promise.all(
      this.#slots.map((slot, at) => this.#keep(slot, firsts[at]?.resolve ?? (() => {}))),
    );
    void Promise.all(firsts.map(({ promise }) => promise)).then(([urls = []]) => {
      this.#isStarted = true;
      this.#trafficUrls = urls;
      this.#ready.resolve(urls);
    });
  }

  async reload(config: NextConfig, source: ReloadSource): Promise<CompiledFacts> {
    const facts = await reloadWorkers(
      () => [...this.#taking],
      source,
      () => config.compileUnused(),
      (found, workers) => {
        const next = config.ownOf(found);
        this.#inputs = source.reads.snapshot;
        this.#metrics.retireLabels(retiredLabels(this.#own.names, [next.names]));
        this.#own = next;
        for (const worker of workers) {
          this.#setInputs(worker, this.#inputs);
        }
      },
    );
    await Promise.all(
      [...this.#taking].map((worker) => this.#catchUp(worker).catch(() => worker.kill())),
    );
    this.#options.checkpoints?.write('reload');
    return facts;
  }

  /** Asked meanwhile, it begins once. */
  roll(): Promise<void> {
    this.#rolling ??= rollWorkers(this.#slots, {
      runOne: (reportReady) => this.#run(reportReady),
      log: this.#log,
      endMillis: () => this.#own.drainMillis + KILL_AFTER_MILLIS,
      stopped: this.#stopping.signal,
    }).finally(() => {
      this.#rolling = null;
    });
    return this.#rolling;
  }

  /** Each worker delays its own drain. */
  async stop(): Promise<GroupEnd> {
    this.#stopping.abort();
    this.#watch.close();
    this.#addresses.close();
    for (const worker of this.#members.keys()) {
      worker.stop();
    }
    const late = setTimeout(() => {
      for (const worker of this.#members.keys()) {
        this.#log.event('error', 'a worker did not end and is killed', { pid: worker.pid });
        worker.kill();
      }
    }, this.#own.drainMillis + KILL_AFTER_MILLIS);
    await this.#kept;
    clearTimeout(late);
    await this.#served?.close();
    const lost = (await this.#options.checkpoints?.close()) ?? 0;
    return {
      cut: this.#cut,
      lostRecords: this.#lostRecords + lost,
      isForced: this.#isForced,
      fields: { workers: this.#options.count },
    };
  }

  #adminSources(): AdminSources {
    const { config, loads, reload } = this.#options;
    const { admin, adminHosts: hosts } = config;
    const trafficUrl = (): string | null => clearTextOf(this.#trafficUrls);
    return {
      metrics: () => this.#metrics.list(),
      pace: this.#metrics.pace,
      ...adminHosts(listenHosts(admin), hosts, this.#log),
      unready: () => (this.#stopping.signal.aborted || this.#taking.size === 0 ? 'draining' : null),
      reload,
      pages: [
        usagePages(() => this.#usage.report()),
        canaryPages(workerCanaries(this.#taking)),
        inspectPages(workerInspection(this.#taking)),
        makeConsole(this.#console.sources(this.#metrics, loads, trafficUrl)),
      ],
    };
  }

  /** Replaces a worker whenever it ends. */
  async #keep(slot: WorkerSlot, reportReady: ReportReady): Promise<void> {
    const pauses = new ReplacementPauses();
    const { signal: stopped } = this.#stopping;
    while (!stopped.aborted) {
      slot.current = slot.successor ?? this.#run(reportReady);
      slot.successor = null;
      const { code, signal, wasReady, readyMillis } = await slot.current.ended;
      const successor = successorOf(slot);
      if (stopped.aborted) return void (await successor?.ended);
      if (successor !== null) continue;
      if (!this.#isStarted && !wasReady && code !== null) {
        return this.#broken.resolve(code === 2 ? 2 : 1);
      }
      const pauseMillis = pauses.next(readyMillis);
      this.#log.event('error', 'a worker ended', { code, signal, wasReady, pauseMillis });
      await delay(pauseMillis, null, { signal: stopped }).catch(() => {});
    }
  }

  #run(reportReady: ReportReady): RunningWorker {
    const worker = new ForkedWorker(() => this.#lost(worker));
    const replica = randomBytes(8).toString('hex');
    this.#options.checkpoints?.add(replica);
    const member: Member = { worker, replica, inputs: this.#inputs, readyAtMillis: null };
    this.#members.set(worker, member);
    this.#answer(member, reportReady);
    return { worker, ended: this.#endOf(member) };
  }

  #answer(member: Member, reportReady: ReportReady): void {
    const { worker, replica } = member;
    const { checkpoints, offer } = this.#options;
    worker.channel.answer(
      {
        begin: () => {
          member.inputs = this.#inputs;
          return {
            inputs: this.#inputs,
            tickets: this.#tickets.share(),
            stateSecret: this.#stateSecret,
            replica,
            suspicions: this.#suspicions.list(),
            canaries: this.#canaries.list(),
          };
        },
        newerInputs: () => {
          const newer = member.inputs === this.#inputs ? null : this.#inputs;
          member.inputs = this.#inputs;
          return newer;
        },
        turn: nextPollPhase,
        ready: async (urls) => {
          await this.#becameReady(member).then(
            () => reportReady(urls),
            () => worker.kill(),
          );
        },
        health: (result) => this.#health.take(worker, result),
        address: (event) => this.#addresses.take(worker, event),
        invalidations: (operations) => this.#tellOthers(worker, 'invalidations', operations),
        confirmations: (news) => this.#tellOthers(worker, 'confirmations', news),
        useConfirmation: ({ name, untilMillis }) =>
          this.#confirmations.take(name, untilMillis, Date.now()),
        claimProof: ({ key, untilMillis, max }) =>
          this.#proofs.take(key, untilMillis, Date.now(), max),
        suspicion: (suspicion) => {
          this.#suspicions.add(suspicion);
          this.#tellOthers(worker, 'suspicion', suspicion);
        },
        canaryState: (state) => {
          this.#canaries.add(state);
          this.#tellOthers(worker, 'canaryState', state);
        },
        canaryCalls: (calls) => this.#tellOthers(worker, 'canaryCalls', calls),
        slots: ({ name, rate, count }) => this.#pace.take(name, rate, count),
        offer,
        drained: ({ cut, lostRecords }) => {
          this.#cut += cut;
          this.#lostRecords += lostRecords;
        },
        auditHead: (head) => checkpoints?.take(head),
        metricsPart: (part) => this.#metrics.takePart(worker, part),
        lastMetrics: () => this.#metrics.take(worker),
        lastUsage: (usage) => this.#usage.take(worker, usage),
        lastHour: (hour) => this.#console.takeHour(hour),
      } satisfies Required<Parameters<typeof worker.channel.answer>[0]>,
      (error) => this.#log.bug(error),
    );
  }

  /** Passes on what one worker has said to all the others. */
  #tellOthers<K extends keyof WorkerCalls>(
    worker: Worker,
    call: K,
    data: WorkerCalls[K]['data'],
  ): void {
    for (const other of this.#members.keys()) {
      if (other !== worker) {
        void other.channel.tell(call, data);
      }
    }
  }

  async #becameReady(member: Member): Promise<void> {
    await this.#catchUp(member.worker);
    member.readyAtMillis = performance.now();
    this.#taking.add(member.worker);
    this.#health.elect();
    this.#replicas.remove();
  }

  /** Nothing more comes from this worker. Returns whether others take connections. */
  #lost(worker: Worker): boolean {
    for (const each of [this.#metrics, this.#usage, this.#addresses]) {
      each.retire(worker);
    }
    this.#taking.delete(worker);
    return this.#taking.size > 0;
  }

  async #endOf(member: Member): Promise<Ended> {
    const { worker, replica } = member;
    const exit = await worker.ended;
    const { readyAtMillis } = member;
    this.#members.delete(worker);
    this.#taking.delete(worker);
    // One that was starting had no request to cut.
    if (this.#stopping.signal.aborted) {
      this.#isForced ||= exit.code !== 0 && readyAtMillis !== null;
    } else {
      this.#health.elect();
    }
    this.#replicas.add(replica);
    this.#options.checkpoints?.remove(replica);
    const readyMillis = readyAtMillis === null ? 0 : performance.now() - readyAtMillis;
    return { ...exit, wasReady: readyAtMillis !== null, readyMillis };
  }

  /** A reload does not reach a worker that is starting meanwhile. */
  async #catchUp(worker: Worker): Promise<void> {
    const isBehind = (): boolean =>
      (this.#members.get(worker)?.inputs ?? this.#inputs) !== this.#inputs;
    while (isBehind()) {
      const latest = this.#inputs;
      await replaceInputs([worker], latest, () => this.#setInputs(worker, latest));
    }
  }

  #setInputs(worker: Worker, inputs: inputFiles.InputSnapshot): void {
    const member = this.#members.get(worker);
    if (member !== undefined) {
      member.inputs = inputs;
    }
  }
}

/** Reads through a function: TypeScript takes `successor` for null still after an `await`. */
const successorOf = ({ successor }: WorkerSlot): RunningWorker | null => successor;
