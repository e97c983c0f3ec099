import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { CachedReply, ReplyCache } from '../../cache/reply-cache.js';
import type { ReadRule } from '../../cache/rules.js';
import { asRefusal, type observing, Refusal, type sharedState } from '../../core/index.js';
import type { CacheUse } from '../../gateway/exchange.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import { answerSourceOf } from '../reply/reply-head.js';
import { variesBeyondKey } from './call-key.js';
import { type CallParts, callUpstream, type DeclaredCall, type ReplyUse } from './declared-call.js';
import { headOf, replay } from './replayed-call.js';

export interface CoalescedCallOptions {
  readonly key: string;
  readonly rule: ReadRule;
  readonly cache: ReplyCache;
  readonly suspicions: sharedState.Suspicions;
  /** The last reply, used if there is no new one. */
  readonly stale: CachedReply | null;
  /** Called when no further caller can join. */
  readonly onClosed: (call: CoalescedCall) => void;
}

/**
 * `collecting`: the reply comes in, and identical requests join. `replaying`: each waiter gets the
 * whole reply, one after the other. `streaming`: the reply is too long to be held, and one waiter
 * gets it as it comes.
 */
type State = 'collecting' | 'replaying' | 'streaming' | 'over';

/**
 * One call to the backend, shared by identical requests that come while it is under way. It belongs
 * to none of them: it goes on as long as one waits, and a slow client does not delay the others.
 */
export class CoalescedCall implements UpstreamReceiver {
  readonly key: string;
  readonly #options: CoalescedCallOptions;
  /** The generation of the operation's invalidation when the call was made. */
  readonly #generation: number;
  readonly #waiters = new Set<Waiter>();
  readonly #chunks: Buffer[] = [];
  #state: State = 'collecting';
  #call: UpstreamCall | null = null;
  #observer: observing.CallObserver | null = null;
  #head: ReplyHead | null = null;
  /** The source of the reply, once it is complete. */
  #source: sharedState.AnswerSource | null = null;
  #bytes = 0;
  /** The waiter that gets the reply now. */
  #current: Waiter | null = null;
  /** Decided by the first waiter that read the reply. */
  #use: ReplyUse | null = null;
  #freshUntilMillis = 0;
  #isStale = false;

  constructor(options: CoalescedCallOptions) {
    this.key = options.key;
    this.#options = options;
    this.#generation = options.rule.invalidation.generation;
  }

  /** Whether an identical request may join; a write since the call was made closes it. */
  get isOpen(): boolean {
    const { rule, cache } = this.#options;
    const isCurrent = this.#generation === rule.invalidation.generation;
    return this.#state === 'collecting' && isCurrent && this.#waiters.size < cache.limits.waiting;
  }

  /** Callers besides the first. */
  get waiting(): number {
    return Math.max(0, this.#waiters.size - 1);
  }

  join(parts: CallParts, use: CacheUse): DeclaredCall {
    this.#observer?.serve(parts.exchange.observer);
    return this.#waiter(parts, use, false);
  }

  /** Makes the call for the first caller. */
  begin(parts: CallParts, use: CacheUse): DeclaredCall {
    const waiter = this.#waiter(parts, use, true);
    this.#observer = parts.request.observer ?? null;
    this.#call = callUpstream({ ...parts, receiver: this });
    return waiter;
  }

  head(head: ReplyHead): void {
    this.#head = head;
    if (Number(head.header('content-length') ?? 0) > this.#options.cache.limits.replyBytes) {
      this.#stream();
    }
  }

  data(chunk: Buffer): void {
    if (this.#state === 'streaming') {
      this.#current?.parts.receiver.data(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.cache.limits.replyBytes) {
      this.#stream();
    }
  }

  end(): void {
    if (this.#state === 'streaming') {
      const current = this.#current;
      current?.parts.receiver.end();
      current?.end();
      this.#state = 'over';
    } else if (this.#state === 'collecting') {
      this.#close('replaying');
      this.#source = this.#head === null ? null : answerSourceOf(this.#head);
      this.#replayNext();
    }
  }

  failed(refusal: Refusal): void {
    const current = this.#current;
    if (this.#state === 'collecting') {
      this.#fail(refusal);
    } else if (current !== null) {
      // This waiter refused the reply; the others get it, and refuse it too.
      this.#current = null;
      current.failed(refusal);
      if (this.#state === 'replaying') {
        this.#replayRest();
      }
    }
  }

  /** The caller has gone. */
  leave(waiter: Waiter, refusal: Refusal): void {
    if (waiter === this.#current && this.#state === 'streaming') {
      this.#call?.abort(refusal);
      return;
    }
    this.#waiters.delete(waiter);
    if (this.#state === 'collecting' && this.#waiters.size === 0) {
      this.#close('over');
      this.#call?.abort(refusal);
    }
    waiter.failed(refusal);
  }

  /** A waiter has read its reply. Returns for how many milliseconds the reply is fresh. */
  finish(waiter: Waiter, use: ReplyUse): number {
    if (waiter !== this.#current || this.#state !== 'replaying') return 0;
    if (this.#use === null) {
      const isOther = this.#head !== null && variesBeyondKey(this.#head, waiter.parts.service);
      this.#use = isOther ? 'private' : use;
      if (this.#use === 'store') {
        this.#store();
      }
    }
    return use === 'store' ? Math.max(0, this.#freshUntilMillis - performance.now()) : 0;
  }

  /** Only a streamed reply can be paused: others are held whole. */
  pause(waiter: Waiter): void {
    if (waiter === this.#current && this.#state === 'streaming') {
      this.#call?.pause();
    }
  }

  resume(waiter: Waiter): void {
    if (waiter === this.#current && this.#state === 'streaming') {
      this.#call?.resume();
    }
  }

  #waiter(parts: CallParts, use: CacheUse, isMade: boolean): Waiter {
    const waiter = new Waiter(this, parts, use, isMade);
    this.#waiters.add(waiter);
    return waiter;
  }

  /** The reply is too long to be held: the first waiter streams it, the others call separately. */
  #stream(): void {
    this.#close('streaming');
    const [first, ...others] = this.#waiters;
    this.#waiters.clear();
    this.#current = first ?? null;
    for (const other of others) {
      other.callSeparately();
    }
    if (first === undefined || this.#head === null) return;
    const { receiver } = first.parts;
    receiver.head(this.#head);
    for (const chunk of this.#chunks) {
      receiver.data(chunk);
    }
    this.#chunks.length = 0;
  }

  /** Throws what the receiver throws; the call has failed then. */
  #replayNext(): void {
    const [waiter] = this.#waiters;
    if (waiter === undefined || this.#head === null) return;
    if (this.#options.suspicions.isSuspect(this.#source)) {
      this.#failWaiters(new Refusal('UPSTREAM_DESYNC', 'its address answered another request'));
      return;
    }
    this.#waiters.delete(waiter);
    this.#current = waiter;
    replay(waiter.parts.receiver, this.#head, this.#chunks);
    this.#current = null;
    waiter.end();
    this.#replayRest();
  }

  /** Replays to the rest, one in each turn of the event loop. */
  #replayRest(): void {
    if (this.#waiters.size === 0) {
      this.#state = 'over';
      return;
    }
    if (this.#use === 'private') {
      this.#state = 'over';
      for (const waiter of this.#waiters) {
        waiter.callSeparately();
      }
      this.#waiters.clear();
      return;
    }
    setImmediate(() => {
      try {
        this.#replayNext();
      } catch (caught) {
        this.failed(asRefusal(caught));
      }
    });
  }

  #store(): void {
    const { key, rule, cache } = this.#options;
    const contentType = this.#head?.header('content-type') ?? null;
    if (contentType === null || this.#isStale) return;
    const nowMillis = performance.now();
    // A copy: chunks of a connection are views of larger buffers.
    const reply = { contentType, body: Buffer.concat(this.#chunks), source: this.#source };
    if (cache.store(key, rule, this.#generation, reply, nowMillis)) {
      this.#freshUntilMillis = nowMillis + rule.freshMillis;
    }
  }

  #fail(refusal: Refusal): void {
    const { stale, rule, suspicions } = this.#options;
    const isCurrent = this.#generation === rule.invalidation.generation;
    const isSound = stale !== null && !suspicions.isSuspect(stale.reply.source);
    if (isSound && isCurrent && refusal.kind.blame === 'upstream') {
      this.#close('replaying');
      this.#isStale = true;
      this.#head = headOf(stale.reply);
      this.#chunks.splice(0, this.#chunks.length, stale.reply.body);
      for (const waiter of this.#waiters) {
        waiter.useStale(stale.ageMillis);
      }
      this.#replayRest();
      return;
    }
    this.#close('over');
    this.#failWaiters(refusal);
  }

  #failWaiters(refusal: Refusal): void {
    this.#state = 'over';
    for (const waiter of this.#waiters) {
      waiter.failed(refusal);
    }
    this.#waiters.clear();
  }

  #close(state: State): void {
    this.#state = state;
    this.#options.onClosed(this);
  }
}

/** One caller of a coalesced call; it may have to call separately in the end. */
class Waiter implements DeclaredCall {
  isMade: boolean;
  ageMillis: number | null = null;
  readonly parts: CallParts;
  readonly #call: CoalescedCall;
  readonly #use: CacheUse;
  #alone: UpstreamCall | null = null;
  #isOver = false;

  /** `isMade`: the backend is called for this caller. */
  constructor(call: CoalescedCall, parts: CallParts, use: CacheUse, isMade: boolean) {
    this.isMade = isMade;
    this.#call = call;
    this.parts = parts;
    this.#use = use;
  }

  pause(): void {
    if (this.#alone === null) {
      this.#call.pause(this);
    } else {
      this.#alone.pause();
    }
  }

  resume(): void {
    if (this.#alone === null) {
      this.#call.resume(this);
    } else {
      this.#alone.resume();
    }
  }

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    if (this.#alone === null) {
      this.#call.leave(this, refusal);
    } else {
      this.#alone.abort(refusal);
    }
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
