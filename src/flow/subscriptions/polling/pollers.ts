import type { SoapService } from '../../../compile/soap/service.js';
import { jsonValues, refuseByLimit } from '../../../core/index.js';
import type { PollSharing } from '../../../gateway/shared/poll-sharing.js';
import type { FieldCall, subscriptions } from '../../../graphql/index.js';
import { SUBSCRIPTION_LIMITS } from '../../../pubsub/limits.js';
import { isMergeable } from './merged-plan.js';
import type { PollMember } from './poll-members.js';
import type { PollCall } from './poll-reader.js';
import { PollShare } from './poll-share.js';
import { Poller } from './poller.js';

/** What a call depends on besides its arguments. */
export interface PollContext {
  readonly service: Pick<SoapService, 'name' | 'digest'>;
  /** Values of the request that its operation takes. */
  readonly values: readonly unknown[];
}

/** One poller for each distinct call with subscribers. */
export class Pollers {
  readonly #most: number;
  readonly #pollers = new Map<string, Poller>();

  readonly #sharing: PollSharing | null;

  /** `sharing`: with other processes. */
  constructor(
    most: number = SUBSCRIPTION_LIMITS.pollers.default,
    sharing: PollSharing | null = null,
  ) {
    this.#most = most;
    this.#sharing = sharing;
  }

  get count(): number {
    return this.#pollers.size;
  }

  /**
   * Joins the poller of this call, or begins one. The answer leaves. Throws `RATE_LIMITED` when
   * there are too many.
   */
  join(
    { name, called }: subscriptions.Subscription,
    source: subscriptions.PolledSource,
    input: Pick<FieldCall, 'arguments' | 'headers'>,
    { service, values }: PollContext,
    member: PollMember,
    call: PollCall,
  ): () => void {
    if (called === null) throw new Error('a poll without a call');
    const selection = isMergeable(member.plan) ? null : member.plan;
    const key = jsonValues.canonical([
      name,
      service.digest(),
      input.arguments,
      input.headers,
      values,
      selection,
    ]);
    let poller = this.#pollers.get(key);
    if (poller === undefined) {
      if (this.#pollers.size >= this.#most) {
        throw refuseByLimit('RATE_LIMITED', 'limits.subscriptions.pollers', this.#most);
      }
      const { everyMillis } = source;
      const sharing = this.#sharing;
      const shared = jsonValues.canonical([
        service.name,
        service.digest(),
        called.operation.name,
        everyMillis,
        input.arguments,
        input.headers,
        values,
      ]);
      const share =
        sharing === null ? null : (arrived: () => void) => new PollShare(sharing, shared, arrived);
      poller = new Poller(
        { bound: called, input, changed: source.changed, call },
        everyMillis,
        share,
      );
      this.#pollers.set(key, poller);
    }
    const joined = poller;
    const leave = joined.join(member);
    return () => {
      leave();
      if (!joined.isIdle || this.#pollers.get(key) !== joined) return;
      this.#pollers.delete(key);
      joined.close();
    };
  }
}
