import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { asRefusal, KIB, Refusal, type sharedState } from '../../core/index.js';
import type {
  KeptAnswer,
  KeyClaim,
  KeyState,
  OutcomeStore,
  OwnedClaim,
} from '../../gateway/shared/outcome-store.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';
import type { BegunCall } from '../calls/declared-call.js';
import { headOf, ReplayedCall } from '../calls/replayed-call.js';
import { answerSourceOf } from '../reply/reply-head.js';

/**
 * Bytes of an answer that is kept. A longer one goes to the first caller as it comes, and to no
 * other.
 */
export const ANSWER_BYTES_MAX = 256 * KIB;
/** Requests that wait for one call. */
export const WAITING_MAX = 1_000;

/** Bytes of the id of an owner. */
const OWNER_BYTES = 16;

const POLL_MILLIS = 50;
const POLL_MILLIS_MAX = 1_000;

/** Makes the call for the first request under a key. */
export type MakeCall = (receiver: UpstreamReceiver) => BegunCall;

/**
 * `claiming`: whether the call was made before is not known yet. `collecting`: the call is under
 * way, and other requests under the key wait for it. `streaming`: its answer is too long to keep.
 */
type State = 'claiming' | 'collecting' | 'streaming' | 'over';

/** Stands for the calls of one request. It is the answer to none. */
const KNOWN_GROUP: KeptAnswer = { status: 204, contentType: '', body: Buffer.alloc(0) };

const REFUSALS: Readonly<Record<'other' | 'unknown' | 'full' | 'away', () => Refusal>> = {
  other: () => new Refusal('IDEMPOTENCY_KEY_REUSED'),
  unknown: () => new Refusal('IDEMPOTENCY_OUTCOME_UNKNOWN'),
  full: () => new Refusal('IDEMPOTENCY_LIMIT'),
  away: () => new Refusal('IDEMPOTENCY_UNAVAILABLE'),
};

/**
 * All requests under one key in this process, and the one call that is made for them. It belongs to
 * none of them.
 */
export class KeyedCall implements UpstreamReceiver {
  readonly claim: OwnedClaim;
  readonly #store: OutcomeStore;
  readonly #suspicions: sharedState.Suspicions;
  readonly #make: MakeCall;
  readonly #onOver: () => void;
  readonly #members = new Set<KeyedMember>();
  /** The request that the call is made for, if one has to be made. */
  #maker: KeyedMember | null = null;
  readonly #chunks: Buffer[] = [];
  #state: State = 'claiming';
  #begun: BegunCall | null = null;
  #head: ReplyHead | null = null;
  #bytes = 0;
  #isSent = false;

  constructor(
    claim: KeyClaim,
    store: OutcomeStore,
    suspicions: sharedState.Suspicions,
    make: MakeCall,
    onOver: () => void,
  ) {
    this.#suspicions = suspicions;
    this.claim = { ...claim, owner: randomBytes(OWNER_BYTES).toString('base64url') };
    this.#store = store;
    this.#make = make;
    this.#onOver = onOver;
  }

  /** Null where no further request can wait. */
  join(receiver: UpstreamReceiver): KeyedMember | null {
    if (this.#members.size >= WAITING_MAX || this.#state === 'streaming') return null;
    const member = new KeyedMember(receiver, this);
    this.#maker ??= member;
    this.#members.add(member);
    return member;
  }

  begin(): void {
    const claimed = this.#claim();
    if (claimed instanceof Promise) {
      void claimed.then((state) => this.#decide(state));
    }
    // The caller gets the call before its answer.
    else {
      queueMicrotask(() => this.#decide(claimed));
    }
  }

  #claim(): KeyState | Promise<KeyState> {
    const { group: shared, owner } = this.claim;
    if (shared === undefined) return this.#store.claim(this.claim);
    const group = { ...shared, owner: `${owner}-group` };
    const found = this.#store.claim(group);
    return found instanceof Promise
      ? found.then((state) => this.#claimIn(group, state))
      : this.#claimIn(group, found);
  }

  /** Claims the call where the key stands for the calls of this request. */
  #claimIn(group: OwnedClaim, state: KeyState): KeyState | Promise<KeyState> {
    const { kind } = state;
    if (kind === 'other' || kind === 'full' || kind === 'away') return state;
    // A group is known from its first call on: each of its calls has a claim of its own.
    if (kind === 'new') {
      this.#store.settle(group, KNOWN_GROUP);
    }
    return this.#store.claim(this.claim);
  }

  #decide(state: KeyState): void {
    if (state.kind === 'new') {
      this.#state = 'collecting';
      if (this.#maker !== null) {
        this.#maker.isMade = true;
      }
      try {
        this.#begun = this.#make(this);
      } catch (caught) {
        this.failed(asRefusal(caught));
      }
    } else if (state.kind === 'answered') {
      const { answer } = state;
      this.#answer(headOf(answer), [answer.body], answer);
    } else if (state.kind === 'pending') {
      void this.#poll();
    } else {
      this.#fail(REFUSALS[state.kind]());
    }
  }

  /** The call is made by another process. */
  async #poll(): Promise<void> {
    const endMillis = performance.now() + this.claim.callMillis;
    for (
      let pauseMillis = POLL_MILLIS;
      ;
      pauseMillis = Math.min(POLL_MILLIS_MAX, pauseMillis * 2)
    ) {
      await wait(pauseMillis);
      if (this.#members.size === 0) {
        this.#end();
        return;
      }
      const state = await this.#store.claim(this.claim);
      if (state.kind !== 'pending') {
        this.#decide(state);
        return;
      }
      if (performance.now() >= endMillis) {
        this.#fail(new Refusal('IDEMPOTENCY_KEY_IN_USE'));
        return;
      }
    }
  }

  sent(): void {
    this.#isSent = true;
    this.#first?.receiver.sent?.();
  }

  head(head: ReplyHead): void {
    this.#head = head;
    if (Number(head.header('content-length') ?? 0) > ANSWER_BYTES_MAX) {
      this.#stream();
    }
  }

  data(chunk: Buffer): void {
    if (this.#state === 'streaming') {
      this.#first?.receiver.data(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_BYTES_MAX) {
      this.#stream();
    }
  }

  end(): void {
    const head = this.#head;
    if (head === null) return;
    if (this.#state === 'streaming') {
      this.#store.settle(this.claim, null);
      // What the receiver throws fails the call, and the caller is told.
      this.#first?.receiver.end();
      this.#end();
      return;
    }
    const body = Buffer.concat(this.#chunks);
    const { messageId = null } = this.claim;
    const source = answerSourceOf(head);
    this.#keep({
      status: head.status,
      contentType: head.header('content-type') ?? '',
      body,
      messageId,
      source,
    });
    const first = this.#first;
    this.#answer(head, [body], { messageId, source });
    // The call has to know how its answer was read: by that its address is suspected, or its
    // breaker opens.
    const refusal = first?.refusal ?? null;
    if (refusal?.kind.blame === 'upstream') throw refusal;
  }

  /**
   * Answers without an envelope come from what stands before the backend: 4xx are no calls, 5xx may
   * be.
   */
  #keep(answer: KeptAnswer): void {
    const { status, contentType } = answer;
    const isEnvelope = /xml|multipart/i.test(contentType);
    if (isEnvelope || status <= 299) {
      this.#store.settle(this.claim, answer);
    } else if (status >= 400 && status <= 499) {
      this.#store.release(this.claim);
    } else {
      this.#store.settle(this.claim, null);
    }
  }

  failed(refusal: Refusal): void {
    if (this.#state === 'over') return;
    // Until the whole request is written the backend does not act.
    if (this.#isSent) {
      this.#store.settle(this.claim, null);
    } else {
      this.#store.release(this.claim);
    }
    const [first, ...others] = this.#members;
    this.#end();
    first?.failed(refusal);
    const told = this.#isSent ? new Refusal('IDEMPOTENCY_OUTCOME_UNKNOWN') : refusal;
    for (const other of others) {
      other.failed(told);
    }
  }

  /** A caller has gone. The call goes on, so that its outcome is known. */
  leave(member: KeyedMember, refusal: Refusal): void {
    if (this.#state === 'streaming' && member === this.#first) {
      this.#begun?.call.abort(refusal);
      return;
    }
    this.#members.delete(member);
    member.failed(refusal);
  }

  /** Only an answer that is not held can be paused. */
  pause(): void {
    if (this.#state === 'streaming') {
      this.#begun?.call.pause();
    }
  }

  resume(): void {
    if (this.#state === 'streaming') {
      this.#begun?.call.resume();
    }
  }

  get #first(): KeyedMember | undefined {
    return this.#members.values().next().value;
  }

  /** Throws what the receiver throws: the call has failed then. */
  #stream(): void {
    this.#state = 'streaming';
    const [first, ...others] = this.#members;
    for (const other of others) {
      this.#members.delete(other);
      other.failed(new Refusal('IDEMPOTENCY_OUTCOME_UNKNOWN', 'the answer is too long to be kept'));
    }
    if (first === undefined || this.#head === null) return;
    first.answeredId = this.claim.messageId ?? null;
    first.receiver.head(this.#head);
    for (const chunk of this.#chunks) {
      first.receiver.data(chunk);
    }
    this.#chunks.length = 0;
  }

  /**
   * Gives the whole answer to all, one in each turn of the event loop. It is to the message with
   * this id.
   */
  #answer(
    head: ReplyHead,
    chunks: readonly Buffer[],
    { messageId = null, source = null }: Pick<KeptAnswer, 'messageId' | 'source'>,
  ): void {
    const members = [...this.#members];
    this.#end();
    const next = (): void => {
      const member = members.shift();
      if (member === undefined) return;
      member.answeredId = messageId;
      if (this.#suspicions.isSuspect(source)) {
        member.failed(REFUSALS.unknown());
      } else {
        member.replay(head, chunks);
      }
      if (members.length > 0) {
        setImmediate(next);
      }
    };
    next();
  }

  #fail(refusal: Refusal): void {
    const members = [...this.#members];
    this.#end();
    for (const member of members) {
      member.failed(refusal);
    }
  }

  #end(): void {
    this.#state = 'over';
    this.#members.clear();
    this.#begun?.declared?.finish('private');
    this.#onOver();
  }
}

/** One request under a key, whose answer is not shared with other requests. */
class KeyedMember extends ReplayedCall {
  /** False while it is not known whether an answer is kept. */
  override isMade = false;
  answeredId: string | null = null;
  /** Why it refused its answer, or got none; else null. */
  refusal: Refusal | null = null;
  readonly #call: KeyedCall;

  constructor(receiver: UpstreamReceiver, call: KeyedCall) {
    super(receiver, false, null);
    this.#call = call;
  }

  override pause(): void {
    this.#call.pause();
  }

  override resume(): void {
    this.#call.resume();
  }

  override failed(refusal: Refusal): void {
    if (!this.isOver) {
      this.refusal = refusal;
    }
    super.failed(refusal);
  }

  override abort(refusal: Refusal): void {
    if (!this.isOver) {
      this.#call.leave(this, refusal);
    }
  }
}
