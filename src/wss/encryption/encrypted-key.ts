import { Buffer } from 'node:buffer';
import { constants, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto';
import type { canonical } from '../../xml/index.js';
import { type KeyName, readBinaryToken, readKeyInfo } from '../key-info.js';
import { invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { base64Of, elementParts, isNamed, requiredAttribute } from '../strict-elements.js';
import { DS, XENC } from '../wsse-names.js';
import {
  type ContentCipher,
  DIGEST_URIS,
  KEY_BYTES,
  type KeyTransport,
  MASK_URIS,
  RSA_OAEP,
  RSA_OAEP_MGF1P,
  XENC11,
} from './cipher-names.js';
import { type DecryptionKey, namedKeys } from './decryption-keys.js';
import { decodeOaep, hasRoom, type OaepParameters } from './oaep.js';

/** An EncryptedKey (XML Encryption 1.1 section 3.5.1), as far as its parts are public. */
export interface EncryptedKeyForm {
  readonly node: canonical.ElementNode;
  /** Null: the message names no key. */
  readonly name: KeyName | null;
  readonly oaep: Omit<OaepParameters, 'keyBytes'>;
  readonly value: Buffer;
}

/**
 * Reads an EncryptedKey. Throws `wsse:UnsupportedAlgorithm`, `wsse:InvalidSecurity`,
 * `wsse:UnsupportedSecurityToken`.
 */
export function readEncryptedKey(
  node: canonical.ElementNode,
  transports: ReadonlySet<KeyTransport>,
): EncryptedKeyForm {
  const parts = new Map<string, canonical.ElementNode>();
  for (const part of elementParts(node)) {
    if (parts.has(part.local)) throw invalidSecurity(`two of ${part.local} in EncryptedKey`);
    parts.set(part.local, part);
  }
  const [method, keyInfo, cipherData] = ['EncryptionMethod', 'KeyInfo', 'CipherData'].map((local) =>
    parts.get(local),
  );
  if (method === undefined || cipherData === undefined) {
    throw invalidSecurity('EncryptedKey lacks its EncryptionMethod or CipherData');
  }
  const [value, ...others] = elementParts(cipherData);
  if (value === undefined || others.length > 0 || !isNamed(value, XENC, 'CipherValue')) {
    throw unsupportedAlgorithm('a CipherData without one CipherValue');
  }
  return {
    node,
    name: keyInfo === undefined || isKeyName(keyInfo) ? null : readKeyInfo(keyInfo),
    oaep: readOaep(method, transports),
    value: base64Of(value),
  };
}

/** A name that sender and receiver have agreed upon, which no certificate has. */
const isKeyName = (keyInfo: canonical.ElementNode): boolean => {
  const [part, ...others] = elementParts(keyInfo);
  return part !== undefined && others.length === 0 && isNamed(part, DS, 'KeyName');
};

function readOaep(
  method: canonical.ElementNode,
  transports: ReadonlySet<KeyTransport>,
): EncryptedKeyForm['oaep'] {
  const algorithm = requiredAttribute(method, 'Algorithm');
  const isNewer = algorithm === RSA_OAEP;
  if (!(isNewer || algorithm === RSA_OAEP_MGF1P) || !transports.has('rsa-oaep')) {
    throw unsupportedAlgorithm('not in `security.verify.decrypt.keyTransports`', algorithm);
  }
  let digest: OaepParameters['digest'] | undefined = 'sha1';
  let mask: OaepParameters['mask'] | undefined = 'sha1';
  let label: Buffer = Buffer.alloc(0);
  for (const part of elementParts(method)) {
    if (isNamed(part, DS, 'DigestMethod')) {
      digest = DIGEST_URIS.get(requiredAttribute(part, 'Algorithm'));
    } else if (isNewer && isNamed(part, XENC11, 'MGF')) {
      mask = MASK_URIS.get(requiredAttribute(part, 'Algorithm'));
    } else if (isNamed(part, XENC, 'OAEPparams')) {
      label = base64Of(part);
    } else {
      throw unsupportedAlgorithm('a part of the EncryptionMethod of a key');
    }
  }
  if (digest === undefined || mask === undefined) {
    throw unsupportedAlgorithm('a digest of RSA-OAEP other than SHA-1 and SHA-256');
  }
  return { digest, mask, label };
}

/**
 * The key of content. Null where the message names none of `keys`. What is wrong with the value
 * gives a random key, so that the content fails as with any other wrong one.
 */
export function decryptKey(
  { name, oaep, value }: EncryptedKeyForm,
  keys: readonly DecryptionKey[],
  tokens: ReadonlyMap<string, canonical.ElementNode>,
  cipher: ContentCipher,
): Buffer | null {
  const tokenOf = (id: string): string | null => {
    const token = tokens.get(id);
    return token === undefined ? null : readBinaryToken(token);
  };
  const named = name === null ? keys : namedKeys(keys, name, tokenOf);
  // Without a name a key is meant that is alone.
  const [found] = name === null && named.length > 1 ? [] : named;
  if (found === undefined) return null;
  return unwrap(found.key, value, { ...oaep, keyBytes: KEY_BYTES[cipher] });
}

function unwrap(key: KeyObject, value: Buffer, parameters: OaepParameters): Buffer {
  const modulusBytes = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  const isOfLength = value.length === modulusBytes && hasRoom(modulusBytes, parameters);
  if (key.asymmetricKeyType !== 'rsa' || !isOfLength) return randomBytes(parameters.keyBytes);
  let block: Buffer;
  try {
    block = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, value);
  } catch {
    // A number that is not below the modulus, which anybody sees.
    block = randomBytes(modulusBytes);
  }
  return decodeOaep(block, parameters);
}
