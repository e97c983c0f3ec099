import { performance } from 'node:perf_hooks';
import { Exchange, nextExchangeId } from '../../base/exchange.js';
import { asRefusal, Refusal } from '../../base/refusal.js';
import type { RequestContext } from '../../codec/write/source.js';
import type { Admitted } from '../../graphql/admission/admit.js';
import type { SubschemaPlan } from '../../graphql/fields/subschema.js';
import type { RootPlan } from '../../graphql/run/root-plan.js';
import { subschemaRequestOf } from '../../graphql/run/subschema-request.js';
import type { Caller } from '../calls/authorize.js';
import { authorizeUpstream } from '../graphql/authorize-upstream.js';
import type { GraphqlEndpoint } from '../graphql/endpoint.js';
import type { FeedSink } from './upstream/feed.js';
import type { RemoteFeeds } from './upstream/remote-feeds.js';

export interface PassedOn {
  readonly plan: SubschemaPlan;
  readonly rootPlan: RootPlan;
  readonly admitted: Admitted;
  readonly subscriber: {
    readonly caller: Caller;
    readonly headers: RequestContext['headers'];
    readonly exchange: Exchange;
  };
}

export interface PassingParts {
  readonly endpoint: GraphqlEndpoint;
  readonly feeds: RemoteFeeds;
  /** Told of the call that begins it, and of the failure that ends it. */
  readonly finish: (exchange: Exchange) => void;
}

/** Subscribes at a service that speaks GraphQL to what a client has subscribed to here. The answer leaves. */
export function passOn(
  { plan, rootPlan, admitted, subscriber }: PassedOn,
  sink: FeedSink,
  parts: PassingParts,
): () => void {
  const { endpoint, feeds } = parts;
  const { caller, headers, exchange: own } = subscriber;
  const { service: name } = plan.field;
  let leave: (() => void) | null = null;
  let isLeft = false;
  /** When the service was asked; null before that, and when it has been told what became of it. */
  let askedMillis: number | null = null;
  const note = (refusal: Refusal | null): void => {
    if (askedMillis === null && refusal === null) return;
    const exchange = new Exchange(nextExchangeId(), own.client, 'EVENT');
    exchange.route = 'graphql';
    exchange.operation = 'subscription';
    exchange.clientClass = own.clientClass;
    exchange.caller = own.caller;
    if (askedMillis !== null) {
      exchange.upstreamCalls = 1;
      exchange.upstreamMillis = performance.now() - askedMillis;
    }
    askedMillis = null;
    if (refusal !== null) exchange.refuse(refusal);
    parts.finish(exchange);
  };
  const ended = (refusal: Refusal | null): void => {
    note(refusal);
    sink.ended(refusal);
  };
  const begin = async (): Promise<void> => {
    const request = await subschemaRequestOf(plan, {}, admitted, rootPlan);
    if (isLeft) return;
    const service = endpoint.remotes.get(name);
    if (request === null || service === undefined) throw new Error('a subscription that nobody can be asked for');
    authorizeUpstream(caller.client, request, service.subschema.schema);
    leave = feeds.open(name, request, headers, {
      accepted() {
        note(null);
        sink.accepted();
      },
      event: (answer, bytes) => sink.event(answer, bytes),
      ended,
    });
    askedMillis = performance.now();
  };
  begin().catch((caught: unknown) => {
    if (!isLeft) ended(asRefusal(caught));
  });
  return () => {
    if (isLeft) return;
    isLeft = true;
    leave?.();
    if (askedMillis !== null) note(new Refusal('CLIENT_GONE'));
  };
}
