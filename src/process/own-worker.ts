import type { Log } from '../observe/log/log.js';
import type { Gateway } from '../server.js';
import type { GroupEnd, NextConfig, WorkerGroup } from './parent/worker-group.js';
import { type CompiledFacts, compiledFacts } from './reload/reload-source.js';

/** The one worker of a gateway that forks none: this process. */
export class OwnWorker implements WorkerGroup {
  readonly ready: Promise<readonly string[]>;
  readonly broken = new Promise<never>(() => {});
  readonly silentMillis = 0;
  readonly #gateway: Gateway;
  readonly #log: Log;

  constructor(gateway: Gateway, log: Log) {
    this.#gateway = gateway;
    this.#log = log;
    this.ready = Promise.resolve(gateway.urls);
  }

  get adminUrl(): string {
    return this.#gateway.adminUrl;
  }

  async reload(next: NextConfig): Promise<CompiledFacts> {
    const compiled = await next.compileBeside(this.#gateway.compiled());
    this.#gateway.replace(compiled);
    return compiledFacts(compiled);
  }

  async roll(): Promise<void> {
    this.#log.event('warn', 'SIGUSR2 replaces workers, and there are none', {});
  }

  async stop(delayMillis: number): Promise<GroupEnd> {
    const cut = await this.#gateway.drain(undefined, delayMillis);
    return { isForced: cut > 0, fields: { cut } };
  }
}
