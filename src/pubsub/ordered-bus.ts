import { randomUUID } from 'node:crypto';

import type {
  BusMessage,
  EventBus,
  EventListener,
  EventTransport,
  EventValues,
  TransportReceiver,
} from '../base/event-bus.js';

/** Ids that are remembered of one topic, and events that wait while a gap is being filled. */
const REMEMBERED = 10_000;
const WAITING = 10_000;

/**
 * Makes of a transport that loses and doubles events one that does neither in silence: the numbers of a topic have no
 * hole, so a hole is a loss. What was lost is asked for once more, and told as a gap where it is not to be had.
 */
export class OrderedBus implements EventBus {
  readonly #transport: EventTransport;
  readonly #topics = new Map<string, OrderedTopic>();

  constructor(transport: EventTransport) {
    this.#transport = transport;
  }

  wants(topic: string): boolean {
    return this.#transport.wants(topic);
  }

  publish(topic: string, values: EventValues): void {
    this.#transport.publish(topic, randomUUID(), values);
  }

  subscribe(name: string, listener: EventListener): () => void {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = new OrderedTopic(name, this.#transport);
      this.#topics.set(name, topic);
    }
    const { listeners } = topic;
    // One function may listen twice.
    const entry = { event: (values: EventValues) => listener.event(values), gap: () => listener.gap() };
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
      if (listeners.size > 0 || this.#topics.get(name) !== topic) return;
      this.#topics.delete(name);
      topic?.close();
    };
  }

  async close(): Promise<void> {
    for (const topic of this.#topics.values()) topic.close();
    this.#topics.clear();
    await this.#transport.close();
  }
}

/** The events of one topic, put in order. */
class OrderedTopic implements TransportReceiver {
  readonly listeners = new Set<EventListener>();
  readonly #name: string;
  readonly #transport: EventTransport;
  readonly #release: () => void;
  /** The number of the event that was told last; null before the first. */
  #last: number | null = null;
  /** In the order they came. */
  readonly #seen = new Set<string>();
  /** What came while a gap is being filled; null where none is. */
  #waiting: BusMessage[] | null = null;
  #isClosed = false;

  constructor(name: string, transport: EventTransport) {
    this.#name = name;
    this.#transport = transport;
    this.#release = transport.subscribe(name, this);
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  message(message: BusMessage): void {
    if (this.#isClosed || this.#seen.has(message.id)) return;
    if (this.#waiting !== null) {
      if (this.#waiting.length < WAITING) this.#waiting.push(message);
      return;
    }
    const last = this.#last;
    if (last === null || message.sequence === last + 1) this.#tell(message);
    else if (message.sequence <= last) {
      // A new event with an old number: somebody counts anew, and nobody knows what was between.
      this.#gap();
      this.#tell(message);
    } else void this.#fill(last, [message]);
  }

  resumed(): void {
    if (this.#last !== null && this.#waiting === null && !this.#isClosed) void this.#fill(this.#last, []);
    // Before the first event nobody knows which is the next: there may have been some.
    else if (this.#last === null && !this.#isClosed) this.#gap();
  }

  lost(): void {
    if (!this.#isClosed) this.#gap();
  }

  async #fill(last: number, waiting: BusMessage[]): Promise<void> {
    this.#waiting = waiting;
    const missed = await this.#transport.replay(this.#name, last).catch(() => null);
    this.#waiting = null;
    if (this.#isClosed) return;
    if (missed === null) this.#gap();
    for (const message of missed ?? []) if (message.sequence > last) this.#tell(message);
    // After a gap that is told the next number is right, whatever it is.
    if (missed === null) this.#last = null;
    let isTold = missed === null;
    for (const message of waiting) {
      if (this.#last !== null && message.sequence > this.#last + 1 && !this.#seen.has(message.id)) {
        if (!isTold) this.#gap();
        isTold = true;
      }
      this.#tell(message);
    }
  }

  #tell(message: BusMessage): void {
    if (this.#seen.has(message.id)) return;
    this.#seen.add(message.id);
    if (this.#seen.size > REMEMBERED)
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest);
        break;
      }
    this.#last = message.sequence;
    if (message.values === null) this.#gap();
    else for (const listener of [...this.listeners]) listener.event(message.values);
  }

  #gap(): void {
    for (const listener of [...this.listeners]) listener.gap();
  }
}
