import type { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import { asRefusal, Refusal } from '../../core/index.js';
import type { Gate, mime } from '../../soap/index.js';
import { encryption, type MessageVerifier, unsupportedAlgorithm } from '../../wss/index.js';
import type { MessageGate } from '../http/receive.js';

/** Decrypts a message in front of its gate, which reads it as any other one. */
export class DecryptingGate implements MessageGate {
  readonly #decryption: encryption.MessageDecryption;
  readonly #gate: Gate;

  /** The output of `decryption` is the gate. */
  constructor(decryption: encryption.MessageDecryption, gate: Gate) {
    this.#decryption = decryption;
    this.#gate = gate;
  }

  get hasWork(): boolean {
    return this.#gate.hasWork;
  }

  work(): void {
    this.#gate.work();
  }

  write(chunk: Buffer): void {
    this.#decryption.write(chunk);
  }

  end(): void {
    this.#decryption.end();
  }
}

/**
 * What a caller is told while the content of its message is not verified: nothing of what was found
 * in it, which is for the log.
 */
export function beforeVerified(
  caught: unknown,
  decryption: encryption.MessageDecryption | null,
): Refusal {
  const refusal = asRefusal(caught);
  return refusal.isOfCaller ? ofUnverifiedCall(refusal, decryption) : refusal;
}

/** Whether the content of a message that flows is decrypted, and its end not verified yet. */
const isUnverified = (decryption: encryption.MessageDecryption | null): boolean =>
  decryption?.isEncrypted === true && !decryption.isVerified;

/** Refuses to answer a request whose content is not verified: the answer would tell of it. */
export function requireVerified(decryption: encryption.MessageDecryption | null): void {
  if (isUnverified(decryption)) {
    throw new Refusal('wsse:FailedCheck', 'decryption: an answer before the content is verified');
  }
}

/** As `beforeVerified`, of a call that has begun: its failures may come of the content as well. */
export function ofUnverifiedCall(
  caught: unknown,
  decryption: encryption.MessageDecryption | null,
): Refusal {
  const refusal = asRefusal(caught);
  if (!isUnverified(decryption) || refusal.code === 'CLIENT_GONE') return refusal;
  return new Refusal('wsse:FailedCheck', `decryption: not verified yet: ${refusal.code}`);
}

/** How a message is read. */
interface DecryptedHead {
  /** Null for an envelope that comes as it is. */
  readonly package: mime.PackageType | null;
  readonly charset: string | null;
}

/**
 * Decrypts a message before its gate; null where that is not configured. A package is read as it
 * is.
 */
export function decryptionOf(
  rules: encryption.DecryptionRules | null,
  { readers }: Pick<SoapService, 'readers'>,
  { package: type, charset }: DecryptedHead,
  gate: Gate,
  verifier: MessageVerifier | null,
): encryption.MessageDecryption | null {
  if (rules === null) return null;
  if (type !== null) {
    if (!rules.isBodyRequired) return null;
    throw unsupportedAlgorithm('encrypted content in a package of parts');
  }
  return new encryption.MessageDecryption({
    rules,
    headBytes: gate.headBytes,
    readers,
    charset,
    verifier,
    output: gate,
  });
}
