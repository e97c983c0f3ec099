import { createHash } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JWSAlgorithm,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';

import { setAndEvictOldest } from '../base/evict-oldest.js';
import { Refusal } from '../base/refusal.js';
import type { Identifier } from './access.js';
import { type Caller, type Client, type ClientClass, clientOf, type Head } from './client.js';
import { type FetchKeys, IssuerKeys } from './issuer-keys.js';
import { labelOf } from './label.js';

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  /** Of public keys only: with a shared secret every verifier could make tokens. */
  readonly algorithms: readonly JWSAlgorithm[];
  readonly toleranceMillis: number;
  /** A token without `nbf` is refused. */
  readonly requireNotBefore: boolean;
  /** The token goes on to backends. */
  readonly forward: boolean;
  readonly clientClaim: string;
  /** The claim with the scopes of the client. */
  readonly scopesClaim: string;
  /** The claim that names the class; null for none. */
  readonly classClaim: string | null;
  readonly classes: ReadonlyMap<string, ClientClass>;
  /** Of clients whose token names no class there is; null: they are refused. */
  readonly otherwise: ClientClass | null;
}

/** Catalogue K06. */
const TOKEN_CHARS_MAX = 8192;
/** A client and a class are names, not texts. */
const CLAIM_CHARS_MAX = 1024;
/** Tokens that were found good, and for how long that is taken to be so: a key may be withdrawn. */
const VERIFIED_MAX = 10_000;
const VERIFIED_MILLIS = 60_000;

/** RFC 6750 section 2.1, three parts of RFC 7515 section 3.1. */
const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;
/** The forms that some servers accept as well. */
const ANY_BEARER = /^bearer[ \t]+([\w-]+\.[\w-]+\.[\w-]+)/i;

/** Identifies clients by a signed token (RFC 7519) of one issuer. */
export class Tokens implements Identifier {
  readonly #rules: TokenRules;
  readonly #keys: IssuerKeys<JWTVerifyGetKey>;
  /** By digest, the oldest first. */
  readonly #verified = new Map<string, { readonly client: Client; readonly untilMillis: number }>();

  constructor(rules: TokenRules, fetchKeys: FetchKeys) {
    this.#rules = rules;
    this.#keys = new IssuerKeys({ fetch: fetchKeys, read: readKeys });
  }

  identify({ headers }: Caller): Client | Promise<Client> | null {
    const field = headers['authorization'];
    if (field === undefined) return null;
    if (typeof field !== 'string') throw refusal('authorization');
    // Other schemes are for the backend.
    if (!/^bearer(?: |$)/i.test(field)) return null;
    if (field.length > TOKEN_CHARS_MAX) throw refusal('token is too long');
    const token = BEARER.exec(field)?.[1];
    if (token === undefined) throw refusal('token has not the form of one');
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#verified.get(digest);
    if (known !== undefined && Date.now() < known.untilMillis) return known.client;
    return this.#verify(token, digest);
  }

  async #verify(token: string, digest: string): Promise<Client> {
    const client = this.#clientOf(await this.#payloadOf(token));
    const untilMillis = Math.min(Date.now() + VERIFIED_MILLIS, client.expiresMillis ?? 0);
    setAndEvictOldest(this.#verified, digest, { client, untilMillis }, VERIFIED_MAX);
    return client;
  }

  async #payloadOf(token: string): Promise<JWTPayload> {
    const keys = await this.#keys.current();
    if (keys === null) throw refusal('the keys of the issuer cannot be had');
    try {
      return await this.#check(token, keys);
    } catch (caught) {
      if (!(caught instanceof errors.JWKSNoMatchingKey)) throw refusal(reasonOf(caught));
    }
    // The issuer may have a new key since.
    const newer = await this.#keys.newer(keys);
    if (newer === null || newer === keys) throw refusal('no such key');
    try {
      return await this.#check(token, newer);
    } catch (caught) {
      throw refusal(reasonOf(caught));
    }
  }

  async #check(token: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
    const { issuer, audience, algorithms, toleranceMillis, requireNotBefore } = this.#rules;
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: toleranceMillis / 1000,
      requiredClaims: requireNotBefore ? ['exp', 'nbf'] : ['exp'],
    });
    return payload;
  }

  #clientOf(claims: JWTPayload): Client {
    const { clientClaim, scopesClaim, classClaim, classes, otherwise, toleranceMillis } = this.#rules;
    const subject = textClaim(claims, clientClaim);
    if (subject === null) throw refusal('token names no client');
    const named = classClaim === null ? null : textClaim(claims, classClaim);
    const rights = (named === null ? undefined : classes.get(named)) ?? otherwise;
    if (rights === null) throw refusal('token names no class');
    const names = { id: `jwt:${subject}`, name: null, label: labelOf('jwt', subject) };
    const expiresMillis = (claims.exp ?? 0) * 1000 + toleranceMillis;
    return Object.freeze(
      clientOf('jwt', names, rights, {
        claims: Object.freeze(claims),
        scopes: scopesOf(Object.hasOwn(claims, scopesClaim) ? claims[scopesClaim] : null),
        expiresMillis,
      }),
    );
  }

  /** Tokens of others are for others: a client that is known by a key may have one for the backend. */
  withhold({ headers }: Head): void {
    const field = headers['authorization'];
    if (this.#rules.forward || typeof field !== 'string') return;
    const token = ANY_BEARER.exec(field)?.[1];
    if (token !== undefined && this.#isForGateway(token)) delete headers['authorization'];
  }

  /** Whether a token names this gateway as its audience; it need not be valid. */
  #isForGateway(token: string): boolean {
    try {
      const { iss, aud } = decodeJwt(token);
      return iss === this.#rules.issuer && [aud].flat().includes(this.#rules.audience);
    } catch {
      return false;
    }
  }
}

/** Throws where a text is no set of keys (RFC 7517 section 5). */
function readKeys(text: string): JWTVerifyGetKey {
  return createLocalJWKSet(JSON.parse(text));
}

const refusal = (detail: string): Refusal => new Refusal('UNAUTHENTICATED', detail);

function textClaim(claims: JWTPayload, name: string): string | null {
  const value = Object.hasOwn(claims, name) ? claims[name] : null;
  return typeof value === 'string' && value !== '' && value.length <= CLAIM_CHARS_MAX ? value : null;
}

/** Scopes as a text with blanks between them (RFC 8693 section 4.2), or as a list. */
export function scopesOf(value: unknown): ReadonlySet<string> {
  const listed: readonly unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return new Set(listed.filter((scope): scope is string => typeof scope === 'string' && scope !== ''));
}

/** Codes and the names of registered claims only: the content of a token is not for the log. */
function reasonOf(caught: unknown): string {
  if (caught instanceof errors.JWTExpired) return 'token is expired';
  if (caught instanceof errors.JWTClaimValidationFailed) {
    return REGISTERED.has(caught.claim) ? `token: ${caught.claim} is ${caught.reason}` : 'token: a claim';
  }
  return caught instanceof errors.JOSEError ? `token: ${caught.code}` : 'token cannot be read';
}

const REGISTERED: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat']);
