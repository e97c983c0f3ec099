import type { ReplyPlan } from '../../../codec/index.js';
import type { FieldFeed } from '../feeds/feed.js';
import type { BoundField } from '../fields/bound-field.js';

/** A field of Subscription as the configuration has it. */
export interface SubscriptionMapping {
  readonly name: string;
  readonly source: PollMapping | EventMapping;
  readonly description: string | null;
  /** Why it should not be used any more; null where it should. */
  readonly deprecated: string | null;
}

export interface PollMapping {
  readonly kind: 'poll';
  /** `orders.GetOrder` */
  readonly operation: string;
  readonly everyMillis: number;
  /** Path to the value whose change is reported; null: the selection. */
  readonly changed: string | null;
}

/** Values are named by paths that begin with `request` or `reply`. */
export interface EventMapping {
  readonly kind: 'on' | 'callback';
  readonly operation: string;
  readonly where: Readonly<Record<string, string>>;
  /** Maps arguments of the subscription to the paths of values. */
  readonly filter: Readonly<Record<string, string>>;
  /** The operation that is called for each event; null: `fields` are the answer. */
  readonly answer: string | null;
  /** Maps arguments of `answer`, or paths into it, to the paths of values. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** A field of Subscription, resolved against the schema. */
export interface Subscription {
  readonly name: string;
  /** The field itself, as its document is planned. */
  readonly bound: BoundField;
  /** The operation that is called to answer; null where the event is the answer. */
  readonly called: BoundField | null;
  readonly source: PolledSource | EventSource;
}

export interface PolledSource {
  readonly kind: 'poll';
  readonly everyMillis: number;
  /** Reads the value whose change is reported; null: the selection. */
  readonly changed: ReplyPlan | null;
}

export interface EventSource {
  readonly kind: 'event';
  readonly topic: string;
  /** The values a message must have, by their path. */
  readonly where: ReadonlyMap<string, string>;
  /** Maps arguments to the paths of values. */
  readonly filter: ReadonlyMap<string, string>;
  /** The sources of the arguments of `called`: the feed, and the path of its value. */
  readonly feeds: readonly { readonly feed: FieldFeed; readonly path: string }[];
}

/**
 * An operation whose messages are events of subscriptions, and the values that are read from them.
 */
export interface EventTopic {
  readonly name: string;
  readonly via: 'on' | 'callback';
  readonly service: string;
  readonly operation: string;
  readonly request: ValueReading | null;
  readonly reply: ValueReading | null;
}

/** How values are read from one message: the plan has a slot for each path, in this order. */
export interface ValueReading {
  readonly plan: ReplyPlan;
  readonly paths: readonly string[];
}

export interface SubscriptionTable {
  /** Maps names to subscriptions. */
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  readonly topics: readonly EventTopic[];
}

/** The name of a topic. */
export const topicOf = (via: 'on' | 'callback', operation: string): string => `${via}:${operation}`;
