import type { LiveClient } from '../../../access/live-client.js';
import type { RequestContext } from '../../../codec/index.js';
import type { eventBus } from '../../../core/index.js';
import type { Exchange } from '../../../gateway/exchange.js';
import type { admission, run } from '../../../graphql/index.js';
import type { ExchangeObserver } from '../../../observe/exchange-observer.js';
import type { Caller } from '../../calls/authorize.js';
import type { GraphqlEndpoint } from '../../graphql/endpoint.js';
import type { BackendCalls } from '../../graphql/host.js';
import type { Pollers } from '../polling/pollers.js';
import type { UpstreamFeeds } from '../upstream/upstream-feeds.js';
import type { EventOutcome, EventSink } from './subscription-stream.js';

/** The client that subscribes, and its transport. */
export interface Subscriber {
  readonly caller: Caller;
  /** The credentials of the client, which are verified again while it is subscribed. */
  readonly live: LiveClient;
  /** Header fields that may go on to backends. */
  readonly headers: RequestContext['headers'];
  readonly transport: 'sse' | 'websocket';
  readonly exchange: Exchange;
  /** Null for transports without ids. */
  readonly resumption: SubscriberResumption | null;
  /**
   * Closes the connection, so that the client subscribes again; null where the end of the stream
   * has the same effect.
   */
  readonly disconnect: (() => void) | null;
}

/** How a client resumes a subscription, where its source has ids of events. */
export interface SubscriberResumption {
  /** The id that the client sent, as it came; null for a new subscription. */
  readonly after: string | null;
  readonly pace: eventBus.ReplayPace;
  /** Called when the position of the stream is known, unless results come first. */
  begun(): void;
}

/** One event of a subscription: it answers the subscribed field. */
export interface SubscriptionEvent {
  /** It has only a failure to report, and costs nothing. */
  readonly isFailure: boolean;
  /** Calls that the event answers by itself, in place of a backend. */
  answers(calls: BackendCalls): Partial<BackendCalls>;
}

/**
 * The source of the events of one subscription. It is a poll, the messages that pass the gateway or
 * are posted to a callback address, or a subscription at a GraphQL upstream. A new kind implements
 * this and is chosen in `sourceOf`.
 */
export interface SubscriptionSource {
  /** Points of the call of the subscribed field, which is part of the estimate. */
  readonly callPoints: number;
  /**
   * The client pays for the call of the field with each event; else only for what the event
   * selects.
   */
  readonly isCalledPerEvent: boolean;
  /**
   * The field is called when the subscription begins, and that call is all that the beginning
   * costs.
   */
  readonly isCalledAtBegin: boolean;
  /**
   * Begins to deliver events, each at so many points. Returns how to end it. Throws `RATE_LIMITED`.
   */
  open(sink: EventSink<SubscriptionEvent>, eventPoints: number): () => void;
}

/** The parts of the gateway that a source needs. */
export interface SourceParts {
  readonly endpoint: GraphqlEndpoint;
  readonly pollers: Pollers;
  readonly feeds: UpstreamFeeds;
  readonly bus: eventBus.EventBus;
  /** Records the exchange of a call that belongs to no request. */
  readonly finish: (exchange: Exchange) => void;
  readonly observer: ExchangeObserver;
  readonly report: (field: string, outcome: EventOutcome) => void;
}

/** The subscription of a client. */
export interface Subscribed {
  readonly field: run.RootField;
  readonly rootPlan: run.RootPlan;
  readonly admitted: admission.Admitted;
  /** Links in the answer are filled in place. */
  readonly hasLinks: boolean;
  readonly subscriber: Subscriber;
}
