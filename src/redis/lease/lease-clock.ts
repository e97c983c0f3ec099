import type { Heartbeat } from './lease-store.js';

/** Interval of heartbeats, and of the renewal of leases. */
export const HEARTBEAT_MILLIS = 100;
/** A replica without a heartbeat for this long refills its part of the budgets itself. */
export const HEARTBEAT_TIMEOUT_MILLIS = 500;
/**
 * After Redis may have lost state, no points are granted for this long, while replicas send their
 * views.
 */
const RECOVERY_MILLIS = 2000;

/** Changes by a heartbeat. */
export interface ClockChange {
  /** Redis may have lost state, or be back at an older one. */
  readonly isUnconfirmed: boolean;
  /** Points can be had from Redis from now on. */
  readonly isRejoined: boolean;
}

/**
 * The lease clock of one replica: shared time while its heartbeats reach Redis, else local time.
 * Each moment counts in one of them only: see `HEARTBEAT`.
 */
export class LeaseClock {
  readonly #clock: () => number;
  readonly #configuredReplicas: number;
  #replicas: number;
  #isShared = false;
  /**
   * When shared time ended for this replica, or will end without a heartbeat; local time counts
   * from then.
   */
  #localFrom: number;
  #localMillis = 0;
  #sharedMillis = 0;
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #last: { readonly heartbeat: Heartbeat; readonly connections: number } | null = null;

  constructor(replicas: number, clock: () => number) {
    this.#clock = clock;
    this.#configuredReplicas = replicas;
    this.#replicas = replicas;
    this.#localFrom = clock();
  }

  get replicas(): number {
    return this.#replicas;
  }

  /** Milliseconds of shared time that this replica knows to have passed. */
  get sharedMillis(): number {
    return this.#sharedMillis;
  }

  get localMillis(): number {
    return this.#localMillis + Math.max(0, this.#clock() - this.#localFrom);
  }

  get epoch(): string | null {
    return this.#last?.heartbeat.epoch ?? null;
  }

  /** Whether points can be had from Redis. */
  get isShared(): boolean {
    return this.#isShared && this.#clock() < this.#localFrom;
  }

  /**
   * Redis time of the last heartbeat, from which the next one credits shared time; null: it credits
   * none.
   */
  get creditFromMillis(): number | null {
    return this.#isShared ? (this.#last?.heartbeat.nowMillis ?? null) : null;
  }

  /** Applies the reply to a heartbeat; `connections` is the number of connections made by then. */
  update(heartbeat: Heartbeat, connections: number): ClockChange {
    const now = this.#clock();
    const last = this.#last;
    const wasShared = this.isShared;
    const isOther =
      last !== null &&
      (last.heartbeat.epoch !== heartbeat.epoch ||
        last.heartbeat.sharedMillis > heartbeat.sharedMillis);
    const isReconnected = last !== null && last.connections !== connections;
    this.#replicas = Math.max(this.#configuredReplicas, heartbeat.replicas);
    if (last !== null && !isOther) {
      this.#sharedMillis += heartbeat.sharedMillis - last.heartbeat.sharedMillis;
    }
    this.#last = { heartbeat, connections };
    const isUnconfirmed = isOther || isReconnected;
    if (isUnconfirmed) {
      this.#recoveredAt = now + RECOVERY_MILLIS;
    }
    const isNewEpoch = heartbeat.nowMillis - heartbeat.epochStartMillis < RECOVERY_MILLIS;
    if (isNewEpoch || now < this.#recoveredAt) {
      if (wasShared) {
        this.#localFrom = now;
      }
      this.#isShared = false;
      return { isUnconfirmed, isRejoined: false };
    }
    this.#localMillis = this.localMillis;
    this.#localFrom = now + HEARTBEAT_TIMEOUT_MILLIS;
    this.#isShared = true;
    return { isUnconfirmed, isRejoined: !wasShared };
  }
}
