import { Buffer } from 'node:buffer';
import { invariant, KIB, type Steps } from '../../core/index.js';
import {
  ALL,
  canonical,
  ELEMENTS_ONLY,
  type Interest,
  type ReaderPool,
  SKIP,
  type StartTag,
  type XmlHandler,
  type XmlReader,
} from '../../xml/index.js';
import { unsupportedAlgorithm } from '../security-refusals.js';
import { ContentEncipher } from './content-encipher.js';
import {
  type AttachmentData,
  dataTexts,
  EMPTY_END,
  type EncryptionRules,
  encryptHead,
  isKeptBlock,
  writtenName,
} from './encrypted-head.js';
import { type MessageKey, newId } from './message-key.js';

/** Bytes of a message that are encrypted in one step: they take less than a time slice. */
const STEP_BYTES = 64 * KIB;
const NOTHING = Buffer.alloc(0);
const LESS_THAN = 0x3c;
/** Space, tab and line ends. */
const WHITE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The start tag of Body, and where its content ends. */
interface BodyBounds extends Pick<StartTag, 'offsetBytes' | 'contentBytes'> {
  readonly name: string;
  /** Null while it is open. */
  contentEndBytes: number | null;
  isEmptyTag: boolean;
}

/**
 * Encrypts one message while it streams (SOAP Message Security 1.1 section 9): the parts of its
 * head once that is read, and the content of Body as it comes.
 */
export class MessageEncryption implements XmlHandler {
  readonly #rules: EncryptionRules;
  readonly #key: MessageKey;
  readonly #readers: Pick<ReaderPool, 'take' | 'give'>;
  readonly #reader: XmlReader;
  readonly #attachments: readonly AttachmentData[];
  readonly #bodyId: string | null;
  /** Bytes that have not gone out: of the head, then what may be the end tag of Body. */
  #held: Buffer[] = [];
  /** Offset of the first of them. */
  #doneBytes = 0;
  #depth = 0;
  #envelope: canonical.ElementNode | null = null;
  #header: canonical.ElementNode | null = null;
  /** Builds the header block that is open; null elsewhere. */
  #block: canonical.TreeBuilder | null = null;
  #body: BodyBounds | null = null;
  /** Encrypts the content of Body; null outside. */
  #encipher: ContentEncipher | null = null;
  #isHeadDone = false;
  #isBodyDone = false;

  /** `attachments`: the EncryptedData of parts beside the envelope. */
  constructor(
    rules: EncryptionRules,
    key: MessageKey,
    readers: Pick<ReaderPool, 'take' | 'give'>,
    attachments: readonly AttachmentData[] = [],
  ) {
    this.#attachments = attachments;
    this.#rules = rules;
    this.#key = key;
    this.#readers = readers;
    this.#bodyId = rules.parts.includes('Body') ? newId('ED') : null;
    this.#reader = readers.take(this, null);
  }

  /** Returns what is known of the encrypted message. */
  write(chunk: Buffer): Buffer {
    this.#reader.write(chunk);
    if (this.#isBodyDone) return chunk;
    this.#held.push(chunk);
    return this.#take();
  }

  end(): Buffer {
    this.#reader.end();
    this.#readers.give(this.#reader);
    invariant(this.#isBodyDone && this.#held.length === 0, 'a message that is validated ends');
    return NOTHING;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#block !== null) return this.#block.open(tag);
    if (this.#depth === 1) {
      this.#envelope = new canonical.ElementNode(tag, null);
      return ELEMENTS_ONLY;
    }
    if (this.#depth === 2) return this.#openSection(tag);
    if (!isKeptBlock(tag, this.#rules)) return SKIP;
    this.#block = new canonical.TreeBuilder(this.#header, ALL, () => {});
    return this.#block.open(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    const depth = this.#depth--;
    if (this.#block !== null) {
      this.#block.close(contentEndBytes, endBytes);
      if (!this.#block.isComplete) return;
      if (this.#block.root !== null) {
        this.#header?.children.push(this.#block.root);
      }
      this.#block = null;
    } else if (depth === 2 && this.#body !== null) {
      this.#body.contentEndBytes = contentEndBytes;
      this.#body.isEmptyTag = endBytes === this.#body.contentBytes;
    } else if (depth === 2 && this.#header !== null) {
      this.#header.endBytes = endBytes;
    }
  }

  text(chars: string): void {
    this.#block?.text(chars);
  }

  comment(chars: string): void {
    this.#block?.comment(chars);
  }

  #openSection(tag: StartTag): Interest {
    if (this.#body !== null) {
      throw unsupportedAlgorithm('an element behind Body cannot be encrypted here');
    }
    if (tag.local !== 'Body') {
      this.#header = new canonical.ElementNode(tag, this.#envelope);
      return ELEMENTS_ONLY;
    }
    const { encoding } = this.#reader;
    if (encoding !== 'utf-8' && encoding !== 'us-ascii') {
      throw unsupportedAlgorithm('a message that is not in UTF-8 cannot be encrypted here');
    }
    this.#body = {
      offsetBytes: tag.offsetBytes,
      contentBytes: tag.contentBytes,
      name: writtenName(tag),
      contentEndBytes: null,
      isEmptyTag: false,
    };
    return SKIP;
  }

  #take(): Buffer {
    if (this.#body === null) return NOTHING;
    const [first = NOTHING, ...others] = this.#held;
    let bytes = others.length === 0 ? first : Buffer.concat(this.#held);
    const given: Buffer[] = [];
    const give = (until: number, change: (taken: Buffer) => Buffer): void => {
      given.push(change(bytes.subarray(0, until - this.#doneBytes)));
      bytes = bytes.subarray(until - this.#doneBytes);
      this.#doneBytes = until;
    };
    if (!this.#isHeadDone) {
      give(this.#body.contentBytes, (head) => this.#encryptHead(head, this.#body));
    }
    const { contentEndBytes, name } = this.#body;
    const encipher = this.#encipher;
    if (encipher !== null) {
      const content = contentEndBytes ?? this.#doneBytes + knownBytes(bytes, name);
      give(content, (taken) => encipher.update(taken));
    }
    if (contentEndBytes !== null || encipher === null) {
      given.push(this.#endBody(this.#body), bytes);
      bytes = NOTHING;
      this.#isBodyDone = true;
    }
    this.#held = bytes.length === 0 ? [] : [Buffer.from(bytes)];
    return given.length === 1 ? (given[0] ?? NOTHING) : Buffer.concat(given);
  }

  #encryptHead(head: Buffer, body: BodyBounds | null): Buffer {
    const envelope = this.#envelope;
    invariant(envelope !== null && body !== null, 'Body stands in an envelope');
    this.#isHeadDone = true;
    const found = { envelope, header: this.#header, body };
    const id = this.#bodyId;
    const encrypted = encryptHead(head, found, this.#rules, this.#key, id, this.#attachments);
    if (id === null) return encrypted;
    const { cipher } = this.#rules;
    this.#encipher = new ContentEncipher(cipher, this.#key.key);
    const before = Buffer.from(dataTexts(id, 'Content', cipher, this.#key).before);
    if (!body.isEmptyTag) return Buffer.concat([encrypted, before]);
    const opened = encrypted.subarray(0, -EMPTY_END.length);
    return Buffer.concat([opened, Buffer.from('>'), before]);
  }

  #endBody({ name, isEmptyTag }: BodyBounds): Buffer {
    if (this.#encipher === null) return NOTHING;
    const { behind } = dataTexts('', 'Content', this.#rules.cipher, this.#key);
    const end = isEmptyTag ? `</${name}>` : '';
    return Buffer.concat([this.#encipher.final(), Buffer.from(`${behind}${end}`)]);
  }
}

/** How many bytes of the content of Body are no part of its end tag, which may be cut. */
function knownBytes(bytes: Buffer, name: string): number {
  const at = bytes.lastIndexOf(LESS_THAN);
  if (at < 0) return bytes.length;
  const tag = Buffer.from(`</${name}`);
  const last = bytes.subarray(at);
  const isStart = last.subarray(0, tag.length).equals(tag.subarray(0, last.length));
  const isTag = isStart && last.subarray(tag.length).every((byte) => WHITE.has(byte));
  return isTag ? at : bytes.length;
}

/** Encrypts a whole message in steps. */
export function* encryptMessage(
  message: Buffer,
  rules: EncryptionRules,
  key: MessageKey,
  readers: Pick<ReaderPool, 'take' | 'give'>,
  attachments: readonly AttachmentData[] = [],
): Steps<Buffer> {
  const encryption = new MessageEncryption(rules, key, readers, attachments);
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += STEP_BYTES) {
    parts.push(encryption.write(message.subarray(at, at + STEP_BYTES)));
    yield;
  }
  parts.push(encryption.end());
  return Buffer.concat(parts);
}
