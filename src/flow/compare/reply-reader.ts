import type { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { getOrMake } from '../../core/index.js';
import { type MessageReader, type MimeLimits, mime, mimeTypes } from '../../soap/index.js';
import { type XmlLimits, XmlReader } from '../../xml/index.js';
import { type ComparedContent, ReplyMeaning } from './reply-meaning.js';

/** The bounds of replies that are compared. */
export interface ReplyLimits {
  readonly xml: XmlLimits;
  readonly mime: MimeLimits;
}

/**
 * Reads a reply for its meaning while its bytes come, cut anywhere. `write` and `end` throw the
 * `Refusal` of a reply that is no message.
 */
export class ReplyReader {
  readonly #meaning: ReplyMeaning;
  readonly #reader: MessageReader;
  readonly #parts = new PartHashes();

  /** `contentType` is that of the reply, null for none. */
  constructor(contentType: string | null, content: ComparedContent, limits: ReplyLimits) {
    this.#meaning = new ReplyMeaning(content);
    const type = mimeTypes.readMediaType(contentType ?? undefined);
    this.#reader =
      contentType !== null && type?.name === mime.PACKAGE
        ? this.#packageReader(contentType, limits)
        : envelopeReader(this.#meaning, limits.xml, type?.charset ?? null);
  }

  #packageReader(contentType: string, { xml, mime: limits }: ReplyLimits): MessageReader {
    return new mime.MultipartReader(
      envelopeReader(this.#meaning, xml, null),
      new mime.References(limits.parts),
      {
        type: mime.readPackageType(contentType, limits),
        limits,
        messageBytes: xml.messageBytes,
        headBytes: xml.messageBytes,
        onEnvelope: () => {},
        attachments: this.#parts,
      },
    );
  }

  write(chunk: Buffer): void {
    this.#reader.write(chunk);
  }

  /** The meaning of the reply, which is whole. */
  end(): ReplyMeaning {
    this.#reader.end();
    for (const { facts, href } of this.#meaning.includes) {
      facts.values.add(`\x05${this.#parts.digest(href)}`);
    }
    return this.#meaning;
  }
}

function envelopeReader(meaning: ReplyMeaning, limits: XmlLimits, charset: string | null) {
  const reader = new XmlReader(meaning, limits);
  reader.begin(charset);
  return reader;
}

/** Hashes the parts of a package. */
class PartHashes implements mime.AttachmentSink {
  readonly #digests = new Map<string, string>();
  readonly #hashes = new Map<string, Hash>();
  #current: Hash | null = null;

  begin(id: string | null): boolean {
    this.#current = id === null ? null : getOrMake(this.#hashes, id, () => createHash('sha256'));
    return this.#current !== null;
  }

  data(piece: Buffer): void {
    this.#current?.update(piece);
  }

  /** The digest of the part that an Include names; '' where there is none. */
  digest(href: string): string {
    const [spelling = ''] = (mime.referenceIn(href) ?? []).filter((id) => this.#hashes.has(id));
    return getOrMake(this.#digests, spelling, () =>
      spelling === '' ? '' : (this.#hashes.get(spelling)?.digest('base64') ?? ''),
    );
  }
}
