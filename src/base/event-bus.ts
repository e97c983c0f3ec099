/**
 * The values of an event, by the path each was read from: a simple value, a list of them, or a `InvalidValue`. Null for an
 * event that was too large to be relayed.
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
  /** Whether a topic has a subscriber, here or elsewhere. Without one its events need not be read from messages. */
  hasSubscribers(topic: string): boolean;
  /** Never throws: an event that cannot be delivered is a gap for its subscribers. */
  publish(topic: string, values: EventValues): void;
  /** Reports every event from now on, in order, until the returned function is called. */
  subscribe(topic: string, listener: EventListener): () => void;
  close(): Promise<void>;
}

export interface EventListener {
  event(values: EventValues): void;
  /** An unknown number of events is lost: state derived from earlier events may be wrong by now. */
  gap(): void;
}

/** An event in transport. `sequence` counts the events of one topic without a hole; `id` is unique. */
export interface BusMessage {
  readonly id: string;
  readonly topic: string;
  readonly sequence: number;
  readonly values: EventValues;
}

/** Carries events between processes, without a guarantee: `OrderedBus` detects lost and duplicate events. */
export interface EventTransport {
  hasSubscribers(topic: string): boolean;
  /** Numbers an event and sends it to all subscribers, of this process too. Never throws. */
  publish(topic: string, id: string, values: EventValues): void;
  subscribe(topic: string, receiver: TransportReceiver): () => void;
  /** The events after this number, in order; null where some of them are no longer kept, or that is unknown. */
  replay(topic: string, after: number): Promise<readonly BusMessage[] | null>;
  close(): Promise<void>;
}

export interface TransportReceiver {
  message(message: BusMessage): void;
  /** The transport was disconnected and is back: events of the meantime can be had with `replay`. */
  resumed(): void;
  /** Events may be lost that no sequence number reveals. */
  lost(): void;
}
