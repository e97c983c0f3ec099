import type { Buffer } from 'node:buffer';
import type { Steps } from '../../../core/index.js';
import type { mime } from '../../../soap/index.js';
import type { Insertion } from '../../../upstream/index.js';
import { encryption, type SigningRules, signMessage, signPackage } from '../../../wss/index.js';
import type { ReaderPool } from '../../../xml/index.js';
import type { MadeEncryption } from './made-encryption.js';

/** How a call is encrypted, and the readers that find its parts. */
export interface CallEncryption {
  readonly rules: MadeEncryption;
  readonly readers: Pick<ReaderPool, 'take' | 'give'>;
}

/** Null where calls of a service are not encrypted. */
export const callEncryption = (
  rules: MadeEncryption | null,
  readers: CallEncryption['readers'],
): CallEncryption | null => (rules === null ? null : { rules, readers });

/** How a message is signed and encrypted once its blocks are in it. */
export interface Sealing {
  readonly signing: SigningRules | null;
  readonly encryption: CallEncryption | null;
  readonly packageType: mime.PackageType | null;
}

/**
 * Signs and encrypts a message, in the order of its rules: a whole one, or one that flows and is
 * encrypted only. `onSigned` gets the value of the signature.
 */
export function sealOf(
  sealing: Sealing,
  onSigned: (value: Buffer) => void,
): Pick<Insertion, 'seal' | 'change'> {
  const { signing, encryption: encrypting } = sealing;
  if (signing === null && encrypting === null) return {};
  const seal = (body: Buffer): Steps<Buffer> => sealed(body, sealing, onSigned);
  // The parts of a package come behind its envelope.
  if (signing !== null || encrypting === null || sealing.packageType !== null) return { seal };
  const { rules, readers } = encrypting;
  const change = () => new encryption.MessageEncryption(rules, keyFor(rules), readers);
  return { seal, change };
}

const keyFor = ({ recipient, cipher }: MadeEncryption): encryption.MessageKey =>
  encryption.keyForRecipient(recipient, cipher);

function* sealed(
  body: Buffer,
  { signing, encryption: encrypting, packageType }: Sealing,
  onSigned: (value: Buffer) => void,
): Steps<Buffer> {
  const isEncryptedFirst = encrypting?.rules.isSignedLater === true;
  let message = body;
  if (encrypting !== null && isEncryptedFirst) {
    message = yield* encrypted(message, encrypting, packageType);
  }
  if (signing !== null) {
    message =
      packageType === null
        ? yield* signMessage(message, signing, onSigned)
        : yield* signPackage(message, packageType, signing, onSigned);
  }
  if (encrypting !== null && !isEncryptedFirst) {
    message = yield* encrypted(message, encrypting, packageType);
  }
  return message;
}

const encrypted = (
  message: Buffer,
  { rules, readers }: CallEncryption,
  packageType: mime.PackageType | null,
): Steps<Buffer> =>
  packageType === null
    ? encryption.encryptMessage(message, rules, keyFor(rules), readers)
    : encryption.encryptPackage(message, packageType, rules, keyFor(rules), readers);
