import type { ServiceConfig } from '../../../config/schema.js';
import type { ConfigSection } from '../../../config/section.js';
import type { Diagnostic } from '../../../core/index.js';
import { type EnvelopeRules, SECURITY_NAMES } from '../../../soap/index.js';
import type { VerificationRules } from '../../../wss/index.js';
import { compileSignature, subjectWarnings, timestampRules } from './verification.js';

type VerifyRepliesConfig = NonNullable<ServiceConfig['security']['verifyReplies']>;

/** How the Security blocks of replies of a service are verified. */
export interface ReplyVerification {
  readonly rules: VerificationRules;
  /** The rules of the envelope, by which the block is taken out once it is verified, or stays. */
  readonly envelopeRules: EnvelopeRules;
  readonly warnings: readonly Diagnostic[];
}

/** Null for a service whose replies are not verified. Throws `ConfigurationError`. */
export function compileReplyVerification(
  service: ConfigSection<ServiceConfig>,
  replyRules: EnvelopeRules,
): ReplyVerification | null {
  const { mode, security } = service.value;
  const { verifyReplies } = security;
  if (verifyReplies === undefined) return null;
  const section = service.at(verifyReplies, 'security', 'verifyReplies');
  const { timestamp, encrypted, signatureConfirmation } = verifyReplies;
  const owner = '`security.verifyReplies`';
  if (mode === 'monitor') {
    throw section.error(
      [],
      `${owner} verifies nothing with \`mode: monitor\`, which refuses no reply.`,
      'Leave one of them out.',
    );
  }
  if (verifyReplies.signature === undefined && !timestamp.required) {
    throw section.error(
      [],
      `${owner} demands nothing.`,
      'Give it a `signature` or `timestamp: { required: true }`.',
    );
  }
  if (signatureConfirmation) {
    checkConfirmation(section, security);
  }
  const rules: VerificationRules = {
    signature: compileSignature(section),
    timestamp: timestampRules(timestamp),
    usernameToken: null,
    saml: null,
    role: null,
    once: false,
    encrypted,
    confirmations: signatureConfirmation ? 'demand' : 'ignore',
  };
  const envelopeRules = verifyReplies.remove ? withoutSecurity(replyRules) : replyRules;
  return { rules, envelopeRules, warnings: subjectWarnings(section, owner) };
}

const withoutSecurity = (rules: EnvelopeRules): EnvelopeRules => ({
  ...rules,
  header: { ...rules.header, replaced: new Set(SECURITY_NAMES) },
});

function checkConfirmation(
  section: ConfigSection<VerifyRepliesConfig>,
  { make }: ServiceConfig['security'],
): void {
  if (make?.signature === undefined) {
    throw section.error(
      ['signatureConfirmation'],
      '`signatureConfirmation` confirms the signatures of the gateway, and it makes none.',
      'Add `security.make.signature`, or leave it out.',
    );
  }
  if (section.value.signature === undefined) {
    throw section.error(
      ['signatureConfirmation'],
      '`signatureConfirmation` needs a signature of the reply: else anyone can write it.',
      'Add `signature`.',
    );
  }
}
