import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

import type { ClientCertificate } from '../access/client.js';
import { Refusal } from '../core/index.js';
import { x509 } from '../wss/index.js';

/** Whether a connection is encrypted by the gateway itself. */
export const isEncrypted = (socket: Duplex): boolean => socket instanceof TLSSocket;

/**
 * Cuts a connection, so that its client does not take what it has for all. TLS has no reset, and
 * needs none: an end without `close_notify` is a truncation (RFC 8446 section 6.1). A Unix socket
 * has neither.
 */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket || socket.remotePort === undefined) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}

const CERTIFICATES = new WeakMap<Duplex, ClientCertificate>();
const WITHDRAWN = new WeakSet<Duplex>();

/**
 * The verified certificate of a connection's client; null without one. Throws `UNAUTHENTICATED`
 * where it is no longer good: whatever else identifies the client, its handshake would be refused
 * now.
 */
export function certificateOf(socket: Duplex): ClientCertificate | null {
  const certificate = CERTIFICATES.get(socket) ?? null;
  if (certificate !== null && (WITHDRAWN.has(socket) || Date.now() >= certificate.endMillis)) {
    throw new Refusal('UNAUTHENTICATED', 'certificate is no longer good');
  }
  return certificate;
}

/** The certificate of a connection is no good from now on. */
export const withdrawCertificate = (socket: Duplex): unknown => WITHDRAWN.add(socket);

/**
 * Reads the certificate of a client after the handshake, once for all requests of the connection.
 * False where it has one that is not verified: such a connection must not be used.
 */
export function verifyClientCertificate(socket: TLSSocket): boolean {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return true;
  if (!socket.authorized) return false;
  const { subject, subjectAltName = '', fingerprint256: fingerprint } = certificate;
  const endMillis = Date.parse(certificate.validTo);
  CERTIFICATES.set(socket, {
    subject: x509.rfc2253Name(subject),
    names: namesIn(subjectAltName),
    fingerprint,
    endMillis,
  });
  return true;
}

/**
 * Names that Node prints in quotes hold characters that could pass for a separator: they identify
 * no client.
 */
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:^|, )([A-Za-z ]{1,32}):("(?:[^"\\]|\\.)*"|[^",]*)(?=, |$)/g)].flatMap(
    ([, kind = '', name = '']) => (name.startsWith('"') ? [] : [`${kind}:${name}`]),
  );
