import type { Buffer } from 'node:buffer';
import type { ReaderPool } from '../../xml/index.js';
import type { MessageVerifier } from '../message-verifier.js';
import type { EncryptedAttachments } from './attachment-decryption.js';
import type { DecryptionRules } from './encrypted-content.js';

/** What decrypts one message, and takes it. */
export interface DecryptionOptions {
  readonly rules: DecryptionRules;
  /** The most bytes up to the encrypted content. */
  readonly headBytes: number;
  /** Content up to so many bytes is held until it is verified. */
  readonly windowBytes: number;
  /** Gets the reader of the message as it came. */
  readonly readers: Pick<ReaderPool, 'take' | 'give'>;
  /** The other parts of its package; absent or null for a message that is no package. */
  readonly attachments?: EncryptedAttachments | null;
  /** That of the Content-Type; null for none. */
  readonly charset: string | null;
  /** The verifier of what comes out; null where nothing is verified. */
  readonly verifier: MessageVerifier | null;
  /** Takes the message as it was before it was encrypted. Throws what it finds wrong. */
  readonly output: { write(bytes: Buffer): void; end(): void };
}
