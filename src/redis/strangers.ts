import { setNewest } from '../base/newest.js';
import type { Lease, Times } from './lease.js';
import type { Seen } from './ledger.js';

interface Stranger {
  readonly seen: Seen;
  readonly commonMillis: number;
}

/**
 * What was heard of buckets whose clients may never have been here: a client that spent all at another replica must not
 * be taken for one with a full bucket. The oldest are forgotten first.
 */
export class Strangers {
  readonly #max: number;
  readonly #known = new Map<string, Lease>();
  readonly #strangers = new Map<string, Stranger>();

  constructor(max: number) {
    this.#max = max;
  }

  hear(bucket: string, seen: Seen, times: Times): void {
    const lease = this.#known.get(bucket);
    if (lease === undefined) setNewest(this.#strangers, bucket, { seen, commonMillis: times.commonMillis }, this.#max);
    else lease.hear(seen, times);
  }

  /** The client is here. */
  meet(lease: Lease, bucket: string, times: Times): void {
    const stranger = this.#strangers.get(bucket);
    this.#strangers.delete(bucket);
    this.#known.set(bucket, lease);
    if (stranger === undefined) return;
    lease.hear(stranger.seen, { ...times, commonMillis: stranger.commonMillis });
  }

  /** The client is forgotten, but not what its bucket holds. */
  part(lease: Lease, bucket: string, times: Times): void {
    this.#known.delete(bucket);
    const available = lease.common(times);
    if (lease.seen === null || available === null) return;
    const stranger = { seen: { ...lease.seen, available }, commonMillis: times.commonMillis };
    setNewest(this.#strangers, bucket, stranger, this.#max);
  }
}
