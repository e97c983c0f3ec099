import { Buffer } from 'node:buffer';
import { Refusal } from '../../core/index.js';
import { PLAIN_CODINGS } from './boundaries/part-head.js';
import type { IncludedPart } from './kept-parts.js';
import { readContentType } from './media-type.js';
import { MIME_LIMITS, type MimeLimits } from './mime-limits.js';
import { type AttachmentSink, MultipartReader } from './multipart.js';
import type { PackageType } from './package-type.js';
import { References, referenceIn, type Spellings, spellingsOf } from './references.js';

/** What takes the place of a part. */
export interface ReplacedPart {
  readonly content: Buffer;
  /** Null: that of the part stays. */
  readonly mediaType: string | null;
}

/** A part of a package that may be changed. */
export interface EditablePart {
  /** The `cid:` URL of the part; null for one without a Content-ID. */
  readonly url: string | null;
  /** The Content-Type as it is written; null for none. */
  readonly mediaType: string | null;
  /** Null for one that has a transfer encoding. */
  readonly content: Buffer | null;
}

/** A part by the offsets of its content. */
interface PlacedPart {
  readonly id: string | null;
  readonly coding: string;
  /** As a sink gets it. */
  readonly mediaType: string | null;
  readonly start: number;
  end: number;
  /** What it becomes; null: it stays as it is. */
  change: ReplacedPart | 'removed' | null;
}

/** The bounds of a package that is edited. */
export interface PackageBounds {
  readonly limits: MimeLimits;
  readonly messageBytes: number;
}

/** A package in memory whose envelope and parts are replaced. All other bytes stay. */
export class PackageEditor {
  readonly envelope: Buffer;
  /** That of the Content-Type of the envelope; null for none. */
  charset: string | null = null;
  readonly #bytes: Buffer;
  readonly #boundary: string;
  readonly #envelopeStart: number;
  readonly #parts: PlacedPart[] = [];
  #byId: ReadonlyMap<string, PlacedPart> | null = null;

  /** Copies nothing. Throws `MTOM_STRUCTURE` and `XML_MESSAGE_LIMIT`. */
  constructor(
    bytes: Buffer,
    type: PackageType,
    { limits, messageBytes }: PackageBounds = IN_MEMORY,
  ) {
    const ignore = (): void => {};
    const begin = (charset: string | null): void => {
      this.charset = charset;
    };
    const reader = new MultipartReader(
      { encoding: null, begin, write: ignore, end: ignore },
      new References(limits.parts),
      {
        type,
        limits,
        messageBytes,
        headBytes: Number.POSITIVE_INFINITY,
        onEnvelope: ignore,
        attachments: {
          begin: (id, coding, mediaType, start) => this.#begin({ id, coding, mediaType, start }),
          data: ({ length }) => this.#extend(length),
        },
      },
    );
    this.#bytes = bytes;
    this.#boundary = type.boundary;
    reader.write(bytes);
    reader.end();
    this.#envelopeStart = reader.sourceStart;
    this.envelope = bytes.subarray(reader.sourceStart, reader.sourceStart + reader.envelopeBytes);
  }

  /** The content of the part that a `cid:` URL names; null for none, or one that is encoded. */
  contentOf(url: string): Buffer | null {
    const part = this.#named(url);
    return part === null ? null : this.#contentOf(part);
  }

  /** The part of a reference; null for none, and for one in a transfer encoding. */
  find(spellings: Spellings): IncludedPart | null {
    const part = this.#find(spellings);
    const bytes = part === null ? null : this.#contentOf(part);
    return bytes === null || part === null || part.id === null ? null : { id: part.id, bytes };
  }

  /** The parts that stay as they are. */
  get unchanged(): readonly EditablePart[] {
    return this.#parts
      .filter(({ change }) => change === null)
      .map((part) => ({
        url: part.id === null ? null : `cid:${encodeURIComponent(part.id)}`,
        mediaType: contentTypeIn(this.#headBefore(part.start)),
        content: this.#contentOf(part),
      }));
  }

  /** Gives the parts that stay to a sink, in their order. */
  readInto(sink: AttachmentSink): void {
    for (const { id, coding, mediaType, start, end, change } of this.#parts) {
      if (change === null && sink.begin(id, coding, mediaType, start)) {
        sink.data(this.#bytes.subarray(start, end));
      }
    }
    sink.end?.();
  }

  /**
   * Throws `MTOM_STRUCTURE` where the part is changed already, or its content would end it.
   */
  replace(url: string, replaced: ReplacedPart): void {
    if (replaced.mediaType !== null && !isPrintable(replaced.mediaType)) {
      throw new Refusal('MTOM_STRUCTURE', 'the media type of a part that is replaced');
    }
    this.#refuseBoundary(replaced.content);
    this.#change(url, replaced);
  }

  remove(url: string): void {
    this.#change(url, 'removed');
  }

  /** The package with its changes, in pieces. Throws `MTOM_STRUCTURE`. */
  written(envelope: Buffer): readonly Buffer[] {
    this.#refuseBoundary(envelope);
    const pieces = [this.#bytes.subarray(0, this.#envelopeStart), envelope];
    let done = this.#envelopeStart + this.envelope.length;
    for (const { start, end, change } of this.#parts) {
      if (change === null) continue;
      const head = this.#headBefore(start);
      pieces.push(this.#bytes.subarray(done, start - head.length));
      if (change !== 'removed') {
        pieces.push(change.mediaType === null ? head : headWith(head, change.mediaType));
        pieces.push(change.content);
      }
      done = end;
    }
    pieces.push(this.#bytes.subarray(done));
    return pieces;
  }

  #begin(part: Omit<PlacedPart, 'end' | 'change'>): boolean {
    this.#parts.push({ ...part, end: part.start, change: null });
    return true;
  }

  #extend(bytes: number): void {
    const part = this.#parts.at(-1);
    if (part !== undefined) {
      part.end += bytes;
    }
  }

  #named(url: string): PlacedPart | null {
    const spellings = referenceIn(url);
    return spellings === null ? null : this.#find(spellings);
  }

  #find(spellings: Spellings): PlacedPart | null {
    this.#byId ??= new Map(
      this.#parts.flatMap((part) =>
        part.id === null ? [] : spellingsOf(part.id).map((each) => [each, part] as const),
      ),
    );
    const byId = this.#byId;
    return spellings.map((each) => byId.get(each)).find((each) => each !== undefined) ?? null;
  }

  #change(url: string, change: ReplacedPart | 'removed'): void {
    const part = this.#named(url);
    if (part === null || part.change !== null) {
      throw new Refusal('MTOM_STRUCTURE', 'a part that is replaced twice');
    }
    part.change = change;
  }

  #contentOf({ coding, start, end }: PlacedPart): Buffer | null {
    return PLAIN_CODINGS.has(coding) ? this.#bytes.subarray(start, end) : null;
  }

  /** The head of the part whose content begins here, from the line end before its boundary. */
  #headBefore(contentStart: number): Buffer {
    const at = this.#bytes.lastIndexOf(`\n--${this.#boundary}`, contentStart, 'latin1');
    return this.#bytes.subarray(this.#bytes[at - 1] === CR ? at - 1 : at, contentStart);
  }

  /** Some reader would take it for the end of the part. */
  #refuseBoundary(content: Buffer): void {
    if (content.includes(`--${this.#boundary}`, 0, 'latin1')) {
      throw new Refusal('MTOM_STRUCTURE', 'content with the boundary of its package');
    }
  }
}

const CR = 13;

/** Whether it can be a Content-Type: a media type in one line of ASCII. */
const isPrintable = (mediaType: string): boolean =>
  /^[\x20-\x7e]{1,256}$/.test(mediaType) && readContentType(mediaType) !== null;

/** Bounds for a package that was written here, or read within the limits of its service. */
const IN_MEMORY: PackageBounds = {
  limits: {
    parts: Number.POSITIVE_INFINITY,
    partHeaderBytes: MIME_LIMITS.partHeaderBytes.max,
    boundaryChars: MIME_LIMITS.boundaryChars.max,
    outsideBytes: MIME_LIMITS.outsideBytes.max,
  },
  messageBytes: Number.POSITIVE_INFINITY,
};

/** The field with its line ends, which may go over several lines. */
const CONTENT_TYPE = /(?<=\n)content-type[ \t]*:([^\n]*\n(?:[ \t][^\n]*\n)*)/i;

function contentTypeIn(head: Buffer): string | null {
  const [, written] = CONTENT_TYPE.exec(head.latin1Slice(0, head.length)) ?? [];
  return written?.replace(/[\r\n\t ]+/g, ' ').trim() ?? null;
}

/** The head of a part with another media type. */
function headWith(head: Buffer, mediaType: string): Buffer {
  const text = head.latin1Slice(0, head.length);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const others = text.replace(CONTENT_TYPE, '');
  const end = others.length - lineEnd.length;
  const field = `Content-Type: ${mediaType}${lineEnd}`;
  return Buffer.from(`${others.slice(0, end)}${field}${lineEnd}`, 'latin1');
}
