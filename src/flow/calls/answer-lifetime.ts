/**
 * For how long a GraphQL answer may be cached, and by which caches: as long as its shortest-lived
 * part, and by shared caches only if each part may be. An answer with a part that may not be cached
 * is not cacheable.
 */
export class AnswerLifetime {
  #millis = Number.POSITIVE_INFINITY;
  #isPrivate: boolean;

  /** `isPrivate`: the answer may depend on the caller. */
  constructor(isPrivate: boolean) {
    this.#isPrivate = isPrivate;
  }

  /** Adds a part that is fresh for so long (0: not cacheable), for all clients or for one. */
  part(millis: number, isShared: boolean): void {
    if (!isShared) {
      this.#isPrivate = true;
    }
    this.#millis = Math.min(this.#millis, millis);
  }

  /** The value of Cache-Control (RFC 9111 section 5.2.2). */
  get field(): string {
    const seconds = this.#millis === Number.POSITIVE_INFINITY ? 0 : Math.floor(this.#millis / 1000);
    return seconds === 0
      ? 'no-store'
      : `max-age=${seconds}, ${this.#isPrivate ? 'private' : 'public'}`;
  }
}
