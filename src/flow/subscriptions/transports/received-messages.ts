import { setImmediate } from 'node:timers/promises';

export interface IncomingParts {
  /** Whether what comes has to wait. */
  readonly isFull: () => boolean;
  /** Characters of waiting messages; one more is too much. */
  readonly charsMax: number;
  take(message: string): Promise<void>;
  /** Nothing more is to be read until `resume`. */
  pause(): void;
  resume(): void;
  /** More waits than can have been on its way when reading stopped. */
  overflow(): void;
}

/**
 * The messages that come over one WebSocket, in order: while too many wait nothing more is read.
 */
export class ReceivedMessages {
  readonly #parts: IncomingParts;
  readonly #waiting: string[] = [];
  #chars = 0;
  #isReleasing = false;

  constructor(parts: IncomingParts) {
    this.#parts = parts;
  }

  /** Rejects where it cannot be taken. */
  async message(data: string): Promise<void> {
    const { isFull, charsMax } = this.#parts;
    if (this.#waiting.length === 0 && !this.#isReleasing && !isFull()) {
      return this.#parts.take(data);
    }
    this.#parts.pause();
    this.#waiting.push(data);
    this.#chars += data.length + MESSAGE_CHARS;
    if (this.#chars > charsMax) {
      this.#parts.overflow();
    }
  }

  /** Takes the next message if permitted. Not two messages in one turn of the event loop. */
  async release(): Promise<void> {
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    while (this.#waiting.length > 0 && !this.#parts.isFull()) {
      const next = this.#waiting.shift() ?? '';
      this.#chars -= next.length + MESSAGE_CHARS;
      // It ends with its operation, which may go on for ever.
      void this.#parts.take(next);
      await setImmediate();
    }
    this.#isReleasing = false;
    if (this.#waiting.length === 0 && !this.#parts.isFull()) {
      this.#parts.resume();
    }
  }

  /** Drops all messages: the socket is closed. */
  close(): void {
    this.#waiting.length = 0;
  }
}

/** The cost of a message besides its characters. */
const MESSAGE_CHARS = 64;
