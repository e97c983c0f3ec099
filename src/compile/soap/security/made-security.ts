import type { ServiceConfig } from '../../../config/schema.js';
import type { ConfigSection } from '../../../config/section.js';
import { type SecurityWriter, securityWriter } from '../../../soap/index.js';
import type { SigningRules } from '../../../wss/index.js';
import { compileAssertion } from './made-assertion.js';
import { compileIdentity } from './signing-identity.js';
import { requiredPart } from './verification.js';

/** The Security block that the gateway writes into calls. */
export interface MadeBlock {
  readonly writer: SecurityWriter;
  /** The claim of a caller that is the subject of the assertion; null where no claim is. */
  readonly claim: string | null;
}

/**
 * The Security block of calls of a service; null where it has none. Throws `ConfigurationError`.
 */
export function compileMadeSecurity(service: ConfigSection<ServiceConfig>): MadeBlock | null {
  const { make } = service.value.security;
  if (make === undefined) return null;
  const { timestamp, expiresMillis, usernameToken, saml, mustUnderstand, actor = null } = make;
  const section = service.at(make, 'security', 'make');
  if (
    !timestamp &&
    usernameToken === undefined &&
    saml === undefined &&
    make.signature === undefined
  ) {
    const what = `Service \`${service.name}\`: \`security.make\` makes nothing.`;
    throw section.error(
      [],
      what,
      'Give it `timestamp: true`, a `usernameToken`, `saml` or a `signature`.',
    );
  }
  const writer = securityWriter({
    timestampMillis: timestamp ? expiresMillis : null,
    usernameToken:
      usernameToken === undefined
        ? null
        : {
            ...usernameToken,
            password: section.text(['usernameToken', 'password'], usernameToken.password),
          },
    assertion:
      saml === undefined
        ? null
        : compileAssertion(section.at(saml, 'saml'), service.value.limits.xml),
    mustUnderstand,
    target: actor,
  });
  return { writer, claim: saml?.claim ?? null };
}

/**
 * The rules by which the gateway signs calls of a service; null where it does not. Throws
 * `ConfigurationError`.
 */
export function compileSigning(service: ConfigSection<ServiceConfig>): SigningRules | null {
  const { make } = service.value.security;
  if (make?.signature === undefined) return null;
  const section = service.at(make.signature, 'security', 'make', 'signature');
  const { parts, keyReference, digest } = make.signature;
  for (const [part, isMade] of [
    ['Timestamp', make.timestamp],
    ['UsernameToken', make.usernameToken !== undefined],
    ['Assertion', make.saml !== undefined],
  ] as const) {
    if (parts.includes(part) && !isMade) {
      throw section.error(
        ['parts'],
        `Service \`${service.name}\`: \`security.make\` signs a ${part} that it does not write.`,
        `Add the ${part} to \`make\`, or take it out of \`parts\`.`,
      );
    }
  }
  const identity = compileIdentity(section, '`security.make.signature`');
  if (keyReference === 'keyIdentifier' && identity().certificate.fields.keyIdentifier === null) {
    throw section.error(
      ['keyReference'],
      'The certificate has no subject key identifier.',
      'Name it in another way: `keyReference: token`.',
    );
  }
  return {
    identity,
    digest,
    parts: parts.map(requiredPart),
    keyReference,
    xmlLimits: service.value.limits.xml,
  };
}
