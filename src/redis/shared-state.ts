import { randomBytes } from 'node:crypto';
import type { BudgetEvents } from '../budget/budget.js';
import type { eventBus, sharedState } from '../core/index.js';
import type { CanaryChannel } from '../gateway/canary/canary-channel.js';
import type { InvalidationChannel } from '../gateway/shared/invalidation.js';
import type { PollSharing } from '../gateway/shared/poll-sharing.js';
import { redisCanaries } from './canary-channel.js';
import { withTimeout } from './client.js';
import { type ConnectionSettings, RedisConnection } from './connection.js';
import {
  type DocumentStore,
  type PersistedStoreOptions,
  redisPersistedStore,
} from './documents/persisted-store.js';
import type { HistoryLimits } from './events/event-history.js';
import { RedisEventTransport } from './events/event-transport.js';
import { redisInvalidations } from './invalidation-channel.js';
import { HEARTBEAT_TIMEOUT_MILLIS } from './lease/lease-clock.js';
import { RedisLeaseStore } from './lease/lease-store.js';
import { LeasedBudgets } from './lease/leased-budgets.js';
import { redisNonceStore } from './nonce-store.js';
import { RedisPollSharing } from './polling/poll-sharing.js';
import { RedisOutcomes } from './redis-outcomes.js';
import { RedisSlots } from './redis-slots.js';
import { redisSuspicions } from './suspicion-channel.js';

/** The key `redis` of the configuration. */
export interface SharedStateSettings extends ConnectionSettings {
  /** Configured number of processes that share the budgets. */
  readonly replicas: number;
  /** Signs events. */
  readonly secret?: string;
  /** The name of this replica, which no other process ever had; absent: it chooses one. */
  readonly replica?: string;
}

/**
 * Replicas that have ended and could not be removed yet, at most: they expire by themselves within
 * a minute.
 */
const ENDED_MAX = 256;

export interface SharedStateEvents {
  readonly budget: BudgetEvents;
  /** An operation of Redis ended. */
  operation(operation: string, outcome: string): void;
  /** Logs a message for operators; never with a secret. */
  event(
    level: 'info' | 'warn' | 'error',
    message: string,
    fields: Readonly<Record<string, string>>,
  ): void;
}

/** How long a start waits for Redis, so that the first calls find what other replicas know. */
const FIRST_MILLIS = 1_000;

/** The state that replicas share through Redis, one object for each process. */
export class SharedState {
  readonly budgets: LeasedBudgets;
  readonly nonces: sharedState.NonceStore;
  readonly outcomes: RedisOutcomes;
  readonly slots: RedisSlots;
  readonly invalidations: InvalidationChannel;
  readonly suspicions: sharedState.SuspicionChannel;
  readonly canaries: CanaryChannel;
  readonly #settings: SharedStateSettings;
  readonly #events: SharedStateEvents;
  readonly #leases: RedisLeaseStore;
  readonly #ended = new Set<string>();
  readonly #connection: RedisConnection;
  /** In subscriber mode. */
  readonly #subscriber: RedisConnection;

  constructor(settings: SharedStateSettings, clientsMax: number, events: SharedStateEvents) {
    const { prefix, replicas, replica = randomBytes(8).toString('hex') } = settings;
    this.#settings = settings;
    this.#events = events;
    this.#connection = new RedisConnection(settings, {
      operation: (operation, outcome) => events.operation(operation, outcome),
      up: (server) => events.event('info', 'Redis is there', { server }),
      down: (reason) =>
        events.event('warn', 'Redis is away: this process goes on with its share', { reason }),
    });
    this.nonces = redisNonceStore(this.#connection, prefix);
    this.outcomes = new RedisOutcomes(this.#connection, prefix);
    this.slots = new RedisSlots(this.#connection, prefix, replicas);
    this.#subscriber = new RedisConnection(settings, { operation() {}, up() {}, down() {} });
    this.invalidations = redisInvalidations(this.#connection, this.#subscriber, prefix, replica);
    this.suspicions = redisSuspicions(this.#connection, this.#subscriber, prefix, replica);
    this.canaries = redisCanaries(this.#connection, this.#subscriber, prefix, replica);
    const options = { prefix, replica, replicas, heartbeatTimeoutMillis: HEARTBEAT_TIMEOUT_MILLIS };
    this.#leases = new RedisLeaseStore(this.#connection, this.#subscriber, options);
    this.budgets = new LeasedBudgets({
      store: this.#leases,
      replicas,
      clientsMax,
      events: events.budget,
    });
  }

  /** Whether both connections are up: without the second one nothing of other replicas comes in. */
  get isUp(): boolean {
    return this.#connection.isUp && this.#subscriber.isUp;
  }

  /** Makes a store of persisted documents that all replicas share; `local` is searched first. */
  makePersistedStore(
    local: DocumentStore,
    limits: Omit<PersistedStoreOptions, 'prefix' | 'onPoisoned'>,
  ): DocumentStore {
    const onPoisoned = (): void => {
      this.#events.operation('document_get', 'poisoned');
      this.#events.event(
        'error',
        'Redis held another text than the one with its hash: it was dropped',
        {},
      );
    };
    const { prefix } = this.#settings;
    return redisPersistedStore(local, this.#connection, { ...limits, prefix, onPoisoned });
  }

  /**
   * Makes a transport of events between replicas; null without a secret, as any client of Redis
   * could forge events.
   */
  makeEventTransport({
    historyEvents,
    resumeMillis,
    queueBytes,
  }: HistoryLimits): eventBus.EventTransport | null {
    const { secret, prefix } = this.#settings;
    if (secret === undefined) {
      this.#events.event('warn', 'Events stay in this process: redis.secret is not configured', {});
      return null;
    }
    const onForged = (): void => this.#events.operation('event_receive', 'forged');
    const options = { prefix, secret, historyEvents, resumeMillis, queueBytes, onForged };
    return new RedisEventTransport(this.#connection, this.#subscriber, options);
  }

  /**
   * Makes what shares polls between replicas; null without a secret, as any client of Redis could
   * forge replies.
   */
  makePollSharing(replyBytes: number): PollSharing | null {
    const { secret, prefix } = this.#settings;
    if (secret === undefined) return null;
    const onForged = (): void => this.#events.operation('poll_receive', 'forged');
    return new RedisPollSharing(this.#connection, this.#subscriber, {
      prefix,
      secret,
      replyBytes,
      onForged,
    });
  }

  /**
   * Starts to connect. Resolves when the first attempts have ended, after `FIRST_MILLIS` at the
   * latest.
   */
  async start(): Promise<void> {
    this.#connection.onUp(() => void this.#checkEvictionPolicy());
    this.#connection.onUp(() => void this.#removeEnded());
    const attempts = [this.#connection.start(), this.#subscriber.start()];
    this.budgets.start();
    await withTimeout(Promise.all(attempts), FIRST_MILLIS).catch(() => {});
  }

  /** Removes a replica that has ended without leaving, as soon as Redis is there. */
  removeReplica(replica: string): void {
    if (this.#ended.size < ENDED_MAX) {
      this.#ended.add(replica);
    }
    void this.#removeEnded();
  }

  /**
   * Returns all leases, writes what is not confirmed yet, and closes the connections. Never
   * rejects.
   */
  async close(): Promise<void> {
    await Promise.all([this.budgets.close(), this.outcomes.close()]);
    this.#connection.close();
    this.#subscriber.close();
  }

  async #removeEnded(): Promise<void> {
    if (!this.#connection.isUp) return;
    for (const replica of this.#ended) {
      await this.#leases.remove(replica).then(
        () => this.#ended.delete(replica),
        () => {},
      );
    }
  }

  async #checkEvictionPolicy(): Promise<void> {
    const reply = await this.#connection.tryCommand(['INFO', 'memory']);
    const policy =
      typeof reply === 'string'
        ? (/^maxmemory_policy:([a-z-]{1,40})/m.exec(reply)?.[1] ?? null)
        : null;
    if (policy === null || policy === 'noeviction') return;
    const message =
      'Redis may forget budgets when its memory is full: set its maxmemory-policy to noeviction';
    this.#events.event('warn', message, { policy });
  }
}
