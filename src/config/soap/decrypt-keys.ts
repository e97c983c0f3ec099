import { encryption } from '../../wss/index.js';
import { PEM } from '../keys/formats.js';
import { closed, list, oneOf, optional, text } from '../keys/key-types.js';

/** A key or a certificate of WS-Security. */
export const pem = (description: string) =>
  text(description, { minLength: 1, maxLength: 1_048_576, ...PEM });

/** Decryption of requests: the part of the table of keys for it. */
export const DECRYPT_KEYS = closed(
  {
    keys: list(
      closed({
        key: pem('The private key, PEM: of RSA.'),
        cert: pem('Its certificate, PEM, which messages name; both may rotate.'),
        passphrase: optional(text('The passphrase of the key.', { minLength: 1, maxLength: 1024 })),
      }),
      'The keys that messages are encrypted for: several while one replaces the other. ' +
        'A message names one by issuer and serial number, thumbprint, subject key identifier, ' +
        'or by the certificate.',
      { minItems: 1, maxItems: 16 },
    ),
    required: list(oneOf(['Body']), 'What must have been encrypted: the content of Body.', {
      uniqueItems: true,
      default: [],
    }),
    algorithms: list(oneOf(encryption.CONTENT_CIPHERS), 'Algorithms of the content.', {
      minItems: 1,
      uniqueItems: true,
      default: ['aes128-gcm', 'aes256-gcm'],
    }),
    keyTransports: list(
      oneOf(encryption.KEY_TRANSPORTS),
      'How the key of the content is encrypted: RSA-OAEP with SHA-1 or SHA-256.',
      { minItems: 1, uniqueItems: true, default: ['rsa-oaep'] },
    ),
  },
  'Decrypt the content of Body (XML Encryption 1.1). What goes on is the message as it was ' +
    'before it was encrypted, without EncryptedKey and ReferenceList.',
);
