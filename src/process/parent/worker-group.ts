import type { AdminListener } from '../../compile/listen/admin.js';
import type { Compiled } from '../../compile.js';
import type { LabelNames } from '../../observe/metrics/retired-labels.js';
import type { CompiledFacts, ReloadSource } from '../reload/reload-source.js';
import type { ExitCode } from '../terminal.js';

/** The part of a configuration that the parent itself uses. */
export interface ParentConfig {
  readonly names: LabelNames;
  /** The addresses for operators, of which a reload changes the credentials alone. */
  readonly admin: readonly AdminListener[];
  /** The longest time of a drain, with its delay. */
  readonly drainMillis: number;
}

/**
 * What takes requests: workers that this process has forked, or this process as the one worker that
 * there is.
 */
export interface WorkerGroup {
  /** Resolves to the addresses of callers once every worker has taken requests. */
  readonly ready: Promise<readonly string[]>;
  /** Resolves when a worker ended by itself before all were ready for the first time. */
  readonly broken: Promise<ExitCode>;
  /** `http://host:port` of operators. */
  readonly adminUrl: string;
  /** The longest time that a worker has not answered for. */
  readonly silentMillis: number;
  /** Gives a configuration to all workers or to none. Throws `ConfigurationError`. */
  reload(next: NextConfig, source: ReloadSource): Promise<CompiledFacts>;
  /** Replaces all workers one by one by the program as it is on disk now. */
  roll(): Promise<void>;
  /** Drains all workers, `delayMillis` after readiness is off. */
  stop(delayMillis: number): Promise<GroupEnd>;
}

/** How workers have ended. */
export interface GroupEnd {
  /** Connections that were cut at the end of the drain. */
  readonly cut: number;
  /** Lines of the record of decisions that could not be written. */
  readonly lostRecords: number;
  /** A worker that did not say how it ended has failed. Absent: no. */
  readonly isForced?: boolean;
  readonly fields: Readonly<Record<string, number>>;
}

/** A configuration that was loaded for a reload. What compiles it throws `ConfigurationError`. */
export interface NextConfig {
  /** For a process that takes requests, beside what it uses. */
  compileBeside(before: Compiled): Promise<Compiled>;
  /** For a process that takes none: only to know whether it can be compiled. */
  compileUnused(): Promise<CompiledFacts>;
  /** The parent's part of it. */
  ownOf(facts: CompiledFacts): ParentConfig;
}
