import { checkServerIdentity as checkByNode, type PeerCertificate } from 'node:tls';

/**
 * Kinds of names that a certificate identifies a server by (RFC 9525 section 1.1); `othername` may
 * be of SRV.
 */
const IDENTIFIERS = /(?:^|, )(?:DNS|IP Address|URI|othername):/;

/**
 * Checks that a certificate is that of a host, as Node does; an error where it is not. The common
 * name counts only in a certificate without names of these kinds: Node takes it also beside a URI,
 * which RFC 9525 forbids.
 */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { subject, subjectaltname = '' } = certificate;
  if (!IDENTIFIERS.test(subjectaltname)) return checkByNode(host, certificate);
  return checkByNode(host, { ...certificate, subject: { ...subject, CN: '' } });
}

/**
 * The options of every connection by TLS that configuration says nothing else about. Written out,
 * because Node takes what is missing from the environment: `NODE_TLS_REJECT_UNAUTHORIZED=0` would
 * accept any certificate, `--tls-min-v1.0` a protocol with known attacks.
 */
export const VERIFIED_SERVER = {
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2',
  checkServerIdentity,
} as const;
