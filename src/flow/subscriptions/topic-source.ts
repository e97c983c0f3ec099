import type { EventValues, TopicEvent } from '../../base/event-bus.js';
import { callInputOf, eventAnswer, isWanted, noAnswer } from '../../graphql/run/event-answer.js';
import type { CallInput } from '../../graphql/run/link-feed.js';
import type { Subscription, EventSource as TopicRule } from '../../graphql/subscription/subscription.js';
import { fieldCallPoints } from './field-arguments.js';
import type { SourceParts, SubscriberResumption, SubscriptionEvent, SubscriptionSource } from './source.js';
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
  readonly #resumption: SubscriberResumption | null;

  constructor(
    parts: SourceParts,
    subscription: Subscription,
    rule: TopicRule,
    input: CallInput,
    resumption: SubscriberResumption | null,
  ) {
    this.#parts = parts;
    this.#subscription = subscription;
    this.#resumption = resumption;
    this.#rule = rule;
    this.#input = input;
    this.callPoints = fieldCallPoints(subscription.bound.cost ?? null, input, parts.endpoint);
    this.isCalledPerEvent = subscription.called !== null;
  }

  open(sink: EventSink<SubscriptionEvent>): () => void {
    const { bus } = this.#parts;
    const { topic } = this.#rule;
    const resumption = this.#resumption;
    const listener = { event: (event: TopicEvent) => this.#deliver(event, sink), gap: () => sink.gap() };
    if (resumption === null) return bus.subscribe(topic, listener);
    const begin = (position: string, missed: readonly TopicEvent[] | null): void => {
      if (missed === null || !this.#fit(missed, sink)) sink.gap(position);
      else for (const event of missed) this.#deliver(event, sink);
      sink.pass(position);
      resumption.begun();
    };
    return bus.resume(topic, { ...listener, begin }, resumption.after);
  }

  #deliver({ id, values }: TopicEvent, sink: EventSink<SubscriptionEvent>): void {
    if (values === null) sink.gap(id);
    else if (this.#isWanted(values)) sink.push(this.#eventOf(values), sizeOf(values), id);
    else {
      // Events that the filter drops do not fill the queue.
      sink.pass(id);
      this.#parts.report(this.#subscription.name, 'filtered');
    }
  }

  /** Whether missed events may wait together. A client that cannot take them would lose them again and again. */
  #fit(missed: readonly TopicEvent[], sink: EventSink<SubscriptionEvent>): boolean {
    return sink.hasRoom(this.#sizesOf(missed));
  }

  *#sizesOf(missed: readonly TopicEvent[]): Iterable<number> {
    for (const { values } of missed) {
      if (values === null) yield 0;
      else if (this.#isWanted(values)) yield sizeOf(values);
    }
  }

  #isWanted(values: NonNullable<EventValues>): boolean {
    return isWanted(this.#rule, this.#input.arguments, values);
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
