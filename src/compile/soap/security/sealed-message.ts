import type { Buffer } from 'node:buffer';
import type { Steps } from '../../../core/index.js';
import type { mime } from '../../../soap/index.js';
import type { Insertion } from '../../../upstream/index.js';
import {
  encryption as encrypting,
  type SigningRules,
  signMessage,
  signPackage,
} from '../../../wss/index.js';
import type { ReaderPool } from '../../../xml/index.js';
import type { MadeEncryption } from './made-encryption.js';

/** How a call is encrypted, and the readers that find its parts. */
export interface CallEncryption {
  readonly rules: MadeEncryption;
  readonly readers: Pick<ReaderPool, 'take' | 'give'>;
}

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
  const { signing, encryption } = sealing;
  if (signing === null && encryption === null) return {};
  const seal = (body: Buffer): Steps<Buffer> => sealed(body, sealing, onSigned);
  if (signing !== null || encryption === null) return { seal };
  const { rules, readers } = encryption;
  const change = () => new encrypting.MessageEncryption(rules, keyFor(rules), readers);
  return { seal, change };
}

const keyFor = ({ recipient, cipher }: MadeEncryption): encrypting.MessageKey =>
  encrypting.keyForRecipient(recipient, cipher);

function* sealed(
  body: Buffer,
  { signing, encryption, packageType }: Sealing,
  onSigned: (value: Buffer) => void,
): Steps<Buffer> {
  const isEncryptedFirst = encryption?.rules.isSignedLater === true;
  let message = body;
  if (encryption !== null && isEncryptedFirst) {
    message = yield* encrypted(message, encryption);
  }
  if (signing !== null) {
    message =
      packageType === null
        ? yield* signMessage(message, signing, onSigned)
        : yield* signPackage(message, packageType, signing, onSigned);
  }
  if (encryption !== null && !isEncryptedFirst) {
    message = yield* encrypted(message, encryption);
  }
  return message;
}

const encrypted = (message: Buffer, { rules, readers }: CallEncryption): Steps<Buffer> =>
  encrypting.encryptMessage(message, rules, keyFor(rules), readers);
