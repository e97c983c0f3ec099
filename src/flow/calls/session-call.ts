import type { Buffer } from 'node:buffer';
import { type ServiceSession, tokenBlock, withTokenField } from '../../compile/soap/token-place.js';
import { KIB, type observing, type Refusal } from '../../core/index.js';
import {
  type authentication,
  isStreamed,
  RepeatableCall,
  type ReplyHead,
  type UpstreamCall,
} from '../../upstream/index.js';
import { type FaultFinder, findFault } from '../reply/fault-finder.js';
import { type BackendCall, callBackend } from './backend-call.js';

/**
 * The most bytes of a reply that are held until it is known whether the token was refused. A longer
 * reply is passed on.
 */
const HELD_BYTES_MAX = 64 * KIB;

/** A reply whose meaning is not known yet. */
interface HeldReply {
  readonly head: ReplyHead;
  readonly chunks: Buffer[];
  bytes: number;
  /** Null where the status alone refuses the token. */
  readonly finder: FaultFinder | null;
}

/**
 * A call with the token of a login session, repeated once with another where the backend refuses
 * it.
 */
export class SessionCall extends RepeatableCall<string> {
  readonly #parts: BackendCall;
  readonly #session: ServiceSession;
  readonly #tokens: authentication.TokenSource;
  #token: string | null = null;
  #isRepeated = false;
  #held: HeldReply | null = null;

  constructor(parts: BackendCall, session: ServiceSession) {
    super(
      parts.request,
      parts.receiver,
      (parts.upstream ?? parts.service.upstream).rulesOf(parts.request),
    );
    this.#parts = parts;
    this.#session = session;
    this.#tokens = session.tokensOf?.(parts.request.subject ?? null) ?? session.login;
  }

  head(head: ReplyHead): void {
    const { renewOn } = this.#session;
    const isRefused = head.status === 401;
    if (isRefused ? !this.#canRenew : renewOn.size === 0) {
      if (!isRefused) {
        this.#accept(head);
      }
      this.receiver.head(head);
      return;
    }
    const finder = isRefused
      ? null
      : findFault(head, this.#parts.service, renewOn, this.#parts.operation);
    this.#held = { head, chunks: [], bytes: 0, finder };
    if (!isRefused && finder === null) {
      this.#release();
    }
  }

  data(chunk: Buffer): void {
    const held = this.#held;
    if (held === null) {
      this.receiver.data(chunk);
      return;
    }
    held.chunks.push(chunk);
    held.bytes += chunk.length;
    held.finder?.write(chunk);
    if (held.finder?.isOther === true) {
      this.#accept(held.head);
    }
    if (held.finder?.isOther === true || held.bytes > HELD_BYTES_MAX) {
      this.#release();
    }
  }

  end(): void {
    const held = this.#held;
    if (held !== null) {
      const isRefused = held.finder === null || held.finder.end();
      if (!isRefused) {
        this.#accept(held.head);
      } else if (this.#tryAgain()) {
        return;
      }
    }
    if (this.#held !== null) {
      this.#release();
    }
    this.finish();
  }

  failed(refusal: Refusal): void {
    if (this.#held?.finder !== null || !this.#tryAgain()) {
      this.fail(refusal);
    }
  }

  protected obtain(): string | Promise<string> {
    return this.#token === null
      ? this.#tokens.token(this.#observer)
      : this.#tokens.renew(this.#token, this.operation, this.#observer);
  }

  protected send(token: string): UpstreamCall {
    this.#token = token;
    const { service, operation, request, blocks, onRepaired } = this.#parts;
    const { place } = this.#session;
    const block = tokenBlock(place, token);
    return callBackend({
      service,
      operation,
      request: withTokenField(request, place, token),
      blocks:
        blocks === null || block === null
          ? blocks
          : { ...blocks, writers: [...blocks.writers, block] },
      receiver: this,
      ...(onRepaired === undefined ? {} : { onRepaired }),
    });
  }

  get #observer(): observing.RequestObserver | null {
    return this.request.observer?.request ?? null;
  }

  protected drop(): void {
    this.#dropHeld();
  }

  /** Whether a refusal of the token leads to another one. */
  get #canRenew(): boolean {
    return (
      !this.#isRepeated &&
      this.#token !== null &&
      this.#tokens.canRenew(this.#token, this.operation)
    );
  }

  #accept({ status }: ReplyHead): void {
    if (status < 200 || status > 299 || this.#token === null) return;
    this.#tokens.accepted(this.#token, this.operation, this.#isRepeated);
  }

  /** The backend refused the token. A body that was sent while it came in cannot be sent again. */
  #tryAgain(): boolean {
    if (!this.#canRenew) return false;
    if (isStreamed(this.request.body)) {
      this.#renew();
      return false;
    }
    this.#isRepeated = true;
    this.repeat();
    return true;
  }

  /** For the calls after this one. */
  #renew(): void {
    if (this.#token === null) return;
    try {
      const renewed = this.#tokens.renew(this.#token, this.operation, this.#observer);
      if (renewed instanceof Promise) {
        renewed.catch(() => {});
      }
    } catch {
      // This call is answered with the reply that it got.
    }
  }

  #release(): void {
    const held = this.#dropHeld();
    if (held === null) return;
    this.receiver.head(held.head);
    for (const chunk of held.chunks) {
      this.receiver.data(chunk);
    }
  }

  #dropHeld(): HeldReply | null {
    const held = this.#held;
    this.#held = null;
    held?.finder?.release();
    return held;
  }
}
