import { performance } from 'node:perf_hooks';

import type { TaskOwner } from './fair-scheduler.js';

/** Good requests of a connection that can cover later refusals, at most. */
const CREDIT_MAX = 32;

/**
 * How long long messages of a connection are read slowly, after one of its refusals was delayed.
 */
const PENALTY_MILLIS = 30_000;

/** Penalties that began before are over. */
let forgivenMillis = Number.NEGATIVE_INFINITY;

/** The credit of one connection from good requests, and whether refused ones have it penalised. */
export class ConnectionRecord implements TaskOwner {
  readonly address: string;
  #credit = 0;
  #penalisedMillis = Number.NEGATIVE_INFINITY;

  constructor(address: string) {
    this.address = address;
  }

  /** True if long messages of the connection are read slowly. */
  get isPenalised(): boolean {
    const sinceMillis = this.#penalisedMillis;
    return sinceMillis > forgivenMillis && performance.now() - sinceMillis < PENALTY_MILLIS;
  }

  /** Penalises the connection from now on. */
  penalise(): void {
    this.#penalisedMillis = performance.now();
  }

  /** Adds a good request to the credit. */
  addGoodRequest(): void {
    this.#credit = Math.min(CREDIT_MAX, this.#credit + 1);
  }

  /**
   * Takes the cost of a refusal from the credit. Returns the rest of the cost, which the credit
   * does not cover.
   */
  charge(units: number): number {
    const covered = Math.min(units, this.#credit);
    this.#credit -= covered;
    return units - covered;
  }
}

/** Ends the penalties of all connections. */
export function forgiveAll(): void {
  forgivenMillis = performance.now();
}

const RECORDS = new WeakMap<object, ConnectionRecord>();

/** The record of a connection, made when it is first asked for. */
export function recordOf(socket: {
  readonly remoteAddress?: string | undefined;
}): ConnectionRecord {
  let record = RECORDS.get(socket);
  if (record === undefined) {
    record = new ConnectionRecord(socket.remoteAddress ?? '');
    RECORDS.set(socket, record);
  }
  return record;
}
