import type { Buffer } from 'node:buffer';
import type { Socket as Connection } from 'node:net';
import { performance } from 'node:perf_hooks';

import { SendProgress } from '../../http/send-progress.js';
import type { Socket } from '../wire/ws.js';

/** Messages sent and not taken yet: beyond so many nothing more is read from the WebSocket. */
const WAITING_MAX = 1000;

export interface OutgoingLimits {
  /** Bytes that wait to be taken; beyond, nothing more is read. */
  readonly queueBytes: number;
  /** Time without progress after which a client that does not read is given up. */
  readonly stallMillis: number;
}

/**
 * Sends the messages of one WebSocket, as fast as they are taken. A client that sends and does not
 * read the answers would have them all kept here: nothing is read from it until it has read. It may
 * take its time, as long as it goes on.
 */
export class SendQueue {
  readonly #socket: Socket;
  readonly #sending: SendProgress;
  readonly #limits: OutgoingLimits;
  readonly #stalled: () => void;
  #waiting = 0;
  #isPaused = false;
  /** Looks whether anything is taken, while something waits. */
  #watch: NodeJS.Timeout | null = null;
  #drainedMillis = Number.NEGATIVE_INFINITY;
  /** The payload of the newest ping that has no answer yet. */
  #ping: Buffer | null = null;
  #isPonging = false;

  /**
   * `connection`: the transport of the WebSocket. `stalled` is called once it is closed for lack of
   * progress.
   */
  constructor(socket: Socket, connection: Connection, limits: OutgoingLimits, stalled: () => void) {
    this.#socket = socket;
    this.#sending = new SendProgress(connection);
    this.#limits = limits;
    this.#stalled = stalled;
  }

  /** Nothing is read until more of the sent messages are taken. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /**
   * Time since all messages were taken: an answer to a ping may be behind, or before, an untaken
   * one.
   */
  get drainedMillis(): number {
    return this.#watch === null ? performance.now() - this.#drainedMillis : 0;
  }

  /** Resolves when the system has taken it, or will not any more. Never rejects. */
  send(data: string): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return Promise.resolve();
    // An error is reported by `close` as well.
    return new Promise((resolve) =>
      this.#write((taken) => this.#socket.send(data, taken), resolve),
    );
  }

  /**
   * Answers a ping. Of those that come faster than their answers are taken only the newest has one
   * (RFC 6455, 5.5.3).
   */
  pong(data: Buffer): void {
    this.#ping = data;
    if (!this.#isPonging) {
      this.#answerPing();
    }
  }

  /** It is gone. */
  close(): void {
    this.#endWatch();
  }

  #answerPing(): void {
    const data = this.#ping;
    this.#ping = null;
    this.#isPonging = data !== null;
    if (data === null || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#write(
      (taken) => this.#socket.pong(data, false, taken),
      () => this.#answerPing(),
    );
  }

  #write(send: (taken: () => void) => void, done: () => void): void {
    this.#waiting++;
    send(() => {
      this.#waiting--;
      this.#look();
      done();
    });
    this.#look();
  }

  #look(): void {
    const { bufferedAmount } = this.#socket;
    const isMuch = this.#waiting > WAITING_MAX || bufferedAmount > this.#limits.queueBytes;
    if (isMuch !== this.#isPaused) {
      this.#isPaused = isMuch;
      if (isMuch) {
        this.#socket.pause();
      } else {
        this.#socket.resume();
      }
    }
    if (bufferedAmount === 0) {
      this.#endWatch();
    } else if (this.#watch === null && this.#socket.readyState === this.#socket.OPEN) {
      this.#beginWatch();
    }
  }

  #beginWatch(): void {
    this.#sending.rest();
    this.#sending.stalledMillis(performance.now());
    this.#watch = setInterval(() => this.#lookAtProgress(), this.#limits.stallMillis / 4).unref();
  }

  #endWatch(): void {
    if (this.#watch === null) return;
    clearInterval(this.#watch);
    this.#watch = null;
    this.#drainedMillis = performance.now();
  }

  #lookAtProgress(): void {
    if (this.#sending.stalledMillis(performance.now()) < this.#limits.stallMillis) return;
    this.#endWatch();
    this.#stalled();
  }
}
