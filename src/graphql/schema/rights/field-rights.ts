import type { Scalar } from '../../../codec/index.js';
import { scopeRules } from '../../../core/index.js';
import type { FieldRule, Mask } from './field-rule.js';
import type { Masker } from './mask.js';

/** Whether a field is withheld with an error, masked, or shown (null). */
export type FieldDecision = 'forbidden' | Mask | null;

/**
 * The rights of callers to fields: one object for all callers that the rules treat alike. Plans are
 * made with it, and cached by it: a call that callers share is read by each with its own plan.
 */
export class FieldRights {
  readonly #claimant: scopeRules.Claimant;
  readonly #className: string;
  readonly #masker: Masker;
  readonly #decided = new Map<FieldRule, FieldDecision>();

  constructor(claimant: scopeRules.Claimant, className: string, masker: Masker) {
    this.#claimant = claimant;
    this.#className = className;
    this.#masker = masker;
  }

  decide(rule: FieldRule | null | undefined): FieldDecision {
    if (rule === null || rule === undefined) return null;
    const known = this.#decided.get(rule);
    if (known !== undefined) return known;
    const isForbidden = rule.requires !== null && !scopeRules.isMet(rule.requires, this.#claimant);
    const decision = isForbidden ? 'forbidden' : (rule.masks.get(this.#className) ?? null);
    this.#decided.set(rule, decision);
    return decision;
  }

  /** What the caller lacks to read a field; null where it may, or nothing is known. */
  missing(rule: FieldRule | null): scopeRules.Missing | null {
    return rule === null || rule.requires === null
      ? null
      : scopeRules.missingOf(rule.requires, this.#claimant);
  }

  forbids(rule: FieldRule | null | undefined): boolean {
    return this.decide(rule) === 'forbidden';
  }

  mask(value: unknown, mask: Mask): unknown {
    return this.#masker.mask(value, mask);
  }

  maskScalar(scalar: Scalar, mask: 'last4' | 'hash'): Scalar {
    return this.#masker.maskScalar(scalar, mask);
  }
}
