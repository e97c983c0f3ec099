/**
 * For how long a GraphQL answer stays the same, and for whom: as long as the first of its parts, and for all only if all
 * of them are. Answers with any other part are not to be remembered.
 */
export class AnswerLifetime {
  #millis = Number.POSITIVE_INFINITY;
  #isPrivate: boolean;

  /** `isPrivate`: who may have it depends on who asks. */
  constructor(isPrivate: boolean) {
    this.#isPrivate = isPrivate;
  }

  /** One part, which stays the same for so long (0: nobody knows), for all or for one client. */
  part(millis: number, isShared: boolean): void {
    if (!isShared) this.#isPrivate = true;
    this.#millis = Math.min(this.#millis, millis);
  }

  /** The value of Cache-Control (RFC 9111 section 5.2.2). */
  get field(): string {
    const seconds = this.#millis === Number.POSITIVE_INFINITY ? 0 : Math.floor(this.#millis / 1000);
    return seconds === 0 ? 'no-store' : `max-age=${seconds}, ${this.#isPrivate ? 'private' : 'public'}`;
  }
}
