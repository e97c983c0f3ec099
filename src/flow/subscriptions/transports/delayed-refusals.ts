import type { Socket } from 'node:net';

import type { CancelSignal } from '../../../core/index.js';
import type { PenaltyBox, RefusalCarrier } from '../../http/penalty-box.js';

/** The client of the WebSocket. */
interface Gone {
  readonly connection: Socket;
  readonly signal: CancelSignal;
}

/**
 * The refusals of one WebSocket that wait to be sent, as those of HTTP do. Valid operations go on
 * meanwhile, until too many wait.
 */
export class DelayedRefusals {
  readonly #penaltyBox: PenaltyBox;
  readonly #connection: Socket;
  readonly #waiter: RefusalCarrier;
  readonly #most: number;
  readonly #released: () => void;
  /** The operations that still expect an answer. */
  readonly #ids = new Set<string>();
  #count = 0;

  /** `released` is called whenever one has waited long enough. */
  constructor(penaltyBox: PenaltyBox, visitor: Gone, most: number, released: () => void) {
    this.#penaltyBox = penaltyBox;
    this.#connection = visitor.connection;
    this.#waiter = waiterOf(visitor);
    this.#most = most;
    this.#released = released;
  }

  get isFull(): boolean {
    return this.#count >= this.#most;
  }

  /** The refusal of this operation waits. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Forgets an operation that its client has ended. It counts as waiting none the less. */
  forget(id: string): void {
    this.#ids.delete(id);
  }

  /**
   * Resolves when the WebSocket itself may be refused, at once unless its address gets too many
   * refusals.
   */
  async delay(bytes: number): Promise<void> {
    await this.#penaltyBox.penalise(this.#connection, { bytes, workMillis: 0 }, this.#waiter);
  }

  /**
   * Null: it is sent at once. Else it resolves when it may be sent, with whether the operation
   * still waits for it.
   */
  hold(id: string, bytes: number, workMillis: number): Promise<boolean> | null {
    const held = this.#penaltyBox.penalise(this.#connection, { bytes, workMillis }, this.#waiter);
    if (held === null) return null;
    this.#count++;
    this.#ids.add(id);
    return held.then(() => {
      this.#count--;
      // Before anything that has waited behind it.
      queueMicrotask(this.#released);
      return this.#ids.delete(id) && !this.#waiter.destroyed;
    });
  }
}

/** The socket is still read while a refusal waits: it has other operations than the refused one. */
const waiterOf = ({ signal }: Gone): RefusalCarrier => ({
  get destroyed() {
    return signal.aborted;
  },
  pause() {},
  resume() {},
  once: (_event, listener) => signal.addEventListener('abort', listener, { once: true }),
});
