import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { Refusal } from '../core/index.js';
import type { Dialect } from '../soap/index.js';
import { type canonical, expandedName } from '../xml/index.js';
import { ElementIds, hasComment } from './element-ids.js';
import {
  isAssertion,
  type KeyName,
  readBinaryToken,
  readKeyInfo,
  readTokenReference,
} from './key-info.js';
import { compareDigest } from './reference-digest.js';
import {
  isConfirmed,
  type SamlRules,
  type VerifiedAssertion,
  verifyAssertion,
} from './saml-assertion.js';
import {
  failedAuthentication,
  failedCheck,
  invalidSecurity,
  tokenUnavailable,
  unsupportedAlgorithm,
  unsupportedToken,
} from './security-refusals.js';
import {
  type AlgorithmRules,
  type AttachmentReference,
  type ReferenceForm,
  readSignature,
  type SignatureForm,
} from './signature-form.js';
import { verifySignedInfo } from './signed-info.js';
import type { SignerCertificates } from './signer-certificates.js';
import {
  decodeBase64,
  elementParts,
  isEncryptedElement,
  isNamed,
  requiredAttribute,
  typedAttribute,
} from './strict-elements.js';
import { type TimestampRules, validateTimestamp } from './timestamp.js';
import { type NamedUser, type UsernameTokenRules, verifyUsernameToken } from './username-token.js';
import { DS, WSSE, WSSE11, WSU, XENC } from './wsse-names.js';
import type { ParsedCertificate } from './x509/certificate-trust.js';

/**
 * What must be signed: parts by the place that they have, or header blocks by name `{uri}local`.
 */
export type RequiredPart =
  | 'Body'
  | 'Timestamp'
  | 'UsernameToken'
  | 'Assertion'
  | 'attachments'
  | { readonly block: string };

export interface SignatureRules {
  readonly algorithms: AlgorithmRules;
  readonly certificates: SignerCertificates;
  readonly required: readonly RequiredPart[];
}

/** What a message must have in its Security block. Made at start-up. */
export interface VerificationRules {
  /**
   * The files of certificates may be replaced: these rules are as they are now. Null where no
   * signature is demanded.
   */
  readonly signature: (() => SignatureRules) | null;
  readonly timestamp: TimestampRules;
  readonly usernameToken: UsernameTokenRules | null;
  readonly saml: SamlRules | null;
  /**
   * The actor or role of the Security block; null: the one without, `next`: that of the next node.
   */
  readonly role: string | null;
  /** A signed message is taken once. */
  readonly once: boolean;
  readonly encrypted: 'refuse' | 'pass';
  /** A decryption decides on encrypted header blocks and on encrypted content. */
  readonly isDecrypted: boolean;
  /** SignatureConfirmations (SOAP Message Security 1.1 section 8.5), which are for replies only. */
  readonly confirmations: 'refuse' | 'ignore' | 'demand';
}

/** Blocks and parts of one kind that a Security block may have. */
const SIGNATURES_MAX = 3;
const TOKENS_MAX = 16;

/** A signature whose own value is right. */
export interface VerifiedSignature {
  readonly signer: ParsedCertificate;
  /**
   * Hashes SignedInfo with the key: equal for the same message, whatever its signature looks like.
   */
  readonly digest: () => string;
  /** Elements of the Header whose digests match. */
  readonly elements: ReadonlySet<canonical.ElementNode>;
  /** References to what comes after the Header, by Id. */
  readonly pending: ReadonlyMap<string, ReferenceForm>;
  /** References to parts of the package. */
  readonly attachments: readonly AttachmentReference[];
}

/** What is known of a message at the end of its Header. */
export interface VerifiedHeader {
  /** Those that cover what must be signed of the Header. */
  readonly signatures: readonly VerifiedSignature[];
  readonly user: NamedUser | null;
  readonly assertion: VerifiedAssertion | null;
  /** Until when the Timestamp is good; null without one. */
  readonly goodUntilMillis: number | null;
  /** Ids that signatures refer to: no other element may have them. */
  readonly referredIds: ReadonlySet<string>;
  /** References of all signatures to what comes after the Header. */
  readonly pending: readonly ReferenceForm[];
  /** References of all signatures to parts of the package. */
  readonly attachments: readonly AttachmentReference[];
}

const NOTHING: VerifiedHeader = {
  signatures: [],
  user: null,
  assertion: null,
  goodUntilMillis: null,
  referredIds: new Set(),
  pending: [],
  attachments: [],
};

/**
 * Verifies the Security block of a Header that is complete. Parts are known by their place; Ids
 * only connect a Reference with an element. `sentValues`: values of the signatures that a reply has
 * to confirm; null where they are not known. Throws the faults of WS-Security 1.1 section 12, and
 * `WSSE_DUPLICATE_ID`.
 */
export function verifyHeader(
  header: canonical.ElementNode | null,
  dialect: Dialect,
  rules: VerificationRules,
  nowMillis: number,
  sentValues: readonly Buffer[] | null = null,
): VerifiedHeader {
  const security = header === null ? null : securityOf(header, dialect, rules.role);
  if (header !== null && refusesEncrypted(rules)) {
    refuseEncrypted(header, dialect, rules.role);
  }
  if (header === null || security === null) {
    if (
      rules.signature === null &&
      rules.usernameToken === null &&
      rules.saml === null &&
      !rules.timestamp.isRequired
    ) {
      return NOTHING;
    }
    throw invalidSecurity('there is no Security block for this receiver');
  }
  if (hasComment(security)) throw invalidSecurity('a comment in the Security block');
  const parts = sort(security, rules);
  const ids = new ElementIds(header);
  const goodUntilMillis =
    parts.timestamp === null
      ? null
      : validateTimestamp(parts.timestamp, rules.timestamp, nowMillis);
  if (parts.timestamp === null && rules.timestamp.isRequired) {
    throw invalidSecurity('there is no Timestamp');
  }
  const signatures =
    rules.signature === null ? [] : verifySignatures(parts, ids, rules.signature(), nowMillis);
  const confirmations =
    rules.confirmations === 'demand' && sentValues !== null
      ? verifyConfirmations(parts, sentValues)
      : [];
  const covering =
    rules.signature === null
      ? null
      : requireSigned(header, parts, signatures, rules.signature().required, confirmations);
  const assertion =
    rules.saml === null ? null : verifySaml(parts, ids, rules.saml, covering, nowMillis);
  if (rules.usernameToken !== null && parts.usernameToken === null) {
    throw invalidSecurity('there is no UsernameToken');
  }
  const user =
    rules.usernameToken === null || parts.usernameToken === null
      ? null
      : verifyUsernameToken(parts.usernameToken, rules.usernameToken, nowMillis);
  const referredIds = new Set(
    signatures.flatMap(({ references }) => references.map(({ id }) => id)),
  );
  const attachments = signatures.flatMap((signature) => signature.attachments);
  const pending = signatures.flatMap((signature) => [...signature.pending.values()]);
  return {
    signatures: covering ?? [],
    user,
    assertion,
    goodUntilMillis,
    referredIds,
    pending,
    attachments,
  };
}

/**
 * Whether a block whose actor or role is `written`, '' for none, is for the receiver with this
 * role.
 */
export function isForRole(written: string, dialect: Dialect, role: string | null): boolean {
  const named = written.trim();
  if (role === null) return named === '' || named === dialect.ultimateTarget;
  return role === 'next' ? dialect.nextTargets.includes(named) : named === role;
}

/** Whether a header block is for the receiver with this role. */
export function isBlockForRole(
  block: canonical.ElementNode,
  dialect: Dialect,
  role: string | null,
): boolean {
  const written = block.attribute(dialect.envelopeUri, dialect.targetAttribute) ?? '';
  return isForRole(written, dialect, role);
}

/** Whether encrypted header blocks, and encrypted content of Body, are refused. */
export const refusesEncrypted = ({ encrypted, isDecrypted }: VerificationRules): boolean =>
  encrypted === 'refuse' && !isDecrypted;

/** Blocks for other nodes may be encrypted. */
function refuseEncrypted(
  header: canonical.ElementNode,
  dialect: Dialect,
  role: string | null,
): void {
  for (const block of header.elements) {
    if (isEncryptedElement(block) && isBlockForRole(block, dialect, role)) {
      throw unsupportedAlgorithm('encryption');
    }
  }
}

/** The one Security block for this receiver; null without one. */
export function securityOf(
  header: canonical.ElementNode,
  dialect: Dialect,
  role: string | null,
): canonical.ElementNode | null {
  const found = header.elements.filter(
    (block) =>
      block.local === 'Security' && block.uri !== '' && isBlockForRole(block, dialect, role),
  );
  const [security, ...others] = found;
  if (security === undefined) return null;
  // A block of a draft beside it, or in place of it, is one that the backend may read.
  if (others.length > 0 || security.uri !== WSSE) {
    throw invalidSecurity('more than one Security block, or one of a draft');
  }
  return security;
}

interface SecurityParts {
  readonly timestamp: canonical.ElementNode | null;
  readonly usernameToken: canonical.ElementNode | null;
  readonly assertion: canonical.ElementNode | null;
  readonly signatures: readonly canonical.ElementNode[];
  readonly confirmations: readonly canonical.ElementNode[];
  /** Every child that is a token, as far as signatures may refer to it. */
  readonly tokens: ReadonlySet<canonical.ElementNode>;
}

/**
 * Sorts the children of the block by kind. Throws for what is not known, or comes more often than
 * it may.
 */
function sort(security: canonical.ElementNode, rules: VerificationRules): SecurityParts {
  const { encrypted } = rules;
  const takesConfirmations = rules.confirmations !== 'refuse';
  const single = new Map<string, canonical.ElementNode>();
  const signatures: canonical.ElementNode[] = [];
  const confirmations: canonical.ElementNode[] = [];
  const tokens = new Set<canonical.ElementNode>();
  const once = (kind: string, node: canonical.ElementNode): void => {
    if (single.has(kind)) throw invalidSecurity(`two of the kind ${kind} in the Security block`);
    single.set(kind, node);
  };
  for (const node of elementParts(security)) {
    if (isNamed(node, WSU, 'Timestamp')) {
      once('Timestamp', node);
    } else if (isNamed(node, WSSE, 'UsernameToken')) {
      once('UsernameToken', node);
    } else if (isAssertion(node)) {
      once('Assertion', node);
    } else if (isNamed(node, DS, 'Signature')) {
      signatures.push(node);
    } else if (
      isNamed(node, WSSE, 'BinarySecurityToken') ||
      isNamed(node, WSSE, 'SecurityTokenReference')
    ) {
      tokens.add(node);
    } else if (takesConfirmations && isNamed(node, WSSE11, 'SignatureConfirmation')) {
      confirmations.push(node);
    } else if (node.uri === XENC && encrypted === 'refuse') {
      throw unsupportedAlgorithm('encryption');
    } else if (node.uri !== XENC) {
      throw unsupportedToken('a part of the Security block');
    }
  }
  if (signatures.length > SIGNATURES_MAX) {
    throw invalidSecurity(`more than ${SIGNATURES_MAX} signatures`);
  }
  if (confirmations.length > SIGNATURES_MAX) {
    throw invalidSecurity(`more than ${SIGNATURES_MAX} SignatureConfirmations`);
  }
  if (tokens.size > TOKENS_MAX) throw invalidSecurity(`more than ${TOKENS_MAX} tokens`);
  const assertion = single.get('Assertion') ?? null;
  if (assertion !== null) {
    tokens.add(assertion);
  }
  return {
    timestamp: single.get('Timestamp') ?? null,
    usernameToken: single.get('UsernameToken') ?? null,
    assertion,
    signatures,
    confirmations,
    tokens,
  };
}

/** Signatures with all of their References, so that Ids can be compared to the end. */
interface ReadSignature extends VerifiedSignature {
  readonly references: readonly ReferenceForm[];
}

/** All signatures of the block must be right, whatever they cover. */
function verifySignatures(
  parts: SecurityParts,
  ids: ElementIds,
  rules: SignatureRules,
  nowMillis: number,
): readonly ReadSignature[] {
  if (parts.signatures.length === 0) throw invalidSecurity('the message is not signed');
  // All are read before the first costs anything.
  const forms = parts.signatures.map((node) => readSignature(node, rules.algorithms));
  return forms.map((form) => {
    const name = keyNameOf(form, parts, ids);
    const signer = rules.certificates.find(name, (id) => tokenWithId(id, parts, ids), nowMillis);
    const signed = verifySignedInfo(form, signer.publicKey);
    const digest = (): string =>
      createHash('sha256').update(signer.fingerprint).update(signed).digest('base64');
    return {
      signer,
      digest,
      references: form.references,
      attachments: form.attachments,
      ...compareReferences(form, parts, ids),
    };
  });
}

function keyNameOf({ keyInfo }: SignatureForm, parts: SecurityParts, ids: ElementIds): KeyName {
  if (keyInfo === null) throw invalidSecurity('Signature without KeyInfo');
  const name = readKeyInfo(keyInfo);
  if (name.by !== 'assertion') return name;
  // The holder's key signs: its certificate is in the assertion.
  const assertion = ids.find(name.id);
  if (assertion === null || assertion !== parts.assertion) throw tokenUnavailable('the assertion');
  return { by: 'embedded', letters: holderOf(assertion) };
}

function holderOf(assertion: canonical.ElementNode): string {
  const data = assertion.elements
    .filter(({ local }) => local === 'Subject')
    .flatMap(({ elements }) => elements.filter(({ local }) => local === 'SubjectConfirmation'))
    .flatMap(({ elements }) => elements.filter(({ local }) => local === 'SubjectConfirmationData'))
    .flatMap(({ elements }) => elements.filter((node) => isNamed(node, DS, 'KeyInfo')));
  const [keyInfo, ...others] = data;
  const name = keyInfo === undefined ? null : readKeyInfo(keyInfo);
  if (name?.by !== 'x509Data' || others.length > 0) {
    throw unsupportedToken('the key of an assertion');
  }
  return name.letters;
}

function tokenWithId(id: string, { tokens }: SecurityParts, ids: ElementIds): string {
  const node = ids.find(id);
  if (node === null || !tokens.has(node)) {
    throw tokenUnavailable('the token of the signature is not in the Security block');
  }
  return readBinaryToken(node);
}

/** Compares what lies in the Header; the rest waits for its element. */
function compareReferences(
  form: SignatureForm,
  parts: SecurityParts,
  ids: ElementIds,
): Pick<VerifiedSignature, 'elements' | 'pending'> {
  const elements = new Set<canonical.ElementNode>();
  const pending = new Map<string, ReferenceForm>();
  for (const reference of form.references) {
    // A signature in what it signs is that of an assertion, which has its own rules.
    if (reference.isEnveloped) throw unsupportedAlgorithm('an enveloped signature');
    const found = ids.find(reference.id);
    if (found === null) {
      if (reference.isDereferenced) {
        throw tokenUnavailable('the SecurityTokenReference that is signed');
      }
      pending.set(reference.id, reference);
      continue;
    }
    const element = reference.isDereferenced ? dereferenced(found, parts, ids) : found;
    compareDigest(reference, element);
    elements.add(element);
  }
  return { elements, pending };
}

/** The token that a SecurityTokenReference names, where it stands in the Security block. */
function dereferenced(
  node: canonical.ElementNode,
  { tokens }: SecurityParts,
  ids: ElementIds,
): canonical.ElementNode {
  if (!isNamed(node, WSSE, 'SecurityTokenReference')) {
    throw unsupportedAlgorithm('STR-Transform of something else');
  }
  const name = readTokenReference(node);
  if (name.by !== 'token' && name.by !== 'assertion') {
    throw unsupportedAlgorithm('STR-Transform of a token that is not in the message');
  }
  const token = ids.find(name.id);
  if (token === null || !tokens.has(token) || token === node) {
    throw tokenUnavailable('the token that is signed');
  }
  return token;
}

/**
 * The signatures that cover what is required of the Header. Parts that several signatures cover
 * between them are not what one sender has said. Throws `wsse:InvalidSecurity`.
 */
function requireSigned(
  header: canonical.ElementNode,
  parts: SecurityParts,
  signatures: readonly ReadSignature[],
  required: readonly RequiredPart[],
  confirmations: readonly canonical.ElementNode[],
): readonly ReadSignature[] {
  const elements: canonical.ElementNode[] = [...confirmations];
  for (const part of required) {
    if (part !== 'Body' && part !== 'attachments') {
      elements.push(requiredElement(part, header, parts));
    }
  }
  const covering = signatures.filter((signature) =>
    elements.every((element) => signature.elements.has(element)),
  );
  if (covering.length === 0) {
    throw invalidSecurity('what must be signed is not signed by one signature');
  }
  return covering;
}

/**
 * The SignatureConfirmations, which confirm just what was sent. Throws `wsse:FailedCheck`,
 * `wsse:InvalidSecurity`.
 */
function verifyConfirmations(
  { confirmations }: SecurityParts,
  sentValues: readonly Buffer[],
): readonly canonical.ElementNode[] {
  const confirmed = confirmations.map((node) => {
    if (elementParts(node).length > 0) throw invalidSecurity('SignatureConfirmation with content');
    const value = decodeBase64(requiredAttribute(node, 'Value').replaceAll(/[ \t\r\n]/g, ''));
    if (value === null) throw invalidSecurity('SignatureConfirmation is no base64');
    return value;
  });
  const isConfirmed = (value: Buffer): boolean => confirmed.some((other) => other.equals(value));
  const isSent = (value: Buffer): boolean => sentValues.some((other) => other.equals(value));
  if (!sentValues.every(isConfirmed) || !confirmed.every(isSent)) {
    throw failedCheck('SignatureConfirmation of another request, or of none');
  }
  return confirmations;
}

function requiredElement(
  part: Exclude<RequiredPart, 'Body' | 'attachments'>,
  header: canonical.ElementNode,
  parts: SecurityParts,
): canonical.ElementNode {
  if (typeof part === 'object') {
    const [block, ...others] = header.elements.filter((one) => expandedName(one) === part.block);
    if (block === undefined || others.length > 0) {
      throw invalidSecurity('a header block that must be signed is not there exactly once');
    }
    return block;
  }
  const element = parts[SINGLE_PARTS[part]];
  if (element == null) throw invalidSecurity(`there is no ${part}, which must be signed`);
  return element;
}

const SINGLE_PARTS = {
  Timestamp: 'timestamp',
  UsernameToken: 'usernameToken',
  Assertion: 'assertion',
} as const;

function verifySaml(
  { assertion: node }: SecurityParts,
  ids: ElementIds,
  rules: SamlRules,
  covering: readonly ReadSignature[] | null,
  nowMillis: number,
): VerifiedAssertion {
  if (node === null) throw invalidSecurity('there is no Assertion');
  const assertion = verifyAssertion(node, rules, nowMillis);
  if (ids.find(typedAttribute(node, 'ID') ?? '') !== node) {
    throw new Refusal('WSSE_DUPLICATE_ID', 'Header');
  }
  const isGood = [null, ...(covering ?? [])].some((signature) =>
    isConfirmed(assertion, signature?.signer ?? null, signature?.elements.has(node) === true),
  );
  if (!isGood) {
    throw failedAuthentication('the sender is not whom the assertion means', assertion.subject);
  }
  return assertion;
}
