import { Buffer } from 'node:buffer';
import { Refusal } from '../../core/index.js';
import type { canonical } from '../../xml/index.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import {
  elementParts,
  isEncryptedData,
  isEncryptedHeader,
  isNamed,
  lettersOf,
} from '../strict-elements.js';
import { XENC } from '../wsse-names.js';
import {
  decryptAttachment,
  type EncryptedAttachments,
  isOfAttachment,
} from './attachment-decryption.js';
import { isUnsafeCipher } from './cipher-names.js';
import { ContentDecipher } from './content-decipher.js';
import type { EncryptionCover, MessageKeys } from './encrypted-content.js';
import { edited, type HeadEdit } from './head-edits.js';
import { OpenedContent, type OpenedPlace } from './opened-content.js';

/** An encrypted part of a Header, and the element that is replaced by what it was. */
export interface EncryptedHeadPart {
  readonly place: canonical.ElementNode;
  readonly data: canonical.ElementNode;
}

/** The encrypted header blocks, and the encrypted parts of the Security block. */
export function encryptedPartsOf(
  header: canonical.ElementNode | null,
  security: canonical.ElementNode | null,
): readonly EncryptedHeadPart[] {
  return [...(header?.elements ?? []), ...(security?.elements ?? [])].flatMap((place) => {
    if (isEncryptedData(place)) return [{ place, data: place }];
    if (!isEncryptedHeader(place)) return [];
    const [data, ...others] = elementParts(place);
    if (data === undefined || others.length > 0 || !isEncryptedData(data)) {
      throw invalidSecurity('EncryptedHeader holds one EncryptedData');
    }
    return [{ place, data }];
  });
}

/**
 * Decrypts these parts, each of which must have been one element in its place; null where one of
 * them is opened by no key, and that passes.
 */
export function decryptParts(
  parts: readonly EncryptedHeadPart[],
  keys: MessageKeys,
  place: HeadPlace,
): readonly HeadEdit[] | null {
  if (parts.length > PARTS_MAX) {
    throw invalidSecurity(`more than ${PARTS_MAX} encrypted parts of a Header`);
  }
  const edits: HeadEdit[] = [];
  for (const part of parts) {
    if (isOfAttachment(part.data)) {
      if (!decryptAttachment(part.data, keys, place.attachments)) return null;
      continue;
    }
    const { offsetBytes, endBytes } = part.place;
    const content = decryptPart(part.data, keys);
    if (content === null) return null;
    checkElement(content, part, place);
    edits.push({ at: offsetBytes, end: endBytes, bytes: content });
  }
  return edits;
}

/** The message around the Header, and the attachments of its package. */
interface HeadPlace extends Omit<OpenedPlace, 'around'> {
  readonly attachments: EncryptedAttachments | null;
}

/** Encrypted parts of one Header. */
const PARTS_MAX = 64;

function decryptPart(data: canonical.ElementNode, keys: MessageKeys): Buffer | null {
  const key = keys.keyOf(data);
  if (key === null) return null;
  // What covers Body need not cover this.
  if (isUnsafeCipher(key.cipher)) throw failedCheck('decryption: a part without a tag');
  const decipher = new ContentDecipher(key.cipher, key.key);
  const content = decipher.update(cipherLetters(data));
  const { rest, isRight } = decipher.end();
  if (!isRight) throw failedCheck('decryption: the tag, or the key');
  return Buffer.concat([content, rest]);
}

/** What was verified of the message stays true: the part is one element, and no Security block. */
function checkElement(
  content: Buffer,
  { place: { parent } }: EncryptedHeadPart,
  place: Omit<OpenedPlace, 'around'>,
): void {
  const opened = new OpenedContent({ ...place, around: ancestorsOf(parent) }, 'element', false);
  try {
    opened.write(content);
    opened.end();
  } catch (caught) {
    if (!(caught instanceof Refusal) || caught.code === 'wsse:FailedCheck') throw caught;
    throw failedCheck(`decryption: a part of the Header: ${caught.code}`);
  }
  if (opened.root?.local === 'Security') {
    throw failedCheck('decryption: a header block that is a Security block');
  }
}

/** The elements around, outermost first. */
function ancestorsOf(parent: canonical.ElementNode | null): readonly canonical.ElementNode[] {
  return parent === null ? [] : [...ancestorsOf(parent.parent), parent];
}

/**
 * What is decrypted of a message whose bytes are verified is not verified again: a part that the
 * signature does not cover must not come in by it, nor a token.
 */
export function requireCover(
  parts: readonly EncryptedHeadPart[],
  security: canonical.ElementNode | null,
  cover: EncryptionCover,
): void {
  for (const { place, data } of parts) {
    // What was encrypted of it was compared with its signature already, where that is demanded.
    if (isOfAttachment(data)) continue;
    if (place.parent === security) {
      throw unsupportedAlgorithm(
        'an encrypted part of the Security block under a signature of what is encrypted: sign ' +
          'first, then encrypt',
      );
    }
    if (!cover.covers(place)) {
      throw invalidSecurity('an encrypted header block that the signature does not cover');
    }
  }
}

function cipherLetters(data: canonical.ElementNode): string {
  const [cipherData, ...others] = data.elements.filter(({ local }) => local === 'CipherData');
  const [value, ...further] = cipherData === undefined ? [] : elementParts(cipherData);
  if (value === undefined || others.length + further.length > 0) {
    throw invalidSecurity('EncryptedData has one CipherValue');
  }
  if (!isNamed(value, XENC, 'CipherValue')) throw invalidSecurity('a CipherReference');
  return lettersOf(value);
}

/** The EncryptedData of attachments, which leave the Header with what they encrypted. */
export const dataOfAttachments = (
  parts: readonly EncryptedHeadPart[],
): readonly canonical.ElementNode[] => parts.map(({ data }) => data).filter(isOfAttachment);

/**
 * The head with these changes and without these elements; the whole Security block goes where
 * nothing else is in it.
 */
export function openedHead(
  head: Buffer,
  edits: readonly HeadEdit[],
  removed: ReadonlySet<canonical.ElementNode>,
  security: canonical.ElementNode | null,
): Buffer {
  const isEmpty = security?.elements.every((part) => removed.has(part)) === true;
  const cut = isEmpty && security !== null ? [security] : [...removed];
  const cuts = cut.map(({ offsetBytes, endBytes }) => ({
    at: offsetBytes,
    end: endBytes,
    bytes: Buffer.alloc(0),
  }));
  return edited(head, [...edits, ...cuts]);
}
