import { Buffer } from 'node:buffer';
import { collections, isRecord, jsonValues } from '../../core/index.js';
import { PROOF_ALGORITHMS } from '../proof-algorithms.js';
import { dpopRefusal } from '../token-challenge.js';
import { type JwtAlgorithm, type JwtKey, jwt } from './jwt.js';

/** The key of a client that signs proofs. */
export interface ProofKey {
  readonly algorithm: JwtAlgorithm;
  readonly key: JwtKey;
  /** The thumbprint of RFC 7638, by SHA-256. */
  readonly thumbprint: string;
}

/** Headers of proofs that are remembered: a client sends the same one with each. */
const KNOWN_MAX = 4_096;
/** RSA keys with more take long: characters of a modulus of 4096 bits, and of an exponent. */
const MODULUS_CHARS_MAX = 684;
const EXPONENT_CHARS_MAX = 6;

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;

/** The members of a public key by its type (RFC 7518 section 6, RFC 8037 section 2). */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
  RSA: ['n', 'e'],
};

/** The keys of proofs by the text of their headers. */
export class ProofKeys {
  readonly #known = new Map<string, ProofKey>();

  /** Reads the header of a proof. Rejects with `UNAUTHENTICATED` for one that is no such header. */
  async of(header: string): Promise<ProofKey> {
    const known = this.#known.get(header);
    if (known !== undefined) return known;
    const key = await readKey(header);
    collections.setAndEvictOldest(this.#known, header, key, KNOWN_MAX);
    return key;
  }
}

async function readKey(header: string): Promise<ProofKey> {
  const { typ, alg, jwk } = headerOf(header);
  if (typ !== 'dpop+jwt') throw refusal('typ is not dpop+jwt');
  const algorithm = PROOF_ALGORITHMS.find((each) => each === alg);
  if (algorithm === undefined) throw refusal('alg is none of a public key');
  const members = publicMembers(jwk);
  try {
    const key = await jwt.importJWK(members, algorithm);
    if (key instanceof Uint8Array) throw refusal('jwk is no public key');
    return { algorithm, key, thumbprint: await jwt.calculateJwkThumbprint(members, 'sha256') };
  } catch {
    throw refusal('jwk is no key of alg');
  }
}

function headerOf(header: string): Readonly<Record<string, unknown>> {
  const text = Buffer.from(header, 'base64url').toString('utf8');
  const value = jsonValues.parsedJson(text);
  if (!isRecord(value)) throw refusal('the header is no JSON object');
  return value;
}

/** The members of a public key alone: others say nothing here. */
function publicMembers(jwk: unknown): Record<string, string> {
  if (!isRecord(jwk)) throw refusal('jwk is missing');
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) {
    throw refusal('jwk has parts of a private key');
  }
  const { kty } = jwk;
  const names = typeof kty === 'string' && Object.hasOwn(PUBLIC_MEMBERS, kty) ? kty : null;
  if (names === null) throw refusal('jwk is no public key');
  const members: Record<string, string> = { kty: names };
  for (const name of PUBLIC_MEMBERS[names] ?? []) {
    const value = jwk[name];
    if (typeof value !== 'string') throw refusal('jwk lacks a member');
    members[name] = value;
  }
  const { n = '', e = '' } = members;
  if (n.length > MODULUS_CHARS_MAX || e.length > EXPONENT_CHARS_MAX) {
    throw refusal('jwk is longer than RSA keys of 4096 bits');
  }
  return members;
}

const refusal = (rule: string) => dpopRefusal('invalid_dpop_proof', rule);
