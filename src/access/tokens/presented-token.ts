import { Refusal } from '../../core/index.js';
import type { CallerIdentity, Head } from '../client.js';

/** Catalogue K06. */
const FIELD_CHARS_MAX = 8192;

/** RFC 6750 section 2.1; RFC 9449 section 7.1 has the same form. */
const FIELD = /^(?:bearer|dpop) +([\w.~+/-]+=*)$/i;
/** The forms that some servers accept as well. */
const ANY_FIELD = /^(?:bearer|dpop)[ \t]+([\w.~+/-]+=*)/i;

/** A token, and the scheme of its field: one of the DPoP scheme comes with a proof. */
export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/**
 * The token of a request; null where it has none. Throws `UNAUTHENTICATED` for a field that holds
 * no token.
 */
export function presentedToken({ headers }: CallerIdentity): PresentedToken | null {
  const field = headers['authorization'];
  if (field === undefined) return null;
  if (typeof field !== 'string') throw tokenRefusal('authorization');
  // Other schemes are for the backend.
  const scheme = /^(bearer|dpop)(?: |$)/i.exec(field)?.[1]?.toLowerCase();
  if (scheme === undefined) return null;
  if (field.length > FIELD_CHARS_MAX) throw tokenRefusal('token is too long');
  const token = FIELD.exec(field)?.[1];
  if (token === undefined) throw tokenRefusal('token has not the form of one');
  return { scheme: scheme === 'dpop' ? 'dpop' : 'bearer', token };
}

/** Whom a token is for: the gateway alone, backends too (`forward`), or others alone. */
export type TokenUse = 'gateway' | 'backends too' | 'others';

/**
 * Takes the token out of a head, if it is one for the gateway alone. Its proof, which is about a
 * request to the gateway, does not go on with it either.
 */
export function withholdToken({ headers }: Head, useOf: (token: string) => TokenUse): void {
  const field = headers['authorization'];
  if (typeof field !== 'string') return;
  const token = ANY_FIELD.exec(field)?.[1];
  const use = token === undefined ? 'others' : useOf(token);
  if (use === 'others') return;
  delete headers['dpop'];
  if (use === 'gateway') {
    delete headers['authorization'];
  }
}

export const tokenRefusal = (detail: string): Refusal => new Refusal('UNAUTHENTICATED', detail);
