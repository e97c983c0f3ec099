import type { Buffer } from 'node:buffer';
import type { CachedReply, StoredReply } from '../../cache/reply-cache.js';
import { asRefusal, type Refusal } from '../../core/index.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';
import type { DeclaredCall, ReplyUse } from './declared-call.js';

/** A call whose whole reply is there already. */
export class ReplayedCall implements DeclaredCall {
  readonly isMade: boolean;
  readonly ageMillis: number | null = null;
  readonly receiver: UpstreamReceiver;
  #isOver = false;

  /**
   * `begin` is called later: the caller gets the call before its reply. Null: another begins it.
   */
  constructor(
    receiver: UpstreamReceiver,
    isMade: boolean,
    begin: ((call: ReplayedCall) => void) | null,
  ) {
    this.receiver = receiver;
    this.isMade = isMade;
    if (begin !== null) {
      queueMicrotask(() => begin(this));
    }
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  pause(): void {}

  resume(): void {}

  finish(_use: ReplyUse): number {
    return 0;
  }

  abort(refusal: Refusal): void {
    this.failed(refusal);
  }

  failed(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.receiver.failed(refusal);
  }

  replay(head: ReplyHead, chunks: readonly Buffer[]): void {
    if (this.#isOver) return;
    try {
      replay(this.receiver, head, chunks);
      this.#isOver = true;
    } catch (caught) {
      this.failed(asRefusal(caught));
    }
  }
}

/** A call that is answered from the cache. */
export class CachedCall extends ReplayedCall {
  override readonly ageMillis: number;
  readonly #leftMillis: number;
  readonly #forget: () => void;

  /** `forget` is called when the reader finds that the reply should not be in the cache. */
  constructor(
    { reply, ageMillis, leftMillis }: CachedReply,
    receiver: UpstreamReceiver,
    forget: () => void,
  ) {
    super(receiver, false, (call) => call.replay(headOf(reply), [reply.body]));
    this.ageMillis = ageMillis;
    this.#leftMillis = leftMillis;
    this.#forget = forget;
  }

  override finish(use: ReplyUse): number {
    if (use === 'store') return Math.max(0, this.#leftMillis);
    // Another operation, or another validation, reads it differently.
    this.#forget();
    return 0;
  }
}

/** Gives a whole reply to a receiver. Throws what the receiver throws. */
export function replay(
  receiver: UpstreamReceiver,
  head: ReplyHead,
  chunks: readonly Buffer[],
): void {
  receiver.head(head);
  for (const chunk of chunks) {
    receiver.data(chunk);
  }
  receiver.end();
}

/** The head of a reply that is held; `contentType` is empty where it has none. */
export const headOf = ({
  status = 200,
  contentType,
  body,
}: StoredReply & { readonly status?: number }): ReplyHead => ({
  status,
  header(name) {
    if (name === 'content-type') return contentType === '' ? null : contentType;
    return name === 'content-length' ? String(body.length) : null;
  },
  // Replies with fields of their own are not stored.
  headers: () => [],
});
