import { createHash } from 'node:crypto';
import type { SubjectToken } from '../../core/index.js';
import { type Client, type ClientClass, clientOf } from '../client.js';
import { labelOf, labelWith } from '../label.js';
import { tokenRefusal } from './presented-token.js';

/** What the claims of a token say about its client. */
export interface TokenClientRules {
  readonly clientClaim: string;
  /** How log and audit name the client: by a digest, or by issuer and the text of the claim. */
  readonly logAs: 'digest' | 'claim';
  /** The claim with the scopes of the client. */
  readonly scopesClaim: string;
  /** The claim that names the class; null for none. */
  readonly classClaim: string | null;
  readonly classes: ReadonlyMap<string, ClientClass>;
  /** Class of clients whose token names no configured class; null refuses them. */
  readonly otherwise: ClientClass | null;
}

type Claims = Readonly<Record<string, unknown>>;

/** A client and a class are names, not texts. */
const CLAIM_CHARS_MAX = 1024;

/**
 * The client that a claim names within its issuer: another issuer may have a subject of the same
 * name.
 */
export function tokenClient(
  by: 'jwt' | 'introspection',
  issuer: string,
  { token, claims }: { readonly token: string; readonly claims: Claims },
  { clientClaim, logAs, scopesClaim, classClaim, classes, otherwise }: TokenClientRules,
  lifetime: Pick<Client, 'expiresMillis' | 'recheckMillis'>,
): Client {
  const subject = textClaim(claims, clientClaim);
  if (subject === null) throw tokenRefusal('token names no client');
  const named = classClaim === null ? null : textClaim(claims, classClaim);
  const rights = (named === null ? undefined : classes.get(named)) ?? otherwise;
  if (rights === null) throw tokenRefusal('token names no class');
  // No issuer has a blank in its name: a rule of the configuration.
  const whole = `${issuer} ${subject}`;
  const label = logAs === 'claim' ? labelWith(by, whole) : labelOf(by, whole);
  const names = { id: `${by}:${whole}`, name: null, label };
  const scopes = scopesOf(Object.hasOwn(claims, scopesClaim) ? claims[scopesClaim] : null);
  const own = {
    claims: Object.freeze(claims),
    scopes,
    subjectToken: subjectToken(issuer, subject, claims, token, scopes),
  };
  return Object.freeze(clientOf(by, names, rights, { ...own, ...lifetime }));
}

/**
 * The token of a user. `clientClaim` may name an application, which has many users: `sub` tells
 * them apart. A token without one (RFC 7662 section 2.2 leaves it out) is for no user but its own.
 */
function subjectToken(
  issuer: string,
  client: string,
  claims: Claims,
  token: string,
  scopes: ReadonlySet<string>,
): SubjectToken {
  const sub = textClaim(claims, 'sub');
  const own =
    sub === null ? { token: createHash('sha256').update(token).digest('base64url') } : { sub };
  const user = JSON.stringify([issuer, client, own]);
  return { user, key: JSON.stringify([user, [...scopes].sort()]), token };
}

function textClaim(claims: Claims, name: string): string | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : null;
  return typeof value === 'string' && value !== '' && value.length <= CLAIM_CHARS_MAX
    ? value
    : null;
}

/** Scopes as a text with blanks between them (RFC 8693 section 4.2), or as a list. */
function scopesOf(value: unknown): ReadonlySet<string> {
  const listed: readonly unknown[] =
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return new Set(
    listed.filter((scope): scope is string => typeof scope === 'string' && scope !== ''),
  );
}
