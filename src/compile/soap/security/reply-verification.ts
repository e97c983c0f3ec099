import type { ConfigPath } from '../../../config/keys/config-path.js';
import { findingsBelow, invalid, type Problem, within } from '../../../config/keys/finding.js';
import type { MakePlan, VerifyRepliesPlan } from '../../../config/plans/security-plan.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import { asRefusal, Refusal, refusals } from '../../../core/index.js';
import { headerBlocks } from '../../../soap/index.js';
import type { encryption, VerificationRules } from '../../../wss/index.js';
import { compileDecryption } from './decryption.js';
import { compileSignature, subjectWarnings, timestampRules } from './verification.js';

/** How the Security blocks of replies of a service are verified. */
export interface ReplyVerification {
  readonly rules: VerificationRules;
  /** Null where nothing is decrypted. */
  readonly decryption: encryption.DecryptionRules | null;
  /** The rules of the envelope, by which the block is taken out once it is verified, or stays. */
  readonly envelopeRules: headerBlocks.EnvelopeRules;
  readonly warnings: readonly Problem[];
}

/** Null for a service whose replies are not verified. Throws `FindingsError`. */
export function compileReplyVerification(
  { config: { mode }, security: { make, verifyReplies: plan } }: ServicePlan,
  replyRules: headerBlocks.EnvelopeRules,
): ReplyVerification | null {
  if (plan === null) return null;
  const { timestamp, encrypted, signatureConfirmation, remove } = plan.keys;
  const owner = '`security.verifyReplies`';
  if (mode === 'monitor') {
    throw invalid(
      VERIFY_REPLIES,
      `${owner} verifies nothing with \`mode: monitor\`, which refuses no reply.`,
      'Leave one of them out.',
    );
  }
  if (plan.signature === null && plan.decrypt === null && !timestamp.required) {
    throw invalid(
      VERIFY_REPLIES,
      `${owner} demands nothing.`,
      'Give it a `signature`, `decrypt` or `timestamp: { required: true }`.',
    );
  }
  if (signatureConfirmation) {
    checkConfirmation(plan, make);
  }
  const rules: VerificationRules = {
    signature: within(VERIFY_REPLIES, () => compileSignature(plan.signature)),
    timestamp: timestampRules(timestamp),
    usernameToken: null,
    saml: null,
    role: null,
    once: false,
    encrypted,
    isDecrypted: plan.decrypt !== null,
    confirmations: signatureConfirmation ? 'demand' : 'ignore',
  };
  const decryption = within(VERIFY_REPLIES, () =>
    compileDecryption(plan.decrypt, {
      owner: 'security.verifyReplies',
      role: null,
      encrypted,
      verifiesSignature: plan.signature !== null,
    }),
  );
  const envelopeRules = remove ? withoutSecurity(replyRules) : replyRules;
  return {
    rules,
    decryption,
    envelopeRules,
    warnings: findingsBelow(VERIFY_REPLIES, subjectWarnings(plan, owner)),
  };
}

const VERIFY_REPLIES: ConfigPath = ['security', 'verifyReplies'];

const withoutSecurity = (rules: headerBlocks.EnvelopeRules): headerBlocks.EnvelopeRules => ({
  ...rules,
  header: { ...rules.header, replaced: new Set(headerBlocks.SECURITY_NAMES) },
});

function checkConfirmation({ signature }: VerifyRepliesPlan, make: MakePlan | null): void {
  if ((make?.signature ?? null) === null) {
    throw invalid(
      [...VERIFY_REPLIES, 'signatureConfirmation'],
      '`signatureConfirmation` confirms the signatures of the gateway, and it makes none.',
      'Add `security.make.signature`, or leave it out.',
    );
  }
  if (signature === null) {
    throw invalid(
      [...VERIFY_REPLIES, 'signatureConfirmation'],
      '`signatureConfirmation` needs a signature of the reply: else anyone can write it.',
      'Add `signature`.',
    );
  }
}

/**
 * A reply that does not verify is the backend's, whatever the fault that a request would get: the
 * log has its code.
 */
export function asUnverified(caught: unknown): Refusal {
  const refusal = asRefusal(caught);
  if (!refusal.code.startsWith('wsse:')) return refusals.asUpstream(refusal);
  const detail = refusal.detail === null ? refusal.code : `${refusal.code}: ${refusal.detail}`;
  return new Refusal('UPSTREAM_INVALID_RESPONSE', detail, { cause: refusal });
}
