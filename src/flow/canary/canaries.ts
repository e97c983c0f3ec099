import type { Canary, SoapService } from '../../compile/soap/service.js';
import {
  type CanaryCalls,
  type CanaryChannel,
  type CanaryState,
  CanaryStates,
} from '../../gateway/canary/canary-channel.js';
import type { Log } from '../../observe/log/log.js';

/** The service with a canary, as far as its share goes. */
type CanaryService = Pick<SoapService, 'name'> & { readonly canary: Canary };

/** The canaries of a process, whatever its generation, and what other processes know of them. */
export class Canaries {
  readonly #states = new CanaryStates();
  readonly #channels: readonly CanaryChannel[];
  readonly #log: Pick<Log, 'event'>;
  #services: readonly CanaryService[] = [];

  constructor(channels: readonly CanaryChannel[], log: Pick<Log, 'event'>) {
    this.#channels = channels;
    this.#log = log;
    for (const channel of channels) {
      channel.receive(
        { state: (state) => this.#take(state), calls: (calls) => this.#count(calls) },
        () => this.#states.list(),
      );
    }
  }

  /** The services of the generation in which requests begin from now on. */
  use(services: readonly SoapService[]): void {
    this.#services = services.flatMap(({ name, canary }) =>
      canary === null ? [] : { name, canary },
    );
    for (const service of this.#services) {
      this.#listen(service);
    }
  }

  /** The share of each service that has a canary. */
  get shares(): readonly { readonly service: string; readonly share: number }[] {
    return this.#services.map(({ name, canary }) => ({ service: name, share: canary.share.share }));
  }

  /** The state of a service's canary; null where it has none. */
  find(service: string): Pick<CanaryState, 'service' | 'share'> | null {
    return this.shares.find((each) => each.service === service) ?? null;
  }

  /** Gives the canary of a service another share, in all processes. Null where it has none. */
  move(service: string, share: number): CanaryState | null {
    const found = this.#services.find(({ name }) => name === service);
    return found === undefined ? null : this.#change(found, share, 'moved');
  }

  #listen(service: CanaryService): void {
    const { name, canary } = service;
    const { digest, share } = canary;
    const known = this.#states.of({ service: name, digest });
    if (known !== null && known.share !== share.share) {
      share.move(known.share);
    }
    share.listen({
      back: (cause) => {
        this.#change(service, 0, cause);
        const key = `services.${name}.canary`;
        this.#log.event('warn', 'canary went back', { service: name, cause, key });
      },
      counted: (counts) => {
        for (const channel of this.#channels) {
          channel.count?.({ service: name, digest, counts });
        }
      },
    });
  }

  #change(
    { name, canary }: CanaryService,
    share: number,
    cause: CanaryState['cause'],
  ): CanaryState {
    const { digest } = canary;
    const before = this.#states.of({ service: name, digest })?.atMillis ?? 0;
    // The clock of another process may be ahead.
    const atMillis = Math.max(Date.now(), before + 1);
    const state = { service: name, digest, share, atMillis, cause };
    this.#states.add(state);
    canary.share.move(share);
    for (const channel of this.#channels) {
      channel.publish(state);
    }
    return state;
  }

  /** Takes over what another process has found. */
  #take(state: CanaryState): void {
    if (!this.#states.add(state)) return;
    const own = this.#of(state)?.canary.share;
    if (own === undefined) return;
    const { service, share, cause } = state;
    const isOther = own.share !== share;
    own.move(share);
    if (isOther) {
      this.#log.event('info', 'canary follows another process', { service, share, cause });
    }
  }

  #count(calls: CanaryCalls): void {
    this.#of(calls)?.canary.share.take(calls.counts);
  }

  #of({ service, digest }: Pick<CanaryState, 'service' | 'digest'>): CanaryService | undefined {
    return this.#services.find(({ name, canary }) => name === service && canary.digest === digest);
  }
}
