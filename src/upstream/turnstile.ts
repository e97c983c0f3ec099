/**
 * Lets at most `capacity` callers through at once; others wait in order, at most `waitingMax` of them and each at most
 * `waitMillis`. Asking for capacity comes before any work, and whoever was let through must leave.
 */
export class Turnstile {
  #active = 0;
  readonly #capacity: number;
  readonly #waitingMax: number;
  readonly #waitMillis: number;
  /** In order of arrival; a Set so that one who gives up leaves at constant cost. */
  readonly #waiting = new Set<Waiter>();

  constructor(capacity: number, waitingMax: number, waitMillis: number) {
    this.#capacity = capacity;
    this.#waitingMax = waitingMax;
    this.#waitMillis = waitMillis;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Calls `go` when there is room: at once, or later. Calls `refused`, later and instead, when there is none in time.
   * Returns how to leave; call it exactly once, let through or not.
   */
  enter(go: () => void, refused: () => void): () => void {
    if (this.#active < this.#capacity) {
      this.#active++;
      // Not at once: the caller must hold its way out before anything can end.
      queueMicrotask(go);
      return () => this.#release();
    }
    if (this.#waiting.size >= this.#waitingMax) {
      queueMicrotask(refused);
      return () => {};
    }
    const waiter: Waiter = { go, timer: setTimeout(refused, this.#waitMillis), isIn: false };
    this.#waiting.add(waiter);
    return () => {
      if (waiter.isIn) this.#release();
      else this.#forget(waiter);
    };
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#active--;
      return;
    }
    this.#forget(next);
    next.isIn = true;
    next.go();
  }

  #forget(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.#waiting.delete(waiter);
  }
}

interface Waiter {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
  isIn: boolean;
}
