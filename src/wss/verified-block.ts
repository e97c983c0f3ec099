import type { Dialect } from '../soap/index.js';
import { isForRole } from './header-verification.js';
import type { VerifiedMessage } from './message-verifier.js';
import { DS, SAML1, SAML2, WSSE, WSSE11, WSU, X509_V3 } from './wsse-names.js';

interface Named {
  readonly uri: string;
  readonly local: string;
}

/** A block of a Header with its attributes. */
interface Block extends Named {
  readonly attributes: readonly (Named & { readonly value: string })[];
}

/** Whether a block is the Security block that a receiver with this role verifies. */
export function isVerifiedBlock(
  { uri, local, attributes }: Block,
  dialect: Dialect,
  role: string | null,
): boolean {
  if (uri !== WSSE || local !== 'Security') return false;
  const target = attributes.find(
    (attribute) =>
      attribute.uri === dialect.envelopeUri && attribute.local === dialect.targetAttribute,
  );
  return isForRole(target?.value ?? '', dialect, role);
}

/** Whether a child of the verified block is a proof, whose name counts, or a time. */
export function isProven(
  { uri, local, valueType }: Named & { readonly valueType: string },
  { signature, user, assertion }: VerifiedMessage,
): boolean {
  const isNamed = assertion !== null && assertion.subject !== null;
  switch (`{${uri}}${local}`) {
    case `{${WSU}}Timestamp`:
    case `{${WSSE11}}SignatureConfirmation`:
      return true;
    case `{${DS}}Signature`:
      return signature !== null;
    case `{${WSSE}}BinarySecurityToken`:
      return signature !== null && valueType === X509_V3;
    case `{${WSSE}}SecurityTokenReference`:
      return signature !== null || isNamed;
    case `{${WSSE}}UsernameToken`:
      return user !== null;
    case `{${SAML1}}Assertion`:
    case `{${SAML2}}Assertion`:
      return isNamed;
    default:
      return false;
  }
}
