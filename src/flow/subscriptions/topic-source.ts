import type { EventValues } from '../../base/event-bus.js';
import { callInputOf, eventAnswer, isWanted, noAnswer } from '../../graphql/run/event-answer.js';
import type { CallInput } from '../../graphql/run/link-feed.js';
import type { Subscription, EventSource as TopicRule } from '../../graphql/subscription/subscription.js';
import { fieldCallPoints } from './field-arguments.js';
import type { SourceParts, SubscriptionEvent, SubscriptionSource } from './source.js';
import type { EventSink } from './subscription-stream.js';

/** Delivers the events of a topic: messages that pass the gateway, or that a service posts to a callback address. */
export class TopicSource implements SubscriptionSource {
  readonly callPoints: number;
  readonly isCalledPerEvent: boolean;
  readonly isCalledAtBegin = false;
  readonly #parts: SourceParts;
  readonly #subscription: Subscription;
  readonly #rule: TopicRule;
  readonly #input: CallInput;

  constructor(parts: SourceParts, subscription: Subscription, rule: TopicRule, input: CallInput) {
    this.#parts = parts;
    this.#subscription = subscription;
    this.#rule = rule;
    this.#input = input;
    this.callPoints = fieldCallPoints(subscription.bound.cost ?? null, input, parts.endpoint);
    this.isCalledPerEvent = subscription.called !== null;
  }

  open(sink: EventSink<SubscriptionEvent>): () => void {
    const rule = this.#rule;
    return this.#parts.bus.subscribe(rule.topic, {
      // Events that the filter drops do not fill the queue.
      event: (values) => {
        if (values === null) sink.gap();
        else if (isWanted(rule, this.#input.arguments, values)) sink.push(this.#eventOf(values), sizeOf(values));
        else this.#parts.report(this.#subscription.name, 'filtered');
      },
      gap: () => sink.gap(),
    });
  }

  #eventOf(values: NonNullable<EventValues>): SubscriptionEvent {
    const { bound, called } = this.#subscription;
    const rule = this.#rule;
    return {
      isFailure: false,
      answers: (calls) => ({
        callField: async (call) => {
          if (call.bound !== bound) return calls.callField(call);
          if (called === null) return eventAnswer(call.plan, values);
          const input = callInputOf(rule, call, values);
          return input === null ? noAnswer(rule, values) : calls.callField({ ...call, ...input, bound: called });
        },
      }),
    };
  }
}

const sizeOf = (values: NonNullable<EventValues>): number => JSON.stringify(values).length;
