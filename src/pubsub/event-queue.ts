/** How much of what happens is kept for one who is slow to take it. */
export interface QueueLimits {
  readonly queueEvents: number;
  readonly queueBytes: number;
}

interface Entry<T> {
  readonly item: T;
  readonly bytes: number;
}

/** What happens, for one who takes it one at a time. Beyond its bounds nothing is kept any more: it is `overflowed`. */
export class EventQueue<T> {
  /** More came than was kept. What was kept is gone. */
  overflowed = false;
  readonly #limits: QueueLimits;
  #entries: Entry<T>[] = [];
  /** Of the entries, those that were taken. */
  #taken = 0;
  #bytes = 0;
  #isEnded = false;
  #wake: (() => void) | null = null;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  push(item: T, bytes: number): void {
    if (this.#isEnded || this.overflowed) return;
    const { queueEvents, queueBytes } = this.#limits;
    const count = this.#entries.length - this.#taken;
    if (count >= queueEvents || this.#bytes + bytes > queueBytes) {
      this.overflowed = true;
      this.#clear();
    } else {
      this.#entries.push({ item, bytes });
      this.#bytes += bytes;
    }
    this.#wakeUp();
  }

  /** Nothing more comes; what is kept can still be taken, unless it is `dropped`. */
  end(what: 'kept' | 'dropped'): void {
    this.#isEnded = true;
    if (what === 'dropped') this.#clear();
    this.#wakeUp();
  }

  /** The next one, as soon as there is one; null when it ended or overflowed. One caller at a time. */
  async take(): Promise<T | null> {
    for (;;) {
      const entry = this.#entries[this.#taken];
      if (entry !== undefined) {
        this.#taken++;
        this.#bytes -= entry.bytes;
        if (this.#taken === this.#entries.length || this.#taken > 1000) {
          this.#entries = this.#entries.slice(this.#taken);
          this.#taken = 0;
        }
        return entry.item;
      }
      if (this.#isEnded || this.overflowed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #clear(): void {
    this.#entries = [];
    this.#taken = 0;
    this.#bytes = 0;
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
