/**
 * The deadlines of things that may all take equally long: one timer for all of them, because nearly none is ever late.
 * They are added in the order they started.
 */
export class Deadlines<T extends { readonly startedMillis: number }> {
  readonly #millis: number;
  readonly #expire: (member: T) => void;
  /** In the order they are due. */
  readonly #members = new Set<T>();
  #timer: NodeJS.Timeout | null = null;

  /** `expire` is told who is too late, and no longer a member. */
  constructor(millis: number, expire: (member: T) => void) {
    this.#millis = millis;
    this.#expire = expire;
  }

  get size(): number {
    return this.#members.size;
  }

  /** In order. Members may be deleted meanwhile. */
  members(): Iterable<T> {
    return this.#members;
  }

  add(member: T): void {
    this.#members.add(member);
    if (this.#timer === null) this.#wake(this.#millis);
  }

  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wake(millis: number): void {
    // It must not keep a process alive: whoever is timed has a connection, which does.
    this.#timer = setTimeout(this.#look, Math.max(1, Math.ceil(millis))).unref();
  }

  readonly #look = (): void => {
    this.#timer = null;
    const nowMillis = performance.now();
    for (const member of this.#members) {
      const left = member.startedMillis + this.#millis - nowMillis;
      if (left > 0) {
        this.#wake(left);
        return;
      }
      this.#members.delete(member);
      this.#expire(member);
    }
  };
}
