import type { ConfigPath } from '../../../config/keys/config-path.js';
import { invalid, within } from '../../../config/keys/finding.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import { currentText } from '../../../gateway/rotating-text.js';
import { headerBlocks } from '../../../soap/index.js';
import type { SigningRules } from '../../../wss/index.js';
import { compileAssertion } from './made-assertion.js';
import { compileIdentity } from './signing-identity.js';
import { requiredPart } from './verification.js';

/** The Security block that the gateway writes into calls. */
export interface MadeBlock {
  readonly writer: headerBlocks.SecurityWriter;
  /** The claim of a caller that is the subject of the assertion; null where no claim is. */
  readonly claim: string | null;
}

const MAKE: ConfigPath = ['security', 'make'];

/**
 * The Security block of calls of a service; null where it has none. Throws `FindingsError`.
 */
export function compileMadeSecurity({
  name,
  config,
  security: { make: plan },
}: ServicePlan): MadeBlock | null {
  if (plan === null) return null;
  const { keys: make, password, saml } = plan;
  const { timestamp, expiresMillis, usernameToken, mustUnderstand, actor = null } = make;
  const { signature, encrypt } = plan;
  const writes = [usernameToken ?? null, saml, signature, encrypt].some((part) => part !== null);
  if (!timestamp && !writes) {
    const what = `Service \`${name}\`: \`security.make\` makes nothing.`;
    throw invalid(
      MAKE,
      what,
      'Give it `timestamp: true`, a `usernameToken`, `saml`, a `signature` or `encrypt`.',
    );
  }
  const writer = headerBlocks.securityWriter({
    timestampMillis: timestamp ? expiresMillis : null,
    usernameToken:
      usernameToken === undefined || password === null
        ? null
        : { ...usernameToken, password: () => currentText(password) },
    assertion:
      saml === null
        ? null
        : within([...MAKE, 'saml'], () => compileAssertion(saml, config.limits.xml)),
    mustUnderstand,
    target: actor,
  });
  return { writer, claim: saml?.keys.claim ?? null };
}

/**
 * The rules by which the gateway signs calls of a service; null where it does not. Throws
 * `FindingsError`.
 */
export function compileSigning({
  name,
  config,
  security: { make: plan },
}: ServicePlan): SigningRules | null {
  if (plan === null || plan.signature === null) return null;
  const { keys: make, signature } = plan;
  const { parts, keyReference, digest } = signature.keys;
  for (const [part, isMade] of [
    ['Timestamp', make.timestamp],
    ['UsernameToken', make.usernameToken !== undefined],
    ['Assertion', make.saml !== undefined],
  ] as const) {
    if (parts.includes(part) && !isMade) {
      throw invalid(
        [...MAKE, 'signature', 'parts'],
        `Service \`${name}\`: \`security.make\` signs a ${part} that it does not write.`,
        `Add the ${part} to \`make\`, or take it out of \`parts\`.`,
      );
    }
  }
  const identity = within([...MAKE, 'signature'], () =>
    compileIdentity(signature.identity, '`security.make.signature`'),
  );
  if (keyReference === 'keyIdentifier' && identity().certificate.fields.keyIdentifier === null) {
    throw invalid(
      [...MAKE, 'signature', 'keyReference'],
      'The certificate has no subject key identifier.',
      'Name it in another way: `keyReference: token`.',
    );
  }
  return {
    identity,
    digest,
    parts: parts.map(requiredPart),
    keyReference,
    isEncryptedFirst: make.encrypt?.beforeSigning === true,
    xmlLimits: config.limits.xml,
  };
}
