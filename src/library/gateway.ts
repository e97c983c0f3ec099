import { resolve } from 'node:path';
import { type LoadedConfig, loadConfig, rootSection } from '../config/load.js';
import { checkRestartKeys } from '../config/restart-keys.js';
import type { Environment } from '../config/source/read-source.js';
import { ConfigurationError, inputFiles, TimeSlices } from '../core/index.js';
import { Log } from '../observe/log/log.js';
import { lineTaker } from '../observe/log/log-target.js';
import { readyEvent } from '../process/announce.js';
import { FileWatch } from '../process/reload/file-watch.js';
import { WsdlTakeover } from '../process/reload/wsdl-takeover.js';
import { type RunningGateway, runGateway } from '../process/running.js';
import { COMMON_OPTIONS, checkKeys, checkOptions } from './check-options.js';
import type { ConfigurationKeys } from './configuration-keys.js';
import { checkOutputs, objectFile, objectText, withObject } from './configuration-object.js';

/** The keys of a configuration, as they stand in a file. */
export type GatewayConfiguration = ConfigurationKeys;

/** How a gateway is started. */
export interface StartGatewayOptions {
  /**
   * The folder in which paths of a configuration given as an object begin; the working directory
   * where it is absent. Paths in a file begin in its own folder.
   */
  readonly folder?: string;
  /**
   * Takes each line of the log: a JSON object as text, without the end of the line. Where it is
   * absent nothing is logged.
   */
  readonly log?: (line: string) => void;
  /** The variables that a configuration may name; those of the process where it is absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A gateway that takes requests. */
export interface StartedGateway {
  /** The addresses of callers: `http://127.0.0.1:43211`; a Unix socket is `unix:/path`. */
  readonly urls: readonly string[];
  /** The address of operators. */
  readonly adminUrl: string;
  /**
   * Reads the configuration and all that it names anew, and puts it into use for the requests that
   * begin then; `configuration` replaces one that was given as an object. Rejects with
   * `ConfigurationError` for one that cannot be used: the one before stays.
   */
  reload(configuration?: GatewayConfiguration): Promise<void>;
  /**
   * Stops: requests in flight finish, for as long as `limits.http.drainMillis` allows. A second
   * call gives what the first one does.
   */
  close(): Promise<void>;
}

/**
 * Starts a gateway in this process, as `soapstone start` runs it: with the configuration of a file,
 * or an object with the same keys, whose `admin` is an address that the system chooses unless it
 * names one. It runs in this process alone, whatever `workers` says. Nothing is written to standard
 * output or standard error, and no signal is handled. Rejects with `ConfigurationError` for a
 * configuration that cannot be used, and for an address that cannot be bound.
 */
export async function startGateway(
  configuration: string | GatewayConfiguration,
  options: StartGatewayOptions = {},
): Promise<StartedGateway> {
  checkOptions('startGateway', options, { ...COMMON_OPTIONS, log: 'function' });
  const source = new Source(configuration, options);
  const snapshot = inputFiles.emptySnapshot();
  const watch = new FileWatch();
  const loaded = await source.load(watch.track(inputFiles.recordInputs(snapshot)));
  const { log: logging } = loaded.config;
  const log = new Log(
    options.log === undefined ? 'silent' : logging.level,
    lineTaker(options.log ?? null),
  );
  log.configure(logging);
  const running = await runGateway(
    1,
    {
      loaded,
      snapshot,
      load: (inputs) => source.loadAgain(loaded, inputs),
      watch,
      takeover: new WsdlTakeover(log, (work) => work()),
      reloading: (work) => work(),
      open: () => null,
    },
    log,
  );
  const urls = await running.group.ready;
  const { adminUrl } = running.group;
  readyEvent({ url: urls[0] ?? '', urls, adminUrl }, running.warnings, log);
  return new OwnGateway(urls, running, { source, watch, log });
}

/** The place of a configuration: a file, or an object that a reload may replace. */
class Source {
  readonly #file: string;
  readonly #environment: Environment;
  /** Null where the configuration is a file. */
  #text: string | null;

  constructor(configuration: string | GatewayConfiguration, options: StartGatewayOptions) {
    const { folder = '.', environment = process.env } = options;
    this.#environment = environment;
    this.#text = typeof configuration === 'string' ? null : textOf(configuration);
    this.#file = typeof configuration === 'string' ? configuration : objectFile(resolve(folder));
  }

  /** Throws `ConfigurationError`. */
  async load(inputs: inputFiles.Inputs, pace?: TimeSlices): Promise<LoadedConfig> {
    const text = this.#text;
    const read = text === null ? inputs : withObject(inputs, this.#file, () => text);
    const loaded = await loadConfig(this.#file, this.#environment, { workers: 1 }, read, pace);
    checkOutputs(loaded.config);
    return loaded;
  }

  /** Throws `ConfigurationError`, also for a key that needs a restart. */
  async loadAgain(running: LoadedConfig, inputs: inputFiles.Inputs): Promise<LoadedConfig> {
    const next = await this.load(inputs, new TimeSlices());
    checkRestartKeys(rootSection(running), rootSection(next));
    return next;
  }

  /** Returns what takes the replacement back. Throws `ConfigurationError`. */
  replace(configuration: GatewayConfiguration): () => void {
    const before = this.#text;
    if (before === null) {
      throw new TypeError('The configuration of this gateway is a file: change that, and reload.');
    }
    const next = textOf(configuration);
    this.#text = next;
    return () => {
      if (this.#text === next) {
        this.#text = before;
      }
    };
  }
}

function textOf(configuration: GatewayConfiguration): string {
  const remedy = 'Give the name of a file, or an object with the keys of one.';
  checkKeys('The configuration is', configuration, remedy);
  return objectText({ admin: '127.0.0.1:0', ...configuration });
}

interface OwnParts {
  readonly source: Source;
  readonly watch: FileWatch;
  readonly log: Log;
}

class OwnGateway implements StartedGateway {
  readonly urls: readonly string[];
  readonly adminUrl: string;
  readonly #running: RunningGateway<null>;
  readonly #source: Source;
  readonly #watch: FileWatch;
  readonly #log: Log;
  #closed: Promise<void> | null = null;

  constructor(
    urls: readonly string[],
    running: RunningGateway<null>,
    { source, watch, log }: OwnParts,
  ) {
    this.urls = urls;
    this.adminUrl = running.group.adminUrl;
    this.#running = running;
    this.#source = source;
    this.#watch = watch;
    this.#log = log;
  }

  async reload(configuration?: GatewayConfiguration): Promise<void> {
    const takeBack = configuration === undefined ? null : this.#source.replace(configuration);
    const { problems } = await this.#running.reloader.request('reload()');
    if (problems.length > 0) {
      takeBack?.();
      throw new ConfigurationError(problems);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { reloader, group, closeDemo, config } = this.#running;
    this.#watch.listen(null);
    reloader.close();
    await group.stop(config().drainDelayMillis);
    await closeDemo();
    await this.#log.close();
  }
}
