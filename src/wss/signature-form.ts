import type { Buffer } from 'node:buffer';

import { canonical } from '../xml/index.js';
import {
  type DigestName,
  digestOf,
  type SignatureAlgorithm,
  signatureAlgorithmOf,
} from './algorithms.js';
import { invalidSecurity, unsupportedAlgorithm } from './security-refusals.js';
import {
  base64Of,
  elementParts,
  isNamed,
  requiredAttribute,
  typedAttribute,
} from './strict-elements.js';
import { ATTACHMENT_CONTENT, DS, ENVELOPED, EXC_C14N, STR_TRANSFORM, WSSE } from './wsse-names.js';

/** What signatures may use. */
export interface AlgorithmRules {
  readonly signatures: ReadonlySet<string>;
  readonly digests: ReadonlySet<string>;
  readonly canonicalizations: ReadonlySet<'exclusive' | 'inclusive'>;
}

/** What is done with the element that a Reference names before it is digested. */
export interface Transformation {
  readonly method: canonical.CanonicalMethod;
  /** The signature in the element is left out, as in SAML. */
  readonly isEnveloped: boolean;
  /**
   * The element is a SecurityTokenReference, and the token that it names is digested (SOAP Message
   * Security 8.3).
   */
  readonly isDereferenced: boolean;
}

/** A Reference to an element of this message, by its Id. */
export interface ReferenceForm extends Transformation, AttachmentReference {}

/** A Reference to the content of a part of the package, by its Content-ID. */
export interface AttachmentReference {
  readonly id: string;
  readonly digest: DigestName;
  readonly value: Buffer;
}

export interface SignatureForm {
  readonly node: canonical.ElementNode;
  readonly signedInfo: canonical.ElementNode;
  readonly method: canonical.CanonicalMethod;
  readonly algorithm: SignatureAlgorithm;
  readonly references: readonly ReferenceForm[];
  readonly attachments: readonly AttachmentReference[];
  readonly value: Buffer;
  /** Null without one. */
  readonly keyInfo: canonical.ElementNode | null;
}

const REFERENCES_MAX = 30;
const TRANSFORMS_MAX = 5;
const PREFIXES_MAX = 64;

/**
 * Reads a Signature (XML Signature section 4), which has the parts of the Basic Security Profile
 * 1.1 section 8 and no others. Throws `wsse:InvalidSecurity`, `wsse:UnsupportedAlgorithm`.
 */
export function readSignature(node: canonical.ElementNode, rules: AlgorithmRules): SignatureForm {
  const [signedInfo, value, keyInfo, ...further] = elementParts(node);
  if (signedInfo === undefined || !isNamed(signedInfo, DS, 'SignedInfo')) {
    throw invalidSecurity('Signature without SignedInfo');
  }
  if (value === undefined || !isNamed(value, DS, 'SignatureValue')) {
    throw invalidSecurity('Signature without SignatureValue');
  }
  if (further.length > 0 || (keyInfo !== undefined && !isNamed(keyInfo, DS, 'KeyInfo'))) {
    throw invalidSecurity('Signature with more than SignedInfo, SignatureValue and KeyInfo');
  }
  const [canonicalization, method, ...references] = elementParts(signedInfo);
  if (canonicalization === undefined || !isNamed(canonicalization, DS, 'CanonicalizationMethod')) {
    throw invalidSecurity('SignedInfo without CanonicalizationMethod');
  }
  if (method === undefined || !isNamed(method, DS, 'SignatureMethod')) {
    throw invalidSecurity('SignedInfo without SignatureMethod');
  }
  if (references.length === 0) throw invalidSecurity('SignedInfo without a Reference');
  if (references.length > REFERENCES_MAX) {
    throw invalidSecurity(`more than ${REFERENCES_MAX} References`);
  }
  const read = references.map((reference) => readReference(reference, rules));
  const form = {
    node,
    signedInfo,
    method: methodOf(canonicalization, rules),
    algorithm: algorithmOf(method, rules),
    references: read.filter((reference) => 'method' in reference),
    attachments: read.filter((reference) => !('method' in reference)),
    value: base64Of(value),
    keyInfo: keyInfo ?? null,
  };
  refuseRepeated(form.references);
  refuseRepeated(form.attachments);
  return form;
}

function refuseRepeated(references: readonly { readonly id: string }[]): void {
  if (new Set(references.map(({ id }) => id)).size !== references.length) {
    throw invalidSecurity('two References to one Id');
  }
}

function algorithmOf(
  node: canonical.ElementNode,
  { signatures }: AlgorithmRules,
): SignatureAlgorithm {
  const identifier = requiredAttribute(node, 'Algorithm');
  const algorithm = signatureAlgorithmOf(identifier);
  if (algorithm === null || !signatures.has(algorithm.name)) {
    throw unsupportedAlgorithm('SignatureMethod', identifier);
  }
  // A length of HMAC, or parameters of RSASSA-PSS.
  if (elementParts(node).length > 0) throw unsupportedAlgorithm('SignatureMethod with parameters');
  return algorithm;
}

function methodOf(node: canonical.ElementNode, rules: AlgorithmRules): canonical.CanonicalMethod {
  const identifier = requiredAttribute(node, 'Algorithm');
  const [list, ...further] = elementParts(node);
  const prefixes = list === undefined ? new Set<string>() : prefixesOf(list);
  const method = canonical.canonicalMethodOf(identifier, prefixes);
  if (method === null || further.length > 0) throw unsupportedAlgorithm(node.local, identifier);
  const name = method.kind === 'exclusive' ? 'exclusive' : 'inclusive';
  if (!rules.canonicalizations.has(name))
    throw unsupportedAlgorithm(`${node.local}: ${name}`, identifier);
  if (list !== undefined && name !== 'exclusive') {
    throw unsupportedAlgorithm(`${node.local} with a list of prefixes`);
  }
  return method;
}

function prefixesOf(list: canonical.ElementNode): ReadonlySet<string> {
  if (!isNamed(list, EXC_C14N, 'InclusiveNamespaces') || list.children.length > 0) {
    throw unsupportedAlgorithm('parameters of a canonicalization');
  }
  const prefixes = (typedAttribute(list, 'PrefixList') ?? '')
    .split(/[ \t\r\n]+/)
    .filter((prefix) => prefix !== '');
  if (prefixes.length > PREFIXES_MAX) {
    throw invalidSecurity(`more than ${PREFIXES_MAX} prefixes in a list`);
  }
  return new Set(prefixes.map((prefix) => (prefix === '#default' ? '' : prefix)));
}

function readReference(
  node: canonical.ElementNode,
  rules: AlgorithmRules,
): ReferenceForm | AttachmentReference {
  if (!isNamed(node, DS, 'Reference')) {
    throw invalidSecurity('SignedInfo with something else than References');
  }
  const uri = requiredAttribute(node, 'URI');
  const parts = elementParts(node);
  const transforms = parts.length === 3 ? parts[0] : undefined;
  const [method, value] = parts.slice(-2);
  if (parts.length > 3 || method === undefined || value === undefined) {
    throw invalidSecurity('the parts of a Reference');
  }
  if (!isNamed(method, DS, 'DigestMethod') || !isNamed(value, DS, 'DigestValue')) {
    throw invalidSecurity('the parts of a Reference');
  }
  if (transforms !== undefined && !isNamed(transforms, DS, 'Transforms')) {
    throw invalidSecurity('the parts of a Reference');
  }
  const identifier = requiredAttribute(method, 'Algorithm');
  const digest = digestOf(identifier);
  if (digest === null || !rules.digests.has(digest) || elementParts(method).length > 0) {
    throw unsupportedAlgorithm('DigestMethod', identifier);
  }
  const digested = { digest, value: base64Of(value) };
  if (uri.startsWith('cid:')) return { id: readAttachmentId(uri, transforms), ...digested };
  // Nothing outside of the message is fetched, and nothing in it is looked for but by an Id.
  if (!/^#[^()\s]+$/.test(uri)) {
    throw invalidSecurity('a Reference that names no Id of the message');
  }
  return { id: uri.slice(1), ...digested, ...readTransforms(transforms, rules) };
}

/** The Content-ID that a URI `cid:` names (RFC 2392), of a part whose content alone is signed. */
function readAttachmentId(uri: string, transforms: canonical.ElementNode | undefined): string {
  const [transform, ...others] = transforms === undefined ? [] : elementParts(transforms);
  const isContent =
    transform !== undefined &&
    typedAttribute(transform, 'Algorithm') === ATTACHMENT_CONTENT &&
    elementParts(transform).length === 0;
  if (!isContent || others.length > 0) throw unsupportedAlgorithm('Transforms of an attachment');
  try {
    return decodeURIComponent(uri.slice('cid:'.length));
  } catch {
    throw invalidSecurity('a Reference that names no Id of the message');
  }
}

/**
 * Takes the sequences that are in use and no others; without one the inclusive way is meant (XML
 * Signature 4.4.3.2).
 */
function readTransforms(
  transforms: canonical.ElementNode | undefined,
  rules: AlgorithmRules,
): Transformation {
  const listed = transforms === undefined ? [] : elementParts(transforms);
  if (transforms !== undefined && listed.length === 0) {
    throw invalidSecurity('Transforms without one');
  }
  if (listed.length > TRANSFORMS_MAX) {
    throw invalidSecurity(`more than ${TRANSFORMS_MAX} Transforms`);
  }
  for (const transform of listed) {
    if (!isNamed(transform, DS, 'Transform')) throw invalidSecurity('the parts of Transforms');
  }
  const isEnveloped = typedAttribute(listed[0], 'Algorithm') === ENVELOPED;
  if (isEnveloped && listed[0] !== undefined && elementParts(listed[0]).length > 0) {
    throw unsupportedAlgorithm('Transform');
  }
  const [last, ...further] = isEnveloped ? listed.slice(1) : listed;
  if (further.length > 0) throw unsupportedAlgorithm('a sequence of Transforms');
  if (last === undefined) {
    const method = canonical.canonicalMethodOf('http://www.w3.org/TR/2001/REC-xml-c14n-20010315');
    if (method === null || !rules.canonicalizations.has('inclusive')) {
      throw unsupportedAlgorithm('a Reference without canonicalization');
    }
    return { method, isEnveloped, isDereferenced: false };
  }
  if (requiredAttribute(last, 'Algorithm') !== STR_TRANSFORM) {
    return { method: methodOf(last, rules), isEnveloped, isDereferenced: false };
  }
  const [parameters, ...others] = elementParts(last);
  const [method, ...more] = parameters === undefined ? [] : elementParts(parameters);
  if (isEnveloped || others.length > 0 || more.length > 0) {
    throw unsupportedAlgorithm('STR-Transform');
  }
  if (parameters === undefined || method === undefined) {
    throw unsupportedAlgorithm('STR-Transform without a canonicalization');
  }
  if (
    !isNamed(parameters, WSSE, 'TransformationParameters') ||
    !isNamed(method, DS, 'CanonicalizationMethod')
  ) {
    throw unsupportedAlgorithm('STR-Transform');
  }
  return { method: methodOf(method, rules), isEnveloped, isDereferenced: true };
}
