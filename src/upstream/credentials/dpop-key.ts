import { Buffer } from 'node:buffer';
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { ReplyHead } from '../reply.js';
import { readChallenges } from './challenges.js';

/** A nonce is an opaque text; longer ones are none. */
const NONCE = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * A key of the gateway that tokens are bound to (RFC 9449): made at the start, and never written
 * down. It has the latest nonce of each server.
 */
export class DpopKey {
  readonly #key: KeyObject;
  readonly #header: string;
  /** The latest ones by origin, of the authorization server and of the service. */
  readonly #nonces = new Map<string, string>();

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    const jwk = publicKey.export({ format: 'jwk' });
    this.#header = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk });
  }

  /** A proof for one request; `token`: the one that it carries, null for none. */
  prove(method: string, url: string, token: string | null): string {
    const { origin, pathname } = new URL(url);
    const nonce = this.#nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: origin + pathname,
      iat: Math.floor(Date.now() / 1000),
      ...(token === null ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const signed = `${this.#header}.${encoded(claims)}`;
    const parameters = { key: this.#key, dsaEncoding: 'ieee-p1363' as const };
    const signature = sign('sha256', Buffer.from(signed), parameters);
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** Takes the nonce of an answer; whether it is another one than before. */
  learn(url: string, nonce: string | null): boolean {
    const { origin } = new URL(url);
    if (nonce === null || !NONCE.test(nonce) || this.#nonces.get(origin) === nonce) return false;
    this.#nonces.set(origin, nonce);
    return true;
  }
}

/** Whether a service asks for a proof with its nonce (RFC 9449 section 9). */
export const asksForNonce = (head: ReplyHead): boolean =>
  head.header('dpop-nonce') !== null &&
  readChallenges(head.headers('www-authenticate')).some(
    ({ scheme, parameters }) => scheme === 'dpop' && parameters.get('error') === 'use_dpop_nonce',
  );
