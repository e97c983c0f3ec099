/**
 * What an event says, by the path each value was read from: a simple value, a list of them, or a `WrongValue`. Null where
 * it was too much to be passed on.
 */
export type EventValues = Readonly<Record<string, unknown>> | null;

/** Stands in place of a value that was not as its type wants it. */
export interface WrongValue {
  /** What could be read of it. */
  readonly value: unknown;
  readonly errors: readonly WrongPlace[];
}

export interface WrongPlace {
  /** Where in the value: the place in a list. */
  readonly path: readonly (string | number)[];
  readonly rule: string;
}

/** Events between those who see something happen and those who want to know, in this process and in others. */
export interface EventBus {
  /** Somebody listens, here or elsewhere: what nobody listens to need not be read from a message at all. */
  wants(topic: string): boolean;
  /** Never throws: an event that cannot be passed on is a gap for who listens. */
  publish(topic: string, values: EventValues): void;
  /** Tells of every event from now on, in order, until the answer is called. */
  subscribe(topic: string, listener: EventListener): () => void;
  close(): Promise<void>;
}

export interface EventListener {
  event(values: EventValues): void;
  /** Events are lost, nobody knows which: what was concluded from those before may be wrong by now. */
  gap(): void;
}

/** An event on its way. `sequence` counts those of one topic without a hole; `id` is unique. */
export interface BusMessage {
  readonly id: string;
  readonly topic: string;
  readonly sequence: number;
  readonly values: EventValues;
}

/**
 * Carries events between processes, at most once, perhaps twice, perhaps not at all. What it loses or doubles is found
 * out by `OrderedBus`.
 */
export interface EventTransport {
  wants(topic: string): boolean;
  /** Numbers an event and sends it to all who subscribed, this process too. Never throws. */
  publish(topic: string, id: string, values: EventValues): void;
  subscribe(topic: string, receiver: TransportReceiver): () => void;
  /** The events after this number, in order; null where some of them are not kept any more, or nobody can tell. */
  replay(topic: string, after: number): Promise<readonly BusMessage[] | null>;
  close(): Promise<void>;
}

export interface TransportReceiver {
  message(message: BusMessage): void;
  /** It was cut off for a while, and is back: what came meanwhile is asked for with `replay`. */
  resumed(): void;
  /** Events may be lost of which not even a number is left. */
  lost(): void;
}
