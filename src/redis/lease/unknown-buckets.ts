import { collections } from '../../core/index.js';
import type { Lease, Times } from './lease.js';
import type { BucketView } from './lease-store.js';

interface UnknownBucket {
  readonly view: BucketView;
  readonly sharedMillis: number;
}

/**
 * Views of buckets that have no lease here, the oldest evicted first. A client that spent its
 * budget at another replica must not count as new, with a full bucket.
 */
export class UnknownBuckets {
  #max: number;
  readonly #leases = new Map<string, Lease>();
  readonly #unknown = new Map<string, UnknownBucket>();

  constructor(max: number) {
    this.#max = max;
  }

  resize(max: number): void {
    this.#max = max;
    for (const bucket of this.#unknown.keys()) {
      if (this.#unknown.size <= max) return;
      this.#unknown.delete(bucket);
    }
  }

  /** Applies a published view to the bucket's lease, or keeps it until there is one. */
  update(bucket: string, view: BucketView, times: Times): void {
    const lease = this.#leases.get(bucket);
    if (lease !== undefined) {
      lease.updateView(view, times);
    } else {
      collections.setAndEvictOldest(
        this.#unknown,
        bucket,
        { view, sharedMillis: times.sharedMillis },
        this.#max,
      );
    }
  }

  /** Hands the kept view of a bucket to its new lease. */
  claim(lease: Lease, bucket: string, times: Times): void {
    const unknown = this.#unknown.get(bucket);
    this.#unknown.delete(bucket);
    this.#leases.set(bucket, lease);
    if (unknown !== undefined) {
      lease.updateView(unknown.view, { ...times, sharedMillis: unknown.sharedMillis });
    }
  }

  /** Keeps the view of an evicted lease. */
  release(lease: Lease, bucket: string, times: Times): void {
    this.#leases.delete(bucket);
    const available = lease.sharedAvailable(times);
    if (lease.view === null || available === null) return;
    const unknown = { view: { ...lease.view, available }, sharedMillis: times.sharedMillis };
    collections.setAndEvictOldest(this.#unknown, bucket, unknown, this.#max);
  }
}
