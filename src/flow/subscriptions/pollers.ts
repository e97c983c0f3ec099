import { refuseByLimit } from '../../base/refusal.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import type { PollSource, Subscription } from '../../graphql/subscription/subscription.js';
import { SUBSCRIPTION_LIMITS } from '../../pubsub/limits.js';
import { isMergeable } from './merged-plan.js';
import type { PollCall } from './poll-reader.js';
import { Poller, type PollMember } from './poller.js';

/** One poller for each distinct call with subscribers. */
export class Pollers {
  readonly #most: number;
  readonly #pollers = new Map<string, Poller>();

  constructor(most: number = SUBSCRIPTION_LIMITS.pollers.default) {
    this.#most = most;
  }

  get count(): number {
    return this.#pollers.size;
  }

  /**
   * Joins the poller of this call, or begins one. `context` is what else the call depends on: the header fields that
   * its operation takes. The answer leaves. Throws `RATE_LIMITED` when there are too many.
   */
  join(
    { name, called }: Subscription,
    source: PollSource,
    input: Pick<FieldCall, 'arguments' | 'headers'>,
    context: unknown,
    member: PollMember,
    call: PollCall,
  ): () => void {
    if (called === null) throw new Error('a poll without a call');
    const selection = isMergeable(member.plan) ? null : member.plan;
    const key = canonical([name, input.arguments, input.headers, context, selection]);
    let poller = this.#pollers.get(key);
    if (poller === undefined) {
      if (this.#pollers.size >= this.#most) {
        throw refuseByLimit('RATE_LIMITED', 'limits.subscriptions.pollers', this.#most);
      }
      poller = new Poller({ bound: called, input, changed: source.changed, call }, source.everyMillis);
      this.#pollers.set(key, poller);
    }
    const joined = poller;
    const leave = joined.join(member);
    return () => {
      leave();
      if (joined.isIdle && this.#pollers.get(key) === joined) this.#pollers.delete(key);
    };
  }
}

/** The same text for the same value, in whatever order its members come. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (inner instanceof Map) return [...inner];
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
