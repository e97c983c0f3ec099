import { performance } from 'node:perf_hooks';
/** A member of a list, and its neighbours there. */
export interface Place<T> {
  readonly member: T;
  before: Place<T> | null;
  after: Place<T> | null;
}

/**
 * The deadlines of things that may all take equally long: one timer for all of them, because nearly none is ever late.
 * They are added in the order they started.
 *
 * A list of its own and no `Set`: a `Set` that things enter and leave all the time is copied again and again, each copy
 * refers to the next, and once one of them is old the collector takes all that ever was in the later ones for living.
 */
export class Deadlines<T extends { readonly startedMillis: number }> {
  size = 0;
  readonly #millis: number;
  readonly #expire: (member: T) => void;
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** `expire` is told who is too late, and no longer a member. */
  constructor(millis: number, expire: (member: T) => void) {
    this.#millis = millis;
    this.#expire = expire;
  }

  /** The place of the one that is due first, or null. */
  get first(): Place<T> | null {
    return this.#first;
  }

  /** Returns where it is, for `delete`. */
  add(member: T): Place<T> {
    const place: Place<T> = { member, before: this.#last, after: null };
    if (this.#last === null) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    this.size++;
    if (this.#timer === null) this.#wake(this.#millis);
    return place;
  }

  /** Its member leaves; one that has left already stays away. */
  delete(place: Place<T>): void {
    const { before, after } = place;
    if (before === null && this.#first !== place) return;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // An old place must not keep a young one: see above.
    place.before = null;
    place.after = null;
    this.size--;
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
    for (let place = this.#first; place !== null; place = this.#first) {
      const left = place.member.startedMillis + this.#millis - nowMillis;
      if (left > 0) {
        this.#wake(left);
        return;
      }
      this.delete(place);
      this.#expire(place.member);
    }
  };
}
