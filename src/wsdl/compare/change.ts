/** The effect of a change on clients: they must change too, may fail, or are not affected. */
export type Severity = 'breaking' | 'dangerous' | 'safe';

export interface Change {
  readonly severity: Severity;
  /** Operation and path: `GetOrder reply: order/line`. */
  readonly where: string;
  readonly what: string;
  /** It is only about the address of the service. */
  readonly isAddress: boolean;
}

/** In which direction a type travels: a change that widens a request narrows a reply. */
export type Direction = 'request' | 'reply';

const MOST = 10_000;

/** The changes found so far, each once, at most `MOST`. */
export class Changes {
  readonly #found: Change[] = [];
  readonly #reported = new Set<string>();
  /** How many were not kept. */
  dropped = 0;

  get all(): readonly Change[] {
    return this.#found;
  }

  add(severity: Severity, where: string, what: string, isAddress = false): void {
    const key = `${where}\n${what}`;
    if (this.#reported.has(key)) return;
    if (this.#found.length >= MOST) {
      this.dropped++;
      return;
    }
    this.#reported.add(key);
    this.#found.push({ severity, where, what, isAddress });
  }
}
