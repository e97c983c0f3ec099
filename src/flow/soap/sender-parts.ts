import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { scalars } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import { type EnvelopeValidator, headerBlocks } from '../../soap/index.js';
import { isProven, isVerifiedBlock, type VerifiedMessage } from '../../wss/index.js';
import {
  type Encoding,
  type Interest,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../../xml/index.js';

/** A header block. */
interface Block {
  readonly uri: string;
  readonly local: string;
  readonly startBytes: number;
  readonly attributes: readonly Attribute[];
  /** One part; a Security block has one for each child. */
  readonly parts: readonly Part[];
}

interface Attribute {
  readonly uri: string;
  readonly local: string;
  readonly value: string;
}

/** A part of a block that is compared by itself. */
interface Part {
  readonly uri: string;
  readonly local: string;
  readonly valueType: string;
  readonly hash: scalars.CanonicalHash;
}

/** A message that is read whole, and the proofs that it has. */
export interface ReadSender {
  readonly service: SoapService;
  readonly envelope: EnvelopeValidator;
  /** Null where the message was not verified. */
  readonly verified: VerifiedMessage | null;
  readonly message: Buffer;
  /** Null while it is not known. */
  readonly encoding: Encoding | null;
}

/**
 * Collects the parts of a Header that tell one sender from another, for a request with an
 * idempotency key. Proofs that the gateway has verified count by the name that they prove,
 * everything else by its content.
 */
export class SenderParts {
  readonly #blocks: Block[] = [];

  /** Reads a block. */
  open(tag: StartTag): XmlHandler {
    const reader = headerBlocks.isSecurity(tag) ? new ChildParts() : new WholePart();
    const { uri, local, offsetBytes: startBytes } = tag;
    this.#blocks.push({
      uri,
      local,
      startBytes,
      attributes: attributesOf(tag),
      parts: reader.parts,
    });
    return reader;
  }

  /**
   * The parts as values of JSON. The whole message counts where a part has no content that can be
   * compared.
   */
  of({ service, envelope, verified, message, encoding }: ReadSender): readonly unknown[] {
    const removed = new Set(
      (envelope.edits ?? [])
        .filter(({ replacement }) => replacement === null)
        .map(({ startBytes }) => startBytes),
    );
    const counted = this.#blocks.filter(
      (block) => !removed.has(block.startBytes) && !isMessageId(block),
    );
    const blocks = counted.map((block) => {
      const proofs = isVerified(block, service, envelope) ? verified : null;
      const parts = block.parts.filter((part) => proofs === null || !isProven(part, proofs));
      const names = block.attributes.filter(({ local }) => proofs === null || !isId(local));
      return [names.map(printAttribute), ...parts.map(({ hash }) => hash.digest())];
    });
    const isUnread = counted.length > 0 && mayHideText(message, encoding);
    const isWhole = isUnread || blocks.flat().includes(null);
    return [
      verified === null ? null : namesOf(verified),
      envelope.attributes
        .filter(({ local }) => verified === null || !isId(local))
        .map(printAttribute),
      blocks,
      isWhole ? createHash('sha256').update(message).digest('base64url') : null,
    ];
  }
}

/** Reads a block as one part. */
class WholePart extends scalars.CanonicalHash {
  readonly parts: Part[] = [];

  constructor() {
    super({ isData: false });
  }

  override open(tag: StartTag): Interest {
    if (this.parts.length === 0) {
      this.parts.push(partOf(tag, this));
    }
    return super.open(tag);
  }
}

/** Reads each child of a Security block as a part of its own. */
class ChildParts implements XmlHandler {
  readonly parts: Part[] = [];
  #depth = 0;
  #child: scalars.CanonicalHash | null = null;

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 2) {
      this.#child = new scalars.CanonicalHash({ isData: false });
      this.parts.push(partOf(tag, this.#child));
    }
    return this.#child?.open(tag) ?? STREAM;
  }

  close(): void {
    this.#depth--;
    this.#child?.close();
    if (this.#depth === 1) {
      this.#child = null;
    }
  }

  text(chars: string): void {
    this.#child?.text(chars);
  }
}

const partOf = (tag: StartTag, hash: scalars.CanonicalHash): Part => ({
  uri: tag.uri,
  local: tag.local,
  valueType: tag.attribute('', 'ValueType') ?? '',
  hash,
});

function attributesOf(tag: StartTag): readonly Attribute[] {
  const attributes: Attribute[] = [];
  for (let at = 0; at < tag.attributeCount; at++) {
    attributes.push({
      uri: tag.attributeUri(at),
      local: tag.attributeLocal(at),
      value: tag.attributeValue(at),
    });
  }
  return attributes;
}

const printAttribute = ({ uri, local, value }: Attribute): string => `{${uri}}${local}=${value}`;

/** Signatures refer to elements by it: it is another in each message. */
const isId = (local: string): boolean => /^id$/i.test(local);

/** A message that is sent again may have another id. */
const isMessageId = ({ uri, local }: Block): boolean =>
  local === 'MessageID' && headerBlocks.isAddressing(uri);

/** Whether a block is the Security block that the gateway has verified. */
const isVerified = (
  block: Block,
  { verification }: SoapService,
  { dialect }: EnvelopeValidator,
): boolean =>
  verification !== null &&
  dialect !== null &&
  isVerifiedBlock(block, dialect, verification.rules.role);

const namesOf = ({ signature, user, assertion }: VerifiedMessage): readonly unknown[] => [
  signature?.signer.subject ?? null,
  user?.name ?? null,
  assertion === null ? null : [assertion.issuer, assertion.subject],
];

/**
 * Comments and CDATA sections divide texts: a backend may read only a part of what is compared as
 * one.
 */
const mayHideText = (message: Buffer, encoding: Encoding | null): boolean =>
  encoding === 'utf-16le' ||
  encoding === 'utf-16be' ||
  message.includes('<!--') ||
  message.includes('<![CDATA[');
