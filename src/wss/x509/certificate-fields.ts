import type { Buffer } from 'node:buffer';

import { tlsCertificates } from '../../core/index.js';
import { type SignatureDigest, signatureDigest } from './signature-digest.js';

/** What Node does not tell of a certificate (RFC 5280 sections 4.1 and 4.2). */
export interface CertificateFields {
  /** The name of the issuer, encoded. */
  readonly issuer: Buffer;
  /** The subject, encoded. */
  readonly subject: Buffer;
  /** The subject key identifier; null without one. */
  readonly keyIdentifier: Buffer | null;
  /** Null without the extension: then the key may be used for anything. */
  readonly keyUses: {
    readonly signs: boolean;
    readonly signsCertificates: boolean;
    readonly signsLists: boolean;
  } | null;
  /** Authorities that may stand between this one and the last certificate; null for any number. */
  readonly pathLengthMax: number | null;
  /** The digest by which its issuer has signed it. */
  readonly signatureDigest: SignatureDigest;
  /** It has a critical extension that is not understood here. */
  readonly hasUnknownCritical: boolean;
}

const ELEMENTS_MAX = 64;

const KEY_USES = '551d0f';
const BASIC_CONSTRAINTS = '551d13';
const KEY_IDENTIFIER = '551d0e';
/**
 * Subject alternative names, policies, and purposes, which are about other uses than a signature of
 * a message.
 */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  KEY_USES,
  BASIC_CONSTRAINTS,
  KEY_IDENTIFIER,
  '551d11',
  '551d20',
  '551d25',
]);

/** Reads the fields of a certificate; null for what is none. */
export function readCertificateFields(der: Buffer): CertificateFields | null {
  const certificate = tlsCertificates.elementAt(der, 0);
  const parts =
    certificate?.tag === tlsCertificates.TAG.sequence
      ? tlsCertificates.elementsBetween(der, certificate.start, certificate.end, 3)
      : null;
  const [content, signature] = parts ?? [];
  if (content?.tag !== tlsCertificates.TAG.sequence || signature === undefined) return null;
  const fields = tlsCertificates.elementsBetween(der, content.start, content.end, ELEMENTS_MAX);
  if (fields === null) return null;
  // The version is optional; then come serial number, algorithm, issuer, validity, subject and key.
  const first = fields[0]?.tag === VERSION ? 1 : 0;
  const [serial, algorithm, issuer, , subject] = fields.slice(first);
  if (
    serial?.tag !== tlsCertificates.TAG.integer ||
    algorithm === undefined ||
    issuer === undefined ||
    subject === undefined
  ) {
    return null;
  }
  const list = fields.find(({ tag }) => tag === EXTENSIONS);
  const extensions = list === undefined ? [] : extensionsIn(der, list);
  if (extensions === null) return null;
  const extensionOf = (id: string): tlsCertificates.DerElement | null =>
    extensions.find((extension) => extension.id === id)?.value ?? null;
  const uses = extensionOf(KEY_USES);
  const identifier = extensionOf(KEY_IDENTIFIER);
  const constraints = extensionOf(BASIC_CONSTRAINTS);
  return {
    issuer: der.subarray(algorithm.end, issuer.end),
    subject: wholeOf(der, fields, subject),
    keyIdentifier:
      identifier?.tag === tlsCertificates.TAG.octetString
        ? der.subarray(identifier.start, identifier.end)
        : null,
    keyUses: uses === null ? null : usesOf(der, uses),
    pathLengthMax: constraints === null ? null : pathLengthOf(der, constraints),
    signatureDigest: signatureDigest(der, signature),
    hasUnknownCritical: extensions.some(({ id, isCritical }) => isCritical && !UNDERSTOOD.has(id)),
  };
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

/** An element with its tag and length: it begins where the one before ends. */
function wholeOf(
  der: Buffer,
  fields: readonly tlsCertificates.DerElement[],
  element: tlsCertificates.DerElement,
): Buffer {
  const before = fields[fields.indexOf(element) - 1];
  return der.subarray(before?.end ?? element.start, element.end);
}

interface Extension {
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: tlsCertificates.DerElement;
}

/** Null for what is no list of extensions, or has one twice. */
export function extensionsIn(
  der: Buffer,
  { start }: tlsCertificates.DerElement,
): readonly Extension[] | null {
  const list = tlsCertificates.elementAt(der, start);
  const entries =
    list?.tag === tlsCertificates.TAG.sequence
      ? tlsCertificates.elementsBetween(der, list.start, list.end, ELEMENTS_MAX)
      : null;
  if (entries === null) return null;
  const found: Extension[] = [];
  for (const entry of entries) {
    const parts = tlsCertificates.elementsBetween(der, entry.start, entry.end, 3);
    const [id, second] = parts ?? [];
    const last = parts?.at(-1);
    const value =
      last?.tag === tlsCertificates.TAG.octetString
        ? tlsCertificates.elementAt(der, last.start)
        : null;
    if (id?.tag !== tlsCertificates.TAG.objectIdentifier || value === null) return null;
    const text = der.toString('hex', id.start, id.end);
    if (found.some((extension) => extension.id === text)) return null;
    const isCritical = second?.tag === tlsCertificates.TAG.boolean && der[second.start] !== 0;
    found.push({ id: text, isCritical, value });
  }
  return found;
}

function usesOf(
  der: Buffer,
  { tag, start, end }: tlsCertificates.DerElement,
): NonNullable<CertificateFields['keyUses']> {
  // The first byte counts the bits that are not used; the first bit is the highest one.
  const bits = tag === tlsCertificates.TAG.bitString && end - start > 1 ? (der[start + 1] ?? 0) : 0;
  return {
    signs: (bits & (DIGITAL_SIGNATURE | NON_REPUDIATION)) !== 0,
    signsCertificates: (bits & CERTIFICATE_SIGN) !== 0,
    signsLists: (bits & LIST_SIGN) !== 0,
  };
}

const DIGITAL_SIGNATURE = 0x80;
const NON_REPUDIATION = 0x40;
const CERTIFICATE_SIGN = 0x04;
const LIST_SIGN = 0x02;

function pathLengthOf(der: Buffer, { start, end }: tlsCertificates.DerElement): number | null {
  const length = tlsCertificates
    .elementsBetween(der, start, end, 2)
    ?.find(({ tag }) => tag === tlsCertificates.TAG.integer);
  if (length === undefined) return null;
  return length.end - length.start > 4
    ? 0
    : der.readUIntBE(length.start, length.end - length.start);
}
