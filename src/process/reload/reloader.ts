import { ConfigurationError, type Diagnostic, diagnosis } from '../../core/index.js';
import type { ReloadResult } from '../../observe/admin.js';
import type { Log } from '../../observe/log/log.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';

/** A configuration that has come into use. */
export interface Applied {
  readonly warnings: readonly Diagnostic[];
  /** What it protects less than the one before. */
  readonly weaker: readonly Diagnostic[];
}

/**
 * Loads the configuration and puts it into use. Resolves to null where there is nothing to do;
 * throws `ConfigurationError`.
 */
export type Apply = (cause: ReloadCause) => Promise<Applied | null>;

/** The cause of a reload. */
export type ReloadCause =
  | 'SIGHUP'
  | 'POST /reload'
  | 'reload()'
  | 'changed file'
  | 'changed WSDL of a backend';

/** A reload that has not begun. */
interface Waiting {
  cause: ReloadCause;
  readonly result: Promise<ReloadResult>;
}

/** Reloads the configuration, one reload at a time, and reports each in the log and the metrics. */
export class Reloader {
  readonly loads: ConfigLoads = {
    ok: 1,
    refused: 0,
    isCurrent: true,
    generation: 1,
    weakerTaken: 0,
    weakerRefused: 0,
  };
  readonly #log: Log;
  readonly #apply: Apply;
  #running: Promise<unknown> = Promise.resolve();
  /** Whatever asks for a reload meanwhile gets the result of this one. */
  #next: Waiting | null = null;
  #isClosed = false;

  constructor(log: Log, apply: Apply) {
    this.#log = log;
    this.#apply = apply;
  }

  /** Reloads once what runs now is over: the files are read after the request. Never rejects. */
  request(cause: ReloadCause): Promise<ReloadResult> {
    if (this.#next !== null) {
      // An operator who asks as well has asked for it.
      if (cause !== 'changed file') {
        this.#next.cause = cause;
      }
      return this.#next.result;
    }
    const result = this.#running.then(() => {
      this.#next = null;
      return this.#reload(next.cause, this.#apply);
    });
    const next: Waiting = { cause, result };
    this.#next = next;
    this.#running = result;
    return result;
  }

  /** Puts into use what `apply` loads, once what runs now is over. Never rejects. */
  run(cause: ReloadCause, apply: Apply): Promise<ReloadResult> {
    const next = this.#running.then(() => this.#reload(cause, apply));
    this.#running = next;
    return next;
  }

  /**
   * Nothing is reloaded from now on. What a reload that has begun finds is not used, and not
   * reported.
   */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async #reload(cause: ReloadCause, apply: Apply): Promise<ReloadResult> {
    const { loads } = this;
    const stopping = {
      generation: loads.generation,
      problems: [diagnosis.unplaced('The gateway is stopping.', null)],
    };
    if (this.#isClosed) return stopping;
    try {
      const applied = await apply(cause);
      if (this.#isClosed) return stopping;
      if (applied === null) return { generation: loads.generation, problems: [] };
      const { warnings, weaker } = applied;
      loads.ok++;
      loads.isCurrent = true;
      loads.generation++;
      this.#log.event('info', 'configuration reloaded', { generation: loads.generation, cause });
      if (weaker.length > 0) {
        loads.weakerTaken++;
        const fields = {
          generation: loads.generation,
          cause,
          weaker: weaker.map(diagnosis.printDiagnostic),
        };
        this.#log.event('warn', 'the new configuration protects less', fields);
      }
      this.#log.configurationWarnings(warnings);
      return { generation: loads.generation, problems: [] };
    } catch (error) {
      const isBug = !(error instanceof ConfigurationError);
      if (this.#isClosed && !isBug) return stopping;
      loads.refused++;
      // What a backend shows is in no file.
      loads.isCurrent &&= cause === 'changed WSDL of a backend';
      if (!isBug && error.isWeaker) {
        loads.weakerRefused++;
      }
      if (isBug) {
        this.#log.bug(error);
      }
      const problems = isBug
        ? [diagnosis.unplaced('The gateway failed to load the configuration.', 'See the log.')]
        : error.diagnostics;
      const { generation } = loads;
      const fields = { generation, cause, problems: problems.map(diagnosis.printDiagnostic) };
      this.#log.event('error', 'the new configuration was refused: the one before stays', fields);
      return { generation, problems };
    }
  }
}
