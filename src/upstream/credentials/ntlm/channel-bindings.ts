import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { tlsCertificates } from '../../../core/index.js';
import { channelBindingsHash } from './messages.js';

/** The hash of the channel bindings of a TLS connection (RFC 5929 section 4); null without TLS. */
export function channelBindingsOf(socket: Socket): Buffer | null {
  if (!(socket instanceof TLSSocket)) return null;
  const certificate = socket.getPeerCertificate().raw;
  if (certificate === undefined) return null;
  return channelBindingsHash(createHash(hashOf(certificate)).update(certificate).digest());
}

/**
 * Signature algorithms whose hash is not SHA-256: those with MD5 and SHA-1 take SHA-256 as well
 * (section 4.1).
 */
const ALGORITHMS: readonly (readonly [oid: string, hash: string])[] = [
  ['2a864886f70d01010c', 'sha384'],
  ['2a864886f70d01010d', 'sha512'],
  ['2a8648ce3d040303', 'sha384'],
  ['2a8648ce3d040304', 'sha512'],
  // Parameters of RSASSA-PSS.
  ['608648016503040202', 'sha384'],
  ['608648016503040203', 'sha512'],
];

/**
 * The hash of a certificate's signature. It stands behind the signed part (RFC 5280 section 4.1).
 */
function hashOf(certificate: Buffer): string {
  const whole = tlsCertificates.elementAt(certificate, 0);
  const signed = whole === null ? null : tlsCertificates.elementAt(certificate, whole.start);
  const algorithm = signed === null ? null : tlsCertificates.elementAt(certificate, signed.end);
  const text =
    algorithm === null ? '' : certificate.toString('hex', algorithm.start, algorithm.end);
  return ALGORITHMS.find(([oid]) => text.includes(oid))?.[1] ?? 'sha256';
}
