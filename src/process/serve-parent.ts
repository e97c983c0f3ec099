import { ConfigurationError } from '../base/diagnostic.js';
import type { InputSnapshot } from '../base/inputs.js';
import type { Compiled } from '../compile.js';
import { compile } from '../compile.js';
import type { LoadedConfig } from '../config/load.js';
import type { BackendReports } from '../generation.js';
import type { Log } from '../observe/log/log.js';
import type { Gateway } from '../server.js';
import type { ParentChannel, StepAnswer } from './calls.js';
import { factsOf, noReads, type Reads, type ReloadOccasion } from './reload/reload-source.js';
import { compileBeside } from './reload/wsdl-takeover.js';

/**
 * Loads the configuration of a reload: from `inputs`, and what these lack from the disk, which is added to `reads`; null: from
 * `inputs` alone.
 */
export type LoadInputs = (inputs: InputSnapshot, reads: Reads | null) => Promise<LoadedConfig>;

/** Reports what a worker learns of backends to its parent. */
export const reportTo = (parent: ParentChannel): Required<BackendReports> => ({
  reportHealth: (result) => void parent.tell('health', result),
  reportAddress: (event) => void parent.tell('address', event),
  offer: (offer) => void parent.tell('offer', offer),
});

/** Answers the parent of a worker that takes requests from now on, and tells it so. */
export function serveParent(parent: ParentChannel, gateway: Gateway, load: LoadInputs, log: Log): void {
  const { facts } = gateway;
  const steps = new ReloadSteps(gateway, load, log);
  parent.answer(
    {
      alive: () => null,
      metrics: () => gateway.listMetrics(),
      recent: () => facts.recent(),
      usage: () => facts.usage(),
      description: () => facts.description(),
      operation: ({ service, name }) => facts.operation(service, name),
      compile: ({ occasion, inputs }) => steps.compileFirst(occasion, inputs),
      compileSame: ({ inputs }) => steps.compileSame(inputs),
      commit: () => steps.commit(),
      discard: () => steps.discard(),
      checkBackends: () => gateway.checkBackends(),
      health: (result) => gateway.takeHealth(result),
      removeReplica: (replica) => gateway.removeReplica(replica),
    },
    (error) => log.bug(error),
  );
  void parent.tell('ready', gateway.urls);
}

/** The steps of reloads in one worker, one after the other: one that comes late is over before those of the next reload. */
class ReloadSteps {
  readonly #gateway: Gateway;
  readonly #load: LoadInputs;
  readonly #log: Log;
  #prepared: Compiled | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(gateway: Gateway, load: LoadInputs, log: Log) {
    this.#gateway = gateway;
    this.#load = load;
    this.#log = log;
  }

  compileFirst(occasion: ReloadOccasion, inputs: InputSnapshot): Promise<StepAnswer> {
    const reads = noReads();
    return this.#step(reads, async () => {
      const loaded = await this.#load(inputs, occasion === 'WSDL' ? null : reads);
      return factsOf(await this.#prepare(() => compileBeside(loaded, this.#gateway.compiled(), occasion)));
    });
  }

  compileSame(inputs: InputSnapshot): Promise<StepAnswer> {
    return this.#step(null, async () => {
      const loaded = await this.#load(inputs, null);
      await this.#prepare(() => compile(loaded, this.#gateway.compiled()));
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
        if (!isExpected) this.#log.bug(error);
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
