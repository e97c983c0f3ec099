import { Buffer } from 'node:buffer';
import { type KeyObject, verify } from 'node:crypto';
import { tlsCertificates } from '../../core/index.js';
import { extensionsIn } from './certificate-fields.js';
import { listsIn, nextUpdate, revokedSerials } from './revocation-list.js';
import { type SignatureDigest, signatureDigest } from './signature-digest.js';

/** A revocation list with what proves it (RFC 5280 section 5.1). */
export interface SignedList {
  /** The name of the authority, encoded. */
  readonly issuer: Buffer;
  readonly serials: ReadonlySet<string>;
  /** The digest by which it is signed. */
  readonly digest: SignatureDigest;
  /** When it is due to be replaced; null where it does not say. */
  readonly endMillis: number | null;
  /** Whether the key has signed it. */
  isSignedBy(key: KeyObject): boolean;
}

/**
 * The revocation lists of a PEM file. Null for an entry that is no list, or not one of all
 * certificates of its issuer.
 */
export const signedListsIn = (pem: string): readonly (SignedList | null)[] =>
  listsIn(pem).map(readList);

const ELEMENTS_MAX = 8;
const LIST_EXTENSIONS = 0xa0;

function readList(pem: string): SignedList | null {
  const der = Buffer.from(pem.replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64');
  const list = tlsCertificates.elementAt(der, 0);
  const parts =
    list?.tag === tlsCertificates.TAG.sequence
      ? tlsCertificates.elementsBetween(der, list.start, list.end, 3)
      : null;
  const [content, algorithm, signature] = parts ?? [];
  if (
    list == null ||
    content?.tag !== tlsCertificates.TAG.sequence ||
    algorithm === undefined ||
    signature?.tag !== tlsCertificates.TAG.bitString
  ) {
    return null;
  }
  const fields = tlsCertificates.elementsBetween(der, content.start, content.end, ELEMENTS_MAX);
  if (fields === null) return null;
  // The version is optional; then come the algorithm, the issuer and the times.
  const first = fields[0]?.tag === tlsCertificates.TAG.sequence ? 0 : 1;
  const [inner, issuer] = fields.slice(first);
  if (inner === undefined || issuer?.tag !== tlsCertificates.TAG.sequence) return null;
  const listed = fields.find(({ tag }) => tag === LIST_EXTENSIONS);
  const extensions = listed === undefined ? [] : extensionsIn(der, listed);
  // A list of some certificates only, or of changes, says so in a critical extension.
  if (extensions === null || extensions.some(({ isCritical }) => isCritical)) return null;
  const digest = signatureDigest(der, algorithm);
  if (digest === 'unknown') return null;
  const signed = der.subarray(list.start, content.end);
  // The first byte of the signature counts the bits that are not used.
  const value = der.subarray(signature.start + 1, signature.end);
  return {
    issuer: der.subarray(inner.end, issuer.end),
    digest,
    serials: revokedSerials(pem),
    endMillis: nextUpdate(pem),
    isSignedBy: (key) => verify(digest === 'own' ? null : digest, signed, key, value),
  };
}
