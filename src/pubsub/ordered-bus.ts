import { randomUUID } from 'node:crypto';

import { eventBus } from '../core/index.js';
import { ReplayQueue } from './replay-queue.js';
import { QUEUED_MAX, Resumption, type TopicListener } from './resumption.js';

/** Ids kept of one topic to detect duplicates. */
const IDS_MAX = 10_000;

/** Other work of the event loop comes first. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const NO_CLIENT: eventBus.ReplayPace = { client: '', turn: nextTurn };

/**
 * Delivers events in order and once, over a transport that may lose or duplicate them. The sequence
 * numbers of a topic have no holes, so a hole is a loss: the lost events are replayed once, and
 * reported as a gap where that fails.
 */
export class OrderedBus implements eventBus.EventBus {
  readonly #transport: eventBus.EventTransport;
  readonly #topics = new Map<string, OrderedTopic>();
  readonly #replays = new ReplayQueue();

  constructor(transport: eventBus.EventTransport) {
    this.#transport = transport;
  }

  hasSubscribers(topic: string): boolean {
    return this.#transport.hasSubscribers(topic);
  }

  skip(topic: string): void {
    this.#transport.skip(topic);
  }

  publish(topic: string, values: eventBus.EventValues): void {
    this.#transport.publish(topic, randomUUID(), values);
  }

  subscribe(name: string, listener: eventBus.EventListener): () => void {
    return this.#join(name, listener).leave;
  }

  resume(
    name: string,
    listener: eventBus.ResumingListener,
    after: string | null,
    pace: eventBus.ReplayPace = NO_CLIENT,
  ): () => void {
    const resumption = new Resumption(listener);
    const { topic, leave } = this.#join(name, resumption);
    const isSettled = this.#settle(topic).then(
      () => {
        if (after !== null) {
          resumption.settle();
        }
        return true;
      },
      () => false,
    );
    const begin = async (): Promise<void> => {
      const isWanted = (await isSettled) && !resumption.isOver;
      const replay = isWanted
        ? await this.#replayFor(topic, after, pace.turn).catch(() => null)
        : null;
      await resumption.begin(replay, after === null);
    };
    // A new subscription reads no history.
    if (after === null) {
      void begin();
    } else {
      this.#replays.add(pace.client, begin);
    }
    return () => {
      resumption.isOver = true;
      leave();
    };
  }

  #join(
    name: string,
    listener: TopicListener,
  ): { readonly topic: OrderedTopic; readonly leave: () => void } {
    const topic = this.#topics.get(name) ?? new OrderedTopic(name, this.#transport);
    this.#topics.set(name, topic);
    const { listeners } = topic;
    // Each subscription has an entry of its own: one listener may subscribe twice.
    const entry = {
      event: (message: eventBus.BusMessage) => listener.event(message),
      gap: () => listener.gap(),
    };
    listeners.add(entry);
    const leave = (): void => {
      listeners.delete(entry);
      if (listeners.size > 0 || this.#topics.get(name) !== topic) return;
      this.#topics.delete(name);
      topic.close();
    };
    return { topic, leave };
  }

  /**
   * Resolves when the topic has delivered all that was published before: events of a replay come
   * only once more.
   */
  async #settle(topic: OrderedTopic): Promise<void> {
    await this.#transport.settle();
    await topic.replayed;
  }

  async #replayFor(
    topic: OrderedTopic,
    after: string | null,
    turn: eventBus.ReplayPace['turn'],
  ): Promise<eventBus.Replay> {
    const { name } = topic;
    if (after !== null && !eventBus.isEventId(after)) {
      return { ...(await this.#transport.replay(name, null, turn)), missed: null };
    }
    const replay = await this.#transport.replay(name, after, turn);
    // A new subscription gets the events before its position as live ones: it must have them by
    // now.
    if (after === null) {
      await this.#settle(topic);
    }
    return replay;
  }

  async close(): Promise<void> {
    this.#replays.close();
    for (const topic of this.#topics.values()) {
      topic.close();
    }
    this.#topics.clear();
    await this.#transport.close();
  }
}

/** Orders the events of one topic. */
class OrderedTopic implements eventBus.TransportReceiver {
  readonly listeners = new Set<TopicListener>();
  readonly name: string;
  readonly #transport: eventBus.EventTransport;
  readonly #release: () => void;
  /** The end of the current replay, or of the last one. Never rejects. */
  #replayed: Promise<void> = Promise.resolve();
  /** The last delivered event; null before the first. */
  #last: Pick<eventBus.BusMessage, 'id' | 'sequence'> | null = null;
  /** Ids of delivered events, the oldest first. */
  readonly #delivered = new Set<string>();
  /** Events that arrive during a replay; null when there is none. */
  #queued: eventBus.BusMessage[] | null = null;
  #isClosed = false;

  constructor(name: string, transport: eventBus.EventTransport) {
    this.name = name;
    this.#transport = transport;
    this.#release = transport.subscribe(name, this);
  }

  /** Resolves when no lost events are being replayed. */
  get replayed(): Promise<void> {
    return this.#replayed;
  }

  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  message(message: eventBus.BusMessage): void {
    if (this.#isClosed || this.#delivered.has(message.id)) return;
    if (this.#queued !== null) {
      if (this.#queued.length < QUEUED_MAX) {
        this.#queued.push(message);
      }
      return;
    }
    const last = this.#last;
    if (last === null || message.sequence === last.sequence + 1) {
      this.#deliver(message);
    } else if (message.sequence <= last.sequence) {
      // A new event with an old number: the counter was reset, and the events between are unknown.
      this.#gap();
      this.#deliver(message);
    } else {
      this.#replayed = this.#replay(last, [message]);
    }
  }

  resumed(): void {
    if (this.#isClosed) return;
    if (this.#last !== null && this.#queued === null) {
      this.#replayed = this.#replay(this.#last, []);
    }
    // Before the first event the next number is unknown: events may have been missed.
    else if (this.#last === null) {
      this.#gap();
    }
  }

  lost(): void {
    if (!this.#isClosed) {
      this.#gap();
    }
  }

  async #replay(
    last: Pick<eventBus.BusMessage, 'id' | 'sequence'>,
    queued: eventBus.BusMessage[],
  ): Promise<void> {
    this.#queued = queued;
    const replay = await this.#transport.replay(this.name, last.id, nextTurn).catch(() => null);
    const missed = replay?.missed ?? null;
    this.#queued = null;
    if (this.#isClosed) return;
    if (missed === null) {
      this.#gap();
    }
    for (const message of missed ?? []) {
      if (message.sequence > last.sequence) {
        this.#deliver(message);
      }
    }
    // After a reported gap any next number is accepted.
    if (missed === null) {
      this.#last = null;
    }
    let isReported = missed === null;
    for (const message of queued) {
      if (
        this.#last !== null &&
        message.sequence > this.#last.sequence + 1 &&
        !this.#delivered.has(message.id)
      ) {
        if (!isReported) {
          this.#gap();
        }
        isReported = true;
      }
      this.#deliver(message);
    }
  }

  #deliver(message: eventBus.BusMessage): void {
    if (this.#delivered.has(message.id)) return;
    this.#delivered.add(message.id);
    if (this.#delivered.size > IDS_MAX) {
      for (const oldest of this.#delivered) {
        this.#delivered.delete(oldest);
        break;
      }
    }
    const { id, sequence } = message;
    this.#last = { id, sequence };
    for (const listener of [...this.listeners]) {
      listener.event(message);
    }
  }

  #gap(): void {
    for (const listener of [...this.listeners]) {
      listener.gap();
    }
  }
}
