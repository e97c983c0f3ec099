import type { EventValues } from '../../base/event-bus.js';
import { callInputOf, eventAnswer, noAnswer } from '../../graphql/run/event-answer.js';
import { type CallField, SharedCallFailure } from '../../graphql/run/field-call.js';
import type { EventSource, Subscription } from '../../graphql/subscription/subscription.js';
import type { BackendCalls } from '../graphql/host.js';
import type { Polled } from './poller.js';

/** What happens for a subscriber. */
export type Happening =
  | { readonly kind: 'polled'; readonly polled: Polled }
  | { readonly kind: 'event'; readonly values: NonNullable<EventValues> }
  | { readonly kind: 'remote'; readonly answer: unknown };

/** What is told of it. */
export interface Told {
  /** Null where a service that speaks GraphQL answers. */
  readonly subscription: Subscription | null;
  /** Links are filled in place. */
  readonly hasLinks: boolean;
}

/** Whether an operation is called to tell of what happens. */
export const needsCall = (subscription: Subscription | null): boolean =>
  subscription !== null && subscription.source.kind === 'event' && subscription.called !== null;

/** The field of the subscription is answered by the event; what links lead to is called as ever. */
export function answering(
  event: Happening,
  { subscription, hasLinks }: Told,
  calls: BackendCalls,
): Partial<BackendCalls> {
  if (event.kind === 'remote') {
    const { answer } = event;
    return {
      sendToSubschema: async (request) =>
        request.operation === 'subscription' ? { answer } : calls.sendToSubschema(request),
    };
  }
  const callField: CallField = async (call) => {
    if (subscription === null || call.bound !== subscription.bound) return calls.callField(call);
    if (event.kind === 'polled') {
      if (event.polled.kind === 'failed') throw new SharedCallFailure(event.polled.caught);
      // Others have the same answer.
      return hasLinks ? structuredClone(event.polled.decoded) : event.polled.decoded;
    }
    const { called, source } = subscription;
    if (called === null) return eventAnswer(call.plan, event.values);
    const events = eventSource(source);
    const given = callInputOf(events, call, event.values);
    if (given === null) return noAnswer(events, event.values);
    return calls.callField({ ...call, ...given, bound: called });
  };
  return { callField };
}

function eventSource(source: Subscription['source']): EventSource {
  if (source.kind === 'poll') throw new Error('an event of a poll');
  return source;
}
