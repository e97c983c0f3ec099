import { Buffer } from 'node:buffer';
import { constants, type KeyObject, privateDecrypt, randomBytes } from 'node:crypto';
import type { canonical } from '../../xml/index.js';
import { type KeyName, readBinaryToken, readKeyInfo } from '../key-info.js';
import { invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { base64Of, elementParts, isNamed, requiredAttribute } from '../strict-elements.js';
import { DS, XENC } from '../wsse-names.js';
import {
  DIGEST_URIS,
  KEY_WRAPS,
  type KeyTransport,
  MASK_URIS,
  RSA_1_5,
  RSA_OAEP,
  RSA_OAEP_MGF1P,
  UNSAFE_TRANSPORT,
  XENC11,
} from './cipher-names.js';
import { type DecryptionKey, namedKeys } from './decryption-keys.js';
import { readAgreement } from './key-agreement.js';
import { decodeOaep, decodePkcs1, hasRoom, type OaepParameters, PKCS1_BYTES } from './oaep.js';

/** An EncryptedKey (XML Encryption 1.1 section 3.5.1), as far as its parts are public. */
export interface EncryptedKeyForm {
  readonly node: canonical.ElementNode;
  /** Null: the message names no key. */
  readonly name: KeyName | null;
  readonly transport: KeyTransport;
  readonly value: Buffer;
  /** The key of so many bytes; a random one where the value does not hold one. */
  readonly open: (key: KeyObject, keyBytes: number) => Buffer;
}

/** How keys may be encrypted. */
interface TransportRules {
  readonly transports: ReadonlySet<KeyTransport>;
  /** The path of the section of the configuration. */
  readonly owner: string;
}

/**
 * Reads an EncryptedKey. Throws `wsse:UnsupportedAlgorithm`, `wsse:InvalidSecurity`,
 * `wsse:UnsupportedSecurityToken`.
 */
export function readEncryptedKey(
  node: canonical.ElementNode,
  { transports, owner }: TransportRules,
): EncryptedKeyForm {
  const { method, keyInfo, value } = partsOf(node);
  const algorithm = requiredAttribute(method, 'Algorithm');
  const transport = TRANSPORT_URIS.get(algorithm);
  if (transport === undefined || !transports.has(transport)) {
    const named = transport === undefined ? '' : `: it does not name \`${transport}\``;
    throw unsupportedAlgorithm(`not in \`${owner}.keyTransports\`${named}`, algorithm);
  }
  if (transport === 'ecdh-es') {
    const agreement = readAgreement(agreementIn(keyInfo), algorithm);
    const open = (key: KeyObject, keyBytes: number): Buffer =>
      agreement.unwrap(key, value, keyBytes);
    return { node, name: nameIn(agreement.recipient), transport, value, open };
  }
  const decode = transport === UNSAFE_TRANSPORT ? PKCS1 : oaepDecoder(method, algorithm);
  const open = (key: KeyObject, keyBytes: number): Buffer => unwrap(key, value, keyBytes, decode);
  return { node, name: nameIn(keyInfo), transport, value, open };
}

const TRANSPORT_URIS: ReadonlyMap<string, KeyTransport> = new Map<string, KeyTransport>([
  [RSA_OAEP_MGF1P, 'rsa-oaep'],
  [RSA_OAEP, 'rsa-oaep'],
  [RSA_1_5, UNSAFE_TRANSPORT],
  ...Array.from(KEY_WRAPS.keys(), (uri) => [uri, 'ecdh-es'] as const),
]);

interface KeyParts {
  readonly method: canonical.ElementNode;
  readonly keyInfo: canonical.ElementNode | null;
  readonly value: Buffer;
}

function partsOf(node: canonical.ElementNode): KeyParts {
  const parts = new Map<string, canonical.ElementNode>();
  for (const part of elementParts(node)) {
    if (parts.has(part.local)) throw invalidSecurity(`two of ${part.local} in EncryptedKey`);
    parts.set(part.local, part);
  }
  const [method, cipherData] = [parts.get('EncryptionMethod'), parts.get('CipherData')];
  if (method === undefined || cipherData === undefined) {
    throw invalidSecurity('EncryptedKey lacks its EncryptionMethod or CipherData');
  }
  const [value, ...others] = elementParts(cipherData);
  if (value === undefined || others.length > 0 || !isNamed(value, XENC, 'CipherValue')) {
    throw unsupportedAlgorithm('a CipherData without one CipherValue');
  }
  return { method, keyInfo: parts.get('KeyInfo') ?? null, value: base64Of(value) };
}

function agreementIn(keyInfo: canonical.ElementNode | null): canonical.ElementNode {
  const [part, ...others] = keyInfo === null ? [] : elementParts(keyInfo);
  if (part === undefined || others.length > 0 || !isNamed(part, XENC, 'AgreementMethod')) {
    throw unsupportedAlgorithm('a wrapped key without an AgreementMethod');
  }
  return part;
}

const nameIn = (keyInfo: canonical.ElementNode | null): KeyName | null =>
  keyInfo === null || isKeyName(keyInfo) ? null : readKeyInfo(keyInfo);

/** A name that sender and receiver have agreed upon, which no certificate has. */
const isKeyName = (keyInfo: canonical.ElementNode): boolean => {
  const [part, ...others] = elementParts(keyInfo);
  return part !== undefined && others.length === 0 && isNamed(part, DS, 'KeyName');
};

/** Decodes what RSA without padding has decrypted. */
interface BlockDecoder {
  /** Whether a modulus of so many bytes has room for a key. */
  hasRoom(modulusBytes: number, keyBytes: number): boolean;
  decode(block: Buffer, keyBytes: number): Buffer;
}

const PKCS1: BlockDecoder = {
  hasRoom: (modulusBytes, keyBytes) => modulusBytes >= keyBytes + PKCS1_BYTES,
  decode: decodePkcs1,
};

function oaepDecoder(method: canonical.ElementNode, algorithm: string): BlockDecoder {
  const isNewer = algorithm === RSA_OAEP;
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
  const parameters = { digest, mask, label };
  return {
    hasRoom: (modulusBytes, keyBytes) => hasRoom(modulusBytes, { ...parameters, keyBytes }),
    decode: (block, keyBytes) => decodeOaep(block, { ...parameters, keyBytes }),
  };
}

/**
 * The private key that an EncryptedKey is for; null where the message names none of `keys`. Without
 * a name a key is meant that is alone.
 */
export function privateKeyFor(
  { name }: EncryptedKeyForm,
  keys: readonly DecryptionKey[],
  tokens: ReadonlyMap<string, canonical.ElementNode>,
): KeyObject | null {
  const tokenOf = (id: string): string | null => {
    const token = tokens.get(id);
    return token === undefined ? null : readBinaryToken(token);
  };
  const named = name === null ? keys : namedKeys(keys, name, tokenOf);
  const [found] = name === null && named.length > 1 ? [] : named;
  return found?.key ?? null;
}

function unwrap(key: KeyObject, value: Buffer, keyBytes: number, decoder: BlockDecoder): Buffer {
  const modulusBytes = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  const isOfLength = value.length === modulusBytes && decoder.hasRoom(modulusBytes, keyBytes);
  if (key.asymmetricKeyType !== 'rsa' || !isOfLength) return randomBytes(keyBytes);
  let block: Buffer;
  try {
    block = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, value);
  } catch {
    // A number that is not below the modulus, which anybody sees.
    block = randomBytes(modulusBytes);
  }
  return decoder.decode(block, keyBytes);
}
