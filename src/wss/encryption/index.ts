/** Messages that are decrypted, or encrypted, while they stream. */

export { encryptAnswer } from './answer-encryption.js';
export {
  CONTENT_CIPHERS,
  KEY_TRANSPORTS,
  MADE_TRANSPORTS,
  type MadeTransport,
  UNSAFE_CIPHERS,
  UNSAFE_TRANSPORT,
} from './cipher-names.js';
export type { DecryptionKey } from './decryption-keys.js';
export type { DecryptionRules } from './encrypted-content.js';
export type { EncryptedPart, EncryptionRules } from './encrypted-head.js';
export { MessageDecryption } from './message-decryption.js';
export { encryptMessage, MessageEncryption } from './message-encryption.js';
export { keyForRecipient, type MessageKey, type Recipient } from './message-key.js';
export { PackageDecryption } from './package-decryption.js';
export { encryptPackage } from './package-encryption.js';
