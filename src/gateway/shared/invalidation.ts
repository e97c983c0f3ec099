/**
 * Operations (`service.operation`) whose cached replies are invalid, each with the time for which
 * none may be stored: a write that was aborted may still be executed. Mostly 0.
 */
export type InvalidatedOperations = ReadonlyMap<string, number>;

/** Carries invalidations to other processes, and theirs to this one. */
export interface InvalidationChannel {
  /** Never throws, and waits for nothing. */
  publish(operations: InvalidatedOperations): void;
  /** Reports what other processes publish; null: some of it may be lost. */
  receive(receiver: InvalidationReceiver): void;
}

export type InvalidationReceiver = (operations: InvalidatedOperations | null) => void;

/** Operations in one message. */
const OPERATIONS_MAX = 100;

/**
 * Sends one message at a time. Operations that are invalidated meanwhile are merged, so a burst of
 * writes is few messages, and what waits is bounded by the operations of the configuration.
 */
export class InvalidationSender {
  readonly #send: (operations: InvalidatedOperations) => Promise<void>;
  readonly #waiting = new Map<string, number>();
  #isSending = false;

  constructor(send: (operations: InvalidatedOperations) => Promise<void>) {
    this.#send = send;
  }

  add(operations: InvalidatedOperations): void {
    for (const [name, pauseMillis] of operations) {
      this.#waiting.set(name, Math.max(pauseMillis, this.#waiting.get(name) ?? 0));
    }
    void this.flush();
  }

  /** Sends what waits, until a message fails: the rest waits for the next call. */
  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.size > 0) {
      const message = new Map([...this.#waiting].slice(0, OPERATIONS_MAX));
      for (const name of message.keys()) {
        this.#waiting.delete(name);
      }
      const isSent = await this.#send(message).then(
        () => true,
        () => false,
      );
      if (isSent) continue;
      for (const [name, pauseMillis] of message) {
        this.#waiting.set(name, Math.max(pauseMillis, this.#waiting.get(name) ?? 0));
      }
      break;
    }
    this.#isSending = false;
  }
}
