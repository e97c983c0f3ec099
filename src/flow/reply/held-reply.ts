import type { Buffer } from 'node:buffer';
import { asRefusal, KIB, type Refusal } from '../../core/index.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';

/** Whether a request is verified, so that a reply to it may go to its receiver. */
export interface RequestVerification {
  readonly isUnverified: boolean;
  /** Resolves when it is, or never will be. */
  settled(): Promise<void>;
}

/** Bytes of a reply that are held before its call is paused. */
const HELD_BYTES = 64 * KIB;

/**
 * Holds a reply that comes before the content of its request is verified: an answer then would tell
 * of content that may have been altered.
 */
export class HeldReply implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  readonly #request: RequestVerification;
  #call: UpstreamCall | null = null;
  /** The events of the reply in their order; null while they go on as they come. */
  #held: (() => void)[] | null = null;
  #heldBytes = 0;
  #isOver = false;

  constructor(receiver: UpstreamReceiver, request: RequestVerification) {
    this.#receiver = receiver;
    this.#request = request;
  }

  begin(call: UpstreamCall): void {
    this.#call = call;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    if (this.#request.isUnverified) {
      this.#held = [];
      void this.#request.settled().then(() => this.#release());
    }
    this.#pass(() => this.#receiver.head(head));
  }

  data(chunk: Buffer): void {
    this.#pass(() => this.#receiver.data(chunk));
    if (this.#held === null) return;
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > HELD_BYTES) {
      this.#call?.pause();
    }
  }

  end(): void {
    this.#pass(() => this.#receiver.end());
  }

  failed(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = null;
    this.#receiver.failed(refusal);
  }

  #pass(step: () => void): void {
    if (this.#held === null) {
      step();
    } else {
      this.#held.push(step);
    }
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    try {
      for (const step of held) {
        step();
      }
    } catch (caught) {
      const refusal = asRefusal(caught);
      this.failed(refusal);
      this.#call?.abort(refusal);
      return;
    }
    if (this.#heldBytes > HELD_BYTES) {
      this.#call?.resume();
    }
  }
}
