import { collections, getOrMake } from '../../core/index.js';
import type { Labels } from './retired-labels.js';

/**
 * Addresses of one service that are remembered, most of which no configuration has any more: it has
 * 64 at most.
 */
const ADDRESSES_MAX = 1000;

/**
 * What is counted of the addresses of backends. It belongs to the process and not to their
 * connections, which a reload may replace while calls on the earlier ones go on: a counter that
 * went down would be read as calls that never were.
 */
export class UpstreamTotals {
  /** The totals by service and address; the address that was asked for last is at the end. */
  readonly #byService = new Map<string, Map<string, collections.AddressTotals>>();
  #listener: collections.AddressTotals['listener'] = null;

  /** Those of an address of a service, which go on where it was known before. */
  of(service: string, address: string): collections.AddressTotals {
    const known = getOrMake(
      this.#byService,
      service,
      () => new Map<string, collections.AddressTotals>(),
    );
    const totals = known.get(address) ?? new collections.AddressTotals();
    totals.listener = this.#listener;
    known.delete(address);
    known.set(address, totals);
    for (const oldest of known.keys()) {
      if (known.size <= ADDRESSES_MAX) break;
      known.delete(oldest);
    }
    return totals;
  }

  /** Those of all addresses, with the values of their labels. */
  list(): readonly {
    readonly labels: readonly [string, string];
    readonly totals: collections.AddressTotals;
  }[] {
    return [...this.#byService].flatMap(([service, known]) =>
      [...known].map(([address, totals]) => ({ labels: [service, address] as const, totals })),
    );
  }

  /** Gives each attempt that is over to `listener`; null ends that. */
  listen(listener: collections.AddressTotals['listener']): void {
    this.#listener = listener;
    for (const { totals } of this.list()) {
      totals.listener = listener;
    }
  }

  /** Drops services whose labels are retired. */
  retire(isRetired: (labels: Labels) => boolean): void {
    for (const service of [...this.#byService.keys()]) {
      if (isRetired({ service })) {
        this.#byService.delete(service);
      }
    }
  }
}
