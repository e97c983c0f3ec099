import type { Buffer } from 'node:buffer';
import { asRefusal, type Refusal, refusals, Stages } from '../../core/index.js';
import { isGzip } from '../../gateway/compress.js';
import type { InflateLimits } from '../../soap/index.js';
import type { ReplyHead, UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import { Inflater } from '../http/inflate.js';
import { withoutLength } from './changed-head.js';

/**
 * The stage of a reply: its head is awaited, it passes as it is, or it is decoded. `empty`: no byte
 * of it has come. `draining`: the call is over, so that failures are no longer reported by it, and
 * decoded bytes are still to be given.
 */
type Stage = 'head' | 'plain' | 'empty' | 'decoding' | 'draining' | 'over';

/**
 * The stage that a step leads to, by the stage before it. A step that is not listed there changes
 * nothing.
 */
const STEPS = {
  pass: { head: 'plain' },
  decode: { head: 'empty' },
  data: { empty: 'decoding' },
  callEnd: { decoding: 'draining' },
  end: { head: 'over', plain: 'over', empty: 'over', decoding: 'over', draining: 'over' },
} as const satisfies Record<string, { readonly [before in Stage]?: Stage }>;

/**
 * Stands between a call and its receiver, and decodes a reply that comes as gzip (RFC 9110 section
 * 8.4): calls ask for it, and some stacks send it unasked. Other codings are refused: `deflate` is
 * the name of two formats. The receiver gets the head without the coding, and pauses, resumes and
 * aborts this instead of the call, which may be over before the reply is.
 */
export class InflatingReceiver implements UpstreamReceiver, UpstreamCall {
  readonly #receiver: UpstreamReceiver;
  readonly #limits: InflateLimits;
  #call: UpstreamCall | null = null;
  /** Null for a reply that comes as it is. */
  #inflater: Inflater | null = null;
  readonly #stages = new Stages<Stage>('head');

  constructor(receiver: UpstreamReceiver, limits: InflateLimits) {
    this.#receiver = receiver;
    this.#limits = limits;
  }

  begin(call: UpstreamCall): void {
    this.#call = call;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    const coding = head.header('content-encoding');
    if (!isGzip(coding)) {
      this.#stages.move(STEPS.pass);
      this.#receiver.head(head);
      return;
    }
    this.#stages.move(STEPS.decode);
    this.#inflater = this.#inflate();
    this.#receiver.head(withoutCoding(head));
  }

  data(chunk: Buffer): void {
    if (this.#inflater === null) {
      this.#receiver.data(chunk);
      return;
    }
    this.#stages.move(STEPS.data);
    this.#inflater.write(chunk);
  }

  /** The receiver of a compressed reply gets its end, or a failure, later. */
  end(): void {
    if (this.#stages.move(STEPS.callEnd)) {
      this.#inflater?.end();
    } else {
      this.#receiver.end();
    }
  }

  failed(refusal: Refusal): void {
    this.#stages.move(STEPS.end);
    this.#inflater?.destroy();
    this.#receiver.failed(refusal);
  }

  pause(): void {
    (this.#inflater ?? this.#call)?.pause();
  }

  resume(): void {
    (this.#inflater ?? this.#call)?.resume();
  }

  abort(refusal: Refusal): void {
    if (this.#stages.at === 'over') return;
    if (this.#stages.at === 'draining') {
      this.failed(refusal);
    } else {
      this.#call?.abort(refusal);
    }
  }

  #inflate(): Inflater {
    const output = {
      data: (chunk: Buffer) => this.#attempt(() => this.#receiver.data(chunk)),
      end: () => {
        this.#attempt(() => this.#receiver.end());
        this.#stages.move(STEPS.end);
      },
      failed: (refusal: Refusal) => this.abort(refusals.asUpstream(refusal)),
      enough: () => this.#call?.pause(),
      more: () => this.#call?.resume(),
    };
    return new Inflater(this.#limits, output, MEMBERS_MAX);
  }

  #attempt(step: () => void): void {
    if (this.#stages.at === 'over') return;
    try {
      step();
    } catch (caught) {
      this.abort(asRefusal(caught));
    }
  }
}

/**
 * Members of one reply. A gzip stream may have several (RFC 1952 section 2.2), which most clients
 * read. The caller gets the decoded reply, so that it has one reading; each member costs a decoder.
 */
const MEMBERS_MAX = 100;

const withoutCoding = (head: ReplyHead): ReplyHead => withoutLength(head, 'content-encoding');
