import { isDeepStrictEqual } from 'node:util';
import type { ExecutionResult } from 'graphql';
import {
  asRefusal,
  Cancellation,
  type CancelSignal,
  Refusal,
  refuseByLimit,
} from '../../../core/index.js';
import type { PollSharing } from '../../../gateway/shared/poll-sharing.js';
import { type admission, type lifecycle, run, type subscriptions } from '../../../graphql/index.js';
import type { SubscriptionLimits } from '../../../pubsub/limits.js';
import { type Caller, withClaims } from '../../calls/authorize.js';
import { CallerHost } from '../../graphql/host.js';
import { Pollers } from '../polling/pollers.js';
import { fieldArguments } from './field-arguments.js';
import { PollSource } from './poll-source.js';
import { recheck } from './recheck.js';
import type {
  SourceParts,
  Subscribed,
  Subscriber,
  SubscriptionEvent,
  SubscriptionSource,
} from './source.js';
import { type EndReason, SubscriptionStream } from './subscription-stream.js';
import { TopicSource } from './topic-source.js';
import { UpstreamSource } from './upstream-source.js';

export interface SubscriptionHooks extends Pick<SourceParts, 'finish' | 'observer' | 'report'> {
  readonly began: (field: string, subscriber: Subscriber) => void;
  readonly ended: (field: string, subscriber: Subscriber, why: EndReason, events: number) => void;
}

export interface ManagerParts extends Pick<SourceParts, 'endpoint' | 'feeds' | 'bus'> {
  readonly subscriptions: ReadonlyMap<string, subscriptions.Subscription>;
  readonly limits: SubscriptionLimits;
  /** With other processes; null: this one polls for itself. */
  readonly pollSharing: PollSharing | null;
  readonly hooks: SubscriptionHooks;
}

type Stream = SubscriptionStream<SubscriptionEvent>;

/** The subscriptions of all clients and transports, with their limit per client. */
export class SubscriptionManager {
  readonly #parts: ManagerParts;
  readonly #sources: SourceParts;
  readonly #streams = new Map<Stream, Subscriber>();
  readonly #byClient = new Map<string, number>();
  readonly #byField = new Map<string, number>();
  #isClosed = false;

  constructor(parts: ManagerParts) {
    this.#parts = parts;
    const { endpoint, hooks } = parts;
    this.#sources = {
      ...parts,
      ...hooks,
      pollers: new Pollers(parts.limits.pollers, parts.pollSharing),
    };
    const ofUpstreams = [...(endpoint.operations.built.subschemaFields?.values() ?? [])].filter(
      ({ parent }) => parent === 'Subscription',
    );
    for (const name of [...parts.subscriptions.keys(), ...ofUpstreams.map((field) => field.name)]) {
      this.#byField.set(name, 0);
    }
  }

  /** Active subscriptions, by field. */
  get active(): ReadonlyMap<string, number> {
    return this.#byField;
  }

  /** Calls that are repeated. */
  get pollers(): number {
    return this.#sources.pollers.count;
  }

  /**
   * Begins an admitted subscription. Throws `GATEWAY_DRAINING`, `RATE_LIMITED`, `FORBIDDEN`,
   * `BAD_USER_INPUT`.
   */
  begin(operation: lifecycle.AdmittedOperation, subscriber: Subscriber): Stream {
    if (this.#isClosed) throw new Refusal('GATEWAY_DRAINING');
    const { endpoint, limits, hooks } = this.#parts;
    const { admitted } = operation;
    const rootPlan = run.rootPlanOf(admitted, endpoint.operations.built);
    const [field] = rootPlan.fields;
    if (field?.isForbidden === true) throw new Refusal('FORBIDDEN');
    // @skip may leave nothing.
    if (field?.call === undefined || field.call === null) throw new Refusal('BAD_USER_INPUT');
    const { id } = subscriber.caller.client;
    const count = this.#byClient.get(id) ?? 0;
    if (count >= limits.perClient) {
      throw refuseByLimit('RATE_LIMITED', 'limits.subscriptions.perClient', limits.perClient);
    }
    const { exchange, caller, headers } = subscriber;
    const host = new CallerHost(endpoint, caller, exchange, { signal: NEVER, headers });
    operation.authorizeAndCharge(host);
    const { name } = field;
    const hasLinks = field.call.walk !== null;
    const source = this.#sourceOf({ field, rootPlan, admitted, hasLinks, subscriber });
    if (source.isCalledAtBegin) {
      host.reconcile(source.callPoints);
    }
    const ofEvents = operation.at(
      source.isCalledPerEvent ? admitted.cost : Math.max(0, admitted.cost - source.callPoints),
    );
    const mayCall = hasLinks || source.isCalledPerEvent;
    let events = 0;
    let release = (): void => {};
    const stream: Stream = new SubscriptionStream({
      id: exchange.id,
      limits,
      answer: (event, signal) =>
        this.#answer(event, { field: name, operation: ofEvents, subscriber, mayCall, signal }),
      report: (outcome) => {
        if (outcome !== 'filtered') {
          events++;
        }
        hooks.report(name, outcome);
      },
      ended: (why) => {
        release();
        this.#streams.delete(stream);
        add(this.#byField, name, -1);
        add(this.#byClient, id, -1);
        if (this.#byClient.get(id) === 0) {
          this.#byClient.delete(id);
        }
        hooks.ended(name, subscriber, why, events);
        // That of an HTTP request ends with its answer.
        if (subscriber.transport === 'websocket') {
          hooks.observer.end(exchange);
        }
      },
    });
    const close = source.open(stream, ofEvents.admitted.cost);
    const stopWatching = subscriber.live.addEndListener((end, { code }) => {
      // The client is told by the end of its connection, and may connect again.
      if (subscriber.disconnect !== null) {
        stream.leave(end);
      } else {
        stream.end(end, code);
      }
    });
    const stopAsking = this.#recheck(admitted, subscriber, () => stream.end('denied', 'FORBIDDEN'));
    release = () => {
      close();
      stopWatching();
      stopAsking();
    };
    this.#streams.set(stream, subscriber);
    add(this.#byField, name, 1);
    add(this.#byClient, id, 1);
    hooks.began(name, subscriber);
    return stream;
  }

  /**
   * Ends all subscriptions; queued events are dropped. A completed one over a WebSocket would not
   * be begun again.
   */
  close(): void {
    this.#isClosed = true;
    for (const [stream, { disconnect }] of [...this.#streams]) {
      if (disconnect === null) {
        stream.end('drain', 'GATEWAY_DRAINING');
      } else {
        stream.leave('drain');
        // Results that are on their way are sent before the close frame.
        setImmediate(disconnect);
      }
    }
  }

  /**
   * Asks the decision point again while a subscription goes on. Only denials are logged and
   * counted.
   */
  #recheck(admitted: admission.Admitted, subscriber: Subscriber, denied: () => void): () => void {
    const { headers, exchange: own } = subscriber;
    const { endpoint, hooks } = this.#parts;
    const everyMillis = endpoint.policy?.recheckMillis ?? 0;
    if (everyMillis === 0) return () => {};
    const ask = async (): Promise<void> => {
      const exchange = own.followUp(own.method);
      exchange.operation = 'subscription';
      try {
        // The question is about the client as its credentials have it.
        const caller = { ...subscriber.caller, client: subscriber.live.client };
        const host = new CallerHost(endpoint, caller, exchange, { signal: NEVER, headers });
        await host.consult?.(admitted);
        const isAnswered = exchange.policyResults?.at(-1) !== 'failed';
        if (isAnswered && !haveSameClaims(host.caller, subscriber.caller)) {
          throw new Refusal('FORBIDDEN', 'other claims than at the beginning');
        }
      } catch (caught) {
        exchange.refuse(asRefusal(caught));
        hooks.finish(exchange);
        throw caught;
      }
    };
    return recheck(everyMillis, ask, denied);
  }

  #sourceOf(subscribed: Subscribed): SubscriptionSource {
    const parts = this.#sources;
    const { field, admitted } = subscribed;
    const ask = field.call?.ask;
    if (ask === undefined) throw new Error('a subscription without a field');
    if (ask.kind === 'subschema') return new UpstreamSource(parts, subscribed, ask.plan);
    const subscription = this.#parts.subscriptions.get(field.name);
    if (subscription === undefined) throw new Error('a field of Subscription without a source');
    const input = fieldArguments(field, ask.bound.headersArgument, admitted, parts.endpoint);
    const { source } = subscription;
    if (source.kind !== 'poll') {
      return new TopicSource(parts, {
        subscription,
        rule: source,
        input,
        resumption: subscribed.subscriber.resumption,
      });
    }
    return new PollSource(parts, subscribed, {
      subscription,
      rule: source,
      plan: ask.reply,
      input,
    });
  }

  /** Answers one event: authorized, charged and run like a request. */
  async #answer(
    event: SubscriptionEvent,
    { field, operation, subscriber, mayCall, signal }: EventContext,
  ): Promise<ExecutionResult | null> {
    const { endpoint, hooks } = this.#parts;
    const { headers, exchange: own, live } = subscriber;
    // No event is for a client whose credentials the present rules have not confirmed.
    const confirming = live.confirm();
    if (confirming !== null) {
      await confirming;
    }
    const caller = presentCaller(subscriber);
    const exchange = own.followUp('EVENT');
    hooks.observer.beginEvent(exchange, field, own.observer);
    const host = new CallerHost(endpoint, caller, exchange, {
      signal,
      headers,
      answeredBy: (calls) => event.answers(calls),
    });
    const priced = event.isFailure ? operation.at(0) : operation;
    // An event that answers everything by itself holds nothing of a backend, and needs no permit.
    const release = mayCall ? await endpoint.concurrency.acquireLater(caller.client, signal) : null;
    try {
      return await priced.authorizeAndCharge(host).run();
    } catch (caught) {
      if (caught instanceof Refusal) {
        exchange.refuse(caught);
      }
      throw caught;
    } finally {
      release?.();
      if (exchange.upstream.calls > 0 || exchange.refusal !== null) {
        hooks.finish(exchange);
      } else {
        hooks.observer.end(exchange);
      }
    }
  }
}

interface EventContext {
  readonly field: string;
  /** At the price of one event. */
  readonly operation: lifecycle.AdmittedOperation;
  readonly subscriber: Subscriber;
  /** A backend may be called: for the field itself, or for a link. */
  readonly mayCall: boolean;
  readonly signal: CancelSignal;
}

const NEVER = new Cancellation();

/** The subscriber as it was identified last, with what was decided about it at the beginning. */
const presentCaller = ({ caller, live }: Subscriber): Caller =>
  withClaims({ ...caller, client: live.client }, caller.client.decided);

const haveSameClaims = (one: Caller, other: Caller): boolean =>
  isDeepStrictEqual(one.client.decided, other.client.decided);

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}
