import { randomBytes } from 'node:crypto';

import type { EventTransport } from '../base/event-bus.js';
import type { BudgetEvents } from '../budget/budget.js';
import type { ConnectionSettings } from './client.js';
import { RedisConnection } from './connection.js';
import { RedisEventTransport } from './event-transport.js';
import { LeasedBudgets } from './leased-budgets.js';
import { RedisLedger } from './ledger.js';
import { RedisNonces } from './nonces.js';
import { SILENCE_MILLIS } from './pace.js';
import { PersistedTexts, type PersistedTextsOptions, type Texts } from './persisted-texts.js';

/** What the configuration says about Redis. */
export interface SharedSettings extends ConnectionSettings {
  /** Processes that share the budgets, at least. */
  readonly replicas: number;
  /** What events are signed with. */
  readonly secret?: string;
}

export interface SharedEvents {
  readonly budget: BudgetEvents;
  /** An operation of Redis is over. */
  operation(operation: string, outcome: string): void;
  /** Something an operator should know; never a secret. */
  event(level: 'info' | 'warn' | 'error', message: string, fields: Readonly<Record<string, string>>): void;
}

/** Everything replicas share through Redis. There is one for each process. */
export class Shared {
  readonly budgets: LeasedBudgets;
  readonly nonces: RedisNonces;
  readonly #settings: SharedSettings;
  readonly #events: SharedEvents;
  readonly #connection: RedisConnection;
  /** Hears what other replicas tell. */
  readonly #hearer: RedisConnection;

  constructor(settings: SharedSettings, clientsMax: number, events: SharedEvents) {
    const { prefix, replicas } = settings;
    this.#settings = settings;
    this.#events = events;
    this.#connection = new RedisConnection(settings, {
      operation: (operation, outcome) => events.operation(operation, outcome),
      up: () => events.event('info', 'Redis is there', {}),
      down: (reason) => events.event('warn', 'Redis is away: this process goes on with its share', { reason }),
    });
    this.nonces = new RedisNonces(this.#connection, prefix);
    const replica = randomBytes(8).toString('hex');
    this.#hearer = new RedisConnection(settings, { operation() {}, up() {}, down() {} });
    const options = { prefix, replica, replicas, silenceMillis: SILENCE_MILLIS };
    const ledger = new RedisLedger(this.#connection, this.#hearer, options);
    this.budgets = new LeasedBudgets({ ledger, replicas, clientsMax, events: events.budget });
  }

  get isUp(): boolean {
    return this.#connection.isUp;
  }

  /** Texts of documents that all replicas find; `local` ones are asked first. */
  persisted(local: Texts, limits: Omit<PersistedTextsOptions, 'prefix' | 'poisoned'>): Texts {
    const poisoned = (): void => {
      this.#events.operation('document_get', 'poisoned');
      this.#events.event('error', 'Redis held another text than the one with its hash: it was dropped', {});
    };
    const { prefix } = this.#settings;
    return new PersistedTexts(local, this.#connection, { ...limits, prefix, poisoned });
  }

  /** Carries events between replicas; null without a secret, as anybody could make events then. */
  transport(historyEvents: number): EventTransport | null {
    const { secret, prefix } = this.#settings;
    if (secret === undefined) {
      this.#events.event('warn', 'Events stay in this process: redis.secret is not configured', {});
      return null;
    }
    const forged = (): void => this.#events.operation('event_hear', 'forged');
    return new RedisEventTransport(this.#connection, this.#hearer, { prefix, secret, historyEvents, forged });
  }

  /** Begins to connect; nothing waits for it. */
  start(): void {
    this.#connection.onUp(() => void this.#checkPolicy());
    this.#connection.start();
    this.#hearer.start();
    this.budgets.start();
  }

  /** Gives back what is left, and ends the connections. Never rejects. */
  async close(): Promise<void> {
    await this.budgets.close();
    this.#connection.close();
    this.#hearer.close();
  }

  async #checkPolicy(): Promise<void> {
    const answer = await this.#connection.ask(['INFO', 'memory']);
    const policy = typeof answer === 'string' ? (/^maxmemory_policy:([a-z-]{1,40})/m.exec(answer)?.[1] ?? null) : null;
    if (policy === null || policy === 'noeviction') return;
    const message = 'Redis may forget budgets when its memory is full: set its maxmemory-policy to noeviction';
    this.#events.event('warn', message, { policy });
  }
}
