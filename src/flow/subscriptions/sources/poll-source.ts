import { claimsOf } from '../../../access/client.js';
import { Refusal } from '../../../core/index.js';
import { Exchange, nextExchangeId } from '../../../gateway/exchange.js';
import { type CallInput, type FieldCall, run, type subscriptions } from '../../../graphql/index.js';
import { callerView, subjectOf } from '../../calls/caller-parts.js';
import { backendOfPoll, chooseBackend } from '../../calls/canary-choice.js';
import { callOperation } from '../../graphql/call.js';
import type { BackendCalls } from '../../graphql/host.js';
import { PollAccount } from '../polling/poll-account.js';
import type { Polled } from '../polling/poll-members.js';
import { fieldCallPoints } from './field-arguments.js';
import type { SourceParts, Subscribed, SubscriptionEvent, SubscriptionSource } from './source.js';
import type { EventSink } from './subscription-stream.js';

/** A subscribed field whose call is repeated. */
interface PolledField {
  readonly subscription: subscriptions.Subscription;
  readonly rule: subscriptions.PolledSource;
  readonly plan: FieldCall['plan'];
  readonly input: CallInput;
}

/**
 * Repeats the call of the field, once for all subscribers with the same arguments, and delivers
 * what changed.
 */
export class PollSource implements SubscriptionSource {
  readonly callPoints: number;
  readonly isCalledPerEvent = false;
  readonly isCalledAtBegin = true;
  readonly #parts: SourceParts;
  readonly #subscribed: Subscribed;
  readonly #field: PolledField;

  constructor(parts: SourceParts, subscribed: Subscribed, field: PolledField) {
    this.#parts = parts;
    this.#subscribed = subscribed;
    this.#field = field;
    this.callPoints = fieldCallPoints(
      field.subscription.bound.cost ?? null,
      field.input,
      parts.endpoint,
    );
  }

  open(sink: EventSink<SubscriptionEvent>, eventPoints: number): () => void {
    const { endpoint, pollers, finish, observer } = this.#parts;
    const { headers, caller, exchange: own } = this.#subscribed.subscriber;
    const { subscription, rule, plan, input } = this.#field;
    const { bound } = subscription;
    const named = endpoint.services.get(bound.service);
    if (named === undefined) throw new Error('a field of a service that is not there');
    const { canary } = named;
    const asking = { client: caller.client, headers, exchange: own };
    const service = canary === null ? named : chooseBackend(named, canary, asking);
    const claims = claimsOf(caller.client);
    const subject = subjectOf(service, caller.client);
    // Only subscribers whose calls are the same share one.
    const called = { service, operation: bound.operation.name };
    const context = callerView('poll', called, caller.client, headers);
    const member = {
      plan,
      account: new PollAccount(
        caller,
        { cost: bound.cost ?? null, arguments: input.arguments },
        eventPoints,
        endpoint,
      ),
      send: (polled: Polled, bytes: number) => sink.push(this.#eventOf(polled), bytes),
    };
    return pollers.join(
      subscription,
      rule,
      input,
      { service, values: context },
      member,
      async (call, signal, relay) => {
        const exchange = new Exchange(nextExchangeId(), '', 'POLL');
        const called =
          canary === null ? service : await backendOfPoll(named, canary, service, exchange);
        exchange.route = 'graphql';
        exchange.operation = 'subscription';
        observer.begin(exchange, {});
        try {
          return await callOperation(call, {
            exchange,
            service: called,
            signal,
            headers,
            claims,
            subject,
            limits: endpoint.codec,
            relay,
          });
        } catch (caught) {
          if (caught instanceof Refusal) {
            exchange.refuse(caught);
          }
          throw caught;
        } finally {
          // The reply of another process is in its log.
          if (exchange.upstream.calls > 0 || exchange.refusal !== null) {
            finish(exchange);
          } else {
            observer.end(exchange);
          }
        }
      },
    );
  }

  #eventOf(polled: Polled): SubscriptionEvent {
    const { bound } = this.#field.subscription;
    const { hasLinks } = this.#subscribed;
    return {
      isFailure: polled.kind === 'failed',
      answers: (calls: BackendCalls) => ({
        callField: async (call) => {
          if (call.bound !== bound) return calls.callField(call);
          if (polled.kind === 'failed') throw new run.SharedCallFailure(polled.caught);
          // Other subscribers have the same answer, and links are filled in place.
          return hasLinks ? structuredClone(polled.decoded) : polled.decoded;
        },
      }),
    };
  }
}
