import { createHash } from 'node:crypto';
import { collections } from '../../core/index.js';
import type { Identifier } from '../access.js';
import type { CallerIdentity, Client, Head } from '../client.js';
import { challengedByScheme, type TokenSchemes } from '../token-challenge.js';
import { type FetchKeys, IssuerKeys } from './issuer-keys.js';
import { type JwtAlgorithm, type JwtKeys, type JwtPayload, jwt } from './jwt.js';
import {
  type PresentedToken,
  presentedToken,
  tokenRefusal,
  withholdToken,
} from './presented-token.js';
import { schemesOf, type TokenBinding } from './token-binding.js';
import { type TokenClientRules, tokenClient } from './token-client.js';

export interface TokenRules extends TokenClientRules {
  readonly issuer: string;
  readonly audience: string;
  /**
   * The algorithms are those of public keys: with a shared secret every verifier could make tokens.
   */
  readonly algorithms: readonly JwtAlgorithm[];
  readonly toleranceMillis: number;
  /** A token without `nbf` is refused. */
  readonly requireNotBefore: boolean;
  /** The token goes on to backends. */
  readonly forward: boolean;
  readonly binding: TokenBinding;
}

/** Tokens that were found good, and for how long that is taken to be so: a key may be withdrawn. */
const VERIFIED_MAX = 10_000;
const VERIFIED_MILLIS = 60_000;

/** RFC 7515 section 3.1. */
const THREE_PARTS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Identifies clients by a signed token (RFC 7519). The issuer that a token names decides by which
 * rules.
 */
export class Tokens implements Identifier {
  readonly #issuers: ReadonlyMap<string, TokenIssuer>;
  readonly #leavesOthers: boolean;
  /** The clients of verified tokens by digest of the token, the oldest first. */
  readonly #verified = new Map<string, VerifiedToken>();
  readonly schemes: TokenSchemes;

  /**
   * `leavesOthers`: other tokens than those of its issuers are not refused, but left to the next
   * way of identification.
   */
  constructor(issuers: readonly TokenIssuer[], leavesOthers = false) {
    this.#issuers = new Map(issuers.map((issuer) => [issuer.rules.issuer, issuer]));
    this.#leavesOthers = leavesOthers;
    this.schemes = schemesOf(issuers.map(({ rules }) => rules.binding));
  }

  identify(caller: CallerIdentity): Client | Promise<Client> | null {
    const presented = presentedToken(caller);
    if (presented === null) return null;
    return challengedByScheme(presented.scheme, this.schemes, () =>
      this.#identify(presented, caller),
    );
  }

  #identify(presented: PresentedToken, caller: CallerIdentity): Client | null | Promise<Client> {
    const { token } = presented;
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#verified.get(digest);
    if (known !== undefined && Date.now() < known.untilMillis) {
      return known.issuer.rules.binding.verify(known.client, presented, caller);
    }
    const issuer = this.#issuers.get(claimsIn(token)?.iss ?? '');
    if (issuer !== undefined) return this.#verify(presented, digest, issuer, caller);
    if (this.#leavesOthers) return null;
    throw tokenRefusal('token is of no known issuer');
  }

  async #verify(
    presented: PresentedToken,
    digest: string,
    issuer: TokenIssuer,
    caller: CallerIdentity,
  ): Promise<Client> {
    const client = await issuer.verify(presented.token);
    const untilMillis = Math.min(Date.now() + VERIFIED_MILLIS, client.expiresMillis ?? 0);
    const verified = { client, issuer, untilMillis };
    collections.setAndEvictOldest(this.#verified, digest, verified, VERIFIED_MAX);
    return issuer.rules.binding.verify(client, presented, caller);
  }

  /**
   * Tokens of others are for others: a client that is known by a key may have one for the backend.
   */
  withhold(head: Head): void {
    withholdToken(head, (token) => {
      const claims = claimsIn(token);
      const rules = this.#issuers.get(claims?.iss ?? '')?.rules;
      if (rules === undefined || ![claims?.aud].flat().includes(rules.audience)) return 'others';
      return rules.forward ? 'backends too' : 'gateway';
    });
  }
}

interface VerifiedToken {
  readonly client: Client;
  readonly issuer: TokenIssuer;
  readonly untilMillis: number;
}

/** The claims of a token, not verified; null for a token of another kind. */
function claimsIn(token: string): JwtPayload | null {
  if (!THREE_PARTS.test(token)) return null;
  try {
    return jwt.decodeJwt(token);
  } catch {
    return null;
  }
}

/** The keys of an issuer, ready to verify. */
export type TokenKeys = IssuerKeys<JwtKeys>;

/** One issuer of tokens: its rules and its keys. */
export class TokenIssuer {
  readonly rules: TokenRules;
  readonly keys: TokenKeys;

  constructor(rules: TokenRules, fetchKeys: FetchKeys) {
    this.rules = rules;
    this.keys = new IssuerKeys({ fetch: fetchKeys, read: readKeys });
  }

  /** Rejects with `UNAUTHENTICATED`. */
  async verify(token: string): Promise<Client> {
    const claims = await this.#claimsOf(token);
    const { issuer, toleranceMillis } = this.rules;
    return tokenClient('jwt', issuer, { token, claims }, this.rules, {
      expiresMillis: (claims.exp ?? 0) * 1000 + toleranceMillis,
      recheckMillis: Date.now() + VERIFIED_MILLIS,
    });
  }

  async #claimsOf(token: string): Promise<JwtPayload> {
    const keys = await this.keys.current();
    if (keys === null) throw tokenRefusal('the keys of the issuer cannot be had');
    try {
      return await this.#check(token, keys);
    } catch (caught) {
      if (!(caught instanceof jwt.errors.JWKSNoMatchingKey)) throw tokenRefusal(reasonOf(caught));
    }
    // The issuer may have a new key since.
    const newer = await this.keys.newer(keys);
    if (newer === null || newer === keys) throw tokenRefusal('no such key');
    try {
      return await this.#check(token, newer);
    } catch (caught) {
      throw tokenRefusal(reasonOf(caught));
    }
  }

  async #check(token: string, keys: JwtKeys): Promise<JwtPayload> {
    const { issuer, audience, algorithms, toleranceMillis, requireNotBefore } = this.rules;
    const { payload } = await jwt.jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: toleranceMillis / 1000,
      requiredClaims: requireNotBefore ? ['exp', 'nbf'] : ['exp'],
    });
    return payload;
  }
}

/** Throws where a text is no set of keys (RFC 7517 section 5). */
function readKeys(text: string): JwtKeys {
  return jwt.createLocalJWKSet(JSON.parse(text));
}

/** Codes and the names of registered claims only: the content of a token is not for the log. */
function reasonOf(caught: unknown): string {
  if (caught instanceof jwt.errors.JWTExpired) return 'token is expired';
  if (caught instanceof jwt.errors.JWTClaimValidationFailed) {
    return REGISTERED.has(caught.claim)
      ? `token: ${caught.claim} is ${caught.reason}`
      : 'token: a claim';
  }
  return caught instanceof jwt.errors.JOSEError ? `token: ${caught.code}` : 'token cannot be read';
}

const REGISTERED: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat']);
