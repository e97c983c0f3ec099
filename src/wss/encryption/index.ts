/** Messages that are decrypted while they stream. */

export { CONTENT_CIPHERS, KEY_TRANSPORTS } from './cipher-names.js';
export type { DecryptionKey } from './decryption-keys.js';
export type { DecryptionRules } from './encrypted-content.js';
export { MessageDecryption } from './message-decryption.js';
