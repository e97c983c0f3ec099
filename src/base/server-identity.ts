import { checkServerIdentity as checkByNode, type PeerCertificate } from 'node:tls';

/** Kinds of names that a certificate identifies a server by (RFC 9525 section 1.1); `othername` may be of SRV. */
const IDENTIFIERS = /(?:^|, )(?:DNS|IP Address|URI|othername):/;

/**
 * Checks that a certificate is that of a host, as Node does; an error where it is not. The common name counts only in a
 * certificate without names of these kinds: Node takes it also beside a URI, which RFC 9525 forbids.
 */
export function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { subject, subjectaltname = '' } = certificate;
  if (!IDENTIFIERS.test(subjectaltname)) return checkByNode(host, certificate);
  return checkByNode(host, { ...certificate, subject: { ...subject, CN: '' } });
}
