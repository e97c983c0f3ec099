import type { Buffer } from 'node:buffer';
import { asRefusal, asUpstream, type Refusal } from '../../base/refusal.js';
import type { InflateLimits } from '../../soap/limits.js';
import type { UpstreamCall } from '../../upstream/reply.js';
import { Inflater } from './inflate.js';

/** Takes a reply as it is decoded. `data` and `end` may throw, which ends it; `failed` is the last word. */
export interface InflatedReceiver {
  data(chunk: Buffer): void;
  end(): void;
  failed(refusal: Refusal): void;
}

/**
 * Stands between the call and the receiver of a reply that comes as gzip (RFC 9110 section 8.4): decoded bytes go
 * on, and the receiver pauses, resumes and aborts this instead of the call. The call may be over before the reply is.
 */
export class InflatedReply implements UpstreamCall {
  readonly #call: UpstreamCall;
  readonly #receiver: InflatedReceiver;
  readonly #inflater: Inflater;
  /** The call is over: the receiver gets nothing more unless from here. */
  #isCallOver = false;
  #isOver = false;

  constructor(limits: InflateLimits, call: UpstreamCall, receiver: InflatedReceiver) {
    this.#call = call;
    this.#receiver = receiver;
    this.#inflater = new Inflater(limits, {
      data: (chunk) => this.#attempt(() => receiver.data(chunk)),
      end: () => {
        this.#attempt(() => receiver.end());
        this.#isOver = true;
      },
      failed: (refusal) => this.abort(asUpstream(refusal)),
      enough: () => call.pause(),
      more: () => call.resume(),
    });
  }

  write(chunk: Buffer): void {
    this.#inflater.write(chunk);
  }

  /** The reply is all there. The receiver gets the end, or a failure, later. */
  end(): void {
    this.#isCallOver = true;
    this.#inflater.end();
  }

  pause(): void {
    this.#inflater.pause();
  }

  resume(): void {
    this.#inflater.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    this.destroy();
    if (this.#isCallOver) this.#receiver.failed(refusal);
    else this.#call.abort(refusal);
  }

  /** Drops the rest of it. */
  destroy(): void {
    this.#isOver = true;
    this.#inflater.destroy();
  }

  #attempt(step: () => void): void {
    if (this.#isOver) return;
    try {
      step();
    } catch (caught) {
      this.abort(asRefusal(caught));
    }
  }
}
