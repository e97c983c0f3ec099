import type { Buffer } from 'node:buffer';

import { asRefusal, type Refusal } from '../core/index.js';
import type { CallRules } from './call-rules.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver, UpstreamRequest } from './reply.js';

/**
 * A call that needs something obtained first, a token for instance, and may be sent again with
 * another one.
 */
export abstract class RepeatableCall<Obtained> implements UpstreamCall, UpstreamReceiver {
  protected readonly request: UpstreamRequest;
  protected readonly receiver: UpstreamReceiver;
  readonly #rules: CallRules;
  #wait: NodeJS.Timeout | null = null;
  #call: UpstreamCall | null = null;
  #isOver = false;

  /** `rules` bound the wait for what is obtained as they bound the call itself. */
  constructor(request: UpstreamRequest, receiver: UpstreamReceiver, rules: CallRules) {
    this.request = request;
    this.#rules = rules;
    this.receiver = receiver;
  }

  /** The name of the operation; '' where it is not known. */
  protected get operation(): string {
    return this.request.operation ?? '';
  }

  /** What the next try is sent with. Throws or rejects with the refusal that ends the call. */
  protected abstract obtain(): Obtained | Promise<Obtained>;

  protected abstract send(obtained: Obtained): UpstreamCall;

  /** Releases a reply that is held. */
  protected abstract drop(): void;

  abstract head(head: ReplyHead): void;
  abstract data(chunk: Buffer): void;
  abstract end(): void;
  abstract failed(refusal: Refusal): void;

  begin(): this {
    try {
      const obtained = this.obtain();
      if (obtained instanceof Promise) {
        this.#wait = setTimeout(
          () => this.abort(this.#rules.lateRefusal()),
          this.#rules.totalMillis,
        );
        obtained.then(
          (value) => this.#start(value),
          (caught: unknown) => this.fail(asRefusal(caught)),
        );
      } else {
        this.#start(obtained);
      }
    } catch (caught) {
      // Later: the caller must hold the call before it can end.
      queueMicrotask(() => this.fail(asRefusal(caught)));
    }
    return this;
  }

  pause(): void {
    this.#call?.pause();
  }

  resume(): void {
    this.#call?.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#isOver) return;
    this.drop();
    if (this.#call !== null) {
      this.#call.abort(refusal);
    } else {
      this.fail(refusal);
    }
  }

  sent(): void {
    this.receiver.sent?.();
  }

  /** Sends the request again, with what is obtained anew. */
  protected repeat(): void {
    this.drop();
    this.#call = null;
    // Later: the connection is free again then.
    queueMicrotask(() => {
      if (!this.#isOver) {
        this.begin();
      }
    });
  }

  /** Ends the call with the reply that was passed on. */
  protected finish(): void {
    // It may throw, as it does for a Fault; `failed` follows then.
    this.receiver.end();
    this.#isOver = true;
  }

  protected fail(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#endWait();
    this.drop();
    const { body } = this.request;
    if (body !== null && 'destroy' in body) {
      body.destroy();
    }
    this.receiver.failed(refusal);
  }

  #endWait(): void {
    if (this.#wait !== null) {
      clearTimeout(this.#wait);
    }
    this.#wait = null;
  }

  #start(obtained: Obtained): void {
    this.#endWait();
    if (!this.#isOver) {
      this.#call = this.send(obtained);
    }
  }
}
