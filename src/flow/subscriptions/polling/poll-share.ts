import { performance } from 'node:perf_hooks';
import type { PollReply, PollSharing, SharedPoll } from '../../../gateway/shared/poll-sharing.js';
import { type CallRelay, recordingRelay, replayingRelay } from '../../calls/relayed-call.js';

/** A reply of another process, to be read in place of a call. */
export type SharedReply = CallRelay | 'long';

/** The part of one poller in a poll that processes share. */
export class PollShare {
  /** The poll of all processes: whether this one calls. */
  readonly poll: SharedPoll;
  readonly #bytesMax: number;
  /** The latest reply of another process that is not read yet. */
  #reply: PollReply | null = null;
  #hasFailed = false;
  /** When the latest call was made of which this process has the reply, or awaits it. */
  #latestMillis = Number.NEGATIVE_INFINITY;

  /** `arrived` is called for each reply of another process. */
  constructor(sharing: PollSharing, poll: string, arrived: () => void) {
    this.#bytesMax = sharing.replyBytes;
    this.poll = sharing.join(poll, (reply, ageMillis) => {
      const calledMillis = performance.now() - ageMillis;
      // A slow reply of a process that has lost the lease meanwhile: subscribers have a later one.
      if (calledMillis < this.#latestMillis) return;
      this.#latestMillis = calledMillis;
      this.#reply = reply;
      arrived();
    });
  }

  get hasReply(): boolean {
    return this.#reply !== null;
  }

  /**
   * The latest call of this process had no reply. Another process may reach the backend, and has
   * the first try.
   */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Makes the call of this process, whose reply the others get. */
  call(): CallRelay {
    this.#reply = null;
    this.#hasFailed = false;
    this.#latestMillis = performance.now();
    return recordingRelay(this.#bytesMax, (reply, tookMillis) => {
      this.poll.publish(reply, tookMillis);
      this.#hasFailed = reply.kind === 'failed';
      if (this.#hasFailed) {
        this.poll.release();
      }
    });
  }

  /** The reply of another process that is not read yet, once; null for none. */
  take(): SharedReply | null {
    const reply = this.#reply;
    this.#reply = null;
    if (reply === null) return null;
    return reply.kind === 'long' ? 'long' : replayingRelay(reply);
  }
}
