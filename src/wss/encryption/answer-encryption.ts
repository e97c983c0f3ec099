import type { ReaderPool } from '../../xml/index.js';
import { CONTENT_CIPHERS, KEY_BYTES } from './cipher-names.js';
import type { ContentKey } from './encrypted-content.js';
import { MessageEncryption } from './message-encryption.js';
import { keyOfRequest } from './message-key.js';

/** Encrypts the content of Body of an answer with the key that came with its request. */
export function encryptAnswer(
  { key, encryptedKey }: ContentKey,
  readers: Pick<ReaderPool, 'take' | 'give'>,
): MessageEncryption {
  const cipher = CONTENT_CIPHERS.find((name) => KEY_BYTES[name] === key.length) ?? 'aes256-gcm';
  return new MessageEncryption(
    { cipher, parts: ['Body'], role: null, mustUnderstand: true, isSignedLater: false },
    keyOfRequest(key, encryptedKey),
    readers,
  );
}
