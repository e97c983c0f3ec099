import type { Buffer } from 'node:buffer';
import { tlsCertificates } from '../../core/index.js';

/**
 * The digest of a signature; `own`: its algorithm has one of its own (Ed25519), `unknown`: not in
 * the table.
 */
export type SignatureDigest =
  | 'md5'
  | 'sha1'
  | 'sha224'
  | 'sha256'
  | 'sha384'
  | 'sha512'
  | 'own'
  | 'unknown';

/**
 * Algorithms of signatures by their encoded identifiers (RFC 3279, RFC 4055, RFC 5758, RFC 8410).
 */
const SIGNATURES: ReadonlyMap<string, SignatureDigest> = new Map([
  ['2a864886f70d010104', 'md5'],
  ['2a864886f70d010105', 'sha1'],
  ['2a864886f70d01010e', 'sha224'],
  ['2a864886f70d01010b', 'sha256'],
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2a8648ce380403', 'sha1'],
  ['2a8648ce3d0401', 'sha1'],
  ['2a8648ce3d040301', 'sha224'],
  ['2a8648ce3d040302', 'sha256'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  ['2b6570', 'own'],
]);

/** RSASSA-PSS, whose parameters name the digest (RFC 4055 section 3.1). */
const PSS = '2a864886f70d01010a';
const PSS_DIGEST = 0xa0;

const DIGESTS: ReadonlyMap<string, SignatureDigest> = new Map([
  ['2b0e03021a', 'sha1'],
  ['608648016503040204', 'sha224'],
  ['608648016503040201', 'sha256'],
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
]);

/** Reads the digest of an AlgorithmIdentifier. */
export function signatureDigest(
  der: Buffer,
  algorithm: tlsCertificates.DerElement,
): SignatureDigest {
  const [id, parameters] =
    tlsCertificates.elementsBetween(der, algorithm.start, algorithm.end, 2) ?? [];
  if (
    algorithm.tag !== tlsCertificates.TAG.sequence ||
    id?.tag !== tlsCertificates.TAG.objectIdentifier
  )
    return 'unknown';
  const name = der.toString('hex', id.start, id.end);
  return name === PSS ? pssDigest(der, parameters) : (SIGNATURES.get(name) ?? 'unknown');
}

function pssDigest(
  der: Buffer,
  parameters: tlsCertificates.DerElement | undefined,
): SignatureDigest {
  if (parameters?.tag !== tlsCertificates.TAG.sequence) return 'unknown';
  const first = tlsCertificates.elementAt(der, parameters.start);
  // The default is SHA-1.
  if (parameters.start === parameters.end || first?.tag !== PSS_DIGEST) return 'sha1';
  const digest = tlsCertificates.elementAt(der, first.start);
  const id =
    digest?.tag === tlsCertificates.TAG.sequence
      ? tlsCertificates.elementAt(der, digest.start)
      : null;
  return id?.tag === tlsCertificates.TAG.objectIdentifier
    ? (DIGESTS.get(der.toString('hex', id.start, id.end)) ?? 'unknown')
    : 'unknown';
}

/** Whether a signature by this digest is accepted where these are. */
export const isDigestAccepted = (digest: SignatureDigest, accepted: ReadonlySet<string>): boolean =>
  digest === 'own' || accepted.has(digest);

/** The digest as a sentence has it: `SHA-1`, `MD5`. */
export const digestName = (digest: SignatureDigest): string =>
  digest === 'unknown' ? 'an unknown algorithm' : digest.toUpperCase().replace('SHA', 'SHA-');
