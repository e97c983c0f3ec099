import type { ExecutionResult } from 'graphql';
import { Cancellation, type CancelSignal } from '../../base/cancellation.js';

import type { EventBus, EventValues } from '../../base/event-bus.js';
import { Exchange, nextExchangeId } from '../../base/exchange.js';
import { Refusal, refuseByLimit } from '../../base/refusal.js';
import type { RequestContext } from '../../codec/write/source.js';
import { claimsIn } from '../../config/request-claims.js';
import type { Admitted } from '../../graphql/admission/admit.js';
import type { LinkAsk } from '../../graphql/links/link-plan.js';
import type { AdmittedOperation } from '../../graphql/operation.js';
import { argumentsOf } from '../../graphql/run/arguments.js';
import { isWanted } from '../../graphql/run/event-answer.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import { type RootField, type RootPlan, rootPlanOf } from '../../graphql/run/root-plan.js';
import type { PollSource, Subscription } from '../../graphql/subscription/subscription.js';
import type { SubscriptionLimits } from '../../pubsub/limits.js';
import type { Caller } from '../calls/authorize.js';
import { callOperation } from '../graphql/call.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import { CallerHost } from '../graphql/host.js';
import { expiry } from '../http/expiry.js';
import { callPoints, PollAccount } from './poll-account.js';
import type { Polled } from './poller.js';
import { Pollers } from './pollers.js';
import { answering, type Happening, needsCall, type Told } from './subscription-event.js';
import { type EventOutcome, type Farewell, SubscriptionStream } from './subscription-stream.js';
import type { FeedSink } from './upstream/feed.js';
import type { RemoteFeeds } from './upstream/remote-feeds.js';
import { passOn } from './upstream-source.js';

/** Who subscribes, and over what. */
export interface Subscriber {
  readonly caller: Caller;
  readonly headers: RequestContext['headers'];
  readonly transport: 'sse' | 'websocket';
  readonly exchange: Exchange;
}

export interface SubscriptionHooks {
  readonly finish: (exchange: Exchange) => void;
  readonly began: (field: string, subscriber: Subscriber) => void;
  readonly ended: (field: string, subscriber: Subscriber, why: Farewell, events: number) => void;
  readonly told: (field: string, outcome: EventOutcome) => void;
}

export interface DeskParts {
  readonly endpoint: GraphqlEndpoint;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** Those at services that speak GraphQL. */
  readonly feeds: RemoteFeeds;
  readonly bus: EventBus;
  readonly limits: SubscriptionLimits;
  readonly hooks: SubscriptionHooks;
}

type Stream = SubscriptionStream<Happening>;

/** Where subscriptions are taken, over whatever transport, and held to what one client may have. */
export class SubscriptionDesk {
  readonly #parts: DeskParts;
  readonly #pollers: Pollers;
  readonly #streams = new Set<Stream>();
  readonly #byClient = new Map<string, number>();
  readonly #byField = new Map<string, number>();
  #isClosed = false;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#pollers = new Pollers(parts.limits.pollers);
    const remote = [...(parts.endpoint.operations.built.subschemaFields?.values() ?? [])].filter(
      ({ parent }) => parent === 'Subscription',
    );
    for (const name of [...parts.subscriptions.keys(), ...remote.map((field) => field.name)])
      this.#byField.set(name, 0);
  }

  /** Subscriptions that run, by field. */
  get active(): ReadonlyMap<string, number> {
    return this.#byField;
  }

  /** Calls that are repeated. */
  get pollers(): number {
    return this.#pollers.count;
  }

  /** Begins an admitted subscription. Throws `RATE_LIMITED`, `FORBIDDEN`, `BAD_USER_INPUT`. */
  begin(operation: AdmittedOperation, subscriber: Subscriber): AsyncGenerator<ExecutionResult, void, undefined> {
    if (this.#isClosed) throw new Refusal('OVERLOADED', 'drain');
    const { endpoint, subscriptions, limits, hooks } = this.#parts;
    const { admitted } = operation;
    const rootPlan = rootPlanOf(admitted, endpoint.operations.built);
    const [field] = rootPlan.fields;
    const subscription = subscriptions.get(field?.name ?? '') ?? null;
    // @skip may leave nothing.
    const ask = field?.call?.ask;
    if (field === undefined || ask === undefined) throw new Refusal('BAD_USER_INPUT');
    const { id } = subscriber.caller.client;
    const count = this.#byClient.get(id) ?? 0;
    if (count >= limits.perClient) {
      throw refuseByLimit('RATE_LIMITED', 'limits.subscriptions.perClient', limits.perClient);
    }
    const { exchange, caller, headers } = subscriber;
    const host = new CallerHost(endpoint, caller, exchange, { signal: NEVER, headers });
    operation.authorizeAndCharge(host);
    const { name } = field;
    const hasLinks = field.call?.walk !== null;
    const given = ask.kind === 'subschema' ? NOTHING : this.#givenTo(field, ask.bound.headersArgument, admitted);
    const cost = ask.kind === 'subschema' ? ask.plan.field.cost : (ask.bound.cost ?? null);
    const points = callPoints({ cost, given: given.arguments }, endpoint.operations.limits);
    // Of a poll the first call is paid for, and what is told of it when it is.
    if (subscription?.source.kind === 'poll') host.reconcile(points);
    const told = operation.at(needsCall(subscription) ? admitted.cost : Math.max(0, admitted.cost - points));
    const asked = { given, points: told.admitted.cost, rootPlan, admitted };
    let events = 0;
    let release = (): void => {};
    const stream: Stream = new SubscriptionStream({
      id: exchange.id,
      limits,
      answer: (event, signal) => this.#answer(event, { operation: told, subscription, subscriber, hasLinks, signal }),
      told: (outcome) => {
        if (outcome !== 'filtered') events++;
        hooks.told(name, outcome);
      },
      ended: (why) => {
        release();
        this.#streams.delete(stream);
        add(this.#byField, name, -1);
        add(this.#byClient, id, -1);
        if (this.#byClient.get(id) === 0) this.#byClient.delete(id);
        hooks.ended(name, subscriber, why, events);
      },
    });
    const leave = this.#open(stream, subscription, subscriber, ask, asked);
    const stopWatching = expiry(caller.client.expiresMillis, () => stream.end('expired', 'UNAUTHENTICATED'));
    release = () => {
      leave();
      stopWatching();
    };
    this.#streams.add(stream);
    add(this.#byField, name, 1);
    add(this.#byClient, id, 1);
    hooks.began(name, subscriber);
    return stream;
  }

  /** Ends all of them: what they have yet to tell is not told. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams]) stream.end('drain', null);
  }

  #sinkOf(stream: Stream): FeedSink {
    return {
      accepted: () => {},
      event: (answer, bytes) => stream.push({ kind: 'remote', answer }, bytes),
      ended: (refusal) => stream.finish(refusal === null ? 'completed' : 'failed', refusal?.code ?? null),
    };
  }

  #givenTo({ nodes, name }: RootField, headersArgument: string | null, { variables }: Admitted): Given {
    const definition = this.#parts.endpoint.operations.built.schema.getSubscriptionType()?.getFields()[name];
    const [node] = nodes;
    if (definition === undefined || node === undefined) throw new Error('admitted without a field');
    return argumentsOf(definition, node, variables, headersArgument);
  }

  /** Lets events come, from wherever they do; the answer ends it. */
  #open(
    stream: Stream,
    subscription: Subscription | null,
    subscriber: Subscriber,
    ask: LinkAsk,
    { given, points, rootPlan, admitted }: Begun,
  ): () => void {
    const { endpoint, feeds, hooks } = this.#parts;
    if (ask.kind === 'subschema') {
      const passed = { plan: ask.plan, rootPlan, admitted, subscriber };
      return passOn(passed, this.#sinkOf(stream), { endpoint, feeds, finish: hooks.finish });
    }
    if (subscription === null) throw new Error('a field of Subscription that nothing is known of');
    return this.#feed(stream, subscription, subscriber, { given, plan: ask.reply, points });
  }

  #feed(stream: Stream, subscription: Subscription, subscriber: Subscriber, asked: Asked): () => void {
    const { source } = subscription;
    const { given } = asked;
    if (source.kind === 'poll') return this.#poll(stream, subscription, source, subscriber, asked);
    return this.#parts.bus.subscribe(source.topic, {
      // What nobody asked for must not take the room of what he did.
      event: (values) => {
        if (values === null) stream.gap();
        else if (isWanted(source, given.arguments, values)) stream.push({ kind: 'event', values }, sizeOf(values));
        else this.#parts.hooks.told(subscription.name, 'filtered');
      },
      gap: () => stream.gap(),
    });
  }

  #poll(
    stream: Stream,
    subscription: Subscription,
    source: PollSource,
    { headers, caller }: Subscriber,
    { given, plan, points }: Asked,
  ): () => void {
    const { endpoint, hooks } = this.#parts;
    const service = endpoint.services.get(subscription.bound.service);
    if (service === undefined) throw new Error('a field of a service that is not there');
    const { claims } = caller.client;
    const entry = service.config.operations[subscription.bound.operation.name];
    const taken = [
      ...service.config.callerHeaders.map((name) => headers[name.toLowerCase()] ?? null),
      ...claimsIn(entry).map((name) => claims?.[name] ?? null),
    ];
    const call = { cost: subscription.bound.cost ?? null, given: given.arguments };
    const member = {
      plan,
      account: new PollAccount(caller, call, points, endpoint),
      told: (polled: Polled, bytes: number) => stream.push({ kind: 'polled', polled }, bytes),
    };
    return this.#pollers.join(subscription, source, given, taken, member, async (call, signal) => {
      const exchange = new Exchange(nextExchangeId(), '', 'POLL');
      exchange.route = 'graphql';
      exchange.operation = 'subscription';
      try {
        return await callOperation(call, { exchange, service, signal, headers, claims, limits: endpoint.codec });
      } catch (caught) {
        if (caught instanceof Refusal) exchange.refuse(caught);
        throw caught;
      } finally {
        hooks.finish(exchange);
      }
    });
  }

  /** One event is one execution, admitted and paid for like a request. */
  async #answer(event: Happening, run: Run): Promise<ExecutionResult | null> {
    const { endpoint, hooks } = this.#parts;
    const { operation, subscriber, signal } = run;
    const { caller, headers, exchange: own } = subscriber;
    const exchange = new Exchange(nextExchangeId(), own.client, 'EVENT');
    exchange.route = 'graphql';
    exchange.clientClass = own.clientClass;
    exchange.caller = own.caller;
    const host = new CallerHost(endpoint, caller, exchange, {
      signal,
      headers,
      answeredBy: (calls) => answering(event, run, calls),
    });
    // That nothing can be told costs nothing.
    const isFailure = event.kind === 'polled' && event.polled.kind === 'failed';
    const priced = isFailure ? operation.at(0) : operation;
    // Only what is read from the event itself holds nothing of a backend.
    const mayCall = run.hasLinks || (event.kind === 'event' && needsCall(run.subscription));
    const release = mayCall ? await endpoint.concurrency.acquireLater(caller.client, signal) : null;
    try {
      return await priced.authorizeAndCharge(host).run();
    } catch (caught) {
      if (caught instanceof Refusal) exchange.refuse(caught);
      throw caught;
    } finally {
      release?.();
      if (exchange.upstreamCalls > 0 || exchange.refusal !== null) hooks.finish(exchange);
    }
  }
}

type Given = Pick<FieldCall, 'arguments' | 'headers'>;

const NOTHING: Given = { arguments: {}, headers: {} };

interface Asked {
  readonly given: Given;
  readonly plan: FieldCall['plan'];
  /** What telling it once may come to, without the call. */
  readonly points: number;
}

interface Begun extends Pick<Asked, 'given' | 'points'> {
  readonly rootPlan: RootPlan;
  readonly admitted: Admitted;
}

interface Run extends Told {
  /** At the price of one event. */
  readonly operation: AdmittedOperation;
  readonly subscriber: Subscriber;
  readonly signal: CancelSignal;
}

const NEVER = new Cancellation();

function add(counts: Map<string, number>, name: string, amount: number): void {
  counts.set(name, (counts.get(name) ?? 0) + amount);
}

const sizeOf = (values: NonNullable<EventValues>): number => JSON.stringify(values).length;
