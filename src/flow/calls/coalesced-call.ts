import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { CacheUse } from '../../base/exchange.js';
import { asRefusal, type Refusal } from '../../base/refusal.js';
import type { CachedReply, ReplyCache } from '../../cache/reply-cache.js';
import type { ReadRule } from '../../cache/rules.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/reply.js';
import { InflatedReply } from '../http/inflate-reply.js';
import { callAlone, type DeclaredCall, headOf, type Placing, tellReply, type Verdict } from './declared-call.js';
import { Seat, type SharedReply } from './waiter.js';

export interface FlightOptions {
  readonly key: string;
  readonly rule: ReadRule;
  readonly cache: ReplyCache;
  /** What is still remembered of the last reply, for the case that there is no new one. */
  readonly stale: CachedReply | null;
  /** Nobody can join any more. */
  readonly onClosed: (flight: Flight) => void;
}

/**
 * `collecting`: the reply comes in, and whoever asks for the same may join. `telling`: it is told to one after the
 * other. `passing`: it is too long for that, and passes to one of them as it comes.
 */
type State = 'collecting' | 'telling' | 'passing' | 'over';

/**
 * One call to the backend for all who ask for the same while it is under way. It belongs to none of them: it goes on as
 * long as one waits, and no slow reader keeps the others waiting.
 */
export class Flight implements UpstreamReceiver, SharedReply {
  readonly key: string;
  readonly #options: FlightOptions;
  /** Of the operation's mark when the call was made. */
  readonly #generation: number;
  readonly #seats = new Set<Seat>();
  readonly #chunks: Buffer[] = [];
  #state: State = 'collecting';
  #call: UpstreamCall | null = null;
  #head: ReplyHead | null = null;
  #inflated: InflatedReply | null = null;
  #bytes = 0;
  /** Whom the reply is being told, or passed to. */
  #listener: Seat | null = null;
  /** Of the first who has read the reply. */
  #verdict: Verdict | null = null;
  #freshUntilMillis = 0;
  #isStale = false;

  constructor(options: FlightOptions) {
    this.key = options.key;
    this.#options = options;
    this.#generation = options.rule.invalidation.generation;
  }

  /** Whether somebody who asks now may have this reply: not where something was written since the call was made. */
  get isOpen(): boolean {
    const { rule, cache } = this.#options;
    const isCurrent = this.#generation === rule.invalidation.generation;
    return this.#state === 'collecting' && isCurrent && this.#seats.size < cache.limits.waiting;
  }

  /** Callers besides the one who made it. */
  get waiting(): number {
    return Math.max(0, this.#seats.size - 1);
  }

  join(placing: Placing, use: CacheUse): DeclaredCall {
    return this.#seat(placing, use, false);
  }

  /** Makes the call, for the first who asks. */
  begin(placing: Placing, use: CacheUse): DeclaredCall {
    const seat = this.#seat(placing, use, true);
    this.#call = callAlone({ ...placing, receiver: this });
    return seat;
  }

  head(head: ReplyHead): void {
    const coding = head.header('content-encoding')?.trim().toLowerCase();
    const isCompressed = coding === 'gzip' || coding === 'x-gzip';
    this.#head = isCompressed ? withoutCoding(head) : head;
    if (isCompressed && this.#call !== null) this.#inflate(this.#call);
    else if (Number(head.header('content-length') ?? 0) > this.#options.cache.limits.replyBytes) this.#pass();
  }

  data(chunk: Buffer): void {
    if (this.#inflated === null) this.#take(chunk);
    else this.#inflated.write(chunk);
  }

  end(): void {
    if (this.#inflated === null) this.#complete();
    else this.#inflated.end();
  }

  failed(refusal: Refusal): void {
    const listener = this.#listener;
    if (this.#state === 'collecting') this.#fail(refusal);
    else if (listener !== null) {
      // What it was told it has refused; so will the others.
      this.#listener = null;
      listener.failed(refusal);
      if (this.#state === 'telling') this.#goOn();
    }
  }

  /** The caller in this seat leaves. */
  leave(seat: Seat, refusal: Refusal): void {
    if (seat === this.#listener && this.#state === 'passing') {
      (this.#inflated ?? this.#call)?.abort(refusal);
      return;
    }
    this.#seats.delete(seat);
    if (this.#state === 'collecting' && this.#seats.size === 0) {
      this.#close('over');
      (this.#inflated ?? this.#call)?.abort(refusal);
    }
    seat.failed(refusal);
  }

  /** What the caller in this seat says of the reply it was told. For how long it is good. */
  settle(seat: Seat, verdict: Verdict): number {
    if (seat !== this.#listener || this.#state !== 'telling') return 0;
    if (this.#verdict === null) {
      this.#verdict = verdict;
      if (verdict === 'keep') this.#keep();
    }
    return verdict === 'keep' ? Math.max(0, this.#freshUntilMillis - performance.now()) : 0;
  }

  /** Only who has the reply as it comes can be too slow for it. */
  pause(seat: Seat): void {
    if (seat === this.#listener && this.#state === 'passing') (this.#inflated ?? this.#call)?.pause();
  }

  resume(seat: Seat): void {
    if (seat === this.#listener && this.#state === 'passing') (this.#inflated ?? this.#call)?.resume();
  }

  #seat(placing: Placing, use: CacheUse, isMade: boolean): Seat {
    const seat = new Seat(this, placing, use, isMade);
    this.#seats.add(seat);
    return seat;
  }

  #inflate(call: UpstreamCall): void {
    const [seat] = this.#seats;
    if (seat === undefined) return;
    this.#inflated = new InflatedReply(seat.placing.service.inflateLimits, call, {
      data: (chunk) => this.#take(chunk),
      end: () => this.#complete(),
      failed: (refusal) => this.failed(refusal),
    });
  }

  #take(chunk: Buffer): void {
    if (this.#state === 'passing') {
      this.#listener?.placing.receiver.data(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.cache.limits.replyBytes) this.#pass();
  }

  #complete(): void {
    if (this.#state === 'passing') {
      const listener = this.#listener;
      listener?.placing.receiver.end();
      listener?.end();
      this.#state = 'over';
    } else if (this.#state === 'collecting') {
      this.#close('telling');
      this.#tellNext();
    }
  }

  /** The reply is too long to be held: the first has it as it comes, the others ask for themselves. */
  #pass(): void {
    this.#close('passing');
    const [first, ...others] = this.#seats;
    this.#seats.clear();
    this.#listener = first ?? null;
    for (const other of others) other.goAlone();
    if (first === undefined || this.#head === null) return;
    const { receiver } = first.placing;
    receiver.head(this.#head);
    for (const chunk of this.#chunks) receiver.data(chunk);
    this.#chunks.length = 0;
  }

  /** Throws what the receiver throws: the call has failed then, and is told so. */
  #tellNext(): void {
    const [seat] = this.#seats;
    if (seat === undefined || this.#head === null) return;
    this.#seats.delete(seat);
    this.#listener = seat;
    tellReply(seat.placing.receiver, this.#head, this.#chunks);
    this.#listener = null;
    seat.end();
    this.#goOn();
  }

  /** Tells the others, one at a time: each reads all of it. */
  #goOn(): void {
    if (this.#seats.size === 0) {
      this.#state = 'over';
      return;
    }
    if (this.#verdict === 'own') {
      this.#state = 'over';
      for (const seat of this.#seats) seat.goAlone();
      this.#seats.clear();
      return;
    }
    setImmediate(() => {
      try {
        this.#tellNext();
      } catch (caught) {
        this.failed(asRefusal(caught));
      }
    });
  }

  #keep(): void {
    const { key, rule, cache } = this.#options;
    const contentType = this.#head?.header('content-type') ?? null;
    if (contentType === null || this.#isStale) return;
    const nowMillis = performance.now();
    // A copy: what came from the connection is a part of something larger.
    const reply = { contentType, body: Buffer.concat(this.#chunks) };
    if (cache.store(key, rule, this.#generation, reply, nowMillis))
      this.#freshUntilMillis = nowMillis + rule.freshMillis;
  }

  #fail(refusal: Refusal): void {
    const { stale, rule } = this.#options;
    const isStillTrue = this.#generation === rule.invalidation.generation;
    if (stale !== null && isStillTrue && refusal.kind.blame === 'upstream') {
      this.#close('telling');
      this.#isStale = true;
      this.#head = headOf(stale.reply);
      this.#chunks.splice(0, this.#chunks.length, stale.reply.body);
      for (const seat of this.#seats) seat.takeOld(stale.ageMillis);
      this.#goOn();
      return;
    }
    this.#close('over');
    for (const seat of this.#seats) seat.failed(refusal);
    this.#seats.clear();
  }

  #close(state: State): void {
    this.#state = state;
    this.#options.onClosed(this);
  }
}

/** A reply that is decoded already. */
const withoutCoding = (head: ReplyHead): ReplyHead => ({
  status: head.status,
  header: (name) => (name === 'content-encoding' || name === 'content-length' ? null : head.header(name)),
});
