import type { Buffer } from 'node:buffer';
import { getOrMake, type Refusal } from '../../core/index.js';
import type { canonical } from '../../xml/index.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { elementParts, isNamed, requiredAttribute, typedAttribute } from '../strict-elements.js';
import { DS, WSSE, WSU, XENC } from '../wsse-names.js';
import {
  type AcceptedCipher,
  CIPHER_URIS,
  isUnsafeCipher,
  KEY_BYTES,
  type KeyTransport,
  UNSAFE_TRANSPORT,
} from './cipher-names.js';
import type { DecryptionKey } from './decryption-keys.js';
import { type EncryptedKeyForm, privateKeyFor, readEncryptedKey } from './encrypted-key.js';

/** What a service decrypts, and with what. Made at start-up. */
export interface DecryptionRules {
  /** The path of their section, for the log of a refusal. */
  readonly owner: string;
  /** The files of keys may be replaced: these are as they are now. */
  readonly keys: () => readonly DecryptionKey[];
  readonly ciphers: ReadonlySet<AcceptedCipher>;
  readonly transports: ReadonlySet<KeyTransport>;
  /** The content of Body must have been encrypted. */
  readonly isBodyRequired: boolean;
  /** The actor or role of the Security block that is meant. */
  readonly role: string | null;
  /** Content that no key opens passes as it came. */
  readonly passesUnopened: boolean;
  /** A signature is verified: of what was encrypted, or of what is encrypted. */
  readonly verifiesSignature: boolean;
}

/** The key of an EncryptedData, and the EncryptedKey that it came in. */
export interface ContentKey {
  readonly cipher: AcceptedCipher;
  readonly key: Buffer;
  /** The value of the EncryptedKey, by whose digest answers name it. */
  readonly encryptedKey: Buffer;
}

/** What a verified signature covers of a message as it came. */
export interface EncryptionCover {
  readonly coversBody: boolean;
  /** Whether it covers this element of the Header. */
  covers(element: canonical.ElementNode): boolean;
}

/** EncryptedKeys of one Security block, and operations with our private keys for one message. */
const KEYS_MAX = 8;

/** The keys of one message: the EncryptedKeys of its Security block, and what their lists name. */
export class MessageKeys {
  /**
   * The signature of what is encrypted, by which algorithms may be taken that are unsafe without;
   * null for none.
   */
  cover: EncryptionCover | null = null;
  readonly #rules: DecryptionRules;
  readonly #parts: readonly canonical.ElementNode[];
  readonly #listed: readonly canonical.ElementNode[];
  readonly #lists: readonly canonical.ElementNode[];
  readonly #tokens: ReadonlyMap<string, canonical.ElementNode>;
  /** The EncryptedKeys of the block by the URIs that name them, and those of what they list. */
  readonly #byUri: ReadonlyMap<string, canonical.ElementNode>;
  readonly #byListed: ReadonlyMap<string, canonical.ElementNode>;
  #operations = 0;
  /** Keys that are open, by their EncryptedKey: one for each cipher. */
  readonly #opened = new Map<canonical.ElementNode, readonly ContentKey[]>();

  constructor(security: canonical.ElementNode | null, rules: DecryptionRules) {
    this.#rules = rules;
    this.#parts = security?.elements ?? [];
    this.#listed = this.#parts.filter(isKey);
    this.#lists = this.#parts.filter(isList);
    this.#tokens = tokensOf(this.#parts);
    if (this.#listed.length > KEYS_MAX) {
      throw invalidSecurity(`more than ${KEYS_MAX} EncryptedKeys`);
    }
    this.#byUri = firstOf(this.#listed.map((key) => [`#${typedAttribute(key, 'Id')}`, key]));
    this.#byListed = firstOf(
      this.#listed.flatMap((key) =>
        referencesIn(listsIn(key)).map((uri) => [uri ?? '', key] as const),
      ),
    );
  }

  /** Whether an EncryptedKey of this block, or its own, is that of the data. */
  isNamed(data: canonical.ElementNode): boolean {
    return this.#keyNodeOf(data) !== null;
  }

  /** The most keys that these EncryptedData have by what is not encrypted: one for each cipher. */
  countOf(data: readonly canonical.ElementNode[]): number {
    const ciphers = new Map<canonical.ElementNode | null, Set<string>>();
    for (const each of data) {
      const named = getOrMake(ciphers, this.#keyNodeOf(each), () => new Set());
      named.add(methodOf(each)?.attribute('', 'Algorithm') ?? '');
    }
    const count = Array.from(ciphers.values()).reduce((sum, { size }) => sum + size, 0);
    return Math.min(count, KEYS_MAX);
  }

  /**
   * The key of an EncryptedData, whose EncryptionMethod and KeyInfo are read. Null for one that no
   * key opens, where that passes. Throws the faults of WS-Security 1.1 section 12.
   */
  keyOf(data: canonical.ElementNode): ContentKey | null {
    const cipher = cipherOf(data, this.#rules);
    const node = this.#keyNodeOf(data);
    if (isUnsafeCipher(cipher)) {
      this.#demandCover(cipher, node);
    }
    const opened = node === null ? [] : (this.#opened.get(node) ?? []);
    const known = opened.find((key) => key.cipher === cipher);
    if (known !== undefined) return known;
    const found = node === null ? null : this.#open(readEncryptedKey(node, this.#rules), cipher);
    if (found === null) {
      if (this.#rules.passesUnopened) return null;
      throw noKey();
    }
    if (node !== null) {
      this.#opened.set(node, [...opened, found]);
    }
    return found;
  }

  #open(form: EncryptedKeyForm, cipher: AcceptedCipher): ContentKey | null {
    if (form.transport === UNSAFE_TRANSPORT) {
      this.#demandCover(form.transport, form.node);
    }
    const privateKey = privateKeyFor(form, this.#rules.keys(), this.#tokens);
    if (privateKey === null) return null;
    if (++this.#operations > KEYS_MAX) {
      throw invalidSecurity(`more than ${KEYS_MAX} EncryptedKeys to decrypt in one message`);
    }
    return {
      cipher,
      key: form.open(privateKey, KEY_BYTES[cipher]),
      encryptedKey: form.value,
    };
  }

  /** Padding that is told from other errors opens messages: others must not have made this one. */
  #demandCover(name: string, key: canonical.ElementNode | null): void {
    const isCovered = key !== null && this.cover?.coversBody === true && this.cover.covers(key);
    if (isCovered) return;
    throw unsupportedAlgorithm(
      `\`${name}\` is taken only where a verified signature covers the encrypted content of ` +
        'Body and the EncryptedKey in the Security block: encrypt first, then sign both',
    );
  }

  /**
   * The EncryptedKey of an EncryptedData: in its KeyInfo, named there, or the one whose
   * ReferenceList names the data.
   */
  #keyNodeOf(data: canonical.ElementNode): canonical.ElementNode | null {
    const keyInfo = data.elements.find((part) => isNamed(part, DS, 'KeyInfo'));
    if (keyInfo === undefined) {
      const id = typedAttribute(data, 'Id');
      return id === null ? null : (this.#byListed.get(`#${id}`) ?? null);
    }
    const [part, ...others] = elementParts(keyInfo);
    if (part === undefined || others.length > 0) {
      throw invalidSecurity('KeyInfo names a key in one way');
    }
    if (isNamed(part, XENC, 'EncryptedKey')) return part;
    const target = isNamed(part, WSSE, 'SecurityTokenReference') ? elementParts(part)[0] : part;
    const uri = target === undefined ? null : typedAttribute(target, 'URI');
    return uri === null ? null : (this.#byUri.get(uri) ?? null);
  }

  /** Nothing else may be encrypted: what is left of it could not be read behind. */
  checkReferences(found: readonly canonical.ElementNode[]): void {
    const known = new Set(found.map((data) => `#${typedAttribute(data, 'Id') ?? ''}`));
    const lists = [...this.#lists, ...this.#listed.flatMap(listsIn)];
    if (referencesIn(lists).some((uri) => uri === null || !known.has(uri))) {
      throw unsupportedAlgorithm(
        'encrypted parts beside the content of Body, header blocks and parts of the Security block',
      );
    }
  }

  /**
   * Whether the signatures of the block are of what is encrypted. Security blocks are written from
   * their end: a signature before the key was made later.
   */
  get isSignedEncrypted(): boolean {
    const signatures = [...this.#parts.keys()].filter((index) => isSignature(this.#parts[index]));
    const at = this.#parts.findIndex((part) => isList(part) || listsIn(part).length > 0);
    const encrypted = at < 0 ? this.#parts.findIndex(isKey) : at;
    const [first = -1, ...further] = signatures.filter((index) => index < encrypted);
    if (first < 0) return false;
    if (further.length + 1 < signatures.length) {
      throw unsupportedAlgorithm('signatures before and behind the encryption');
    }
    return true;
  }

  get #signatures(): readonly canonical.ElementNode[] {
    return this.#parts.filter(isSignature);
  }

  /**
   * What leaves the Security block: keys, lists, elements that are `opened`, and tokens that name
   * our own keys. Signatures of what is encrypted as well: they match nothing that goes on.
   */
  removed(
    isSignedEncrypted: boolean,
    opened: readonly canonical.ElementNode[],
  ): ReadonlySet<canonical.ElementNode> {
    const signatures = isSignedEncrypted ? this.#signatures : [];
    const removed = new Set([...this.#listed, ...this.#lists, ...signatures, ...opened]);
    return new Set([...removed, ...tokensOnlyOf(removed, this.#parts, this.#tokens)]);
  }
}

const methodOf = (data: canonical.ElementNode): canonical.ElementNode | undefined =>
  data.elements.find((part) => isNamed(part, XENC, 'EncryptionMethod'));

export const noKey = (): Refusal =>
  failedCheck('decryption: the message names no key of `decrypt.keys`');

function cipherOf(
  data: canonical.ElementNode,
  { ciphers, owner }: DecryptionRules,
): AcceptedCipher {
  const method = methodOf(data);
  if (method === undefined) throw invalidSecurity('EncryptedData has no EncryptionMethod');
  const identifier = requiredAttribute(method, 'Algorithm');
  const cipher = CIPHER_URIS.get(identifier);
  if (cipher === undefined || !ciphers.has(cipher)) {
    const named = cipher === undefined ? '' : `: it does not name \`${cipher}\``;
    throw unsupportedAlgorithm(`not in \`${owner}.algorithms\`${named}`, identifier);
  }
  return cipher;
}

/** A look-up by name, in which the first of several entries counts. */
const firstOf = (
  entries: readonly (readonly [string, canonical.ElementNode])[],
): ReadonlyMap<string, canonical.ElementNode> => new Map(entries.toReversed());

const isKey = (part: canonical.ElementNode): boolean => isNamed(part, XENC, 'EncryptedKey');
const isList = (part: canonical.ElementNode): boolean => isNamed(part, XENC, 'ReferenceList');
const isSignature = (part: canonical.ElementNode | undefined): boolean =>
  part !== undefined && isNamed(part, DS, 'Signature');

const listsIn = (key: canonical.ElementNode): readonly canonical.ElementNode[] =>
  key.uri === XENC ? key.elements.filter(isList) : [];

const referencesIn = (lists: readonly canonical.ElementNode[]): readonly (string | null)[] =>
  lists.flatMap((list) => list.elements.map((reference) => typedAttribute(reference, 'URI')));

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
  removed: ReadonlySet<canonical.ElementNode>,
  parts: readonly canonical.ElementNode[],
  tokens: ReadonlyMap<string, canonical.ElementNode>,
): readonly canonical.ElementNode[] {
  const used = new Set(Array.from(removed).flatMap(urisIn));
  const others = new Set(parts.filter((part) => !removed.has(part)).flatMap(urisIn));
  return [...tokens].flatMap(([id, token]) =>
    used.has(`#${id}`) && !others.has(`#${id}`) ? [token] : [],
  );
}

function urisIn(node: canonical.ElementNode): readonly string[] {
  const uri = typedAttribute(node, 'URI');
  return [...(uri === null ? [] : [uri]), ...node.elements.flatMap(urisIn)];
}
