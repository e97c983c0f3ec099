import { randomBytes } from 'node:crypto';
import type { sharedState } from '../../core/index.js';
import { OnceMemory } from '../../gateway/shared/once-memory.js';
import type { ProofClaim, ProofState } from '../client.js';

/** Remembers a proof for all workers. Rejects where it cannot be known whether it is new. */
export type ClaimOfWorkers = (
  key: string,
  untilMillis: number,
  max: number,
) => Promise<Exclude<ProofClaim, 'unknown'>>;

/** Proofs that were used: in this process, its workers and its replicas. */
export class UsedProofs implements ProofState {
  readonly secret: string;
  readonly #claimOfWorkers: ClaimOfWorkers | null;
  readonly #replicas: sharedState.NonceStore | null;
  readonly #used = new OnceMemory(Number.POSITIVE_INFINITY);

  /** Null: the process makes a secret, has no other workers, and no replicas. */
  constructor(
    secret: string | null,
    claimOfWorkers: ClaimOfWorkers | null,
    replicas: sharedState.NonceStore | null,
  ) {
    this.secret = secret ?? randomBytes(32).toString('base64url');
    this.#claimOfWorkers = claimOfWorkers;
    this.#replicas = replicas;
  }

  async claim(key: string, untilMillis: number, max: number): Promise<ProofClaim> {
    const now = Date.now();
    const own =
      this.#claimOfWorkers === null
        ? this.#used.take(key, untilMillis, now, max)
        : await this.#claimOfWorkers(key, untilMillis, max).catch(() => 'unknown' as const);
    if (own !== 'new' || this.#replicas === null) return own;
    const keptMillis = Math.max(1, Math.ceil(untilMillis - now));
    return this.#replicas.claim('dpop proof', { key, equivalentKeys: [] }, keptMillis);
  }
}
