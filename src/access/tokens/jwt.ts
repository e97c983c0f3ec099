import { randomUUID } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  errors,
  importJWK,
  type JWSAlgorithm,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { SigningKey } from './signing-key.js';

/** JSON Web Tokens (RFC 7519). The package is loaded by those alone who verify or sign some. */
export const jwt = {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  errors,
  importJWK,
  jwtVerify,
};
export type JwtAlgorithm = JWSAlgorithm;
export type JwtPayload = JWTPayload;
export type JwtKeys = JWTVerifyGetKey;
export type JwtKey = CryptoKey;

export interface JwtClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  readonly lifetimeMillis: number;
}

/** Signs an assertion (RFC 7523 section 3), which is good from now on and once. */
export function signJwt(
  { issuer, subject, audience, lifetimeMillis }: JwtClaims,
  signing: SigningKey,
): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: signing.algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setSubject(subject)
    .setAudience(audience)
    .setJti(randomUUID())
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + Math.ceil(lifetimeMillis / 1000))
    .sign(signing.key);
}
