import { performance } from 'node:perf_hooks';
import { eventBus } from '../../../core/index.js';
import { type CallInput, run, type subscriptions } from '../../../graphql/index.js';
import { fieldCallPoints } from './field-arguments.js';
import type {
  SourceParts,
  SubscriberResumption,
  SubscriptionEvent,
  SubscriptionSource,
} from './source.js';
import type { EventSink } from './subscription-stream.js';

/** Missed events that are delivered in one time slice. */
const EVENTS_AT_ONCE = 8;

/** An event that a client missed. `size` is null where the filter drops it. */
interface Missed extends eventBus.TopicEvent {
  readonly size: number | null;
}

/** A subscribed field whose events are those of a topic. */
interface TopicField {
  readonly subscription: subscriptions.Subscription;
  readonly rule: subscriptions.EventSource;
  readonly input: CallInput;
  readonly resumption: SubscriberResumption | null;
}

/**
 * Delivers the events of a topic: messages that pass the gateway, or that a service posts to a
 * callback address.
 */
export class TopicSource implements SubscriptionSource {
  readonly callPoints: number;
  readonly isCalledPerEvent: boolean;
  readonly isCalledAtBegin = false;
  readonly #parts: SourceParts;
  readonly #field: TopicField;

  constructor(parts: SourceParts, field: TopicField) {
    this.#parts = parts;
    this.#field = field;
    const { bound, called } = field.subscription;
    this.callPoints = fieldCallPoints(bound.cost ?? null, field.input, parts.endpoint);
    this.isCalledPerEvent = called !== null;
  }

  open(sink: EventSink<SubscriptionEvent>): () => void {
    const { bus } = this.#parts;
    const { resumption, rule } = this.#field;
    const { topic } = rule;
    const listener = {
      event: (event: eventBus.TopicEvent) => this.#deliver(event, sink),
      gap: () => sink.gap(),
    };
    if (resumption === null) return bus.subscribe(topic, listener);
    const { after, pace } = resumption;
    let isOver = false;
    const begin = async (
      position: string,
      missed: readonly eventBus.TopicEvent[] | null,
    ): Promise<void> => {
      const wanted = missed === null ? null : await this.#select(missed, sink, pace.turn);
      if (wanted === null) {
        sink.gap(position);
      } else {
        await this.#replay(wanted, sink, pace.turn);
      }
      if (isOver) return;
      sink.pass(position);
      resumption.begun();
    };
    const leave = bus.resume(topic, { ...listener, begin }, after, pace);
    return () => {
      isOver = true;
      leave();
    };
  }

  /**
   * The missed events with their sizes, in time slices; null where they may not wait together: a
   * client that cannot take them would lose them again and again.
   */
  async #select(
    missed: readonly eventBus.TopicEvent[],
    sink: EventSink<SubscriptionEvent>,
    turn: eventBus.ReplayPace['turn'],
  ): Promise<readonly Missed[] | null> {
    const selected: Missed[] = [];
    let events = 0;
    let bytes = 0;
    let sliceEndMillis = performance.now() + eventBus.REPLAY_SLICE_MILLIS;
    for (const { id, values } of missed) {
      const size = values === null ? 0 : this.#isWanted(values) ? sizeOf(values) : null;
      selected.push({ id, values, size });
      if (size !== null) {
        events++;
        bytes += size;
        if (!sink.hasRoom(events, bytes)) return null;
      }
      if (performance.now() < sliceEndMillis) continue;
      await turn();
      sliceEndMillis = performance.now() + eventBus.REPLAY_SLICE_MILLIS;
    }
    return selected;
  }

  /** Delivers missed events, a few in each time slice: they are answered and sent in it. */
  async #replay(
    missed: readonly Missed[],
    sink: EventSink<SubscriptionEvent>,
    turn: eventBus.ReplayPace['turn'],
  ): Promise<void> {
    let sent = 0;
    for (const { id, values, size } of missed) {
      if (values === null) {
        sink.gap(id);
      } else if (size === null) {
        this.#drop(id, sink);
      } else {
        sink.push(this.#eventOf(values), size, id);
      }
      if (size !== null && ++sent % EVENTS_AT_ONCE === 0) {
        await turn();
      }
    }
  }

  #deliver({ id, values }: eventBus.TopicEvent, sink: EventSink<SubscriptionEvent>): void {
    if (values === null) {
      sink.gap(id);
    } else if (this.#isWanted(values)) {
      sink.push(this.#eventOf(values), sizeOf(values), id);
    } else {
      this.#drop(id, sink);
    }
  }

  /** Events that the filter drops do not fill the queue. */
  #drop(id: string, sink: EventSink<SubscriptionEvent>): void {
    sink.pass(id);
    this.#parts.report(this.#field.subscription.name, 'filtered');
  }

  #isWanted(values: NonNullable<eventBus.EventValues>): boolean {
    return run.isWanted(this.#field.rule, this.#field.input.arguments, values);
  }

  #eventOf(values: NonNullable<eventBus.EventValues>): SubscriptionEvent {
    const { rule, subscription } = this.#field;
    const { bound, called } = subscription;
    return {
      isFailure: false,
      answers: (calls) => ({
        callField: async (call) => {
          if (call.bound !== bound) return calls.callField(call);
          if (called === null) return run.eventAnswer(call.plan, values);
          const input = run.callInputOf(rule, call, values);
          return input === null
            ? run.noAnswer(rule, values)
            : calls.callField({ ...call, ...input, bound: called });
        },
      }),
    };
  }
}

const sizeOf = (values: NonNullable<eventBus.EventValues>): number => JSON.stringify(values).length;
