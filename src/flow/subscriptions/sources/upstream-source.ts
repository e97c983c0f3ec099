import { performance } from 'node:perf_hooks';
import { asRefusal, Refusal } from '../../../core/index.js';
import { run, type subschemas } from '../../../graphql/index.js';
import { authorizeUpstream } from '../../graphql/authorize-upstream.js';
import type { FeedSink } from '../upstream/feed.js';
import { fieldCallPoints } from './field-arguments.js';
import type { SourceParts, Subscribed, SubscriptionEvent, SubscriptionSource } from './source.js';
import type { EventSink } from './subscription-stream.js';

/** Subscribes at a GraphQL upstream to what the client has subscribed to here. */
export class UpstreamSource implements SubscriptionSource {
  readonly callPoints: number;
  readonly isCalledPerEvent = false;
  readonly isCalledAtBegin = false;
  readonly #parts: SourceParts;
  readonly #subscribed: Subscribed;
  readonly #plan: subschemas.SubschemaPlan;

  constructor(parts: SourceParts, subscribed: Subscribed, plan: subschemas.SubschemaPlan) {
    this.#parts = parts;
    this.#subscribed = subscribed;
    this.#plan = plan;
    this.callPoints = fieldCallPoints(
      plan.field.cost,
      { arguments: {}, headers: {} },
      parts.endpoint,
    );
  }

  open(sink: EventSink<SubscriptionEvent>): () => void {
    let close: (() => void) | null = null;
    let isClosed = false;
    /** When the upstream was asked; null before that, and once its answer is recorded. */
    let askedMillis: number | null = null;
    const record = (refusal: Refusal | null): void => {
      if (askedMillis === null && refusal === null) return;
      this.#record(askedMillis, refusal);
      askedMillis = null;
    };
    const ended = (refusal: Refusal | null): void => {
      record(refusal);
      sink.finish(refusal === null ? 'completed' : 'failed', refusal?.code ?? null);
    };
    const begin = async (): Promise<void> => {
      const { admitted, rootPlan, subscriber } = this.#subscribed;
      const { endpoint, feeds } = this.#parts;
      const { service: name } = this.#plan.field;
      const request = await run.subschemaRequestOf(this.#plan, {}, admitted, rootPlan);
      if (isClosed) return;
      const service = endpoint.graphqlUpstreams.get(name);
      if (request === null || service === undefined) {
        throw new Error('a subscription without an upstream');
      }
      authorizeUpstream(subscriber.caller.client, request, service.subschema.schema);
      const { headers, exchange } = subscriber;
      const feedSink: FeedSink = {
        accepted: () => record(null),
        event: (answer, bytes) => sink.push(eventOf(answer), bytes),
        ended,
      };
      close = feeds.open(name, request, headers, feedSink, exchange.observer);
      askedMillis = performance.now();
    };
    begin().catch((caught: unknown) => {
      if (!isClosed) {
        ended(asRefusal(caught));
      }
    });
    return () => {
      if (isClosed) return;
      isClosed = true;
      close?.();
      if (askedMillis !== null) {
        record(new Refusal('CLIENT_GONE'));
      }
    };
  }

  /** Records the call that begins the subscription, or the failure that ends it. */
  #record(askedMillis: number | null, refusal: Refusal | null): void {
    const exchange = this.#subscribed.subscriber.exchange.followUp('EVENT');
    exchange.operation = 'subscription';
    if (askedMillis !== null) {
      exchange.upstream.calls = 1;
      exchange.upstream.millis = performance.now() - askedMillis;
    }
    if (refusal !== null) {
      exchange.refuse(refusal);
    }
    this.#parts.finish(exchange);
  }
}

const eventOf = (answer: unknown): SubscriptionEvent => ({
  isFailure: false,
  answers: (calls) => ({
    sendToSubschema: async (request) =>
      request.operation === 'subscription' ? { answer } : calls.sendToSubschema(request),
  }),
});
