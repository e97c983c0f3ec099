import { isDeepStrictEqual } from 'node:util';

/** Sends something, and at its end what is left. */
interface Closable {
  close(): Promise<void>;
}

/**
 * What a section of the configuration switches on: made anew when the section changes, while the
 * earlier one still sends its last items.
 */
export class Configured<Options, Sending extends Closable> {
  /** Null while it is off. */
  current: Sending | null = null;
  readonly #make: (options: Options) => Sending;
  #options: Options | null = null;
  readonly #closing = new Set<Promise<void>>();

  constructor(make: (options: Options) => Sending) {
    this.#make = make;
  }

  /** Null switches it off. */
  configure(options: Options | null): void {
    if (isDeepStrictEqual(options, this.#options)) return;
    const earlier = this.current;
    this.#options = options;
    this.current = options === null ? null : this.#make(options);
    if (earlier === null) return;
    const closed = earlier.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** Switches it off, and resolves when the last items are sent. */
  async close(): Promise<void> {
    this.configure(null);
    await Promise.all(this.#closing);
  }
}
