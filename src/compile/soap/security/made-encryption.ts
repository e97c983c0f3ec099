import type { ConfigPath } from '../../../config/keys/config-path.js';
import { invalid, within } from '../../../config/keys/finding.js';
import type { MadeEncryptionPlan } from '../../../config/plans/security-plan.js';
import type { ServicePlan } from '../../../config/plans/service-plan.js';
import { type encryption, problemOfKey, type x509 } from '../../../wss/index.js';
import { madeAnew } from '../../made-anew.js';
import { certificateIn } from './signing-identity.js';

/** How calls of a service are encrypted for its backend. */
export interface MadeEncryption extends encryption.EncryptionRules {
  readonly recipient: encryption.Recipient;
}

const ENCRYPT: ConfigPath = ['security', 'make', 'encrypt'];

/** Null for a service whose calls are not encrypted. Throws `FindingsError`. */
export function compileEncryption({
  config: { mtom, mode },
  security: { make },
}: ServicePlan): MadeEncryption | null {
  if (make === null || make.encrypt === null) return null;
  const { keys, encrypt } = make;
  const { parts, algorithm, keyReference, beforeSigning } = encrypt.keys;
  if (mtom) {
    throw invalid(
      ENCRYPT,
      '`security.make.encrypt` encrypts envelopes, and `mtom` sends content beside them.',
      'Leave `mtom` out: binary content is then encrypted in the envelope.',
    );
  }
  if (mode === 'monitor' && keys.replace) {
    throw invalid(
      ENCRYPT,
      '`security.make.encrypt` encrypts SOAP calls, and `mode: monitor` changes no message.',
      'Leave one of them out, or `replace`.',
    );
  }
  if (beforeSigning && make.signature === null) {
    throw invalid(
      [...ENCRYPT, 'beforeSigning'],
      '`beforeSigning` says when a signature is made, and `security.make` makes none.',
      'Add `signature`, or leave it out.',
    );
  }
  if (beforeSigning && parts.includes('Signature')) {
    throw invalid(
      [...ENCRYPT, 'parts'],
      'A Signature that is made later cannot be encrypted.',
      'Take it out of `parts`, or leave `beforeSigning` out.',
    );
  }
  const certificate = within(ENCRYPT, () =>
    madeAnew([encrypt.cert], ([text = '']) => recipientIn(text, encrypt.keys)),
  );
  return {
    cipher: algorithm,
    parts: parts.map(encryptedPart),
    role: keys.actor ?? null,
    mustUnderstand: keys.mustUnderstand,
    isSignedLater: beforeSigning,
    recipient: {
      certificate,
      get transport() {
        return transportFor(certificate(), encrypt.keys);
      },
      reference: keyReference,
    },
  };
}

type EncryptKeys = MadeEncryptionPlan['keys'];

/** The one that is configured, else that of the kind of key. */
const transportFor = (
  { publicKey }: x509.ParsedCertificate,
  { keyTransport }: EncryptKeys,
): encryption.MadeTransport =>
  keyTransport ?? (publicKey.asymmetricKeyType === 'ec' ? 'ecdh-es' : 'rsa-oaep-mgf1p');

/** Throws `FindingsError` for a certificate that no key can be encrypted for. */
function recipientIn(text: string, keys: EncryptKeys): x509.ParsedCertificate {
  const found = certificateIn(text);
  if (found === null) {
    throw invalid(
      ['cert'],
      'The certificate cannot be read.',
      'Write the certificate of the receiver as PEM: -----BEGIN CERTIFICATE-----.',
    );
  }
  const { asymmetricKeyType: kind } = found.publicKey;
  const weak = problemOfKey(found.publicKey);
  if (weak !== null || (kind !== 'rsa' && kind !== 'ec')) {
    throw invalid(
      ['cert'],
      `The certificate has ${weak ?? `a key of the kind ${kind ?? 'unknown'}`}.`,
      'Use RSA from 2048 bits, or a key on P-256, P-384 or P-521.',
    );
  }
  if ((transportFor(found, keys) === 'ecdh-es') !== (kind === 'ec')) {
    throw invalid(
      ['keyTransport'],
      'The transport is not one of this kind of key.',
      'Leave it out, or write ecdh-es for a key on a curve, rsa-oaep-mgf1p or ' +
        'rsa-oaep-sha256 for RSA.',
    );
  }
  if (keys.keyReference === 'keyIdentifier' && found.fields.keyIdentifier === null) {
    throw invalid(
      ['keyReference'],
      'The certificate has no subject key identifier.',
      'Name it in another way: `keyReference: issuerSerial`.',
    );
  }
  return found;
}

/** A part as it is configured: the table of keys has checked it. */
function encryptedPart(text: string): encryption.EncryptedPart {
  switch (text) {
    case 'Body':
    case 'Signature':
    case 'UsernameToken':
    case 'Assertion':
    case 'attachments':
      return text;
    default:
      return { block: text };
  }
}
