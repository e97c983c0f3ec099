import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';

import type { Sent } from './ledger-sender.js';

/** One subscription from its first event to its end. */
interface Session {
  readonly firstMillis: number;
  endMillis: number;
  /** How often each id came. */
  readonly ids: Map<number, number>;
}

export interface EventCounts {
  sessions: number;
  events: number;
  /** Due while the subscription was open, and not received. */
  lost: number;
  doubled: number;
  /** Reported as lost (`SUBSCRIPTION_GAP`). */
  gaps: number;
  /** How WebSockets ended, by code. */
  readonly closes: Record<string, number>;
}

/** An event is due that was written so long before its subscription ended. */
const DUE_MILLIS = 2_000;

/** A subscription over a WebSocket, made anew whenever it ends. */
export class Subscriber {
  readonly #url: string;
  readonly #sessions: Session[] = [];
  readonly #closes = new Map<number, number>();
  #gaps = 0;
  #isOver = false;
  readonly #running: Promise<void>;
  #leave = (): void => {};

  constructor(url: string) {
    this.#url = `${url.replace('http', 'ws')}/graphql`;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const client = createClient({
        url: this.#url,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        lazy: true,
      });
      client.on('closed', (event) => {
        const code =
          typeof event === 'object' && event !== null && 'code' in event ? Number(event.code) : 0;
        this.#closes.set(code, (this.#closes.get(code) ?? 0) + 1);
      });
      let session: Session | null = null;
      await new Promise<void>((resolve) => {
        this.#leave = () => void client.dispose();
        client.subscribe<{ readonly posted?: { readonly id: number } }>(
          { query: 'subscription { posted { id } }' },
          {
            next: ({ data, errors }) => {
              if (errors !== undefined) this.#gaps++;
              const id = data?.posted?.id;
              if (id === undefined) return;
              if (session === null) {
                session = {
                  firstMillis: performance.now(),
                  endMillis: Number.POSITIVE_INFINITY,
                  ids: new Map(),
                };
                this.#sessions.push(session);
              }
              session.ids.set(id, (session.ids.get(id) ?? 0) + 1);
            },
            error: () => resolve(),
            complete: () => resolve(),
          },
        );
      });
      const ended: Session | undefined = this.#sessions.at(-1);
      if (ended?.endMillis === Number.POSITIVE_INFINITY) ended.endMillis = performance.now();
      await client.dispose();
      if (!this.#isOver) await wait(50);
    }
  }

  /** Ends the subscription; what it received, compared with the writes that were answered. */
  async stop(sent: readonly Sent[]): Promise<EventCounts> {
    await wait(500);
    this.#isOver = true;
    this.#leave();
    await this.#running;
    const closes = Object.fromEntries(this.#closes);
    const counts: EventCounts = {
      sessions: this.#sessions.length,
      events: 0,
      lost: 0,
      doubled: 0,
      gaps: this.#gaps,
      closes,
    };
    for (const { firstMillis, endMillis, ids } of this.#sessions) {
      for (const times of ids.values()) {
        counts.events++;
        counts.doubled += times - 1;
      }
      for (const { id, isWrite, atMillis, millis, failure } of sent) {
        const isDue =
          isWrite &&
          failure === null &&
          atMillis > firstMillis &&
          atMillis + millis < endMillis - DUE_MILLIS;
        if (isDue && !ids.has(id)) counts.lost++;
      }
    }
    return counts;
  }
}
