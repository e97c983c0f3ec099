import { Buffer } from 'node:buffer';
import { Refusal, refuseByLimit } from '../../core/index.js';
import { dialectOfUri } from '../../soap/index.js';
import {
  ALL,
  canonical,
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
  type XmlReader,
} from '../../xml/index.js';
import { isBlockForRole, securityOf } from '../header-verification.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { isEncryptedElement } from '../strict-elements.js';
import { XENC } from '../wsse-names.js';
import { isUnsafeCipher } from './cipher-names.js';
import { ContentDecipher } from './content-decipher.js';
import { isXmlRefusal, ofContent, readContent } from './content-refusals.js';
import {
  dataOfAttachments,
  decryptParts,
  type EncryptedHeadPart,
  encryptedPartsOf,
  openedHead,
  requireCover,
} from './decrypted-head.js';
import type { DecryptionOptions } from './decryption-options.js';
import { type ContentKey, MessageKeys, noKey } from './encrypted-content.js';
import type { HeadEdit } from './head-edits.js';
import { OpenedContent } from './opened-content.js';
import { SignedBytes } from './signed-bytes.js';
import { UnverifiedContent } from './unverified-content.js';

/** Elements, texts and comments that are kept of a Header, and of an EncryptedData. */
const NODES_MAX = 8192;
const NOTHING = Buffer.alloc(0);

/**
 * `head`: bytes are held until it is known whether Body is encrypted. `content`: an EncryptedData
 * is open. `ended`: it has no tag, and bytes are held until the signature of Body is verified.
 * `tail`: bytes go on once they are read. `passing`: they go on unread.
 */
type Stage = 'head' | 'content' | 'ended' | 'tail' | 'passing';

/**
 * Decrypts one message while it streams: parts of its Header, and the content of Body. It gives out
 * the message without EncryptedData, EncryptedKey and ReferenceList, to be read as any other one.
 * The end comes once the tag of the content is verified, so that a wrong message never ends; and
 * what its reader finds wrong in the content is thrown then, so that nothing is told of content
 * that was altered.
 */
export class MessageDecryption implements XmlHandler {
  /** Content was decrypted; it is verified once `isVerified`. */
  isEncrypted = false;
  /** The key of the content of Body, in which an answer may be encrypted; null for none. */
  bodyKey: ContentKey | null = null;
  /** The keys that it needs, whether they can be opened or not. */
  keyCount = 0;
  readonly #options: DecryptionOptions;
  readonly #reader: XmlReader;
  #stage: Stage = 'head';
  #held: Buffer[] = [];
  /** Bytes that are held behind content without a tag. */
  #heldBytes = 0;
  #bytes = 0;
  #depth = 0;
  #nodes = 0;
  #envelope: canonical.ElementNode | null = null;
  #header: canonical.ElementNode | null = null;
  /** Builds the header block, or the EncryptedData, that is open; null elsewhere. */
  #tree: canonical.TreeBuilder | null = null;
  /** The depth of the EncryptedData; 0 outside. */
  #dataDepth = 0;
  #body: canonical.ElementNode | null = null;
  #isValue = false;
  #decipher: ContentDecipher | null = null;
  /** Gives out the content; null outside. */
  #content: UnverifiedContent | null = null;
  /** The tag of the content is right, or where it has none, the signature of Body. */
  #isWhole = false;
  /** Verifies a signature of the bytes as they came; null where there is none. */
  #signed: SignedBytes | null = null;
  /** Offset behind the EncryptedData. */
  #resumeBytes = 0;

  constructor(options: DecryptionOptions) {
    this.#options = options;
    this.#reader = options.readers.take(this, options.charset);
  }

  /** The content is what was encrypted, and the signature that is demanded is verified. */
  get isVerified(): boolean {
    const { verifier, rules } = this.#options;
    return this.#isWhole && (!rules.verifiesSignature || verifier?.isVerified !== false);
  }

  /** It decrypts what comes at once. */
  get hasWork(): boolean {
    return false;
  }

  work(): void {}

  write(chunk: Buffer): void {
    this.#signed?.write(chunk);
    if (this.#stage === 'passing') {
      this.#options.output.write(chunk);
      return;
    }
    const startBytes = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#stage === 'head') {
      this.#held.push(chunk);
      this.#readHead(chunk);
    } else {
      this.#reader.write(chunk);
    }
    if (this.#stage === 'ended' || this.#stage === 'tail') {
      this.#giveTail(chunk.subarray(Math.max(0, this.#resumeBytes - startBytes)));
    }
  }

  end(): void {
    if (this.#stage === 'head') {
      this.#pass();
    } else if (this.#stage !== 'passing') {
      this.#reader.end();
      this.#options.readers.give(this.#reader);
    }
    this.#signed?.end();
    readContent(this, () => this.#options.output.end());
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#dataDepth > 0) return this.#openInData(tag);
    if (this.#tree !== null) return this.#tree.open(tag);
    if (this.#stage === 'ended' || this.#stage === 'tail') {
      throw failedCheck('decryption: an element behind the content');
    }
    if (this.#depth === 1) {
      this.#envelope = new canonical.ElementNode(tag, null);
      return ELEMENTS_ONLY;
    }
    if (this.#depth === 2 && tag.local === 'Header' && this.#header === null) {
      this.#header = new canonical.ElementNode(tag, this.#envelope);
      return ELEMENTS_ONLY;
    }
    if (this.#depth === 2 && tag.local === 'Body') {
      this.#body ??= new canonical.ElementNode(tag, this.#envelope);
      return ELEMENTS_ONLY;
    }
    return this.#openPart(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    const depth = this.#depth--;
    if (this.#isValue && depth === this.#dataDepth + 2) {
      this.#isValue = false;
      return;
    }
    if (depth === this.#dataDepth) {
      this.#endData(endBytes);
      return;
    }
    if (depth === 2 && this.#stage === 'ended') {
      this.#verify();
      return;
    }
    if (this.#tree === null) return;
    this.#tree.close(contentEndBytes, endBytes);
    if (this.#dataDepth === 0 && this.#tree.isComplete) {
      if (this.#tree.root !== null) {
        this.#header?.children.push(this.#tree.root);
      }
      this.#tree = null;
    }
  }

  text(chars: string): void {
    if (this.#isValue) {
      this.#decrypt(chars);
    } else {
      this.#tree?.text(chars);
    }
  }

  comment(chars: string): void {
    if (this.#dataDepth > 0) throw invalidSecurity('a comment in EncryptedData');
    this.#tree?.comment(chars);
  }

  /** Reads up to the content. What is wrong there is found again by the reader behind. */
  #readHead(chunk: Buffer): void {
    try {
      this.#reader.write(chunk);
    } catch (caught) {
      const isPlain = caught === PLAIN || (isXmlRefusal(caught) && !this.#isRequired);
      if (!isPlain) throw caught;
      this.#pass();
      return;
    }
    const { headBytes } = this.#options;
    if (this.#stage === 'head' && this.#bytes > headBytes) {
      throw refuseByLimit('SOAP_HEADER_LIMIT', 'limits.soap.headerBytes', headBytes);
    }
  }

  /** Body is not encrypted, or for others: it goes on as it came, behind its Header. */
  #pass(): void {
    if (this.#isRequired) {
      throw invalidSecurity('the content of Body is not encrypted');
    }
    const held = Buffer.concat(this.#held);
    this.#held = [];
    this.#stage = 'passing';
    this.#options.readers.give(this.#reader);
    const opened = this.#openHead(held, null);
    readContent(this, () => this.#options.output.write(opened?.head ?? held));
  }

  /**
   * Opens what is encrypted in the head, and finds the key of this EncryptedData; null where
   * nothing is encrypted for us, or no key opens it and that passes.
   */
  #openHead(
    held: Buffer,
    data: canonical.ElementNode | null,
  ): { readonly head: Buffer; readonly key: ContentKey | null } | null {
    const { rules } = this.#options;
    const security = this.#security();
    const keys = new MessageKeys(security, rules);
    const all = encryptedPartsOf(this.#header, security);
    const parts = all.filter((part) => keys.isNamed(part.data));
    if (!rules.passesUnopened && all.some((part) => !parts.includes(part) && this.#isForUs(part))) {
      throw noKey();
    }
    if (data === null && parts.length === 0) return null;
    this.#requireUtf8();
    const isSigned = rules.verifiesSignature && keys.isSignedEncrypted;
    const signed = isSigned ? this.#verifyFirst(held) : null;
    keys.cover = signed;
    if (signed !== null) {
      requireCover(parts, security, signed);
    }
    const encrypted = parts.map((part) => part.data);
    if (data !== null) {
      encrypted.push(data);
    }
    this.keyCount = keys.countOf(encrypted);
    const key = data === null ? null : keys.keyOf(data);
    if (data !== null && key === null) return null;
    const { readers, attachments = null } = this.#options;
    const place = { readers, head: held, attachments };
    const edits: readonly HeadEdit[] | null = decryptParts(parts, keys, place);
    if (edits === null) return null;
    keys.checkReferences(encrypted);
    this.#signed = signed;
    signed?.accept();
    this.isEncrypted = true;
    this.#isWhole = data === null;
    if (rules.verifiesSignature) {
      this.#options.verifier?.keepRefusals();
    }
    const head = data === null ? held : held.subarray(0, data.offsetBytes);
    const removed = keys.removed(signed !== null, dataOfAttachments(parts));
    return { head: openedHead(head, edits, removed, security), key };
  }

  /** Verifies the bytes so far, and those that follow, as they came. */
  #verifyFirst(held: Buffer): SignedBytes | null {
    const { verifier, readers, charset, attachments = null } = this.#options;
    if (verifier === null) return null;
    const signed = new SignedBytes(verifier, readers, charset, attachments);
    signed.begin(held);
    return signed;
  }

  #security(): canonical.ElementNode | null {
    const dialect = dialectOfUri(this.#envelope?.uri ?? '');
    if (dialect === null || this.#header === null) return null;
    return securityOf(this.#header, dialect, this.#options.rules.role);
  }

  /** An EncryptedHeader has the actor or role of the block that it was. */
  #isForUs({ place }: EncryptedHeadPart): boolean {
    const dialect = dialectOfUri(this.#envelope?.uri ?? '');
    return dialect === null || isBlockForRole(place, dialect, this.#options.rules.role);
  }

  get #isRequired(): boolean {
    return this.#options.rules.isBodyRequired;
  }

  /** A header block begins, or what Body holds, or an element in place of Body. */
  #openPart(tag: StartTag): Interest {
    if (this.#depth === 3 && this.#body === null) {
      if (tag.local !== 'Security' && !isEncryptedElement(tag)) return SKIP;
      this.#tree = new canonical.TreeBuilder(this.#header, ALL, () => this.#countNode());
      return this.#tree.open(tag);
    }
    if (tag.uri !== XENC || tag.local !== 'EncryptedData') throw PLAIN;
    this.#dataDepth = this.#depth;
    this.#tree = new canonical.TreeBuilder(null, ALL, () => this.#countNode());
    return this.#tree.open(tag);
  }

  #countNode(): void {
    if (++this.#nodes > NODES_MAX) {
      throw new Refusal('SOAP_HEADER_LIMIT', 'elements of a Header that is decrypted');
    }
  }

  #openInData(tag: StartTag): Interest {
    const level = this.#depth - this.#dataDepth;
    if (tag.uri === XENC && level === 1 && tag.local === 'CipherData') {
      return this.#tree?.open(tag) ?? SKIP;
    }
    if (tag.uri === XENC && level === 2 && tag.local === 'CipherValue') {
      this.#begin();
      this.#isValue = true;
      return STREAM;
    }
    if (level === 2 && tag.local === 'CipherReference') {
      throw unsupportedAlgorithm('a CipherReference');
    }
    return this.#tree?.open(tag) ?? SKIP;
  }

  /** The CipherValue begins: all that is in front of it goes on. */
  #begin(): void {
    const data = this.#tree?.root ?? null;
    if (data === null || this.#decipher !== null) {
      throw invalidSecurity('two CipherValues in EncryptedData');
    }
    const held = Buffer.concat(this.#held);
    const opened = this.#openHead(held, data);
    if (opened === null || opened.key === null) throw PLAIN;
    const { cipher, key } = opened.key;
    this.bodyKey = opened.key;
    this.#decipher = new ContentDecipher(cipher, key);
    const around = [this.#envelope, this.#body].filter((element) => element !== null);
    const kind = this.#body === null ? 'element' : 'content';
    const place = { readers: this.#options.readers, head: held, around };
    const content = new OpenedContent(place, kind, this.#options.rules.passesUnopened);
    this.#content = new UnverifiedContent(this.#options, content);
    this.#stage = 'content';
    this.#held = [];
    this.#content.begin(opened.head);
  }

  #requireUtf8(): void {
    if (this.#reader.encoding === 'utf-8' || this.#reader.encoding === 'us-ascii') return;
    throw unsupportedAlgorithm('encrypted content in a message that is not UTF-8');
  }

  #decrypt(chars: string): void {
    const content = this.#decipher?.update(chars);
    if (content !== undefined) {
      this.#content?.write(content);
    }
  }

  #endData(endBytes: number): void {
    this.#dataDepth = 0;
    this.#tree = null;
    if (this.#decipher === null) throw invalidSecurity('EncryptedData without a CipherValue');
    this.#resumeBytes = endBytes;
    this.#stage = 'ended';
    if (this.bodyKey !== null && !isUnsafeCipher(this.bodyKey.cipher)) {
      this.#verify();
    }
  }

  /** The end of the content is verified: by its tag, or by the signature of Body. */
  #verify(): void {
    const { rest = NOTHING, isRight = false } = this.#decipher?.end() ?? {};
    const hasTag = this.bodyKey !== null && !isUnsafeCipher(this.bodyKey.cipher);
    // Content without a tag is read whether its padding is right or not: that tells no time.
    if (!isRight && hasTag) throw failedCheck('decryption: the tag, or the key');
    this.#isWhole = isRight;
    this.#content?.write(rest);
    try {
      this.#content?.end();
    } catch (caught) {
      if (isRight) throw ofContent(caught, this.isVerified);
    }
    if (!isRight) throw failedCheck('decryption: the padding, or the key');
    this.#content = null;
    this.#stage = 'tail';
  }

  #giveTail(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#stage === 'ended') {
      const { headBytes } = this.#options;
      if (this.#heldBytes > headBytes) {
        throw refuseByLimit('SOAP_HEADER_LIMIT', 'limits.soap.headerBytes', headBytes);
      }
      return;
    }
    const held = this.#held;
    this.#held = [];
    for (const part of held) {
      if (part.length > 0) {
        readContent(this, () => this.#options.output.write(part));
      }
    }
  }
}

/** Thrown in the reader: the message goes on as it came. */
const PLAIN = new Error('not encrypted');
