import { DS, XENC } from '../wsse-names.js';
import type { OaepHash } from './oaep.js';

export const XENC11 = 'http://www.w3.org/2009/xmlenc11#';

/** Ciphers of content (XML Encryption 1.1 section 5.2.4), by their names in the configuration. */
export const CONTENT_CIPHERS = ['aes128-gcm', 'aes192-gcm', 'aes256-gcm'] as const;
export type ContentCipher = (typeof CONTENT_CIPHERS)[number];

/**
 * Ciphers without a tag (section 5.2.2), whose padding is an oracle: they are taken where a
 * signature covers what is encrypted.
 */
export const UNSAFE_CIPHERS = [
  'unsafe:aes128-cbc',
  'unsafe:aes192-cbc',
  'unsafe:aes256-cbc',
] as const;
export type UnsafeCipher = (typeof UNSAFE_CIPHERS)[number];
export type AcceptedCipher = ContentCipher | UnsafeCipher;

/** How keys of content are encrypted (sections 5.5.2 and 5.6.4). */
export const KEY_TRANSPORTS = ['rsa-oaep', 'ecdh-es'] as const;
/** RSA of PKCS #1 1.5 (section 5.5.1), whose padding is an oracle as well. */
export const UNSAFE_TRANSPORT = 'unsafe:rsa-1_5';
export type KeyTransport = (typeof KEY_TRANSPORTS)[number] | typeof UNSAFE_TRANSPORT;

/** How the gateway encrypts the keys of content: RSA-OAEP with one hash, or key agreement. */
export const MADE_TRANSPORTS = ['rsa-oaep-mgf1p', 'rsa-oaep-sha256', 'ecdh-es'] as const;
export type MadeTransport = (typeof MADE_TRANSPORTS)[number];

export const CIPHER_URIS: ReadonlyMap<string, AcceptedCipher> = new Map<string, AcceptedCipher>([
  ...CONTENT_CIPHERS.map((name) => [`${XENC11}${name}`, name] as const),
  ...UNSAFE_CIPHERS.map((name) => [`${XENC}${name.replace('unsafe:', '')}`, name] as const),
]);

export const isUnsafeCipher = (cipher: AcceptedCipher): cipher is UnsafeCipher =>
  cipher.startsWith('unsafe:');

export const KEY_BYTES: Readonly<Record<AcceptedCipher, WrapLength>> = {
  'aes128-gcm': 16,
  'aes192-gcm': 24,
  'aes256-gcm': 32,
  'unsafe:aes128-cbc': 16,
  'unsafe:aes192-cbc': 24,
  'unsafe:aes256-cbc': 32,
};

/** A cipher of content as `node:crypto` names it. */
export const GCM_NAMES = {
  'aes128-gcm': 'aes-128-gcm',
  'aes192-gcm': 'aes-192-gcm',
  'aes256-gcm': 'aes-256-gcm',
} as const satisfies Readonly<Record<ContentCipher, string>>;

/** The IV in front of content that AES-GCM has encrypted, and the tag behind it (5.2.4). */
export const GCM_IV_BYTES = 12;
export const GCM_TAG_BYTES = 16;

/** Ciphers without a tag as `node:crypto` names them. */
export const CBC_NAMES = {
  'unsafe:aes128-cbc': 'aes-128-cbc',
  'unsafe:aes192-cbc': 'aes-192-cbc',
  'unsafe:aes256-cbc': 'aes-256-cbc',
} as const satisfies Readonly<Record<UnsafeCipher, string>>;

export const RSA_1_5 = `${XENC}rsa-1_5`;
export const RSA_OAEP_MGF1P = `${XENC}rsa-oaep-mgf1p`;
export const RSA_OAEP = `${XENC11}rsa-oaep`;

export const DIGEST_URIS: ReadonlyMap<string, OaepHash> = new Map([
  [`${DS}sha1`, 'sha1'],
  [`${XENC}sha256`, 'sha256'],
]);

export const MASK_URIS: ReadonlyMap<string, OaepHash> = new Map([
  [`${XENC11}mgf1sha1`, 'sha1'],
  [`${XENC11}mgf1sha256`, 'sha256'],
]);

export const ECDH_ES = `${XENC11}ECDH-ES`;
export const CONCAT_KDF = `${XENC11}ConcatKDF`;
/** RFC 9231 section 2.8.1. */
export const HKDF = 'http://www.w3.org/2021/04/xmldsig-more#hkdf';

/** AES key wrap (section 5.7.2), by the length of its key. */
export const KEY_WRAPS: ReadonlyMap<string, WrapLength> = new Map([
  [`${XENC}kw-aes128`, 16],
  [`${XENC}kw-aes192`, 24],
  [`${XENC}kw-aes256`, 32],
]);
export type WrapLength = 16 | 24 | 32;

/** The curves of key agreement as `node:crypto` names them, by their object identifiers. */
export const CURVE_URIS: ReadonlyMap<string, string> = new Map([
  ['urn:oid:1.2.840.10045.3.1.7', 'prime256v1'],
  ['urn:oid:1.3.132.0.34', 'secp384r1'],
  ['urn:oid:1.3.132.0.35', 'secp521r1'],
]);
