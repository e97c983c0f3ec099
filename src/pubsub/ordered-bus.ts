import { randomUUID } from 'node:crypto';

import type {
  BusMessage,
  EventBus,
  EventListener,
  EventTransport,
  EventValues,
  TransportReceiver,
} from '../base/event-bus.js';

/** Ids kept of one topic to detect duplicates, and events queued during a replay. */
const IDS_MAX = 10_000;
const QUEUED_MAX = 10_000;

/**
 * Delivers events in order and once, over a transport that may lose or duplicate them. The sequence numbers of a topic
 * have no holes, so a hole is a loss: the lost events are replayed once, and reported as a gap where that fails.
 */
export class OrderedBus implements EventBus {
  readonly #transport: EventTransport;
  readonly #topics = new Map<string, OrderedTopic>();

  constructor(transport: EventTransport) {
    this.#transport = transport;
  }

  hasSubscribers(topic: string): boolean {
    return this.#transport.hasSubscribers(topic);
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
    // The same listener may subscribe twice.
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

/** Orders the events of one topic. */
class OrderedTopic implements TransportReceiver {
  readonly listeners = new Set<EventListener>();
  readonly #name: string;
  readonly #transport: EventTransport;
  readonly #release: () => void;
  /** Sequence number of the last delivered event; null before the first. */
  #last: number | null = null;
  /** Ids of delivered events, the oldest first. */
  readonly #delivered = new Set<string>();
  /** Events that arrive during a replay; null when there is none. */
  #queued: BusMessage[] | null = null;
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
    if (this.#isClosed || this.#delivered.has(message.id)) return;
    if (this.#queued !== null) {
      if (this.#queued.length < QUEUED_MAX) this.#queued.push(message);
      return;
    }
    const last = this.#last;
    if (last === null || message.sequence === last + 1) this.#deliver(message);
    else if (message.sequence <= last) {
      // A new event with an old number: the counter was reset, and the events between are unknown.
      this.#gap();
      this.#deliver(message);
    } else void this.#replay(last, [message]);
  }

  resumed(): void {
    if (this.#last !== null && this.#queued === null && !this.#isClosed) void this.#replay(this.#last, []);
    // Before the first event the next number is unknown: events may have been missed.
    else if (this.#last === null && !this.#isClosed) this.#gap();
  }

  lost(): void {
    if (!this.#isClosed) this.#gap();
  }

  async #replay(last: number, queued: BusMessage[]): Promise<void> {
    this.#queued = queued;
    const missed = await this.#transport.replay(this.#name, last).catch(() => null);
    this.#queued = null;
    if (this.#isClosed) return;
    if (missed === null) this.#gap();
    for (const message of missed ?? []) if (message.sequence > last) this.#deliver(message);
    // After a reported gap any next number is accepted.
    if (missed === null) this.#last = null;
    let isReported = missed === null;
    for (const message of queued) {
      if (this.#last !== null && message.sequence > this.#last + 1 && !this.#delivered.has(message.id)) {
        if (!isReported) this.#gap();
        isReported = true;
      }
      this.#deliver(message);
    }
  }

  #deliver(message: BusMessage): void {
    if (this.#delivered.has(message.id)) return;
    this.#delivered.add(message.id);
    if (this.#delivered.size > IDS_MAX)
      for (const oldest of this.#delivered) {
        this.#delivered.delete(oldest);
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
