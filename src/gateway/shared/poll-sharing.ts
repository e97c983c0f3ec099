import type { Buffer } from 'node:buffer';
import type { RefusalCode } from '../../core/index.js';

/**
 * The reply to the call of a poll; or the refusal that it failed with; or `long`, where it is too
 * long to be given to other processes.
 */
export type PollReply =
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly contentType: string;
      readonly body: Buffer;
    }
  | { readonly kind: 'failed'; readonly code: RefusalCode }
  | { readonly kind: 'long' };

/** Shares polls between processes: one of them calls, and gives its reply to the others. */
export interface PollSharing {
  /** Longest body that is given to others, in bytes. */
  readonly replyBytes: number;
  /** Joins the processes with this poll. The same text is the same call. */
  join(poll: string, receive: PollReceiver): SharedPoll;
}

/** Gets a reply of another process, and how long ago its call was made. */
export type PollReceiver = (reply: PollReply, ageMillis: number) => void;

/** The part of this process in a poll. Nothing rejects. */
export interface SharedPoll {
  /** Whether this process calls: it has the lease, or it is not known which process has. */
  acquire(): Promise<boolean>;
  /**
   * Gives a reply to the others, unless another process has the lease by now. `tookMillis`: since
   * its call was made.
   */
  publish(reply: PollReply, tookMillis: number): void;
  /** Leaves the lease to another process. */
  release(): void;
  leave(): void;
}
