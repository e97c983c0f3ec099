import type { Buffer } from 'node:buffer';
import type { canonical, ReaderPool, XmlReader } from '../../xml/index.js';
import type { MessageVerifier } from '../message-verifier.js';
import { invalidSecurity } from '../security-refusals.js';
import type { EncryptedAttachments } from './attachment-decryption.js';

/**
 * Verifies a message by the bytes that came, in front of its decryption: what is encrypted was
 * signed. Their verifier then stands for that of the decrypted message.
 */
export class SignedBytes {
  readonly #verifier: MessageVerifier;
  readonly #later: MessageVerifier;
  readonly #readers: Pick<ReaderPool, 'take' | 'give'>;
  readonly #reader: XmlReader;

  readonly #attachments: EncryptedAttachments | null;

  /**
   * `later`: the verifier of the decrypted message; `attachments`: null for one that is no package.
   */
  constructor(
    later: MessageVerifier,
    readers: Pick<ReaderPool, 'take' | 'give'>,
    charset: string | null,
    attachments: EncryptedAttachments | null,
  ) {
    this.#later = later;
    this.#attachments = attachments;
    this.#verifier = later.ofEncrypted(attachments !== null);
    this.#readers = readers;
    this.#reader = readers.take(this.#verifier, charset);
  }

  /** Whether Body has begun, and the signature covers it. */
  get coversBody(): boolean {
    return this.#verifier.isBodySigned;
  }

  /** Whether the signature covers this element of the Header: its digest matched. */
  covers({ offsetBytes }: Pick<canonical.ElementNode, 'offsetBytes'>): boolean {
    return this.#verifier.covers(offsetBytes);
  }

  /**
   * Takes the message up to what is encrypted of Body, and verifies the attachments by it. Throws
   * the faults of WS-Security 1.1 section 12.
   */
  begin(head: Buffer): void {
    this.#reader.write(head);
    if (this.#attachments === null || this.#verifier.attachments === null) return;
    if (this.#verifier.verified === null) throw invalidSecurity('attachments without a Body');
    this.#attachments.readInto(this.#verifier.attachments);
  }

  /** Throws the same. */
  write(bytes: Buffer): void {
    this.#reader.write(bytes);
  }

  end(): void {
    this.#reader.end();
    this.#readers.give(this.#reader);
  }

  /** What is verified here is not verified again. */
  accept(): void {
    this.#later.standIn(this.#verifier);
  }
}
