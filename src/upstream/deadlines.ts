import { performance } from 'node:perf_hooks';
/** An entry of a linked list. */
export interface Entry<T> {
  readonly member: T;
  before: Entry<T> | null;
  after: Entry<T> | null;
}

/**
 * The deadlines of things that may all take equally long: one timer for all of them, because nearly
 * none is ever late. They are added in the order they started.
 *
 * A list of its own and no `Set`: a `Set` that things enter and leave all the time is copied again
 * and again, each copy refers to the next, and once one of them is old the collector takes all that
 * ever was in the later ones for living.
 */
export class Deadlines<T extends { readonly startedMillis: number }> {
  size = 0;
  readonly #millis: number;
  readonly #expire: (member: T) => void;
  #first: Entry<T> | null = null;
  #last: Entry<T> | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** `expire` gets each late member after its removal. */
  constructor(millis: number, expire: (member: T) => void) {
    this.#millis = millis;
    this.#expire = expire;
  }

  /** The entry that is due first, or null. */
  get first(): Entry<T> | null {
    return this.#first;
  }

  /** Returns the entry, for `delete`. */
  add(member: T): Entry<T> {
    const entry: Entry<T> = { member, before: this.#last, after: null };
    if (this.#last === null) {
      this.#first = entry;
    } else {
      this.#last.after = entry;
    }
    this.#last = entry;
    this.size++;
    if (this.#timer === null) {
      this.#wake(this.#millis);
    }
    return entry;
  }

  /** Removes an entry; one that was removed already is ignored. */
  delete(entry: Entry<T>): void {
    const { before, after } = entry;
    if (before === null && this.#first !== entry) return;
    if (before === null) {
      this.#first = after;
    } else {
      before.after = after;
    }
    if (after === null) {
      this.#last = before;
    } else {
      after.before = before;
    }
    // An old entry must not keep a young one: see above.
    entry.before = null;
    entry.after = null;
    this.size--;
  }

  stop(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
  }

  #wake(millis: number): void {
    // Does not keep the process alive: the connection of a member does.
    this.#timer = setTimeout(this.#look, Math.max(1, Math.ceil(millis))).unref();
  }

  readonly #look = (): void => {
    this.#timer = null;
    const nowMillis = performance.now();
    for (let entry = this.#first; entry !== null; entry = this.#first) {
      const left = entry.member.startedMillis + this.#millis - nowMillis;
      if (left > 0) {
        this.#wake(left);
        return;
      }
      this.delete(entry);
      this.#expire(entry.member);
    }
  };
}
