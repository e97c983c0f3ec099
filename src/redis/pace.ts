import type { Beat } from './ledger.js';

/** How often to show a sign of life, and to look after leases. */
export const TICK_MILLIS = 100;
/** A replica that was not in touch with Redis for so long has its part of what comes back for itself. */
export const SILENCE_MILLIS = 500;
/** Redis may have lost its memory with the connection: so long the others may tell it what they know. */
export const SETTLE_MILLIS = 2000;

/** What a sign of life has changed. */
export interface Change {
  /** Redis may have forgotten things, or remember older ones. */
  readonly isDoubtful: boolean;
  /** From now on points can be had. */
  readonly isReunited: boolean;
}

/**
 * In which time this replica lives: in the common one while it is in touch with Redis, else in its own. Each moment
 * counts in one of them only: see `BEAT`.
 */
export class Pace {
  readonly #clock: () => number;
  readonly #replicasLeast: number;
  #replicas: number;
  #isShared = false;
  /** When the common time ended for us, or will: our own time counts from then. */
  #ownFrom: number;
  #ownMillis = 0;
  #commonMillis = 0;
  #settledAt = Number.NEGATIVE_INFINITY;
  #last: { readonly beat: Beat; readonly connected: number } | null = null;

  constructor(replicas: number, clock: () => number) {
    this.#clock = clock;
    this.#replicasLeast = replicas;
    this.#replicas = replicas;
    this.#ownFrom = clock();
  }

  get replicas(): number {
    return this.#replicas;
  }

  /** Milliseconds of common time that this replica knows to have passed. */
  get commonMillis(): number {
    return this.#commonMillis;
  }

  get ownMillis(): number {
    return this.#ownMillis + Math.max(0, this.#clock() - this.#ownFrom);
  }

  get era(): string | null {
    return this.#last?.beat.era ?? null;
  }

  /** Whether points can be had from Redis. */
  get isShared(): boolean {
    return this.#isShared && this.#clock() < this.#ownFrom;
  }

  /** The time of Redis up to which our part was common; null: it is our own. */
  get inTouchSinceMillis(): number | null {
    return this.#isShared ? (this.#last?.beat.nowMillis ?? null) : null;
  }

  /** `connected`: how often the connection had been made when this was heard. */
  heard(beat: Beat, connected: number): Change {
    const now = this.#clock();
    const last = this.#last;
    const wasShared = this.isShared;
    const isOther = last !== null && (last.beat.era !== beat.era || last.beat.commonMillis > beat.commonMillis);
    const wasAway = last !== null && last.connected !== connected;
    this.#replicas = Math.max(this.#replicasLeast, beat.replicas);
    if (last !== null && !isOther) this.#commonMillis += beat.commonMillis - last.beat.commonMillis;
    this.#last = { beat, connected };
    const isDoubtful = isOther || wasAway;
    if (isDoubtful) this.#settledAt = now + SETTLE_MILLIS;
    const isYoung = beat.nowMillis - beat.bornMillis < SETTLE_MILLIS;
    if (isYoung || now < this.#settledAt) {
      if (wasShared) this.#ownFrom = now;
      this.#isShared = false;
      return { isDoubtful, isReunited: false };
    }
    this.#ownMillis = this.ownMillis;
    this.#ownFrom = now + SILENCE_MILLIS;
    this.#isShared = true;
    return { isDoubtful, isReunited: !wasShared };
  }
}
