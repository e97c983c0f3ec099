import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { ChosenBackend } from '../../compile/soap/service.js';
import type { Refusal } from '../../core/index.js';
import type { CallEnd, CanaryShare } from '../../gateway/canary/canary-share.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import { type FaultFinder, findFault } from '../reply/fault-finder.js';
import type { BackendCall } from './backend-call.js';

/** Any Fault: none of its names is asked for. */
const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * A call of the new backend of a service, with its reply passed on as it comes: how it ends, and
 * when, counts for the share of that backend.
 */
export class WatchedCall implements UpstreamReceiver, UpstreamCall {
  readonly #parts: BackendCall;
  readonly #share: CanaryShare;
  readonly #receiver: UpstreamReceiver;
  readonly #startedMillis = performance.now();
  #pausedAtMillis: number | null = null;
  #pausedMillis = 0;
  #finder: FaultFinder | null = null;
  #status = 0;
  #isOver = false;
  #call: UpstreamCall | null = null;

  private constructor(parts: BackendCall, { share }: ChosenBackend) {
    this.#parts = parts;
    this.#share = share;
    this.#receiver = parts.receiver;
    share.begin();
  }

  /** Begins a call by `start`, which gets the parts with another receiver. */
  static begin<Parts extends BackendCall>(
    parts: Parts,
    chosen: ChosenBackend,
    start: (parts: Parts) => UpstreamCall,
  ): UpstreamCall {
    const watched = new WatchedCall(parts, chosen);
    watched.#call = start({ ...parts, receiver: watched });
    return watched;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    this.#status = head.status;
    const { service, operation } = this.#parts;
    this.#finder = findFault(head, service, NO_NAMES, operation);
    this.#receiver.head(head);
  }

  data(chunk: Buffer): void {
    if (this.#finder?.isOther === false) {
      this.#finder.write(chunk);
    }
    this.#receiver.data(chunk);
  }

  end(): void {
    // It may throw; `failed` follows then.
    const isFault = this.#endFinder();
    this.#receiver.end();
    // Monitor mode passes on what is no reply.
    const isError = !isFault && this.#status >= 400;
    this.#end(isFault ? 'fault' : isError ? 'failed' : 'answered');
  }

  failed(refusal: Refusal): void {
    this.#end(endOf(refusal, this.#status));
    this.#receiver.failed(refusal);
  }

  pause(): void {
    this.#pausedAtMillis ??= performance.now();
    this.#call?.pause();
  }

  resume(): void {
    this.#endPause();
    this.#call?.resume();
  }

  abort(refusal: Refusal): void {
    this.#call?.abort(refusal);
  }

  #end(end: CallEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#finder?.release();
    this.#endPause();
    // The time in which the caller took nothing is not of the backend.
    this.#share.end(end, performance.now() - this.#startedMillis - this.#pausedMillis);
  }

  #endFinder(): boolean {
    const finder = this.#finder;
    if (finder === null) return false;
    const isFault = finder.endAny() !== null;
    finder.release();
    this.#finder = null;
    return isFault;
  }

  #endPause(): void {
    if (this.#pausedAtMillis === null) return;
    this.#pausedMillis += performance.now() - this.#pausedAtMillis;
    this.#pausedAtMillis = null;
  }
}

/** The end of a call without a result. */
function endOf(refusal: Refusal, status: number): CallEnd {
  if (refusal.code === 'SOAP_FAULT') return 'fault';
  if (refusal.code === 'CLIENT_GONE') return 'gone';
  return refusal.isOfBackend(status) ? 'failed' : 'refused';
}
