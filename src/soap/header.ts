import { Refusal } from '../base/refusal.js';
import type { StartTag } from '../xml/events.js';
import type { Dialect } from './dialect.js';

/** Who the gateway is on the message path, and what is understood at the end of it. */
export interface HeaderRules {
  /** Targets (actor, role) besides the standard `next` that mean the gateway itself. */
  readonly ownTargets: ReadonlySet<string>;
  /**
   * Names `{uri}local` of the blocks the service behind understands; null when it did not say: then its blocks pass
   * and it judges for itself.
   */
  readonly understoodByService: ReadonlySet<string> | null;
  /** False for replies: their final receiver is the caller, who judges for itself. */
  readonly enforce: boolean;
}

/**
 * Judges the attributes of one header block: SOAP 1.1 section 4.2, SOAP 1.2 part 1 section 5.2.
 * Throws `SOAP_STRUCTURE` for a value that mustUnderstand cannot have and `MUST_UNDERSTAND` for a block that somebody
 * on this path had to understand and does not.
 */
export function judgeHeaderBlock(tag: StartTag, dialect: Dialect, rules: HeaderRules): void {
  if (tag.attributeCount === 0) return;
  const written = tag.attribute(dialect.envelopeUri, 'mustUnderstand');
  if (written === null) return;
  const value = written.trim();
  if (dialect.mustUnderstandFalse.includes(value)) return;
  if (!dialect.mustUnderstandTrue.includes(value)) throw new Refusal('SOAP_STRUCTURE', 'value of mustUnderstand');
  if (!rules.enforce) return;

  const target = tag.attribute(dialect.envelopeUri, dialect.targetAttribute)?.trim() ?? '';
  if (target === dialect.noneTarget) return;
  const isForGateway = dialect.nextTargets.includes(target) || rules.ownTargets.has(target);
  // The gateway itself understands no header block yet, so one that it must understand is always a fault.
  if (isForGateway) throw new Refusal('MUST_UNDERSTAND', 'block for the gateway');
  const isForService = target === '' || target === dialect.ultimateTarget;
  if (isForService && rules.understoodByService !== null) {
    if (!rules.understoodByService.has(`{${tag.uri}}${tag.local}`)) {
      throw new Refusal('MUST_UNDERSTAND', 'block for the service');
    }
  }
}
