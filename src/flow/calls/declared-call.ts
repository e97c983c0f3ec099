import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Exchange } from '../../base/exchange.js';
import { asRefusal, type Refusal } from '../../base/refusal.js';
import type { CachedReply, StoredReply } from '../../cache/reply-cache.js';
import { invalidate, pauseCaching, type WriteRule } from '../../cache/rules.js';
import type { SoapService } from '../../compile/service.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver, UpstreamRequest } from '../../upstream/reply.js';
import type { Operation } from '../../wsdl/model.js';

/**
 * What becomes of a reply, says who has read it: it may be remembered; it is the answer of all who wait for it, and of
 * nobody after them (a Fault, a failure); or it is the answer of this one caller, and the others have to ask themselves.
 */
export type Verdict = 'keep' | 'share' | 'own';

/** A call of an operation that is declared to read or to write. Its reply comes as any reply does. */
export interface DeclaredCall extends UpstreamCall {
  /** Whether the backend was called for this caller, and not for another who asked the same. */
  readonly isMade: boolean;
  /** How old the reply is; null for one that comes from the backend. */
  readonly ageMillis: number | null;
  /** To be called once, when the reply is read or there is none. Returns for how long the same would be answered again. */
  settle(verdict: Verdict): number;
}

/** One call of one caller. */
export interface Placing {
  readonly exchange: Exchange;
  readonly service: SoapService;
  /** Null where it is not known. */
  readonly operation: Operation | null;
  readonly request: UpstreamRequest;
  /** Null where the call cannot be compared with others. */
  readonly key: CallKey | null;
  readonly receiver: UpstreamReceiver;
}

/** What a call asks for, by all that the backend could make of it. */
export interface CallKey {
  readonly text: string;
  /** Whether it can be one with a call that is under way: the reply to that may name its request. */
  readonly mayJoin: boolean;
}

/** Makes a call for one caller alone. */
export function callAlone({ exchange, service, request, receiver }: Placing): UpstreamCall {
  exchange.upstreamCalls++;
  return service.upstream.call(request, receiver);
}

/** A call of its own, after which what others read is old, and before: nobody knows when the backend acts. */
export class LoneCall implements DeclaredCall {
  readonly isMade = true;
  readonly ageMillis = null;
  readonly #settlingMillis: number;
  readonly #write: WriteRule | null;
  readonly #call: UpstreamCall;

  constructor(placing: Placing, write: WriteRule | null) {
    this.#write = write;
    this.#settlingMillis = placing.service.config.limits.upstream.totalMillis;
    if (write !== null) invalidate(write);
    this.#call = callAlone(placing);
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  abort(refusal: Refusal): void {
    // The backend may have it, and take as long for it as any call may take.
    if (this.#write !== null) pauseCaching(this.#write, performance.now() + this.#settlingMillis);
    this.#call.abort(refusal);
  }

  settle(): number {
    if (this.#write !== null) invalidate(this.#write);
    return 0;
  }
}

/** A reply that is remembered, on its way to somebody who asked for the same. */
export class KnownReply implements DeclaredCall {
  readonly isMade = false;
  readonly ageMillis: number;
  readonly #leftMillis: number;
  readonly #receiver: UpstreamReceiver;
  readonly #forget: () => void;
  #isOver = false;

  /** `forget` is called when the reply turns out to be none that should be remembered. */
  constructor({ reply, ageMillis, leftMillis }: CachedReply, receiver: UpstreamReceiver, forget: () => void) {
    this.ageMillis = ageMillis;
    this.#leftMillis = leftMillis;
    this.#receiver = receiver;
    this.#forget = forget;
    // Nobody expects to hear of a call before it is made.
    queueMicrotask(() => this.#tell(reply));
  }

  pause(): void {}

  resume(): void {}

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver.failed(refusal);
  }

  settle(verdict: Verdict): number {
    if (verdict === 'keep') return Math.max(0, this.#leftMillis);
    // Another read less of it, or read it as something else.
    this.#forget();
    return 0;
  }

  #tell(reply: StoredReply): void {
    if (this.#isOver) return;
    try {
      tellReply(this.#receiver, headOf(reply), [reply.body]);
      this.#isOver = true;
    } catch (caught) {
      this.abort(asRefusal(caught));
    }
  }
}

/** Tells a reply that is all there. Throws what the receiver throws. */
export function tellReply(receiver: UpstreamReceiver, head: ReplyHead, chunks: readonly Buffer[]): void {
  receiver.head(head);
  for (const chunk of chunks) receiver.data(chunk);
  receiver.end();
}

export const headOf = ({ contentType, body }: StoredReply): ReplyHead => ({
  status: 200,
  header(name) {
    if (name === 'content-type') return contentType;
    return name === 'content-length' ? String(body.length) : null;
  },
});
