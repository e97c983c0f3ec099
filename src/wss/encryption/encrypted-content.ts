import type { Buffer } from 'node:buffer';
import type { canonical } from '../../xml/index.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { elementParts, isNamed, requiredAttribute, typedAttribute } from '../strict-elements.js';
import { DS, WSSE, WSU, XENC } from '../wsse-names.js';
import { CIPHER_URIS, type ContentCipher, type KeyTransport } from './cipher-names.js';
import type { DecryptionKey } from './decryption-keys.js';
import { decryptKey, readEncryptedKey } from './encrypted-key.js';

/** What a service decrypts, and with what. Made at start-up. */
export interface DecryptionRules {
  /** The path of their section, for the log of a refusal. */
  readonly owner: string;
  /** The files of keys may be replaced: these are as they are now. */
  readonly keys: () => readonly DecryptionKey[];
  readonly ciphers: ReadonlySet<ContentCipher>;
  readonly transports: ReadonlySet<KeyTransport>;
  /** The content of Body must have been encrypted. */
  readonly isBodyRequired: boolean;
  /** The actor or role of the Security block that is meant. */
  readonly role: string | null;
  /** Content that no key opens passes as it came. */
  readonly passesUnopened: boolean;
  /** A signature is verified, of what was there before it was encrypted. */
  readonly verifiesSignature: boolean;
}

/** The key of an EncryptedData, and what leaves the Security block with it. */
export interface ContentKey {
  readonly cipher: ContentCipher;
  readonly key: Buffer;
  readonly removed: readonly canonical.ElementNode[];
}

/** EncryptedKeys of one Security block. */
const KEYS_MAX = 8;

/**
 * Finds and decrypts the key of an EncryptedData, whose EncryptionMethod and KeyInfo are read. Null
 * for one that no key opens, where that passes. Throws the faults of WS-Security 1.1 section 12.
 */
export function contentKeyOf(
  data: canonical.ElementNode,
  security: canonical.ElementNode | null,
  rules: DecryptionRules,
): ContentKey | null {
  const cipher = cipherOf(data, rules);
  const parts = security?.elements ?? [];
  const listed = parts.filter((part) => isNamed(part, XENC, 'EncryptedKey'));
  const lists = parts.filter((part) => isNamed(part, XENC, 'ReferenceList'));
  if (listed.length > KEYS_MAX) throw invalidSecurity(`more than ${KEYS_MAX} EncryptedKeys`);
  const node = keyNodeOf(data, listed);
  const tokens = tokensOf(parts);
  const key =
    node === null
      ? null
      : decryptKey(readEncryptedKey(node, rules.transports), rules.keys(), tokens, cipher);
  if (key === null) {
    if (rules.passesUnopened) return null;
    throw failedCheck('decryption: the message names no key of `decrypt.keys`');
  }
  checkReferences(data, [...lists, ...listed.flatMap((each) => listsIn(each))]);
  checkOrder(parts, rules);
  const removed = [...listed, ...lists];
  return { cipher, key, removed: [...removed, ...tokensOnlyOf(removed, parts, tokens)] };
}

function cipherOf(data: canonical.ElementNode, { ciphers, owner }: DecryptionRules): ContentCipher {
  const method = data.elements.find((part) => isNamed(part, XENC, 'EncryptionMethod'));
  if (method === undefined) throw invalidSecurity('EncryptedData has no EncryptionMethod');
  const identifier = requiredAttribute(method, 'Algorithm');
  const cipher = CIPHER_URIS.get(identifier);
  if (cipher === undefined || !ciphers.has(cipher)) {
    throw unsupportedAlgorithm(`not in \`${owner}.algorithms\``, identifier);
  }
  return cipher;
}

/**
 * The EncryptedKey of an EncryptedData: in its KeyInfo, named there, or the one whose ReferenceList
 * names the data.
 */
function keyNodeOf(
  data: canonical.ElementNode,
  listed: readonly canonical.ElementNode[],
): canonical.ElementNode | null {
  const keyInfo = data.elements.find((part) => isNamed(part, DS, 'KeyInfo'));
  if (keyInfo === undefined) {
    const reference = `#${typedAttribute(data, 'Id') ?? ''}`;
    return listed.find((key) => referencesIn(listsIn(key)).includes(reference)) ?? null;
  }
  const [part, ...others] = elementParts(keyInfo);
  if (part === undefined || others.length > 0) {
    throw invalidSecurity('KeyInfo names a key in one way');
  }
  if (isNamed(part, XENC, 'EncryptedKey')) return part;
  const target = isNamed(part, WSSE, 'SecurityTokenReference') ? elementParts(part)[0] : part;
  const uri = target === undefined ? null : typedAttribute(target, 'URI');
  return listed.find((key) => uri !== null && uri === `#${typedAttribute(key, 'Id')}`) ?? null;
}

const listsIn = (key: canonical.ElementNode): readonly canonical.ElementNode[] =>
  key.elements.filter((part) => isNamed(part, XENC, 'ReferenceList'));

const referencesIn = (lists: readonly canonical.ElementNode[]): readonly (string | null)[] =>
  lists.flatMap((list) => list.elements.map((reference) => typedAttribute(reference, 'URI')));

/** Nothing else may be encrypted: what is left of it could not be read behind. */
function checkReferences(
  data: canonical.ElementNode,
  lists: readonly canonical.ElementNode[],
): void {
  const own = `#${typedAttribute(data, 'Id') ?? ''}`;
  if (referencesIn(lists).some((uri) => uri !== own)) {
    throw unsupportedAlgorithm('encrypted parts beside the content of Body');
  }
}

/** Security blocks are written from their end: a signature before the key was made later. */
function checkOrder(
  parts: readonly canonical.ElementNode[],
  { verifiesSignature }: DecryptionRules,
): void {
  const signature = parts.findIndex((part) => isNamed(part, DS, 'Signature'));
  const key = parts.findIndex(({ uri }) => uri === XENC);
  if (verifiesSignature && signature >= 0 && signature < key) {
    throw unsupportedAlgorithm('a signature of what is encrypted already: sign first');
  }
}

/** The tokens of a Security block by their Ids. */
const tokensOf = (
  parts: readonly canonical.ElementNode[],
): ReadonlyMap<string, canonical.ElementNode> =>
  new Map(
    parts
      .filter((part) => isNamed(part, WSSE, 'BinarySecurityToken'))
      .map((token) => [token.attribute(WSU, 'Id') ?? '', token]),
  );

/** Tokens that the removed elements refer to and no other one: they name our own keys. */
function tokensOnlyOf(
  removed: readonly canonical.ElementNode[],
  parts: readonly canonical.ElementNode[],
  tokens: ReadonlyMap<string, canonical.ElementNode>,
): readonly canonical.ElementNode[] {
  const used = new Set(removed.flatMap(urisIn));
  const others = new Set(parts.filter((part) => !removed.includes(part)).flatMap(urisIn));
  return [...tokens].flatMap(([id, token]) =>
    used.has(`#${id}`) && !others.has(`#${id}`) ? [token] : [],
  );
}

function urisIn(node: canonical.ElementNode): readonly string[] {
  const uri = typedAttribute(node, 'URI');
  return [...(uri === null ? [] : [uri]), ...node.elements.flatMap(urisIn)];
}
