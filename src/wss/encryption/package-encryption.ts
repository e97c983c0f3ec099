import { Buffer } from 'node:buffer';
import type { Steps } from '../../core/index.js';
import { mime } from '../../soap/index.js';
import { escapeQuoted, type ReaderPool } from '../../xml/index.js';
import { unsupportedAlgorithm } from '../security-refusals.js';
import { DS, SWA, XENC } from '../wsse-names.js';
import { XENC11 } from './cipher-names.js';
import { encryptBytes } from './content-encipher.js';
import type { AttachmentData, EncryptionRules } from './encrypted-head.js';
import { includeParts } from './included-parts.js';
import { encryptMessage } from './message-encryption.js';
import { type MessageKey, newId } from './message-key.js';

/** The media type of an attachment that is encrypted. */
const OCTETS = 'application/octet-stream';

/**
 * Encrypts a whole package in steps. Parts that the envelope includes are encrypted with it, as
 * base64; attachments by themselves (SOAP with Attachments Profile 1.1 section 5.5). Throws
 * `wsse:UnsupportedAlgorithm` where a part would stay plain.
 */
export function* encryptPackage(
  bytes: Buffer,
  type: mime.PackageType,
  rules: EncryptionRules,
  key: MessageKey,
  readers: Pick<ReaderPool, 'take' | 'give'>,
): Steps<Buffer> {
  const parts = new mime.PackageEditor(bytes, type);
  yield;
  const envelope = includeParts(parts.envelope, 'anywhere', readers, parts);
  yield;
  const attachments: AttachmentData[] = [];
  for (const part of parts.unchanged) {
    attachments.push(encryptAttachment(part, parts, rules, key));
    yield;
  }
  const encrypted = yield* encryptMessage(envelope, rules, key, readers, attachments);
  yield;
  return Buffer.concat(parts.written(encrypted));
}

function encryptAttachment(
  { url, mediaType, content }: mime.PackageEditor['unchanged'][number],
  parts: mime.PackageEditor,
  rules: EncryptionRules,
  { key, keyInfo }: MessageKey,
): AttachmentData {
  if (!rules.parts.includes('attachments')) {
    throw unsupportedAlgorithm('an attachment, which `make.encrypt.parts` does not name');
  }
  if (url === null || content === null) {
    throw unsupportedAlgorithm(
      'an attachment without a Content-ID, or with a transfer encoding, cannot be encrypted here',
    );
  }
  parts.replace(url, { content: encryptBytes(rules.cipher, key, content), mediaType: OCTETS });
  const id = newId('ED');
  return {
    id,
    element:
      `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="${id}" ` +
      `MimeType="${escapeQuoted(mediaType ?? OCTETS)}" Type="${SWA}Attachment-Content-Only">` +
      `<xenc:EncryptionMethod Algorithm="${XENC11}${rules.cipher}"/>${keyInfo}<xenc:CipherData>` +
      `<xenc:CipherReference URI="${escapeQuoted(url)}"><xenc:Transforms>` +
      `<ds:Transform xmlns:ds="${DS}" Algorithm="${SWA}Attachment-Ciphertext-Transform"/>` +
      '</xenc:Transforms></xenc:CipherReference></xenc:CipherData></xenc:EncryptedData>',
  };
}
