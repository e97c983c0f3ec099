import type { KeyObject } from 'node:crypto';
import type { canonical } from '../xml/index.js';
import { readKeyInfo } from './key-info.js';
import { compareDigest } from './reference-digest.js';
import {
  failedAuthentication,
  failedCheck,
  invalidSecurity,
  messageExpired,
  unsupportedToken,
} from './security-refusals.js';
import { type AlgorithmRules, readSignature } from './signature-form.js';
import { verifySignedInfo } from './signed-info.js';
import {
  elementParts,
  elementText,
  isNamed,
  requiredAttribute,
  typedAttribute,
} from './strict-elements.js';
import { instantOf } from './timestamp.js';
import { DS, SAML2 } from './wsse-names.js';
import type { ParsedCertificate } from './x509/certificate-trust.js';

export const CONFIRMATIONS = ['bearer', 'holder-of-key', 'sender-vouches'] as const;
type Confirmation = (typeof CONFIRMATIONS)[number];

export interface SamlRules {
  /** The keys of an issuer by name, as they are now; null for one that is not known. */
  keysOf(issuer: string): readonly KeyObject[] | null;
  readonly audience: string;
  readonly confirmations: ReadonlySet<Confirmation>;
  readonly toleranceMillis: number;
  readonly algorithms: AlgorithmRules;
}

/** An assertion that is good, if its confirmation holds as well. */
export interface VerifiedAssertion {
  readonly issuer: string;
  readonly subject: string | null;
  readonly confirmation: Confirmation;
  /** The certificate whose key the sender has to prove, in base64; null where none. */
  readonly holderCertificate: string | null;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

const ATTRIBUTES_MAX = 256;
const METHOD = 'urn:oasis:names:tc:SAML:2.0:cm:';

/**
 * Verifies an assertion (SAML 2.0 core sections 2 and 5.4, SAML Token Profile 1.1): its own
 * signature, issuer, times, audience and confirmation. Throws `wsse:FailedAuthentication`,
 * `wsse:FailedCheck`, `wsse:MessageExpired`, `wsse:InvalidSecurity`,
 * `wsse:UnsupportedSecurityToken`.
 */
export function verifyAssertion(
  node: canonical.ElementNode,
  rules: SamlRules,
  nowMillis: number,
): VerifiedAssertion {
  if (node.uri !== SAML2 || typedAttribute(node, 'Version') !== '2.0') {
    throw unsupportedToken('an assertion that is not of SAML 2.0');
  }
  const children = new Map<string, canonical.ElementNode>();
  for (const part of elementParts(node)) {
    const isStatement = STATEMENTS.has(part.local) && part.uri === SAML2;
    if (isStatement) continue;
    const isKnown = part.uri === SAML2 ? PARTS.has(part.local) : isNamed(part, DS, 'Signature');
    if (!isKnown) throw unsupportedToken('a part of the assertion');
    if (children.has(part.local)) throw invalidSecurity(`${part.local} twice`);
    children.set(part.local, part);
  }
  const issuer = elementText(required(children, 'Issuer')).trim();
  verifySignature(node, required(children, 'Signature'), issuer, rules);
  const conditions = children.get('Conditions');
  if (conditions === undefined) throw failedAuthentication('an assertion without Conditions');
  validateConditions(conditions, rules, nowMillis);
  const subject = required(children, 'Subject');
  const { confirmation, holderCertificate } = readConfirmation(subject, rules, nowMillis);
  return {
    issuer,
    subject: nameOf(subject),
    confirmation,
    holderCertificate,
    attributes: attributesOf(node),
  };
}

const STATEMENTS: ReadonlySet<string> = new Set(['AttributeStatement', 'AuthnStatement']);
const PARTS: ReadonlySet<string> = new Set(['Issuer', 'Subject', 'Conditions']);

function required(
  children: ReadonlyMap<string, canonical.ElementNode>,
  local: string,
): canonical.ElementNode {
  const found = children.get(local);
  if (found === undefined) throw failedAuthentication(`an assertion without ${local}`);
  return found;
}

/**
 * The assertion is signed as a whole, by a key that is configured: what its KeyInfo says does not
 * count.
 */
function verifySignature(
  node: canonical.ElementNode,
  signature: canonical.ElementNode,
  issuer: string,
  { keysOf, algorithms }: SamlRules,
): void {
  const keys = keysOf(issuer);
  if (keys === null) throw failedAuthentication('the issuer of the assertion is not known', issuer);
  const form = readSignature(signature, algorithms);
  const [reference, ...others] = form.references;
  if (
    reference === undefined ||
    others.length + form.attachments.length > 0 ||
    reference.id !== requiredAttribute(node, 'ID') ||
    !reference.isEnveloped
  ) {
    throw invalidSecurity('the assertion is not signed as a whole');
  }
  const isSigned = keys.some((key) => {
    try {
      verifySignedInfo(form, key);
      return true;
    } catch {
      return false;
    }
  });
  if (!isSigned) throw failedCheck('the signature of the assertion', issuer);
  compareDigest(reference, node, signature);
}

function validateConditions(
  node: canonical.ElementNode,
  { audience, toleranceMillis }: SamlRules,
  nowMillis: number,
): void {
  validateTimes(node, toleranceMillis, nowMillis);
  let isForUs = false;
  for (const condition of elementParts(node)) {
    if (condition.uri !== SAML2 || !CONDITIONS.has(condition.local)) {
      throw unsupportedToken('a condition of the assertion');
    }
    if (condition.local !== 'AudienceRestriction') continue;
    const audiences = elementParts(condition)
      .filter((one) => isNamed(one, SAML2, 'Audience'))
      .map((one) => elementText(one).trim());
    if (!audiences.some((each) => each === audience)) {
      const what = 'the assertion is for another audience';
      throw failedAuthentication(what, audiences.join(', '), audience === null ? [] : [audience]);
    }
    isForUs = true;
  }
  if (!isForUs) throw failedAuthentication('the assertion names no audience');
}

const CONDITIONS: ReadonlySet<string> = new Set(['AudienceRestriction', 'ProxyRestriction']);

function validateTimes(
  node: canonical.ElementNode,
  toleranceMillis: number,
  nowMillis: number,
): void {
  const [start, end] = [typedAttribute(node, 'NotBefore'), typedAttribute(node, 'NotOnOrAfter')];
  if (start !== null && instantOf(start) > nowMillis + toleranceMillis) {
    throw messageExpired('the assertion is not valid yet', start);
  }
  if (end !== null && instantOf(end) + toleranceMillis <= nowMillis) {
    throw messageExpired('the assertion has expired', end);
  }
}

/**
 * Takes the first confirmation of a way that is allowed (SAML 2.0 core section 2.4.1.1: one of them
 * has to hold).
 */
function readConfirmation(
  subject: canonical.ElementNode,
  { confirmations, toleranceMillis }: SamlRules,
  nowMillis: number,
): Pick<VerifiedAssertion, 'confirmation' | 'holderCertificate'> {
  for (const node of elementParts(subject).filter((part) =>
    isNamed(part, SAML2, 'SubjectConfirmation'),
  )) {
    const method = requiredAttribute(node, 'Method');
    const confirmation = CONFIRMATIONS.find((name) => method === `${METHOD}${name}`);
    if (confirmation === undefined || !confirmations.has(confirmation)) continue;
    const data = elementParts(node).find((part) => isNamed(part, SAML2, 'SubjectConfirmationData'));
    if (data !== undefined) {
      validateTimes(data, toleranceMillis, nowMillis);
    }
    if (confirmation !== 'holder-of-key') return { confirmation, holderCertificate: null };
    const keyInfo =
      data === undefined
        ? undefined
        : elementParts(data).find((part) => isNamed(part, DS, 'KeyInfo'));
    const name = keyInfo === undefined ? null : readKeyInfo(keyInfo);
    if (name?.by !== 'x509Data') {
      throw unsupportedToken('a holder of a key that is not named by its certificate');
    }
    return { confirmation, holderCertificate: name.letters };
  }
  const what = 'no confirmation of the subject is accepted';
  throw failedAuthentication(what, nameOf(subject), [...confirmations]);
}

/**
 * Whether the sender of the message is whom the confirmation means. `signer`: of the signature that
 * covers what is required.
 */
export function isConfirmed(
  { confirmation, holderCertificate }: VerifiedAssertion,
  signer: ParsedCertificate | null,
  isCovered: boolean,
): boolean {
  switch (confirmation) {
    case 'bearer':
      return true;
    case 'holder-of-key':
      return (
        holderCertificate !== null &&
        signer?.certificate.raw.toString('base64') === holderCertificate
      );
    case 'sender-vouches':
      return signer !== null && isCovered;
  }
}

function nameOf(subject: canonical.ElementNode): string | null {
  const name = elementParts(subject).find((part) => isNamed(part, SAML2, 'NameID'));
  return name === undefined ? null : elementText(name).trim();
}

function attributesOf(node: canonical.ElementNode): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const statements = elementParts(node).filter((part) =>
    isNamed(part, SAML2, 'AttributeStatement'),
  );
  for (const attribute of statements.flatMap(elementParts)) {
    if (!isNamed(attribute, SAML2, 'Attribute')) {
      throw unsupportedToken('a statement of the assertion');
    }
    if (found.size === ATTRIBUTES_MAX) {
      throw invalidSecurity(`more than ${ATTRIBUTES_MAX} attributes in the assertion`);
    }
    // A string by its schema: its white space counts.
    const name = attribute.attribute('', 'Name') ?? requiredAttribute(attribute, 'Name');
    const values = elementParts(attribute).map(({ ownText }) => ownText);
    found.set(name, [...(found.get(name) ?? []), ...values]);
  }
  return found;
}
