import type { Buffer } from 'node:buffer';
import { KIB } from '../../base/limit.js';
import { asRefusal, type Refusal } from '../../base/refusal.js';
import { type ServiceSession, tokenBlock, withTokenField } from '../../compile/token-place.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/reply.js';
import { type BackendCall, callBackend } from './backend-call.js';
import { type FaultFinder, findFault } from './fault-finder.js';

/** Of a reply that is held until it is known whether the token was refused; a longer one is passed on. */
const HELD_BYTES_MAX = 64 * KIB;

/** A reply whose meaning is not known yet. */
interface HeldReply {
  readonly head: ReplyHead;
  readonly chunks: Buffer[];
  bytes: number;
  /** Null where the status alone refuses the token. */
  readonly finder: FaultFinder | null;
}

/** A call with the token of a login session, repeated once with another where the backend refuses it. */
export class SessionCall implements UpstreamCall, UpstreamReceiver {
  readonly #parts: BackendCall;
  readonly #session: ServiceSession;
  #call: UpstreamCall | null = null;
  #token = '';
  #isRepeated = false;
  #held: HeldReply | null = null;
  #isOver = false;

  constructor(parts: BackendCall, session: ServiceSession) {
    this.#parts = parts;
    this.#session = session;
  }

  begin(): this {
    this.#obtain(() => this.#session.login.token());
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
    this.#dropHeld();
    if (this.#call !== null) this.#call.abort(refusal);
    else this.#fail(refusal);
  }

  sent(): void {
    this.#parts.receiver.sent?.();
  }

  head(head: ReplyHead): void {
    const { renewOn } = this.#session;
    const isRefused = head.status === 401;
    if (this.#isRepeated || (!isRefused && renewOn.size === 0)) {
      this.#parts.receiver.head(head);
      return;
    }
    const finder = isRefused ? null : findFault(head, this.#parts.service, renewOn);
    this.#held = { head, chunks: [], bytes: 0, finder };
    if (!isRefused && finder === null) this.#release();
  }

  data(chunk: Buffer): void {
    const held = this.#held;
    if (held === null) {
      this.#parts.receiver.data(chunk);
      return;
    }
    held.chunks.push(chunk);
    held.bytes += chunk.length;
    held.finder?.write(chunk);
    if (held.finder?.isOther === true || held.bytes > HELD_BYTES_MAX) this.#release();
  }

  end(): void {
    const held = this.#held;
    if (held !== null && (held.finder === null || held.finder.end())) this.#refused();
    if (this.#held !== null) this.#release();
    if (this.#call === null) return;
    // It may throw; `failed` follows then.
    this.#parts.receiver.end();
    this.#isOver = true;
  }

  failed(refusal: Refusal): void {
    if (this.#held?.finder === null) this.#refused();
    if (this.#call !== null || this.#isOver) this.#fail(refusal);
  }

  /** The backend refused the token. A body that was sent while it came in cannot be sent again. */
  #refused(): void {
    const { body } = this.#parts.request;
    if (body !== null && 'pipe' in body) {
      this.#renew();
      return;
    }
    this.#dropHeld();
    this.#call = null;
    this.#isRepeated = true;
    // Later: the connection is free again then.
    queueMicrotask(() => {
      if (!this.#isOver) this.#obtain(() => this.#session.login.renew(this.#token));
    });
  }

  /** For the calls after this one. */
  #renew(): void {
    try {
      const renewed = this.#session.login.renew(this.#token);
      if (renewed instanceof Promise) renewed.catch(() => {});
    } catch {
      // This call is answered with the reply that it got.
    }
  }

  #release(): void {
    const held = this.#dropHeld();
    if (held === null) return;
    this.#parts.receiver.head(held.head);
    for (const chunk of held.chunks) this.#parts.receiver.data(chunk);
  }

  #dropHeld(): HeldReply | null {
    const held = this.#held;
    this.#held = null;
    held?.finder?.release();
    return held;
  }

  #obtain(obtain: () => string | Promise<string>): void {
    try {
      const token = obtain();
      if (token instanceof Promise) {
        token.then(
          (obtained) => this.#start(obtained),
          (caught: unknown) => this.#fail(asRefusal(caught)),
        );
      } else this.#start(token);
    } catch (caught) {
      // Later: the caller must hold the call before it can end.
      queueMicrotask(() => this.#fail(asRefusal(caught)));
    }
  }

  #start(token: string): void {
    if (this.#isOver) return;
    this.#token = token;
    const { service, request, blocks } = this.#parts;
    const { place } = this.#session;
    const block = tokenBlock(place, token);
    this.#call = callBackend({
      service,
      request: withTokenField(request, place, token),
      blocks: blocks === null || block === null ? blocks : { ...blocks, writers: [...blocks.writers, block] },
      receiver: this,
    });
  }

  #fail(refusal: Refusal): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#dropHeld();
    const { body } = this.#parts.request;
    if (body !== null && 'destroy' in body) body.destroy();
    this.#parts.receiver.failed(refusal);
  }
}
