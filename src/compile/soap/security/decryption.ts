import { createPrivateKey, type KeyObject } from 'node:crypto';
import { invalid, within } from '../../../config/keys/finding.js';
import type { DecryptPlan, IdentityPlan } from '../../../config/plans/security-plan.js';
import { type encryption, problemOfKey } from '../../../wss/index.js';
import { madeAnew } from '../../made-anew.js';
import { certificateIn } from './signing-identity.js';

/** What is configured beside `decrypt`. */
interface BesideDecrypt {
  /** The path of the section as it is written, such as `security.verify`. */
  readonly owner: string;
  readonly role: string | null;
  readonly encrypted: 'refuse' | 'pass';
  readonly verifiesSignature: boolean;
}

/** What `decrypt` of a service decrypts; null without it. Throws `FindingsError`. */
export function compileDecryption(
  decrypt: DecryptPlan | null,
  { owner, role, encrypted, verifiesSignature }: BesideDecrypt,
): encryption.DecryptionRules | null {
  if (decrypt === null) return null;
  const { algorithms, keyTransports, required } = decrypt.keys;
  const unsafe = [...algorithms, ...keyTransports].find((name) => name.startsWith('unsafe:'));
  if (unsafe !== undefined && !verifiesSignature) {
    throw invalid(
      ['decrypt'],
      `\`${unsafe}\` is taken only where a verified signature covers what is encrypted.`,
      'Add `signature` with Body in `required`, or leave it out.',
    );
  }
  const identities = decrypt.identities.map((identity, index) =>
    within(['decrypt', 'keys', index], () => compileKey(identity)),
  );
  return {
    owner: `${owner}.decrypt`,
    keys: () => identities.map((current) => current()),
    ciphers: new Set(algorithms),
    transports: new Set(keyTransports),
    isBodyRequired: required.includes('Body'),
    role,
    passesUnopened: encrypted === 'pass',
    verifiesSignature,
  };
}

/** The key as its files are now: one of the two may still be that of before. */
const compileKey = (identity: IdentityPlan): (() => encryption.DecryptionKey) =>
  madeAnew([identity.cert, identity.key], ([cert = '', key = '']) =>
    decryptionKey(cert, key, identity.passphrase),
  );

const PEM = 'Write PEM: the certificate, and the private key that belongs to it.';

function decryptionKey(
  cert: string,
  pem: string,
  passphrase: string | null,
): encryption.DecryptionKey {
  const certificate = certificateIn(cert);
  if (certificate === null) throw invalid(['cert'], 'The certificate cannot be read.', PEM);
  let key: KeyObject;
  try {
    const given = passphrase === null ? {} : { passphrase };
    key = createPrivateKey({ key: pem, format: 'pem', ...given });
  } catch {
    throw invalid(['key'], 'The private key cannot be read.', PEM);
  }
  if (!certificate.certificate.checkPrivateKey(key)) {
    throw invalid(['key'], 'The private key is not that of the certificate.', PEM);
  }
  const weak = problemOfKey(certificate.publicKey);
  if (weak !== null) {
    throw invalid(['cert'], `The certificate has ${weak}.`, 'Use RSA from 2048 bits.');
  }
  const { asymmetricKeyType: kind } = key;
  if (kind !== 'rsa' && kind !== 'ec') {
    const remedy = 'Use RSA from 2048 bits, or a key on P-256, P-384 or P-521.';
    throw invalid(['key'], 'The private key can open nothing: it is for signatures.', remedy);
  }
  return { certificate, key };
}
