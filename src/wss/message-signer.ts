import { Buffer } from 'node:buffer';
import { createHash, type KeyObject, randomBytes } from 'node:crypto';

import { invariant, KIB, type Steps } from '../core/index.js';
import { mime, type SlicedContent, stepToInclude } from '../soap/index.js';
import {
  ALL,
  canonical,
  ELEMENTS_ONLY,
  escapeText,
  expandedName,
  type Interest,
  SKIP,
  type StartTag,
  type XmlHandler,
  type XmlLimits,
  XmlReader,
} from '../xml/index.js';
import {
  type DigestName,
  digestIdentifier,
  type SignatureAlgorithm,
  signBytes,
} from './algorithms.js';
import { referableId } from './element-ids.js';
import type { RequiredPart } from './header-verification.js';
import { IncludedContent, isXopInclude, KeptContent } from './included-content.js';
import { ElementDigest } from './reference-digest.js';
import { unsupportedAlgorithm } from './security-refusals.js';
import type { Transformation } from './signature-form.js';
import type { KeyReference } from './signer-certificates.js';
import {
  BASE64_BINARY,
  DS,
  EXC_C14N,
  THUMBPRINT,
  WSSE,
  WSU,
  X509_KEY_IDENTIFIER,
  X509_V3,
} from './wsse-names.js';
import type { ParsedCertificate } from './x509/certificate-trust.js';
import { rfc2253Name } from './x509/distinguished-name.js';

/** The key of the gateway, as it is now. */
export interface SigningIdentity {
  readonly certificate: ParsedCertificate;
  readonly key: KeyObject;
  readonly algorithm: SignatureAlgorithm;
}

export interface SigningRules {
  readonly identity: () => SigningIdentity;
  readonly digest: DigestName;
  readonly parts: readonly RequiredPart[];
  readonly keyReference: KeyReference;
  /** The message was encrypted before: the signature stands in front of the key. */
  readonly isEncryptedFirst: boolean;
  readonly xmlLimits: XmlLimits;
}

const EXCLUSIVE = canonical.canonicalMethodOf(EXC_C14N);
/** Bytes of a message that are read in one step: they take less than a time slice. */
const STEP_BYTES = 16 * KIB;

/** What the gateway signs by: exclusive canonicalization, as the Basic Security Profile has it. */
function transformation(): Transformation {
  invariant(EXCLUSIVE !== null, 'exclusive canonicalization is known');
  return { method: EXCLUSIVE, isEnveloped: false, isDereferenced: false };
}

/**
 * Finds the part of a package by the reference of an Include; null where there is none that can be
 * signed.
 */
export type FindPart = (spellings: mime.Spellings) => mime.IncludedPart | null;

/**
 * Signs a whole message in UTF-8 whose last Security block is that of the gateway: gives the signed
 * parts an Id where they have none, and writes certificate and Signature to the end of the block
 * (SOAP Message Security 1.1 sections 6.3 and 8.1). `onSigned` gets the value of the signature.
 * `findPart`: the message is the envelope of a package; an Include in it counts as the base64 of
 * its part (XOP 1.0 section 3.2), as CXF and WSS4J have it. A long message takes many steps. Throws
 * `wsse:UnsupportedAlgorithm`.
 */
export function* signMessage(
  message: Buffer,
  rules: SigningRules,
  onSigned: (value: Buffer) => void = () => {},
  findPart: FindPart | null = null,
): Steps<Buffer> {
  const identified = yield* giveIds(message, rules);
  yield;
  const body = new ElementDigest(transformation(), rules.digest, null);
  const outline = yield* read(identified, rules, body, findPart);
  let references = '';
  for (const { id, digest } of partsIn(outline, rules)) {
    invariant(id !== null, 'a signed part has an Id');
    references += referenceText(id, digest(), rules.digest);
    yield;
  }
  const { certificate, key, algorithm } = rules.identity();
  const signedInfo =
    `<ds:SignedInfo xmlns:ds="${DS}"><ds:CanonicalizationMethod Algorithm="${EXC_C14N}">` +
    `</ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${algorithm.identifier}">` +
    `</ds:SignatureMethod>${references}</ds:SignedInfo>`;
  const signed = signBytes(algorithm, key, Buffer.from(signedInfo));
  onSigned(signed);
  const value = signed.toString('base64');
  const { token, keyInfo } = keyTexts(certificate, rules.keyReference);
  const signature =
    `<ds:Signature xmlns:ds="${DS}">${signedInfo}<ds:SignatureValue>${value}</ds:SignatureValue>` +
    `<ds:KeyInfo>${keyInfo}</ds:KeyInfo></ds:Signature>`;
  const { security, securityEndBytes } = outline;
  const at = rules.isEncryptedFirst ? security.contentBytes : securityEndBytes;
  return insert(identified, [{ at, text: `${token}${signature}` }]);
}

/** A part that is signed: its place, its Id, and its digest. */
interface Part {
  readonly id: string | null;
  readonly nameEndBytes: number;
  /** The prefix by which it may have an Id, and whether that has to be declared. */
  readonly idPrefix: IdPrefix;
  /** Once. */
  readonly digest: () => Buffer;
}

/** What is known of a message once it is read. */
interface Outline {
  readonly header: canonical.ElementNode;
  readonly security: canonical.ElementNode;
  /** The offset at which the end tag of the block begins. */
  readonly securityEndBytes: number;
  readonly body: Part;
}

function* giveIds(message: Buffer, rules: SigningRules): Steps<Buffer> {
  const insertions = partsIn(yield* read(message, rules, null, null), rules)
    .filter(({ id }) => id === null)
    .map(({ nameEndBytes, idPrefix: { prefix, isBound } }) => ({
      at: nameEndBytes,
      text: `${isBound ? '' : ` xmlns:${prefix}="${WSU}"`} ${prefix}:Id="${newId()}"`,
    }));
  return insertions.length === 0 ? message : insert(message, insertions);
}

interface IdPrefix {
  readonly prefix: string;
  readonly isBound: boolean;
}

/**
 * Finds a prefix for the Id of an element. One with another meaning there is not bound anew: names
 * in it would change theirs.
 */
function idPrefixOf(tag: Pick<StartTag, 'namespace'>): IdPrefix {
  for (let number = 0, prefix = 'wsu'; ; prefix = `wsu${++number}`) {
    const bound = tag.namespace(prefix);
    if (bound === null || bound === WSU) return { prefix, isBound: bound !== null };
  }
}

const newId = (): string => `id-${randomBytes(16).toString('hex')}`;

/** Header blocks that the message does not have are not signed. */
function partsIn(
  { header, security, body }: Outline,
  { parts, digest }: SigningRules,
): readonly Part[] {
  return parts.flatMap((part) => {
    if (part === 'Body') return [body];
    if (part === 'attachments') return [];
    const found =
      typeof part === 'object'
        ? header.elements.filter((one) => expandedName(one) === part.block)
        : security.elements.filter(({ local }) => local === part);
    return found.map((element) => ({
      id: referableId(element),
      nameEndBytes: nameEndOf(element),
      idPrefix: idPrefixOf(element),
      digest: () => digestOf(element, digest),
    }));
  });
}

function digestOf(element: canonical.ElementNode, digest: DigestName): Buffer {
  const own = new ElementDigest(transformation(), digest, element.parent);
  canonical.writeTree(element, own.writer);
  return own.digest();
}

/** The offset behind the name of a start tag. */
const nameEndOf = ({
  offsetBytes,
  prefix,
  local,
}: Pick<StartTag, 'offsetBytes' | 'prefix' | 'local'>): number =>
  offsetBytes + 1 + Buffer.byteLength(prefix === '' ? local : `${prefix}:${local}`);

/** `digest`: null where the Ids alone are looked for. */
function* read(
  message: Buffer,
  { xmlLimits }: SigningRules,
  digest: ElementDigest | null,
  findPart: FindPart | null,
): Steps<Outline> {
  const outliner = new Outliner(digest, findPart);
  const reader = new XmlReader(outliner, xmlLimits);
  reader.begin(null);
  for (let rest = message; rest.length > 0; ) {
    const taken =
      findPart === null ? rest.subarray(0, STEP_BYTES) : stepToInclude(rest, STEP_BYTES);
    reader.write(taken);
    rest = rest.subarray(taken.length);
    yield;
    while (outliner.writeIncluded()) {
      yield;
    }
  }
  reader.end();
  return outliner.outline(message);
}

/** Keeps the Header of a message, and digests its Body. */
class Outliner implements XmlHandler {
  #envelope: canonical.ElementNode | null = null;
  #header: canonical.ElementNode | null = null;
  #block: canonical.TreeBuilder | null = null;
  readonly #digest: ElementDigest | null;
  readonly #findPart: FindPart | null;
  #body: Omit<Part, 'digest'> | null = null;
  #depth = 0;
  /** An Include is open, which counts as its part. */
  #isInIncluded = false;
  /** The rest of the part that takes the place of the last Include; null once it is written. */
  #included: SlicedContent | null = null;

  constructor(digest: ElementDigest | null, findPart: FindPart | null) {
    this.#digest = digest;
    this.#findPart = findPart;
  }

  /**
   * Writes a slice of the part that takes the place of an Include. False: nothing is left of it.
   */
  writeIncluded(): boolean {
    if (this.#included?.writeSlice() !== true) {
      this.#included = null;
    }
    return this.#included !== null;
  }

  /** Writes the part of the last Include: an event comes that is behind it. */
  #finishIncluded(): void {
    while (this.#included !== null) {
      this.writeIncluded();
    }
  }

  open(tag: StartTag): Interest {
    this.#finishIncluded();
    this.#depth++;
    if (this.#findPart !== null && isXopInclude(tag) && (this.#block ?? this.#body) !== null) {
      return this.#openIncluded(tag, this.#findPart);
    }
    if (this.#body !== null) return this.#digest?.writer.open(tag) ?? SKIP;
    if (this.#depth === 1) {
      this.#envelope = new canonical.ElementNode(tag, null);
    } else if (this.#depth > 2) {
      this.#block ??= new canonical.TreeBuilder(this.#header, ALL, () => {});
      return this.#block.open(tag);
    } else if (tag.local === 'Header') {
      this.#header = new canonical.ElementNode(tag, this.#envelope);
    } else {
      this.#body = {
        id: referableId(tag),
        nameEndBytes: nameEndOf(tag),
        idPrefix: idPrefixOf(tag),
      };
      return this.#digest?.writer.open(tag) ?? SKIP;
    }
    return ELEMENTS_ONLY;
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#isInIncluded) {
      this.#isInIncluded = false;
      this.#depth--;
      return;
    }
    this.#finishIncluded();
    if (this.#block !== null) {
      this.#block.close(contentEndBytes, endBytes);
      if (this.#block.isComplete) {
        if (this.#block.root !== null) {
          this.#header?.children.push(this.#block.root);
        }
        this.#block = null;
      }
    } else if (this.#body !== null && this.#depth > 1) {
      this.#digest?.writer.close();
    }
    this.#depth--;
  }

  text(chars: string): void {
    this.#finishIncluded();
    if (this.#block !== null) {
      this.#block.text(chars);
    } else if (this.#body !== null && this.#depth > 1) {
      this.#digest?.writer.text(chars);
    }
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    this.#finishIncluded();
    return this.#block === null && this.#digest?.writer.asciiText(bytes, start, end) === true;
  }

  #openIncluded(tag: StartTag, findPart: FindPart): Interest {
    const spellings = mime.referenceIn(tag.attribute('', 'href') ?? '');
    const part = spellings === null ? null : findPart(spellings);
    if (part === null) {
      throw unsupportedAlgorithm(
        'an Include of a part that is missing or encoded, in what is signed',
      );
    }
    if (this.#block !== null) {
      this.#included = new KeptContent(part.bytes, this.#block);
    } else if (this.#digest !== null) {
      this.#included = new IncludedContent(part.bytes, [this.#digest.writer]);
    }
    this.#isInIncluded = true;
    return SKIP;
  }

  outline(message: Buffer): Outline {
    const [header, body] = [this.#header, this.#body];
    const security = header?.elements.findLast(
      (one) => one.local === 'Security' && one.uri === WSSE,
    );
    invariant(
      header !== null && security !== undefined && body !== null,
      'the gateway has written its Security block',
    );
    const securityEndBytes = message.lastIndexOf('</', security.endBytes - 1);
    const digest = (): Buffer => this.#digest?.digest() ?? Buffer.alloc(0);
    return { header, security, securityEndBytes, body: { ...body, digest } };
  }
}

/** Writes texts, which are ASCII, into a message. */
function insert(
  message: Buffer,
  insertions: readonly { readonly at: number; readonly text: string }[],
): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  for (const { at, text } of [...insertions].sort((one, other) => one.at - other.at)) {
    pieces.push(message.subarray(done, at), Buffer.from(text));
    done = at;
  }
  return Buffer.concat([...pieces, message.subarray(done)]);
}

const referenceText = (id: string, value: Buffer, digest: DigestName): string =>
  `<ds:Reference URI="#${canonical.canonicalValue(id)}"><ds:Transforms>` +
  `<ds:Transform Algorithm="${EXC_C14N}"></ds:Transform></ds:Transforms>` +
  `<ds:DigestMethod Algorithm="${digestIdentifier(digest)}"></ds:DigestMethod><ds:DigestValue>` +
  `${value.toString('base64')}</ds:DigestValue></ds:Reference>`;

/**
 * The certificate, where the message brings it, and how KeyInfo names it (X.509 Token Profile 1.1
 * section 3).
 */
export function keyTexts(
  { certificate, fields }: ParsedCertificate,
  reference: KeyReference,
): { token: string; keyInfo: string } {
  const letters = certificate.raw.toString('base64');
  const named = (inner: string): string =>
    `<wsse:SecurityTokenReference xmlns:wsse="${WSSE}">${inner}</wsse:SecurityTokenReference>`;
  const tokenOf = (attributes: string): string =>
    `<wsse:BinarySecurityToken xmlns:wsse="${WSSE}"${attributes} ` +
    `EncodingType="${BASE64_BINARY}" ValueType="${X509_V3}">` +
    `${letters}</wsse:BinarySecurityToken>`;
  switch (reference) {
    case 'token': {
      const id = newId();
      const token = tokenOf(` xmlns:wsu="${WSU}" wsu:Id="${id}"`);
      return { token, keyInfo: named(`<wsse:Reference URI="#${id}" ValueType="${X509_V3}"/>`) };
    }
    case 'embedded':
      return { token: '', keyInfo: named(`<wsse:Embedded>${tokenOf('')}</wsse:Embedded>`) };
    case 'issuerSerial': {
      const issuer = rfc2253Name(certificate.issuer);
      const serial = BigInt(`0x${certificate.serialNumber}`).toString();
      const parts =
        `<ds:X509IssuerName>${escapeText(issuer)}</ds:X509IssuerName><ds:X509SerialNumber>` +
        `${serial}</ds:X509SerialNumber>`;
      return {
        token: '',
        keyInfo: named(
          `<ds:X509Data><ds:X509IssuerSerial>${parts}</ds:X509IssuerSerial></ds:X509Data>`,
        ),
      };
    }
    case 'keyIdentifier':
      return {
        token: '',
        keyInfo: named(identifier(X509_KEY_IDENTIFIER, fields.keyIdentifier ?? Buffer.alloc(0))),
      };
    case 'thumbprint':
      return {
        token: '',
        keyInfo: named(identifier(THUMBPRINT, createHash('sha1').update(certificate.raw).digest())),
      };
    case 'x509Data':
      return {
        token: '',
        keyInfo: `<ds:X509Data><ds:X509Certificate>${letters}</ds:X509Certificate></ds:X509Data>`,
      };
  }
}

const identifier = (type: string, bytes: Buffer): string =>
  `<wsse:KeyIdentifier EncodingType="${BASE64_BINARY}" ValueType="${type}">` +
  `${bytes.toString('base64')}</wsse:KeyIdentifier>`;
