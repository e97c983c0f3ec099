import { Buffer } from 'node:buffer';
import type { canonical, StartTag } from '../../xml/index.js';
import { failedCheck, invalidSecurity } from '../security-refusals.js';
import { elementParts, isNamed, lettersOf } from '../strict-elements.js';
import { WSSE11, XENC } from '../wsse-names.js';
import { isUnsafeCipher } from './cipher-names.js';
import { ContentDecipher } from './content-decipher.js';
import type { MessageKeys } from './encrypted-content.js';
import { edited, type HeadEdit } from './head-edits.js';

/** An encrypted part of a Header, and the element that is replaced by what it was. */
export interface EncryptedHeadPart {
  readonly place: canonical.ElementNode;
  readonly data: canonical.ElementNode;
}

type Name = Pick<StartTag, 'uri' | 'local'>;

const isData = ({ uri, local }: Name): boolean => uri === XENC && local === 'EncryptedData';
/** SOAP Message Security 1.1 section 9.2. */
const isHeader = ({ uri, local }: Name): boolean => uri === WSSE11 && local === 'EncryptedHeader';

/** Whether this is a header block that is encrypted. */
export const isEncryptedBlock = (tag: Name): boolean => isHeader(tag) || isData(tag);

/** The encrypted header blocks, and the encrypted parts of the Security block. */
export function encryptedPartsOf(
  header: canonical.ElementNode | null,
  security: canonical.ElementNode | null,
): readonly EncryptedHeadPart[] {
  return [...(header?.elements ?? []), ...(security?.elements ?? [])].flatMap((place) => {
    if (isData(place)) return [{ place, data: place }];
    if (!isHeader(place)) return [];
    const [data, ...others] = elementParts(place);
    if (data === undefined || others.length > 0 || !isData(data)) {
      throw invalidSecurity('EncryptedHeader holds one EncryptedData');
    }
    return [{ place, data }];
  });
}

/** Decrypts these parts; null where one of them is opened by no key, and that passes. */
export function decryptParts(
  parts: readonly EncryptedHeadPart[],
  keys: MessageKeys,
): readonly HeadEdit[] | null {
  const edits: HeadEdit[] = [];
  for (const { place, data } of parts) {
    const key = keys.keyOf(data);
    if (key === null) return null;
    // What covers Body need not cover this.
    if (isUnsafeCipher(key.cipher)) throw failedCheck('decryption: a part without a tag');
    const decipher = new ContentDecipher(key.cipher, key.key);
    const content = decipher.update(cipherLetters(data));
    if (decipher.end() === null) throw failedCheck('decryption: the tag, or the key');
    edits.push({ at: place.offsetBytes, end: place.endBytes, bytes: content });
  }
  return edits;
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

/**
 * The head with these changes and without these elements; the whole Security block goes where
 * nothing else is in it.
 */
export function openedHead(
  head: Buffer,
  edits: readonly HeadEdit[],
  removed: readonly canonical.ElementNode[],
  security: canonical.ElementNode | null,
): Buffer {
  const isEmpty = security?.elements.every((part) => removed.includes(part)) === true;
  const cut = isEmpty && security !== null ? [security] : removed;
  const cuts = cut.map(({ offsetBytes, endBytes }) => ({
    at: offsetBytes,
    end: endBytes,
    bytes: Buffer.alloc(0),
  }));
  return edited(head, [...edits, ...cuts]);
}
