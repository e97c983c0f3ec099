import { performance } from 'node:perf_hooks';
import type { BusMessage, EventTransport, EventValues, TransportReceiver } from '../base/event-bus.js';
import type { Answer, RedisConnection } from './connection.js';
import { readEvent, type SentEvent, writeEvent } from './event-message.js';
import { PUBLISH, REPLAY } from './event-scripts.js';

export interface EventTransportOptions {
  readonly prefix: string;
  /** Signs what is sent; what is not signed with it is dropped. */
  readonly secret: string;
  /** Events of one topic that are kept for those who missed them. */
  readonly historyEvents: number;
  /** Told of each message that was dropped because it is none of ours. */
  readonly forged: () => void;
  /** How often those who listen say so. */
  readonly announceMillis?: number;
}

interface Topic {
  readonly receivers: Set<TransportReceiver>;
  /** The number that was heard last; 0 before the first. */
  last: number;
  /** Its id. */
  lastId: string;
  /** When the last wish for it that Redis took was sent: the others believe it for a while. */
  wishedAt: number;
  /** Redis took one. */
  isWished: boolean;
}

const STREAM_MILLIS = 3_600_000;
const ANNOUNCE_MILLIS = 2000;
/** Everybody says something each time: whoever has heard nothing for so long hears nobody. */
const SILENT_TIMES = 3;
/** How long a wish is believed: by one who hears it late, and may miss some, still longer than it takes to be silent. */
const WANTED_TIMES = 8;
/** What nobody waits for: a Redis that is late because all of the machine is must not be taken for one that is away. */
const PATIENT_MILLIS = 1000;
const TOPICS_MAX = 10_000;

/**
 * Carries events between replicas through Redis: what is published is numbered and kept there, and heard by all who
 * listen. While Redis is away events stay in this process, and everybody hears afterwards that some are missing.
 */
export class RedisEventTransport implements EventTransport {
  readonly #sender: RedisConnection;
  readonly #hearer: RedisConnection;
  readonly #options: EventTransportOptions;
  readonly #topics = new Map<string, Topic>();
  /** Topics that others want to hear of, and until when that is believed. */
  readonly #wanted = new Map<string, number>();
  /** Topics of which events never got to the others. */
  readonly #owed = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #silentMillis: number;
  readonly #wantedMillis: number;
  #heardAt: number;
  /** Since when whoever said something was heard. */
  #hearingSince: number;

  /** The second connection does nothing but listen. */
  constructor(sender: RedisConnection, hearer: RedisConnection, options: EventTransportOptions) {
    this.#sender = sender;
    this.#hearer = hearer;
    this.#options = options;
    const { announceMillis = ANNOUNCE_MILLIS } = options;
    this.#silentMillis = SILENT_TIMES * announceMillis;
    this.#wantedMillis = WANTED_TIMES * announceMillis;
    this.#heardAt = performance.now();
    this.#hearingSince = this.#heardAt;
    hearer.listen(this.#wishes, (topic) => this.#heardWish(topic));
    hearer.onUp(() => {
      this.#hearingSince = performance.now();
    });
    hearer.onUp(() => this.#resume());
    sender.onUp(() => this.#resume());
    this.#timer = setInterval(() => this.#announce(), announceMillis).unref();
  }

  /** Whoever has not heard all others for so long that they must have spoken takes it that they all listen. */
  hasSubscribers(topic: string): boolean {
    if (this.#topics.has(topic) || !this.#hearer.isUp) return true;
    const now = performance.now();
    if (now - this.#heardAt > this.#silentMillis || now - this.#hearingSince < this.#wantedMillis) return true;
    return (this.#wanted.get(topic) ?? 0) > now;
  }

  publish(topic: string, id: string, values: EventValues): void {
    this.#send(topic, { id, values }).catch(() => {
      this.#owed.add(topic);
      const known = this.#topics.get(topic);
      if (known !== undefined) this.#tell(known, topic, known.last + 1, { id, values });
    });
  }

  subscribe(name: string, receiver: TransportReceiver): () => void {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = { receivers: new Set(), last: 0, lastId: '', wishedAt: performance.now(), isWished: false };
      this.#topics.set(name, topic);
      this.#hearer.listen(`${this.#options.prefix}v1:events:${name}`, (text) => this.#heard(name, text));
      this.#wish(name);
    }
    const { receivers } = topic;
    receivers.add(receiver);
    return () => {
      receivers.delete(receiver);
      if (receivers.size > 0 || this.#topics.get(name) !== topic) return;
      this.#topics.delete(name);
      this.#hearer.unlisten(`${this.#options.prefix}v1:events:${name}`);
    };
  }

  async replay(name: string, after: number): Promise<readonly BusMessage[] | null> {
    const { historyEvents, secret } = this.#options;
    const lastId = this.#topics.get(name)?.lastId ?? '';
    const most = String(2 * historyEvents + 2);
    const answer = await this.#sender.script('event_replay', REPLAY, this.#keys(name), [String(after), most]);
    const [newest, ...entries] = Array.isArray(answer) ? answer : [];
    const messages: BusMessage[] = [];
    for (let at = 0; at + 1 < entries.length; at += 2) {
      const event = readEvent(name, asText(entries[at + 1]), secret);
      const sequence = Number(entries[at]);
      // A hole in what is kept, or something that is not ours.
      if (event === null || sequence !== after + messages.length) return null;
      messages.push({ ...event, topic: name, sequence });
    }
    // The event heard last must be there as it was heard: else Redis has another past.
    const [first, ...missed] = messages;
    if (first === undefined || (lastId !== '' && !this.#isLast(name, first, missed, lastId))) return null;
    return Number(newest) === after + missed.length ? missed : null;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#topics.clear();
  }

  /** What was heard while the question was on its way has moved `last` on. */
  #isLast(name: string, first: BusMessage, missed: readonly BusMessage[], lastId: string): boolean {
    const last = this.#topics.get(name)?.last ?? first.sequence;
    return [first, ...missed].some(({ id, sequence }) => id === lastId && sequence <= last);
  }

  #heard(name: string, text: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    const blank = text.indexOf(' ');
    const sequence = Number(text.slice(0, blank));
    const event = readEvent(name, text.slice(blank + 1), this.#options.secret);
    if (event === null || !Number.isSafeInteger(sequence) || sequence < 1) {
      this.#options.forged();
      return;
    }
    this.#tell(topic, name, sequence, event);
  }

  #tell(topic: Topic, name: string, sequence: number, { id, values }: SentEvent): void {
    topic.last = sequence;
    topic.lastId = id;
    for (const receiver of [...topic.receivers]) receiver.message({ id, topic: name, sequence, values });
  }

  /** Both ways are open again: what was missed is asked for, and what could not be sent is told to be missing. */
  #resume(): void {
    if (!this.#sender.isUp || !this.#hearer.isUp) return;
    this.#heardAt = performance.now();
    for (const { receivers } of this.#topics.values()) for (const receiver of [...receivers]) receiver.resumed();
    for (const name of this.#topics.keys()) this.#wish(name);
    this.#settle();
  }

  /** Tells the others that events are missing, where some never got to them. */
  #settle(): void {
    const owed = [...this.#owed];
    this.#owed.clear();
    for (const name of owed) {
      this.#send(name, { id: crypto.randomUUID(), values: null }).catch(() => this.#owed.add(name));
    }
  }

  async #send(topic: string, event: SentEvent): Promise<void> {
    const { prefix, secret, historyEvents } = this.#options;
    const message = writeEvent(topic, event, secret);
    const values = [`${prefix}v1:events:${topic}`, message, String(historyEvents), String(STREAM_MILLIS)];
    await this.#sender.script('event_publish', PUBLISH, this.#keys(topic), values, PATIENT_MILLIS);
  }

  #announce(): void {
    for (const name of this.#topics.keys()) this.#wish(name);
    // Who wants nothing says something too: whether it hears is what all depends on.
    if (this.#topics.size === 0) this.#wish('');
    if (!this.#sender.isUp || !this.#hearer.isUp) return;
    this.#settle();
    // Whoever listens hears its own wishes: silence means that the connection is dead and nobody said so.
    if (performance.now() - Math.max(this.#heardAt, this.#hearingSince) > this.#silentMillis) this.#hearer.renew();
  }

  #wish(name: string): void {
    const topic = this.#topics.get(name);
    if (!this.#sender.isUp) return;
    const sentAt = performance.now();
    this.#sender.command('event_wish', ['PUBLISH', this.#wishes, name], PATIENT_MILLIS).then(
      () => {
        if (topic !== undefined) this.#wished(topic, sentAt);
      },
      () => {
        // The first: until the next nobody knows.
        if (topic?.isWished === false) topic.wishedAt = Number.NEGATIVE_INFINITY;
      },
    );
  }

  /** Who was not heard for so long that the others forgot it has lost what they did not tell it. */
  #wished(topic: Topic, sentAt: number): void {
    const isForgotten = performance.now() - topic.wishedAt > this.#wantedMillis - this.#silentMillis;
    topic.wishedAt = sentAt;
    topic.isWished = true;
    if (isForgotten) for (const receiver of [...topic.receivers]) receiver.lost();
  }

  #heardWish(name: string): void {
    const now = performance.now();
    if (now - this.#heardAt > this.#silentMillis) this.#hearingSince = now;
    this.#heardAt = now;
    if (name === '' || name.length > 1024) return;
    if (this.#wanted.size >= TOPICS_MAX && !this.#wanted.has(name)) {
      this.#wanted.clear();
      this.#hearingSince = now;
    }
    this.#wanted.set(name, now + this.#wantedMillis);
  }

  get #wishes(): string {
    return `${this.#options.prefix}v1:wishes`;
  }

  #keys(topic: string): readonly string[] {
    return [`${this.#options.prefix}v1:number:${topic}`, `${this.#options.prefix}v1:stream:${topic}`];
  }
}

const asText = (answer: Answer | undefined): string => (typeof answer === 'string' ? answer : '');
