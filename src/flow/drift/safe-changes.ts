import { performance } from 'node:perf_hooks';
import type { KnownModel } from '../../compile/soap/documents/named-wsdl.js';
import type { SafeWsdl } from './drift-reading.js';
import type { ReloadLimiter } from './reload-limiter.js';

/** A changed WSDL of a backend that may take the place of the one that is served. */
export interface WsdlOffer {
  readonly service: string;
  /** The file of the configuration that names the WSDL. */
  readonly location: string;
  /** The `id` of the taken WSDL with which it was compared; null: with the file. */
  readonly over: string | null;
  /** As `packTaken` writes it. */
  readonly content: Uint8Array;
  /** The first of its changes. */
  readonly changes: readonly string[];
}

export interface SafeChangeRules {
  readonly looks: number;
  readonly reloadsPerHour: number;
}

/**
 * Decides when the safe changes of one service are taken: not before enough looks in a row have
 * found the same.
 */
export class SafeChanges {
  readonly #service: string;
  readonly #source: KnownModel;
  readonly #rules: SafeChangeRules;
  readonly #limiter: ReloadLimiter;
  #changes = '';
  #looks = 0;
  /**
   * The changes that were offered last: what is refused once is not offered again, whatever else
   * the documents hold.
   */
  #offered = '';

  constructor(service: string, source: KnownModel, rules: SafeChangeRules, limiter: ReloadLimiter) {
    this.#service = service;
    this.#source = source;
    this.#rules = rules;
    this.#limiter = limiter;
  }

  /** Whether the next look decides, and so comes soon. */
  get isUndecided(): boolean {
    return this.#looks > 0 && this.#looks < this.#rules.looks;
  }

  /**
   * The result of a look; `safe` is null where there are no changes, or others. Returns what is to
   * be taken.
   */
  take(safe: SafeWsdl | null, changes: readonly string[]): WsdlOffer | 'limited' | null {
    this.#looks = safe === null ? 0 : safe.changes === this.#changes ? this.#looks + 1 : 1;
    this.#changes = safe?.changes ?? '';
    if (safe === null || this.#looks < this.#rules.looks) return null;
    if (safe.changes === this.#offered) return null;
    if (!this.#limiter.permit(this.#service, this.#rules.reloadsPerHour, performance.now())) {
      return 'limited';
    }
    this.#offered = safe.changes;
    const { location, taken } = this.#source;
    return {
      service: this.#service,
      location,
      over: taken?.id ?? null,
      content: safe.content,
      changes,
    };
  }
}
