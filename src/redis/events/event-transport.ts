import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { eventBus } from '../../core/index.js';
import type { RedisConnection } from '../connection.js';
import { type HistoryLimits, replayHistory } from './event-history.js';
import { readEvent, type SentEvent, writeEvent } from './event-message.js';
import { PUBLISH } from './event-scripts.js';

export interface EventTransportOptions extends HistoryLimits {
  readonly prefix: string;
  /** Signs events; an event without its signature is dropped. */
  readonly secret: string;
  /** Called for each dropped message without a valid signature. */
  readonly onForged: () => void;
  /** Interval of demand announcements. */
  readonly announceMillis?: number;
}

interface Topic {
  readonly receivers: Set<eventBus.TransportReceiver>;
  /** Sequence number of the last received event; 0 before the first. */
  last: number;
  /**
   * When the last announcement that Redis accepted was sent: other replicas hold it valid for a
   * while.
   */
  announcedAt: number;
  /** Redis accepted an announcement. */
  isAnnounced: boolean;
}

const HISTORY_MILLIS = 3_600_000;
const ANNOUNCE_MILLIS = 2000;
/**
 * Every replica announces each interval: after this many without a message the subscription counts
 * as dead.
 */
const SILENT_INTERVALS = 3;
/**
 * Validity of announced demand in intervals: longer than a dead subscription takes to be detected.
 */
const DEMAND_INTERVALS = 8;
/**
 * Extra time limit of background commands: a Redis that is late because the machine is busy must
 * not count as down.
 */
const EXTRA_MILLIS = 1000;
const TOPICS_MAX = 10_000;
/**
 * Carries events between replicas through Redis, which numbers, keeps and publishes them. Each
 * replica announces its subscribed topics, so that others read only the events of these from
 * messages. While Redis is down, events stay in this process, and a gap is published afterwards.
 */
export class RedisEventTransport implements eventBus.EventTransport {
  readonly #connection: RedisConnection;
  readonly #subscriber: RedisConnection;
  readonly #options: EventTransportOptions;
  readonly #topics = new Map<string, Topic>();
  /** Topics that other replicas subscribe to, and until when their announcement is valid. */
  readonly #demand = new Map<string, number>();
  /** Topics with an event that was not read since their demand was announced last. */
  readonly #skipped = new Set<string>();
  /** Topics with events that were not sent. */
  readonly #unsent = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #silentMillis: number;
  readonly #demandMillis: number;
  /** How long events of a topic are read after an announcement. */
  readonly #readMillis: number;
  #lastMessageAt: number;
  /** Since when announcements have been received without interruption. */
  #receivingSince: number;

  /** The second connection is in subscriber mode, and sends no commands. */
  constructor(
    connection: RedisConnection,
    subscriber: RedisConnection,
    options: EventTransportOptions,
  ) {
    this.#connection = connection;
    this.#subscriber = subscriber;
    this.#options = options;
    const { announceMillis = ANNOUNCE_MILLIS, resumeMillis } = options;
    this.#silentMillis = SILENT_INTERVALS * announceMillis;
    this.#demandMillis = DEMAND_INTERVALS * announceMillis;
    this.#readMillis = this.#demandMillis + resumeMillis;
    this.#lastMessageAt = performance.now();
    this.#receivingSince = this.#lastMessageAt;
    subscriber.subscribe(this.#demandChannel, (topic) => this.#receiveDemand(topic));
    subscriber.onUp(() => this.#startReceiving(performance.now()));
    subscriber.onUp(() => this.#resume());
    connection.onUp(() => this.#resume());
    this.#timer = setInterval(() => this.#announceAll(), announceMillis).unref();
  }

  /** True as well while announcements may have been missed. */
  hasSubscribers(topic: string): boolean {
    if (this.#topics.has(topic) || !this.#subscriber.isUp) return true;
    const now = performance.now();
    if (
      now - this.#lastMessageAt > this.#silentMillis ||
      now - this.#receivingSince < this.#readMillis
    ) {
      return true;
    }
    return (this.#demand.get(topic) ?? 0) > now;
  }

  /** Publishes one gap for all events until the topic has subscribers again. */
  skip(topic: string): void {
    if (this.#skipped.has(topic)) return;
    if (this.#skipped.size >= TOPICS_MAX) {
      this.#skipped.clear();
    }
    this.#skipped.add(topic);
    this.publish(topic, randomUUID(), null);
  }

  publish(topic: string, id: string, values: eventBus.EventValues): void {
    this.#send(topic, { id, values }).catch(() => {
      this.#unsent.add(topic);
      const known = this.#topics.get(topic);
      if (known !== undefined) {
        this.#deliver(known, topic, known.last + 1, { id, values });
      }
    });
  }

  subscribe(name: string, receiver: eventBus.TransportReceiver): () => void {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = { receivers: new Set(), last: 0, announcedAt: performance.now(), isAnnounced: false };
      this.#topics.set(name, topic);
      this.#skipped.delete(name);
      this.#subscriber.subscribe(this.#channel(name), (text) => this.#receive(name, text));
      this.#announce(name);
    }
    const { receivers } = topic;
    receivers.add(receiver);
    return () => {
      receivers.delete(receiver);
      if (receivers.size > 0 || this.#topics.get(name) !== topic) return;
      this.#topics.delete(name);
      this.#addDemand(name, performance.now());
      this.#subscriber.unsubscribe(this.#channel(name));
    };
  }

  settle(): Promise<void> {
    return this.#subscriber.settle();
  }

  replay(
    name: string,
    after: string | null,
    turn: eventBus.ReplayPace['turn'],
  ): Promise<eventBus.Replay> {
    const topic = {
      connection: this.#connection,
      name,
      keys: this.#keys(name),
      limits: this.#options,
    };
    return replayHistory(topic, after, turn);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#topics.clear();
  }

  #receive(name: string, text: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    const space = text.indexOf(' ');
    const sequence = Number(text.slice(0, space));
    const event = readEvent(name, text.slice(space + 1), this.#options.secret);
    if (event === null || !Number.isSafeInteger(sequence) || sequence < 1) {
      this.#options.onForged();
      return;
    }
    this.#deliver(topic, name, sequence, event);
  }

  #deliver(topic: Topic, name: string, sequence: number, { id, values }: SentEvent): void {
    topic.last = sequence;
    for (const receiver of [...topic.receivers]) {
      receiver.message({ id, topic: name, sequence, values });
    }
  }

  /**
   * Both connections are up again: receivers replay what they missed, and gaps are sent for unsent
   * events.
   */
  #resume(): void {
    if (!this.#connection.isUp || !this.#subscriber.isUp) return;
    this.#lastMessageAt = performance.now();
    for (const { receivers } of this.#topics.values()) {
      for (const receiver of [...receivers]) {
        receiver.resumed();
      }
    }
    for (const name of this.#topics.keys()) {
      this.#announce(name);
    }
    this.#sendGaps();
  }

  /** Publishes a gap for each topic with unsent events. */
  #sendGaps(): void {
    const unsent = [...this.#unsent];
    this.#unsent.clear();
    for (const name of unsent) {
      this.#send(name, { id: randomUUID(), values: null }).catch(() => this.#unsent.add(name));
    }
  }

  async #send(topic: string, event: SentEvent): Promise<void> {
    const { secret, historyEvents } = this.#options;
    const message = writeEvent(topic, event, secret);
    const values = [
      this.#channel(topic),
      message,
      String(historyEvents),
      String(HISTORY_MILLIS),
      event.id,
    ];
    await this.#connection.script(
      'event_publish',
      PUBLISH,
      this.#keys(topic),
      values,
      EXTRA_MILLIS,
    );
  }

  #announceAll(): void {
    for (const name of this.#topics.keys()) {
      this.#announce(name);
    }
    // A replica without topics announces as well: it tests its own subscription by that.
    if (this.#topics.size === 0) {
      this.#announce('');
    }
    if (!this.#connection.isUp || !this.#subscriber.isUp) return;
    this.#sendGaps();
    // A subscription that receives not even the own announcements is dead.
    const silentMillis = performance.now() - Math.max(this.#lastMessageAt, this.#receivingSince);
    if (silentMillis > this.#silentMillis) {
      this.#subscriber.reconnect();
    }
  }

  #announce(name: string): void {
    const topic = this.#topics.get(name);
    if (!this.#connection.isUp) return;
    const sentAt = performance.now();
    this.#connection
      .command('event_demand', ['PUBLISH', this.#demandChannel, name], EXTRA_MILLIS)
      .then(
        () => {
          if (topic !== undefined) {
            this.#confirmDemand(topic, sentAt);
          }
        },
        () => {
          // Without a first announcement nothing is certain until the next one.
          if (topic?.isAnnounced === false) {
            topic.announcedAt = Number.NEGATIVE_INFINITY;
          }
        },
      );
  }

  /**
   * Reports a loss when the previous announcement may have expired: others have published nothing
   * since.
   */
  #confirmDemand(topic: Topic, sentAt: number): void {
    const isExpired =
      performance.now() - topic.announcedAt > this.#demandMillis - this.#silentMillis;
    topic.announcedAt = sentAt;
    topic.isAnnounced = true;
    if (isExpired) {
      for (const receiver of [...topic.receivers]) {
        receiver.lost();
      }
    }
  }

  #receiveDemand(name: string): void {
    const now = performance.now();
    if (now - this.#lastMessageAt > this.#silentMillis) {
      this.#startReceiving(now);
    }
    this.#lastMessageAt = now;
    if (name !== '' && name.length <= 1024) {
      this.#addDemand(name, now);
    }
  }

  #addDemand(name: string, now: number): void {
    if (this.#demand.size >= TOPICS_MAX && !this.#demand.has(name)) {
      this.#demand.clear();
      this.#startReceiving(now);
    }
    this.#skipped.delete(name);
    this.#demand.set(name, now + this.#readMillis);
  }

  /** Announcements before were missed, and with them perhaps subscriptions. */
  #startReceiving(now: number): void {
    this.#receivingSince = now;
    this.#skipped.clear();
  }

  get #demandChannel(): string {
    return `${this.#options.prefix}v1:demand`;
  }

  #channel(topic: string): string {
    return `${this.#options.prefix}v1:events:${topic}`;
  }

  #keys(topic: string): readonly string[] {
    return ['sequence', 'history', 'ids'].map(
      (kind) => `${this.#options.prefix}v1:${kind}:${topic}`,
    );
  }
}
