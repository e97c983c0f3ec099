import { createHash } from 'node:crypto';
import { Refusal, refuseByLimit } from '../../core/index.js';
import { CLOCKS_MILLIS } from '../../gateway/shared/once-memory.js';
import type { CallerIdentity, ProvenRequest } from '../client.js';
import type { TargetUris } from '../network/target-uri.js';
import { dpopRefusal } from '../token-challenge.js';
import { type JwtPayload, jwt } from './jwt.js';
import { type ProofKey, ProofKeys } from './proof-key.js';
import type { ProofNonces } from './proof-nonces.js';

export interface ProofRules {
  /** Compares the URI of a proof with that of the request. */
  readonly targets: TargetUris;
  readonly maxAgeMillis: number;
  /** Null: proofs need no nonce of the gateway. */
  readonly nonces: ProofNonces | null;
  /** Proofs that are remembered at once. */
  readonly proofsMax: number;
}

/** Characters of a proof. */
const PROOF_CHARS_MAX = 8192;
const JTI_CHARS_MAX = 256;
/** How far the clock of a client may be ahead; FAPI 2.0 section 5.3.3 wants 10 s. */
const AHEAD_MILLIS = 10_000;

/** RFC 7515 section 3.1. */
const THREE_PARTS = /^([\w-]+)\.[\w-]+\.[\w-]+$/;

/** Verifies proofs that a client has the key of its token: all checks of RFC 9449 section 4.3. */
export class DpopProofs {
  readonly #rules: ProofRules;
  readonly #keys = new ProofKeys();

  constructor(rules: ProofRules) {
    this.#rules = rules;
  }

  /**
   * Verifies the proof that a request has for its token. `thumbprint` is that of the key that the
   * token is bound to. Rejects with a `Refusal`.
   */
  async verify(token: string, thumbprint: string, caller: CallerIdentity): Promise<void> {
    const { proven } = caller;
    if (proven === undefined) throw refusal('proofs are not verified here');
    const proof = proofIn(caller.headers['dpop']);
    const key = await this.#keys.of(proof.header);
    if (key.thumbprint !== thumbprint) throw dpopRefusal('invalid_token', 'bound to another key');
    const claims = await claimsOf(proof.text, key, caller.isRepeated === true);
    this.#checkTarget(claims, caller, proven);
    const { ath, jti } = claims;
    if (ath !== createHash('sha256').update(token).digest('base64url')) {
      throw refusal('ath is not that of the token');
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > JTI_CHARS_MAX) {
      throw refusal('jti is missing, or too long');
    }
    // The proof of a connection that is open was fresh when it was opened.
    if (caller.isRepeated !== true) {
      const freshMillis = this.#freshMillis(claims);
      this.#checkNonce(claims['nonce'], proven);
      await this.#claim(`${thumbprint}\n${jti}`, freshMillis, proven);
    }
  }

  #checkTarget({ htm, htu }: JwtPayload, caller: CallerIdentity, proven: ProvenRequest): void {
    if (htm !== proven.method) throw refusal('htm is not the method of the request');
    if (typeof htu !== 'string' || !this.#rules.targets.isTarget(htu, caller, proven.path)) {
      throw refusal('htu is not the URI of the request');
    }
  }

  /** Until when a proof is fresh, milliseconds of the epoch. */
  #freshMillis({ iat }: JwtPayload): number {
    const { maxAgeMillis } = this.#rules;
    if (typeof iat !== 'number' || !Number.isFinite(iat)) throw refusal('iat is missing');
    const now = Date.now();
    const made = iat * 1000;
    if (made > now + AHEAD_MILLIS) throw refusal('iat is in the future');
    if (made + maxAgeMillis < now) throw refusal('iat is too long ago');
    return made + maxAgeMillis;
  }

  #checkNonce(nonce: unknown, { answer, proofs: { secret } }: ProvenRequest): void {
    const { nonces } = this.#rules;
    if (nonces === null) return;
    const state = typeof nonce === 'string' ? nonces.state(nonce, secret) : 'bad';
    if (state === 'good') return;
    answer?.setHeader('dpop-nonce', nonces.make(secret));
    if (state === 'bad') {
      throw dpopRefusal('use_dpop_nonce', 'the proof needs a nonce of the gateway');
    }
  }

  /** Takes a proof, once over all processes. */
  async #claim(name: string, freshMillis: number, { proofs }: ProvenRequest): Promise<void> {
    const { proofsMax } = this.#rules;
    const key = createHash('sha256').update(name).digest('base64url');
    // It may be fresh for longer by the clock of another replica, or be asked about later.
    switch (await proofs.claim(key, freshMillis + CLOCKS_MILLIS, proofsMax)) {
      case 'new':
        return;
      case 'seen':
        throw refusal('jti was used before');
      case 'full':
        throw refuseByLimit('OVERLOADED', 'limits.http.proofs', proofsMax, proofsMax);
      case 'unknown':
        throw new Refusal('CREDENTIALS_UNVERIFIED', 'proofs cannot be compared', {
          retryAfter: '1',
        });
    }
  }
}

interface Proof {
  readonly text: string;
  readonly header: string;
}

/** The one proof of a request. Two fields, which Node joins by a comma, are none. */
function proofIn(field: string | readonly string[] | undefined): Proof {
  if (field === undefined) throw refusal('there is no DPoP field');
  const text = typeof field === 'string' && field.length <= PROOF_CHARS_MAX ? field : '';
  const header = THREE_PARTS.exec(text)?.[1];
  if (header === undefined) throw refusal('the DPoP field is not one signed JWT');
  return { text, header };
}

/** `isRepeated`: times do not count any more. */
async function claimsOf(
  text: string,
  { algorithm, key }: ProofKey,
  isRepeated: boolean,
): Promise<JwtPayload> {
  try {
    const { payload } = await jwt.jwtVerify(text, key, {
      algorithms: [algorithm],
      typ: 'dpop+jwt',
      clockTolerance: isRepeated ? Number.MAX_SAFE_INTEGER : AHEAD_MILLIS / 1000,
    });
    return payload;
  } catch (caught) {
    const isTime =
      caught instanceof jwt.errors.JWTExpired ||
      caught instanceof jwt.errors.JWTClaimValidationFailed;
    throw refusal(isTime ? 'a claim is not valid' : 'the signature is not that of jwk');
  }
}

const refusal = (rule: string): Refusal => dpopRefusal('invalid_dpop_proof', rule);
