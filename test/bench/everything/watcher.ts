import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { print } from '../kit.js';
import { keyOfClient } from './configuration.js';

/** A subscription of which no event comes for so long, while it is open, is stuck. */
const STUCK_MILLIS = 60_000;

/** What all watchers saw. */
export interface Watched {
  sessions: number;
  events: number;
  errors: number;
  readonly wrong: string[];
}

/** A subscription by polls over a WebSocket, made anew whenever it ends. */
export class Watcher {
  readonly #url: string;
  readonly #ca: string;
  readonly #id: number;
  readonly #watched: Watched;
  readonly #running: Promise<void>;
  #isOver = false;
  #leave = (): void => {};

  constructor(url: string, ca: string, id: number, watched: Watched) {
    this.#url = `${url.replace('https', 'wss')}/graphql`;
    this.#ca = ca;
    this.#id = id;
    this.#watched = watched;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#session();
      if (!this.#isOver) await wait(200);
    }
  }

  async #session(): Promise<void> {
    const watched = this.#watched;
    const ca = this.#ca;
    const client = createClient({
      url: this.#url,
      webSocketImpl: class extends WebSocket {
        constructor(address: string, protocols: string) {
          super(address, protocols, { ca });
        }
      },
      connectionParams: { 'x-api-key': keyOfClient(this.#id % 4) },
      retryAttempts: 0,
      lazy: true,
    });
    watched.sessions++;
    let version = 0;
    let stuck: NodeJS.Timeout | null = null;
    await new Promise<void>((resolve) => {
      const isStuck = (): void => {
        this.#wrong(`no event of ${this.#id} for a minute`);
        resolve();
      };
      const wake = (): void => {
        if (stuck !== null) clearTimeout(stuck);
        stuck = setTimeout(isStuck, STUCK_MILLIS);
      };
      wake();
      this.#leave = resolve;
      client.subscribe<{ readonly watched?: { readonly id: number; readonly version: number } }>(
        { query: `subscription { watched(id: ${this.#id}) { id version } }` },
        {
          next: ({ data, errors }) => {
            wake();
            if (errors !== undefined) watched.errors++;
            const event = data?.watched;
            if (event == null) return;
            watched.events++;
            const seen = `version ${event.version} of ${event.id}`;
            if (event.id !== this.#id) this.#wrong(`${seen} for ${this.#id}`);
            if (event.version < version) this.#wrong(`${seen} after ${version}`);
            version = event.version;
          },
          error: () => resolve(),
          complete: () => resolve(),
        },
      );
    });
    if (stuck !== null) clearTimeout(stuck);
    await client.dispose();
  }

  #wrong(what: string): void {
    const line = `${new Date().toISOString()} subscription: ${what}`;
    this.#watched.wrong.push(line);
    print(`    ${line}\n`);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#leave();
    await this.#running;
  }
}
