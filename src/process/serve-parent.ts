import type { Compiled } from '../compile.js';
import { ConfigurationError, type inputFiles } from '../core/index.js';
import type { BackendReports } from '../generation.js';
import type { Log } from '../observe/log/log.js';
import type { Gateway } from '../server.js';
import type { ParentChannel, StepAnswer } from './calls.js';
import type { MetricSender } from './metric-sender.js';
import { compiledFacts, noReads, type Reads, type ReloadOccasion } from './reload/reload-source.js';

/** Compiles the configuration of a reload. Throws `ConfigurationError`. */
export interface ReloadCompiler {
  /**
   * What `inputs` lack is read from the disk and added to `reads`, except where only a WSDL has
   * changed.
   */
  compileFirst(
    occasion: ReloadOccasion,
    inputs: inputFiles.InputSnapshot,
    reads: Reads,
  ): Promise<Compiled>;
  /** Compiles what another worker has compiled. */
  compileSame(inputs: inputFiles.InputSnapshot): Promise<Compiled>;
}

/** Reports what a worker learns of backends to its parent. */
export const reportTo = (parent: ParentChannel): Required<BackendReports> => ({
  reportHealth: (result) => void parent.tell('health', result),
  reportAddress: (event) => void parent.tell('address', event),
  offer: (offer) => void parent.tell('offer', offer),
});

/** Answers the parent of a worker that takes requests from now on, and tells it so. */
export function serveParent(
  parent: ParentChannel,
  gateway: Gateway,
  compiler: ReloadCompiler,
  metrics: MetricSender,
  log: Log,
): void {
  const { console, usage } = gateway;
  const steps = new ReloadSteps(gateway, compiler, log);
  parent.answer(
    {
      alive: () => null,
      metrics: () => metrics.send(),
      recent: () => console.recent(),
      hour: () => console.hour(),
      usage: () => usage.report(),
      description: () => console.description(),
      operation: ({ service, name }) => console.operation(service, name),
      exchanges: ({ service, operation }) => gateway.inspection.list(service, operation),
      exchange: ({ query, by }) => gateway.inspection.show(query, by),
      compile: ({ occasion, inputs }) => steps.compileFirst(occasion, inputs),
      compileSame: ({ inputs }) => steps.compileSame(inputs),
      commit: () => steps.commit(),
      discard: () => steps.discard(),
      checkBackends: () => gateway.checkBackends(),
      health: (result) => gateway.takeHealth(result),
      removeReplica: (replica) => gateway.removeReplica(replica),
      canary: (service) => gateway.canaryOf(service),
      moveCanary: ({ service, share, by }) => gateway.moveCanary(service, share, by),
    },
    (error) => log.bug(error),
  );
  void parent.tell('ready', gateway.urls);
}

/**
 * The steps of reloads in one worker, one after the other: one that comes late is over before those
 * of the next reload.
 */
class ReloadSteps {
  readonly #gateway: Gateway;
  readonly #compiler: ReloadCompiler;
  readonly #log: Log;
  #prepared: Compiled | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(gateway: Gateway, compiler: ReloadCompiler, log: Log) {
    this.#gateway = gateway;
    this.#compiler = compiler;
    this.#log = log;
  }

  compileFirst(occasion: ReloadOccasion, inputs: inputFiles.InputSnapshot): Promise<StepAnswer> {
    const reads = noReads();
    const prepare = () => this.#prepare(() => this.#compiler.compileFirst(occasion, inputs, reads));
    return this.#step(reads, async () => compiledFacts(await prepare()));
  }

  compileSame(inputs: inputFiles.InputSnapshot): Promise<StepAnswer> {
    return this.#step(null, async () => {
      await this.#prepare(() => this.#compiler.compileSame(inputs));
      return null;
    });
  }

  /** Puts into use what was compiled. */
  commit(): Promise<StepAnswer> {
    return this.#step(null, async () => {
      if (this.#prepared === null) throw new Error('nothing is prepared');
      this.#gateway.replace(this.#prepared);
      this.#prepared = null;
      return null;
    });
  }

  /** Drops what was compiled. */
  async discard(): Promise<void> {
    await this.#inTurn(() => this.#drop()).catch(() => {});
  }

  async #prepare(compileNext: () => Promise<Compiled>): Promise<Compiled> {
    await this.#drop();
    this.#prepared = await compileNext();
    return this.#prepared;
  }

  async #drop(): Promise<void> {
    const dropped = this.#prepared;
    this.#prepared = null;
    await dropped?.close();
  }

  #step(reads: Reads | null, work: () => Promise<StepAnswer['facts']>): Promise<StepAnswer> {
    return this.#inTurn(async () => {
      try {
        return { isDone: true, reads, facts: await work(), problems: [] };
      } catch (error) {
        const isExpected = error instanceof ConfigurationError;
        if (!isExpected) {
          this.#log.bug(error);
        }
        return { isDone: false, reads, facts: null, problems: isExpected ? error.diagnostics : [] };
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return next;
  }
}
