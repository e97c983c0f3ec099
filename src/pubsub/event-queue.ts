/** Bounds of the events that are queued for one slow subscriber. */
export interface QueueLimits {
  readonly queueEvents: number;
  readonly queueBytes: number;
}

interface Entry<T> {
  readonly item: T;
  readonly bytes: number;
}

/**
 * A bounded queue with one consumer. An item beyond its bounds empties it for good: it is
 * `hasOverflowed`.
 */
export class EventQueue<T> {
  /** An item came that did not fit. All queued items are gone. */
  hasOverflowed = false;
  readonly #limits: QueueLimits;
  #entries: Entry<T>[] = [];
  /** Index of the first entry that was not taken yet. */
  #first = 0;
  #bytes = 0;
  #isEnded = false;
  #wake: (() => void) | null = null;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Whether so many more items fit, of so many bytes together. */
  hasRoom(count: number, bytes: number): boolean {
    const { queueEvents, queueBytes } = this.#limits;
    return (
      this.#entries.length - this.#first + count <= queueEvents && this.#bytes + bytes <= queueBytes
    );
  }

  push(item: T, bytes: number): void {
    if (this.#isEnded || this.hasOverflowed) return;
    if (!this.hasRoom(1, bytes)) {
      this.hasOverflowed = true;
      this.#clear();
    } else {
      this.#entries.push({ item, bytes });
      this.#bytes += bytes;
    }
    this.#wakeConsumer();
  }

  /** Ends the queue; queued items can still be taken, unless they are `dropped`. */
  end(queued: 'kept' | 'dropped'): void {
    this.#isEnded = true;
    if (queued === 'dropped') {
      this.#clear();
    }
    this.#wakeConsumer();
  }

  /**
   * The next item, as soon as there is one; null when the queue ended or overflowed. One caller at
   * a time.
   */
  async take(): Promise<T | null> {
    for (;;) {
      const entry = this.#entries[this.#first];
      if (entry !== undefined) {
        this.#first++;
        this.#bytes -= entry.bytes;
        if (this.#first === this.#entries.length || this.#first > 1000) {
          this.#entries = this.#entries.slice(this.#first);
          this.#first = 0;
        }
        return entry.item;
      }
      if (this.#isEnded || this.hasOverflowed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
  }

  #wakeConsumer(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
