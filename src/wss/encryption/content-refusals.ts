import { Refusal } from '../../core/index.js';
import { failedCheck } from '../security-refusals.js';

/** How far a message is decrypted. */
interface DecryptionState {
  readonly isEncrypted: boolean;
  readonly isVerified: boolean;
}

/** Takes a step of reading decrypted content. Throws what its sender may learn of it. */
export function readContent(decryption: DecryptionState, step: () => void): void {
  try {
    step();
  } catch (caught) {
    throw decryption.isEncrypted ? ofContent(caught, decryption.isVerified) : caught;
  }
}

/**
 * What was found wrong in content whose tag is right: content that is no XML is like content that
 * cannot be decrypted, and so is all other content without the signature that is demanded. Faults
 * of that signature are told.
 */
export function ofContent(caught: unknown, isVerified: boolean): unknown {
  if (!(caught instanceof Refusal) || /^wsse/i.test(caught.code)) return caught;
  const isTold = isVerified && !(isXmlRefusal(caught) && caught.limit === null);
  return isTold ? caught : failedCheck(`decryption: the content: ${caught.code}`);
}

export const isXmlRefusal = (caught: unknown): caught is Refusal =>
  caught instanceof Refusal && caught.code.startsWith('XML_');
