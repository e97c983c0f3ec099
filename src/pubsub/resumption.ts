import type { eventBus } from '../core/index.js';

/** Takes the events of a topic, in order. */
export interface TopicListener {
  event(message: eventBus.BusMessage): void;
  gap(): void;
}

/** Events queued during one replay. */
export const QUEUED_MAX = 10_000;

/** Puts the replayed events of one subscription before the live ones: each once. */
export class Resumption implements TopicListener {
  readonly #listener: eventBus.ResumingListener;
  /** Live events before the beginning, null for a gap; null when it has begun. */
  #queued: (eventBus.BusMessage | null)[] | null = [];
  #hasOverflowed = false;
  /** The subscription has ended. */
  isOver = false;
  /** Replayed events that may come again, until the first one beyond; null when they cannot. */
  #replayed: { readonly ids: ReadonlySet<string>; readonly sequence: number } | null = null;

  constructor(listener: eventBus.ResumingListener) {
    this.#listener = listener;
  }

  event(message: eventBus.BusMessage): void {
    if (this.#queued !== null) {
      this.#queue(message);
    } else if (this.#replayed?.ids.has(message.id) !== true) {
      // A new event with an old number: the counter was reset.
      if (this.#replayed !== null && message.sequence <= this.#replayed.sequence) {
        this.#listener.gap();
      }
      this.#replayed = null;
      this.#listener.event(message);
    }
  }

  gap(): void {
    if (this.#queued !== null) {
      this.#queue(null);
    } else {
      this.#replayed = null;
      this.#listener.gap();
    }
  }

  /** A replay from now on has all queued events, but for those that the client has. */
  settle(): void {
    if (this.#queued !== null) {
      this.#queued = [];
    }
  }

  /**
   * Ends the queue when the listener has taken the replay, which is null where the transport has
   * none; a new subscription misses nothing by that.
   */
  async begin(replay: eventBus.Replay | null, isNew: boolean): Promise<void> {
    if (this.isOver) return;
    if (replay === null && !isNew) {
      this.#listener.gap();
    }
    if (replay !== null && !isNew) {
      await this.#listener.begin(replay.position, replay.missed);
    }
    if (this.isOver) return;
    const queued = this.#hasOverflowed ? [null] : (this.#queued ?? []);
    this.#queued = null;
    if (replay !== null && isNew) {
      // The position comes after them: the client could resume there before it has them.
      const events = queued.filter((message) => message !== null);
      const isWhole = events.length === queued.length;
      void this.#listener.begin(replay.position, isWhole ? events : null);
      if (!isWhole) {
        for (const event of events) {
          this.#listener.event(event);
        }
      }
      return;
    }
    if (replay !== null && replay.missed !== null) {
      this.#replayed = {
        ids: new Set(replay.missed.map(({ id }) => id)),
        sequence: replay.sequence,
      };
    }
    for (const message of queued) {
      if (message === null) {
        this.gap();
      } else {
        this.event(message);
      }
    }
  }

  #queue(message: eventBus.BusMessage | null): void {
    if (this.#queued !== null && this.#queued.length < QUEUED_MAX) {
      this.#queued.push(message);
    } else {
      this.#hasOverflowed = true;
    }
  }
}
