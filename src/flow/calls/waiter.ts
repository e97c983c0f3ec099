import type { CacheUse } from '../../base/exchange.js';
import type { Refusal } from '../../base/refusals/refusal.js';
import type { UpstreamCall } from '../../upstream/reply.js';
import { type CallParts, callUpstream, type DeclaredCall, type ReplyUse } from './declared-call.js';

/** The coalesced call of a waiter. */
export interface WaiterOwner {
  leave(waiter: Waiter, refusal: Refusal): void;
  finish(waiter: Waiter, use: ReplyUse): number;
  pause(waiter: Waiter): void;
  resume(waiter: Waiter): void;
}

/** One caller of a coalesced call; it may have to call separately in the end. */
export class Waiter implements DeclaredCall {
  isMade: boolean;
  ageMillis: number | null = null;
  readonly parts: CallParts;
  readonly #call: WaiterOwner;
  readonly #use: CacheUse;
  #alone: UpstreamCall | null = null;
  #isOver = false;

  /** `isMade`: the backend is called for this caller. */
  constructor(call: WaiterOwner, parts: CallParts, use: CacheUse, isMade: boolean) {
    this.isMade = isMade;
    this.#call = call;
    this.parts = parts;
    this.#use = use;
  }

  pause(): void {
    if (this.#alone === null) this.#call.pause(this);
    else this.#alone.pause();
  }

  resume(): void {
    if (this.#alone === null) this.#call.resume(this);
    else this.#alone.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    if (this.#alone === null) this.#call.leave(this, refusal);
    else this.#alone.abort(refusal);
  }

  finish(use: ReplyUse): number {
    return this.#call.finish(this, use);
  }

  /** It has the whole reply. */
  end(): void {
    this.#isOver = true;
  }

  failed(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.parts.receiver.failed(refusal);
  }

  callSeparately(): void {
    this.#use.outcome = 'miss';
    this.isMade = true;
    this.#alone = callUpstream(this.parts);
  }

  /** It gets a stored reply of this age, because there is no new one. */
  useStale(ageMillis: number): void {
    this.#use.outcome = 'stale';
    this.ageMillis = ageMillis;
  }
}
