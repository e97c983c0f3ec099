import { Buffer } from 'node:buffer';

import { isRecord, Refusal } from '../../core/index.js';
import type { CallerIdentity, Client, ClientCertificate, Head } from '../client.js';

/** Catalogue K06. */
const FIELD_CHARS_MAX = 8192;

/** RFC 6750 section 2.1. */
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
/** The forms that some servers accept as well. */
const ANY_BEARER = /^bearer[ \t]+([\w.~+/-]+=*)/i;

/**
 * The token of a request; null where it has none. Throws `UNAUTHENTICATED` for a field that holds
 * no token.
 */
export function bearerToken({ headers }: CallerIdentity): string | null {
  const field = headers['authorization'];
  if (field === undefined) return null;
  if (typeof field !== 'string') throw tokenRefusal('authorization');
  // Other schemes are for the backend.
  if (!/^bearer(?: |$)/i.test(field)) return null;
  if (field.length > FIELD_CHARS_MAX) throw tokenRefusal('token is too long');
  const token = BEARER.exec(field)?.[1];
  if (token === undefined) throw tokenRefusal('token has not the form of one');
  return token;
}

/** Takes the token out of a head, if it is one for the gateway. */
export function withholdToken({ headers }: Head, isForGateway: (token: string) => boolean): void {
  const field = headers['authorization'];
  if (typeof field !== 'string') return;
  const token = ANY_BEARER.exec(field)?.[1];
  if (token !== undefined && isForGateway(token)) {
    delete headers['authorization'];
  }
}

/**
 * Returns the client of a token if the connection proves what the token is bound to: the
 * certificate of its client (RFC 8705 section 3.1). Throws `UNAUTHENTICATED` for another one, and
 * for proofs of other kinds.
 */
export function verifyBinding(client: Client, { certificate = null }: CallerIdentity): Client {
  const confirmation = client.claims?.['cnf'];
  if (confirmation === undefined) return client;
  const bound = isRecord(confirmation) ? confirmation['x5t#S256'] : null;
  if (certificate === null || bound !== thumbprintOf(certificate)) {
    throw tokenRefusal('token is bound to another key');
  }
  return client;
}

const thumbprintOf = ({ fingerprint }: ClientCertificate): string =>
  Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url');

export const tokenRefusal = (detail: string): Refusal => new Refusal('UNAUTHENTICATED', detail);
