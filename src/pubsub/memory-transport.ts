import type { BusMessage, EventTransport, EventValues, TransportReceiver } from '../base/event-bus.js';

interface Topic {
  sequence: number;
  readonly receivers: Set<TransportReceiver>;
  /** The newest events, oldest first. */
  history: BusMessage[];
}

/** Carries events inside one process. The number of topics is bounded by the configuration. */
export class MemoryTransport implements EventTransport {
  readonly #topics = new Map<string, Topic>();
  readonly #historyEvents: number;

  constructor(historyEvents: number) {
    this.#historyEvents = historyEvents;
  }

  hasSubscribers(topic: string): boolean {
    return (this.#topics.get(topic)?.receivers.size ?? 0) > 0;
  }

  publish(name: string, id: string, values: EventValues): void {
    const topic = this.#topic(name);
    const message = { id, topic: name, sequence: ++topic.sequence, values };
    if (topic.receivers.size > 0) topic.history.push(message);
    // Truncated in steps: shifting a long array for every event would cost its length.
    if (topic.history.length > 2 * this.#historyEvents) topic.history = topic.history.slice(-this.#historyEvents);
    for (const receiver of [...topic.receivers]) receiver.message(message);
  }

  subscribe(name: string, receiver: TransportReceiver): () => void {
    const topic = this.#topic(name);
    topic.receivers.add(receiver);
    return () => {
      topic.receivers.delete(receiver);
      // Without a receiver there is nothing to replay.
      if (topic.receivers.size === 0) topic.history = [];
    };
  }

  async replay(name: string, after: number): Promise<readonly BusMessage[] | null> {
    const topic = this.#topic(name);
    const missed = topic.history.filter(({ sequence }) => sequence > after);
    return missed.length === topic.sequence - after ? missed : null;
  }

  async close(): Promise<void> {
    this.#topics.clear();
  }

  #topic(name: string): Topic {
    const known = this.#topics.get(name) ?? { sequence: 0, receivers: new Set(), history: [] };
    this.#topics.set(name, known);
    return known;
  }
}
