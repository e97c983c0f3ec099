/**
 * The values of an event, by the path each was read from: a simple value, a list of them, or a
 * `InvalidValue`. Null for an event that was too large to be relayed.
 */
export type EventValues = Readonly<Record<string, unknown>> | null;

/** A value that does not fit its type. */
export interface InvalidValue {
  /** The part of it that could be read. */
  readonly value: unknown;
  readonly errors: readonly InvalidPart[];
}

export interface InvalidPart {
  /** Position in the value: indexes of lists. */
  readonly path: readonly (string | number)[];
  readonly rule: string;
}

/** Publishes events to subscribers of a topic, in this process and in others. */
export interface EventBus {
  /**
   * Whether a topic has a subscriber, here or elsewhere, or had one until a moment ago that may
   * resume. Else its events need not be read from messages.
   */
  hasSubscribers(topic: string): boolean;
  /**
   * Records that an event of a topic without subscribers was not read: subscriptions cannot be
   * resumed across it.
   */
  skip(topic: string): void;
  /** Never throws: an event that cannot be delivered is a gap for its subscribers. */
  publish(topic: string, values: EventValues): void;
  /** Reports every event from now on, in order, until the returned function is called. */
  subscribe(topic: string, listener: EventListener): () => void;
  /**
   * Subscribes like `subscribe`, and first reports the events after the one with the id `after`.
   * `after` is data of a caller; null: only events from now on.
   */
  resume(
    topic: string,
    listener: ResumingListener,
    after: string | null,
    pace?: ReplayPace,
  ): () => void;
  close(): Promise<void>;
}

export interface EventListener {
  /** Without values it is a gap. */
  event(event: TopicEvent): void;
  /** An unknown number of events is lost: state derived from earlier events may be wrong by now. */
  gap(): void;
}

export interface ResumingListener extends EventListener {
  /**
   * Called once, before all events; without the transport not at all. `missed` is null where events
   * before may be lost. `position` is an id after which to resume when all of `missed` have been
   * taken. Later events follow when that is done.
   */
  begin(position: string, missed: readonly TopicEvent[] | null): void | Promise<void>;
}

/** Paces the replay for one client. */
export interface ReplayPace {
  /** Clients take turns. */
  readonly client: string;
  /** Resolves when the work may go on for a time slice. */
  readonly turn: () => Promise<void>;
}

/** How long the work of a replay goes on between two turns. */
export const REPLAY_SLICE_MILLIS = 0.25;

export interface TopicEvent {
  /** A random UUID: it tells nothing about other events. */
  readonly id: string;
  readonly values: EventValues;
}

/**
 * An event in transport. `sequence` counts the events of one topic without a hole; `id` is unique.
 */
export interface BusMessage extends TopicEvent {
  readonly topic: string;
  readonly sequence: number;
}

/**
 * Carries events between processes, without a guarantee: `OrderedBus` detects lost and duplicate
 * events.
 */
export interface EventTransport {
  hasSubscribers(topic: string): boolean;
  skip(topic: string): void;
  /** Numbers an event and sends it to all subscribers, of this process too. Never throws. */
  publish(topic: string, id: string, values: EventValues): void;
  subscribe(topic: string, receiver: TransportReceiver): () => void;
  /**
   * Resolves when all events published before the call have been received. Rejects where that is
   * unknown.
   */
  settle(): Promise<void>;
  /**
   * The events after the one with this id; null: none of them. Rejects while the history cannot be
   * read. The work goes on after each `turn`.
   */
  replay(topic: string, after: string | null, turn: ReplayPace['turn']): Promise<Replay>;
  close(): Promise<void>;
}

export interface Replay {
  /** After this id nothing was published yet. */
  readonly position: string;
  /** Number of the newest event. */
  readonly sequence: number;
  /** In order; null where some of them are no longer kept, or the id is unknown. */
  readonly missed: readonly BusMessage[] | null;
}

export interface TransportReceiver {
  message(message: BusMessage): void;
  /**
   * The transport was disconnected and is back: events of the meantime can be had with `replay`.
   */
  resumed(): void;
  /** Events may be lost that no sequence number reveals. */
  lost(): void;
}

/** Whether a text has the form of the id of an event: a UUID as `randomUUID` writes it. */
export const isEventId = (text: string): boolean => EVENT_ID.test(text);

const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
