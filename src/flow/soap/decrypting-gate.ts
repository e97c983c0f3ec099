import type { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import { asRefusal, Refusal } from '../../core/index.js';
import type { Gate } from '../../soap/index.js';
import { encryption, unsupportedAlgorithm } from '../../wss/index.js';
import type { MessageGate } from '../http/receive.js';
import type { PostHead } from './request-head.js';

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
  const isOfContent =
    decryption?.isEncrypted === true && !decryption.isVerified && refusal.isOfCaller;
  if (!isOfContent || refusal.code === 'CLIENT_GONE') return refusal;
  return new Refusal('wsse:FailedCheck', `decryption: not verified yet: ${refusal.code}`);
}

/** The parts of a head that say how its message is read. */
type DecryptedHead = Pick<PostHead, 'package' | 'isUnread'> & {
  readonly mediaType: Pick<PostHead['mediaType'], 'charset'>;
};

/**
 * Decrypts the message of a request before the gate; null where that is not configured. A package
 * is read as it is.
 */
export function decryptionOf(
  { verification, readers }: SoapService,
  { package: type, isUnread, mediaType: { charset } }: DecryptedHead,
  gate: Gate,
): encryption.MessageDecryption | null {
  const rules = verification?.decryption ?? null;
  if (rules === null || isUnread) return null;
  if (type !== null) {
    if (!rules.isBodyRequired) return null;
    throw unsupportedAlgorithm('encrypted content in a package of parts');
  }
  return new encryption.MessageDecryption({
    rules,
    headBytes: gate.headBytes,
    readers,
    charset,
    output: gate,
  });
}
