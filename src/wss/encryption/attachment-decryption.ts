import type { Buffer } from 'node:buffer';
import { Refusal } from '../../core/index.js';
import type { mime } from '../../soap/index.js';
import type { canonical } from '../../xml/index.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { elementParts, isNamed, requiredAttribute, typedAttribute } from '../strict-elements.js';
import { DS, SWA, XENC } from '../wsse-names.js';
import { isUnsafeCipher } from './cipher-names.js';
import { ContentDecipher } from './content-decipher.js';
import type { MessageKeys } from './encrypted-content.js';

/** The attachments of the message that is decrypted. */
export interface EncryptedAttachments {
  /** The content of the part that a `cid:` URL names; null for none. */
  contentOf(url: string): Buffer | null;
  /** Puts decrypted content in its place; `mediaType` null: that of the part stays. */
  replace(url: string, part: { readonly content: Buffer; readonly mediaType: string | null }): void;
  /** Gives the parts that no other one includes to a sink, as they came. */
  readInto(sink: mime.AttachmentSink): void;
}

/** Whether an EncryptedData is of an attachment (SOAP with Attachments Profile 1.1 section 5.5). */
export const isOfAttachment = (data: canonical.ElementNode): boolean =>
  typedAttribute(data, 'Type')?.startsWith(`${SWA}Attachment-`) === true;

/**
 * Decrypts the attachment that an EncryptedData of the Security block refers to. False where no key
 * opens it, and that passes. Throws the faults of WS-Security 1.1 section 12.
 */
export function decryptAttachment(
  data: canonical.ElementNode,
  keys: MessageKeys,
  attachments: EncryptedAttachments | null,
): boolean {
  const url = urlIn(data);
  const type = typedAttribute(data, 'Type');
  if (type !== `${SWA}Attachment-Content-Only` && type !== `${SWA}Attachment-Complete`) {
    throw unsupportedAlgorithm('what of an attachment is encrypted', type);
  }
  const key = keys.keyOf(data);
  if (key === null) return false;
  // What covers Body need not cover this.
  if (isUnsafeCipher(key.cipher)) throw failedCheck('decryption: an attachment without a tag');
  const encrypted = attachments?.contentOf(url) ?? null;
  if (encrypted === null) {
    throw invalidSecurity('an encrypted attachment that is missing, or has a transfer encoding');
  }
  const decipher = new ContentDecipher(key.cipher, key.key);
  const content = decipher.updateBytes(encrypted);
  // The tag is the end of it: there is no rest.
  if (!decipher.end().isRight)
    throw failedCheck('decryption: the tag of an attachment, or the key');
  const part =
    type === `${SWA}Attachment-Complete`
      ? completePart(content)
      : { content, mediaType: typedAttribute(data, 'MimeType') };
  try {
    attachments?.replace(url, part);
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    throw failedCheck(`decryption: an attachment: ${caught.detail ?? caught.code}`);
  }
  return true;
}

function urlIn(data: canonical.ElementNode): string {
  const [cipherData, ...others] = data.elements.filter((part) => isNamed(part, XENC, 'CipherData'));
  const [reference, ...further] = cipherData === undefined ? [] : elementParts(cipherData);
  if (reference === undefined || others.length + further.length > 0) {
    throw invalidSecurity('the EncryptedData of an attachment has one CipherReference');
  }
  const [transforms] = isNamed(reference, XENC, 'CipherReference') ? elementParts(reference) : [];
  const [transform, ...more] = transforms === undefined ? [] : elementParts(transforms);
  const isForm =
    transform !== undefined &&
    more.length === 0 &&
    isNamed(transform, DS, 'Transform') &&
    typedAttribute(transform, 'Algorithm') === `${SWA}Attachment-Ciphertext-Transform`;
  if (!isForm) throw unsupportedAlgorithm('a CipherReference that is not to an attachment');
  return requiredAttribute(reference, 'URI');
}

/** A part with its header, of which the media type counts alone. */
function completePart(part: Buffer): {
  readonly content: Buffer;
  readonly mediaType: string | null;
} {
  const at = part.indexOf('\r\n\r\n');
  if (at < 0) throw failedCheck('decryption: a whole attachment without the end of its header');
  const head = `\r\n${part.latin1Slice(0, at)}`.replace(/\r\n[ \t]+/g, ' ');
  const [, mediaType = null] = /\r\ncontent-type[ \t]*:[ \t]*([^\r\n]*)/i.exec(head) ?? [];
  return { content: part.subarray(at + 4), mediaType };
}
