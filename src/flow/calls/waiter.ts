import type { CacheUse } from '../../base/exchange.js';
import type { Refusal } from '../../base/refusal.js';
import type { UpstreamCall } from '../../upstream/reply.js';
import { callAlone, type DeclaredCall, type Placing, type Verdict } from './declared-call.js';

/** A reply that several wait for, as one of them knows it. */
export interface SharedReply {
  leave(seat: Seat, refusal: Refusal): void;
  settle(seat: Seat, verdict: Verdict): number;
  pause(seat: Seat): void;
  resume(seat: Seat): void;
}

/** The place of one caller in a flight, or a call of its own where the flight is not for it. */
export class Seat implements DeclaredCall {
  isMade: boolean;
  ageMillis: number | null = null;
  readonly placing: Placing;
  readonly #flight: SharedReply;
  readonly #use: CacheUse;
  #alone: UpstreamCall | null = null;
  #isOver = false;

  /** `isMade`: the flight's call is made for it. */
  constructor(flight: SharedReply, placing: Placing, use: CacheUse, isMade: boolean) {
    this.isMade = isMade;
    this.#flight = flight;
    this.placing = placing;
    this.#use = use;
  }

  pause(): void {
    if (this.#alone === null) this.#flight.pause(this);
    else this.#alone.pause();
  }

  resume(): void {
    if (this.#alone === null) this.#flight.resume(this);
    else this.#alone.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    if (this.#alone === null) this.#flight.leave(this, refusal);
    else this.#alone.abort(refusal);
  }

  settle(verdict: Verdict): number {
    return this.#flight.settle(this, verdict);
  }

  /** Nothing more is told to it. */
  end(): void {
    this.#isOver = true;
  }

  failed(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.placing.receiver.failed(refusal);
  }

  goAlone(): void {
    this.#use.outcome = 'miss';
    this.isMade = true;
    this.#alone = callAlone(this.placing);
  }

  /** There is no new reply: it has one that is this old. */
  takeOld(ageMillis: number): void {
    this.#use.outcome = 'stale';
    this.ageMillis = ageMillis;
  }
}
