import { encryption, KEY_REFERENCES } from '../../wss/index.js';
import { PEM } from '../keys/formats.js';
import { closed, flag, list, oneOf, optional, string, text } from '../keys/key-types.js';

/** A key or a certificate of WS-Security. */
export const pem = (description: string) =>
  text(description, { minLength: 1, maxLength: 1_048_576, ...PEM });

/** Decryption of messages: the part of the table of keys for it. */
export const DECRYPT_KEYS = closed(
  {
    keys: list(
      closed({
        key: pem('The private key, PEM: of RSA, or on P-256, P-384 or P-521.'),
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
    algorithms: list(
      oneOf([...encryption.CONTENT_CIPHERS, ...encryption.UNSAFE_CIPHERS]),
      'Algorithms of the content. CBC is taken by name only, and only in Body, where a verified ' +
        'signature covers what is encrypted.',
      { minItems: 1, uniqueItems: true, default: ['aes128-gcm', 'aes256-gcm'] },
    ),
    keyTransports: list(
      oneOf([...encryption.KEY_TRANSPORTS, encryption.UNSAFE_TRANSPORT]),
      'How the key of the content is encrypted: RSA-OAEP with SHA-1 or SHA-256, or ECDH-ES with ' +
        'AES key wrap. RSA of PKCS #1 1.5 is taken by name only, under the same signature.',
      { minItems: 1, uniqueItems: true, default: [...encryption.KEY_TRANSPORTS] },
    ),
  },
  'Decrypt the content of Body, header blocks and parts of the Security block (XML Encryption ' +
    '1.1). What goes on is the message as it was before it was encrypted, without EncryptedKey ' +
    'and ReferenceList.',
);

/** Parts that are encrypted: of the envelope, and attachments. */
const ENCRYPTED_PART =
  '^(?:Body|Signature|UsernameToken|Assertion|attachments|\\{[^{}]+\\}[^{}\\s:]+)$';

/** Encryption of calls. */
export const ENCRYPT_KEYS = closed(
  {
    cert: pem('The certificate of the backend, PEM: `{ file: backend.pem }`; it may rotate.'),
    parts: list(
      string({
        pattern: ENCRYPTED_PART,
        hint:
          'Write Body, Signature, UsernameToken, Assertion, attachments, or a header block as ' +
          '{namespace}name.',
      }),
      'What is encrypted, as far as a message has it.',
      { minItems: 1, maxItems: 16, uniqueItems: true, default: ['Body'] },
    ),
    algorithm: oneOf(encryption.CONTENT_CIPHERS, 'The algorithm of the content.', 'aes256-gcm'),
    keyTransport: optional(
      oneOf(
        encryption.MADE_TRANSPORTS,
        'How the key of the content is encrypted: by default rsa-oaep-mgf1p with SHA-1, as ' +
          'WSS4J does, or ecdh-es for a key on a curve. `rsa-oaep-sha256` has SHA-256 in ' +
          'digest and mask.',
      ),
    ),
    keyReference: oneOf(KEY_REFERENCES, 'How a message names the certificate.', 'issuerSerial'),
    beforeSigning: flag('Encrypt first, and sign what is encrypted. Else sign first.', false),
  },
  'Encrypt calls for the backend (XML Encryption 1.1). SOAP calls that came encrypted are ' +
    'encrypted anew; others are with `replace: true`.',
);
