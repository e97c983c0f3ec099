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
import { securityOf } from '../header-verification.js';
import { failedCheck, invalidSecurity, unsupportedAlgorithm } from '../security-refusals.js';
import { XENC } from '../wsse-names.js';
import { ContentDecipher } from './content-decipher.js';
import { contentKeyOf, type DecryptionRules } from './encrypted-content.js';

/** Elements, texts and comments that are kept of a Header, and of an EncryptedData. */
const NODES_MAX = 8192;

/**
 * `head`: bytes are held until it is known whether Body is encrypted. `content`: an EncryptedData
 * is open. `tail`: bytes go on once they are read. `passing`: they go on unread.
 */
type Stage = 'head' | 'content' | 'tail' | 'passing';

export interface DecryptionOptions {
  readonly rules: DecryptionRules;
  /** The most bytes up to the encrypted content. */
  readonly headBytes: number;
  /** Gets the reader of the message as it came. */
  readonly readers: {
    take(handler: XmlHandler, charset: string | null): XmlReader;
    give(reader: XmlReader): void;
  };
  /** That of the Content-Type; null for none. */
  readonly charset: string | null;
  /** Takes the message as it was before it was encrypted. Throws what it finds wrong. */
  readonly output: { write(bytes: Buffer): void; end(): void };
}

/**
 * Decrypts the content of Body of one message while it streams. What it gives out is the message
 * without EncryptedData, EncryptedKey and ReferenceList, to be read as any other one. Its end comes
 * once the tag of the content is verified, so that a wrong message never ends; and what its reader
 * finds wrong in the content is thrown then, so that nothing is told of content that was altered.
 */
export class MessageDecryption implements XmlHandler {
  /** Content was decrypted; it is verified once `isVerified`. */
  isEncrypted = false;
  isVerified = false;
  readonly #options: DecryptionOptions;
  readonly #reader: XmlReader;
  #stage: Stage = 'head';
  #held: Buffer[] = [];
  #bytes = 0;
  #depth = 0;
  #nodes = 0;
  #envelope: canonical.ElementNode | null = null;
  #header: canonical.ElementNode | null = null;
  /** Builds the header block, or the EncryptedData, that is open; null elsewhere. */
  #tree: canonical.TreeBuilder | null = null;
  /** The depth of the EncryptedData; 0 outside. */
  #dataDepth = 0;
  #isInBody = false;
  #isValue = false;
  #decipher: ContentDecipher | null = null;
  /** Offset behind the EncryptedData. */
  #resumeBytes = 0;
  /** What the output found wrong in content that is not verified; null for nothing. */
  #failure: { readonly caught: unknown } | null = null;

  constructor(options: DecryptionOptions) {
    this.#options = options;
    this.#reader = options.readers.take(this, options.charset);
  }

  write(chunk: Buffer): void {
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
    if (this.#stage === 'tail') {
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
    this.#giveVerified(() => this.#options.output.end());
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#dataDepth > 0) return this.#openInData(tag);
    if (this.#tree !== null) return this.#tree.open(tag);
    if (this.#depth === 1) {
      this.#envelope = new canonical.ElementNode(tag, null);
      return ELEMENTS_ONLY;
    }
    if (this.#depth === 2 && tag.local === 'Header' && this.#header === null) {
      this.#header = new canonical.ElementNode(tag, this.#envelope);
      return ELEMENTS_ONLY;
    }
    if (this.#depth === 2 && tag.local === 'Body') {
      this.#isInBody = true;
      return ELEMENTS_ONLY;
    }
    if (this.#stage === 'tail') throw failedCheck('decryption: an element behind the content');
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

  /** The message is not encrypted, or for others: it goes on as it came. */
  #pass(): void {
    if (this.#isRequired) {
      throw invalidSecurity('the content of Body is not encrypted');
    }
    const held = Buffer.concat(this.#held);
    this.#held = [];
    this.#stage = 'passing';
    this.#options.readers.give(this.#reader);
    this.#options.output.write(held);
  }

  get #isRequired(): boolean {
    return this.#options.rules.isBodyRequired;
  }

  /** A header block begins, or what Body holds, or an element in place of Body. */
  #openPart(tag: StartTag): Interest {
    if (this.#depth === 3 && !this.#isInBody) {
      if (tag.local !== 'Security') return SKIP;
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
    const { rules } = this.#options;
    const data = this.#tree?.root ?? null;
    if (data === null || this.#decipher !== null) {
      throw invalidSecurity('two CipherValues in EncryptedData');
    }
    if (this.#reader.encoding !== 'utf-8' && this.#reader.encoding !== 'us-ascii') {
      throw unsupportedAlgorithm('encrypted content in a message that is not UTF-8');
    }
    const dialect = dialectOfUri(this.#envelope?.uri ?? '');
    if (dialect === null) throw PLAIN;
    const security = this.#header === null ? null : securityOf(this.#header, dialect, rules.role);
    const opened = contentKeyOf(data, security, rules);
    if (opened === null) throw PLAIN;
    const { cipher, key, removed } = opened;
    this.#decipher = new ContentDecipher(cipher, key);
    this.isEncrypted = true;
    this.#stage = 'content';
    const head = Buffer.concat(this.#held).subarray(0, data.offsetBytes);
    this.#held = [];
    this.#give(withoutElements(head, removed, security));
  }

  #decrypt(chars: string): void {
    const content = this.#decipher?.update(chars);
    if (content !== undefined && content.length > 0) {
      this.#give(content);
    }
  }

  /** Gives out content that is not verified: what is found wrong is kept until it is. */
  #give(bytes: Buffer): void {
    if (this.#failure !== null) return;
    try {
      this.#options.output.write(bytes);
    } catch (caught) {
      this.#failure = { caught };
    }
  }

  #endData(endBytes: number): void {
    this.#dataDepth = 0;
    this.#tree = null;
    if (this.#decipher === null) throw invalidSecurity('EncryptedData without a CipherValue');
    if (!this.#decipher.verify()) throw failedCheck('decryption: the tag, or the key');
    this.isVerified = true;
    if (this.#failure !== null) throw ofContent(this.#failure.caught);
    this.#resumeBytes = endBytes;
    this.#stage = 'tail';
  }

  #giveTail(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#giveVerified(() => this.#options.output.write(bytes));
  }

  /** Gives out what is behind the content, or all of a message that is not encrypted. */
  #giveVerified(give: () => void): void {
    try {
      give();
    } catch (caught) {
      throw this.isEncrypted ? ofContent(caught) : caught;
    }
  }
}

/** Thrown in the reader: the message goes on as it came. */
const PLAIN = new Error('not encrypted');

/** Content that is no XML is like content that cannot be decrypted; limits are told. */
function ofContent(caught: unknown): unknown {
  return isXmlRefusal(caught) && caught.limit === null
    ? failedCheck(`decryption: the content: ${caught.code}`)
    : caught;
}

const isXmlRefusal = (caught: unknown): caught is Refusal =>
  caught instanceof Refusal && caught.code.startsWith('XML_');

/** The head without these elements; the whole Security block where nothing else is in it. */
function withoutElements(
  head: Buffer,
  removed: readonly canonical.ElementNode[],
  security: canonical.ElementNode | null,
): Buffer {
  const isEmpty = security?.elements.every((part) => removed.includes(part)) === true;
  const cut = isEmpty && security !== null ? [security] : removed;
  const kept: Buffer[] = [];
  let at = 0;
  for (const { offsetBytes, endBytes } of inOrder(cut)) {
    kept.push(head.subarray(at, offsetBytes));
    at = endBytes;
  }
  kept.push(head.subarray(at));
  return Buffer.concat(kept);
}

const inOrder = (elements: readonly canonical.ElementNode[]): readonly canonical.ElementNode[] =>
  [...elements].sort((one, other) => one.offsetBytes - other.offsetBytes);
