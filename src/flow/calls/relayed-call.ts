import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { Refusal } from '../../core/index.js';
import type { PollReply } from '../../gateway/shared/poll-sharing.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import { type CallParts, callUpstream, type DeclaredCall } from './declared-call.js';
import { headOf, ReplayedCall } from './replayed-call.js';

/** How a call gets its reply. */
export type CallRelay = (parts: CallParts) => DeclaredCall;

/**
 * Calls the backend, and reports its reply for other processes, with the time since the call was
 * made.
 */
export const recordingRelay =
  (bytesMax: number, report: (reply: PollReply, tookMillis: number) => void): CallRelay =>
  (parts) =>
    new CollectedCall(parts, bytesMax, report);

/** Answers with a reply that another process has got. */
export const replayingRelay =
  (reply: Exclude<PollReply, { kind: 'long' }>): CallRelay =>
  ({ receiver }) =>
    new ReplayedCall(receiver, false, (call) => {
      if (reply.kind === 'failed') {
        call.abort(new Refusal(reply.code));
      } else {
        call.replay(headOf(reply), [reply.body]);
      }
    });

/**
 * A call whose reply is collected first. One that is too long goes on to its reader as it comes.
 */
class CollectedCall implements DeclaredCall, UpstreamReceiver {
  readonly isMade = true;
  readonly ageMillis = null;
  readonly #receiver: UpstreamReceiver;
  readonly #bytesMax: number;
  readonly #report: (reply: PollReply, tookMillis: number) => void;
  readonly #startedMillis = performance.now();
  readonly #chunks: Buffer[] = [];
  #head: ReplyHead | null = null;
  #bytes = 0;
  #isStreaming = false;
  #call: UpstreamCall;

  constructor(
    parts: CallParts,
    bytesMax: number,
    report: (reply: PollReply, tookMillis: number) => void,
  ) {
    this.#receiver = parts.receiver;
    this.#bytesMax = bytesMax;
    this.#report = report;
    this.#call = callUpstream({ ...parts, receiver: this });
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  abort(refusal: Refusal): void {
    this.#call.abort(refusal);
  }

  finish(): number {
    return 0;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    this.#head = head;
    if (Number(head.header('content-length') ?? 0) > this.#bytesMax) {
      this.#stream();
    }
  }

  data(chunk: Buffer): void {
    if (this.#isStreaming) {
      this.#receiver.data(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax) {
      this.#stream();
    }
  }

  end(): void {
    const head = this.#head;
    if (this.#isStreaming || head === null) {
      this.#receiver.end();
      return;
    }
    const { status } = head;
    const body = Buffer.concat(this.#chunks);
    this.#tell({ kind: 'reply', status, contentType: head.header('content-type') ?? '', body });
    this.#call = new ReplayedCall(this.#receiver, true, (call) => call.replay(head, [body]));
  }

  failed(refusal: Refusal): void {
    if (!this.#isStreaming && refusal.code !== 'CLIENT_GONE') {
      this.#tell({ kind: 'failed', code: refusal.code });
    }
    this.#receiver.failed(refusal);
  }

  #stream(): void {
    if (this.#head === null) return;
    this.#isStreaming = true;
    this.#tell({ kind: 'long' });
    this.#receiver.head(this.#head);
    for (const chunk of this.#chunks.splice(0)) {
      this.#receiver.data(chunk);
    }
  }

  #tell(reply: PollReply): void {
    this.#report(reply, performance.now() - this.#startedMillis);
  }
}
