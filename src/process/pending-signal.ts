/**
 * A signal that ends a process which does not handle it. One that comes before `listen` is kept
 * until then.
 */
export class PendingSignal {
  readonly #signal: NodeJS.Signals;
  #listener: (() => void) | null = null;
  #isDue = false;

  constructor(signal: NodeJS.Signals) {
    this.#signal = signal;
    process.on(signal, this.#take);
  }

  listen(listener: () => void): void {
    this.#listener = listener;
    if (this.#isDue) {
      listener();
    }
    this.#isDue = false;
  }

  close(): void {
    process.off(this.#signal, this.#take);
  }

  readonly #take = (): void => {
    if (this.#listener === null) {
      this.#isDue = true;
    } else {
      this.#listener();
    }
  };
}
