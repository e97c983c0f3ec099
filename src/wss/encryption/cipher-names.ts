import { DS, XENC } from '../wsse-names.js';
import type { OaepHash } from './oaep.js';

export const XENC11 = 'http://www.w3.org/2009/xmlenc11#';

/** Ciphers of content (XML Encryption 1.1 section 5.2.4), by their names in the configuration. */
export const CONTENT_CIPHERS = ['aes128-gcm', 'aes192-gcm', 'aes256-gcm'] as const;
export type ContentCipher = (typeof CONTENT_CIPHERS)[number];

/** How keys of content are encrypted (section 5.5.2). */
export const KEY_TRANSPORTS = ['rsa-oaep'] as const;
export type KeyTransport = (typeof KEY_TRANSPORTS)[number];

export const CIPHER_URIS: ReadonlyMap<string, ContentCipher> = new Map(
  CONTENT_CIPHERS.map((name) => [`${XENC11}${name}`, name]),
);

export const KEY_BYTES: Readonly<Record<ContentCipher, number>> = {
  'aes128-gcm': 16,
  'aes192-gcm': 24,
  'aes256-gcm': 32,
};

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
