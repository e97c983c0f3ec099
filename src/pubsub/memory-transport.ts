import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { eventBus } from '../core/index.js';

interface Topic {
  readonly receivers: Set<eventBus.TransportReceiver>;
  /** The event before the history, or an id that no event has. */
  start: Pick<eventBus.BusMessage, 'id' | 'sequence'>;
  /** The newest events, oldest first. */
  history: eventBus.BusMessage[];
  /** Until when events are kept without a receiver. */
  keptUntil: number;
}

export interface MemoryTransportLimits {
  /** Events of one topic that are kept. */
  readonly historyEvents: number;
  /** Time in which events of a topic are still kept after its last subscription. */
  readonly resumeMillis: number;
}

/** Carries events inside one process. The number of topics is bounded by the configuration. */
export class MemoryTransport implements eventBus.EventTransport {
  readonly #topics = new Map<string, Topic>();
  readonly #limits: MemoryTransportLimits;

  constructor(limits: MemoryTransportLimits) {
    this.#limits = limits;
  }

  hasSubscribers(name: string): boolean {
    const topic = this.#topics.get(name);
    return topic !== undefined && (topic.receivers.size > 0 || performance.now() < topic.keptUntil);
  }

  skip(name: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    topic.start = { id: randomUUID(), sequence: newestOf(topic).sequence };
    topic.history = [];
  }

  publish(name: string, id: string, values: eventBus.EventValues): void {
    const { historyEvents } = this.#limits;
    const topic = this.#topic(name);
    const message = { id, topic: name, sequence: newestOf(topic).sequence + 1, values };
    topic.history.push(message);
    // Truncated in steps: shifting a long array for every event would cost its length.
    if (topic.history.length > 2 * historyEvents) {
      const { id: first, sequence } = topic.history[historyEvents] ?? message;
      topic.start = { id: first, sequence };
      topic.history = topic.history.slice(historyEvents + 1);
    }
    for (const receiver of [...topic.receivers]) {
      receiver.message(message);
    }
  }

  subscribe(name: string, receiver: eventBus.TransportReceiver): () => void {
    const topic = this.#topic(name);
    topic.receivers.add(receiver);
    return () => {
      topic.receivers.delete(receiver);
      topic.keptUntil = performance.now() + this.#limits.resumeMillis;
    };
  }

  async settle(): Promise<void> {}

  async replay(name: string, after: string | null): Promise<eventBus.Replay> {
    const topic = this.#topic(name);
    const { id, sequence } = newestOf(topic);
    return { position: id, sequence, missed: after === null ? [] : missedOf(topic, after) };
  }

  async close(): Promise<void> {
    this.#topics.clear();
  }

  #topic(name: string): Topic {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    // A reload may have removed operations.
    for (const other of this.#topics.keys()) {
      if (!this.hasSubscribers(other)) {
        this.#topics.delete(other);
      }
    }
    const topic = makeTopic();
    this.#topics.set(name, topic);
    return topic;
  }
}

const makeTopic = (): Topic => ({
  receivers: new Set(),
  start: { id: randomUUID(), sequence: 0 },
  history: [],
  keptUntil: 0,
});

const newestOf = ({ start, history }: Topic): Topic['start'] => history.at(-1) ?? start;

/** The events after this id; null where it is not in the history. */
function missedOf({ start, history }: Topic, after: string): readonly eventBus.BusMessage[] | null {
  if (after === start.id) return history.slice();
  const index = history.findLastIndex(({ id }) => id === after);
  return index < 0 ? null : history.slice(index + 1);
}
