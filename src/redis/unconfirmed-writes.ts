/** Writes that wait for their confirmation, at most. */
const WRITES_MAX = 10_000;
/** Pauses between attempts. */
const PAUSE_MIN_MILLIS = 50;
const PAUSE_MAX_MILLIS = 1_000;

/**
 * A write that may be repeated: executed twice it does what it does once. Rejects without a
 * confirmation.
 */
type Write = () => Promise<void>;

interface Waiting {
  readonly bytes: number;
  readonly write: Write;
  pauseMillis: number;
  timer: NodeJS.Timeout | null;
}

/** Repeats writes until they are confirmed. Bounded: over the bounds the oldest one is given up. */
export class UnconfirmedWrites {
  readonly #bytesMax: number;
  readonly #writesMax: number;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;

  constructor(bytesMax: number, writesMax = WRITES_MAX) {
    this.#bytesMax = bytesMax;
    this.#writesMax = writesMax;
  }

  get count(): number {
    return this.#waiting.size;
  }

  add(bytes: number, write: Write): void {
    const added: Waiting = { bytes, write, pauseMillis: PAUSE_MIN_MILLIS, timer: null };
    this.#waiting.add(added);
    this.#bytes += bytes;
    for (const oldest of this.#waiting) {
      if (this.#bytes <= this.#bytesMax && this.#waiting.size <= this.#writesMax) break;
      this.#remove(oldest);
    }
    void this.#attempt(added);
  }

  /** Tries each once more, and ends. Never rejects. */
  async close(): Promise<void> {
    const left = [...this.#waiting];
    for (const waiting of left) {
      this.#remove(waiting);
    }
    await Promise.allSettled(left.map(({ write }) => write()));
  }

  async #attempt(waiting: Waiting): Promise<void> {
    waiting.timer = null;
    const isConfirmed = await waiting.write().then(
      () => true,
      () => false,
    );
    if (!this.#waiting.has(waiting)) return;
    if (isConfirmed) {
      this.#remove(waiting);
      return;
    }
    const { pauseMillis } = waiting;
    waiting.pauseMillis = Math.min(PAUSE_MAX_MILLIS, 2 * pauseMillis);
    waiting.timer = setTimeout(() => void this.#attempt(waiting), pauseMillis).unref();
  }

  #remove(waiting: Waiting): void {
    if (waiting.timer !== null) {
      clearTimeout(waiting.timer);
    }
    if (this.#waiting.delete(waiting)) {
      this.#bytes -= waiting.bytes;
    }
  }
}
