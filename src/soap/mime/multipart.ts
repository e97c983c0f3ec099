import { Buffer } from 'node:buffer';
import { Refusal, refuseByLimit } from '../../core/index.js';
import type { Encoding } from '../../xml/index.js';
import { type Dialect, ENVELOPE_MEDIA_TYPES } from '../dialect.js';
import type { MessageReader } from '../gate.js';
import { BoundaryScanner, type ContentSink, type DelimiterScanner } from './boundaries/boundary.js';
import {
  afterBoundary,
  type BoundaryLine,
  type LineEnd,
  PADDING_MAX,
} from './boundaries/boundary-line.js';
import { HeaderBytes } from './boundaries/header-bytes.js';
import { LineFeedScanner } from './boundaries/line-feed-boundary.js';
import { type PartHead, PLAIN_CODINGS, readPartHead } from './boundaries/part-head.js';
import type { MediaType } from './media-type.js';
import type { MimeLimits } from './mime-limits.js';
import { bridgedPartHead } from './package-bridge.js';
import { type PackageType, readEnvelopePart } from './package-type.js';
import type { References } from './references.js';

/** Reads the envelope in a package: an `XmlReader`. */
export interface EnvelopeReader extends MessageReader {
  /** Before the first `write`: the charset of the envelope's own Content-Type. */
  begin(charset: string | null): void;
  /** All parts have come: what was collected of the envelope can be read. */
  endOfPackage?(): void;
}

/** Takes the content of parts behind the envelope. */
export interface AttachmentSink {
  /** A part begins; true if its content is wanted, which begins at this offset of the package. */
  begin(
    id: string | null,
    transferEncoding: string,
    mediaType: string | null,
    offsetBytes: number,
  ): boolean;
  /** Lent: to be copied if it is kept. */
  data(piece: Buffer): void;
  /** The last part has ended. */
  end?(): void;
}

export interface MultipartOptions {
  readonly type: PackageType;
  readonly limits: MimeLimits;
  /** The whole package, attachments included. */
  readonly messageBytes: number;
  /** The envelope begins within this many bytes: so much is held until it is validated. */
  readonly headBytes: number;
  /** Called with the media type of the envelope before its first byte is read. */
  readonly onEnvelope: (mediaType: string, action: string | null) => void;
  /** Null: parts are counted and let be. */
  readonly attachments?: AttachmentSink | null;
}

/**
 * The section that the next byte belongs to: a boundary's line, or a part's header or content.
 * `preamble` is before the first part, `epilogue` after the last.
 */
type Section = 'preamble' | 'boundary' | 'header' | 'envelope' | 'part' | 'epilogue';

/**
 * Reads a package of parts as its bytes come in, cut anywhere (RFC 2046, RFC 2387): gives the
 * envelope's bytes to its reader, counts the other parts and lets them be. Memory is bounded by the
 * header of one part. Throws `MTOM_STRUCTURE`, `MTOM_EXTERNAL_HREF`, `XML_MESSAGE_LIMIT`, and what
 * the envelope's reader throws.
 */
export class MultipartReader implements MessageReader, ContentSink {
  /** Bytes of the package so far. */
  bytes = 0;
  /** Offset of the envelope's first byte in the package; 0 before it has begun. */
  sourceStart = 0;
  /** Bytes of the envelope so far. */
  envelopeBytes = 0;
  /** The media type of the envelope by itself; null before it has begun. */
  envelopeType: MediaType | null = null;
  readonly #envelope: EnvelopeReader;
  readonly #references: References;
  readonly #options: MultipartOptions;
  #scanner: DelimiterScanner;
  #lineEnd: LineEnd = 'unknown';
  /** Bytes of the parts that the envelope includes more than once, each time but the first. */
  #repeatedBytes = 0;
  /** How often the envelope includes this part once more. */
  #repeats = 0;
  #section: Section = 'preamble';
  #line: BoundaryLine = 'empty';
  #padding = 0;
  #outside = 0;
  #parts = 0;
  readonly #header: HeaderBytes;
  /** Offset of the header of the part that holds the envelope. */
  #partHeadStart = 0;
  #state: 'awaited' | 'reading' | 'read' = 'awaited';
  /** The content of this part is wanted. */
  #isWanted = false;

  constructor(envelope: EnvelopeReader, references: References, options: MultipartOptions) {
    this.#envelope = envelope;
    this.#references = references;
    this.#options = options;
    this.#scanner = new BoundaryScanner(options.type.boundary);
    this.#scanner.begin();
    this.#header = new HeaderBytes(options.limits.partHeaderBytes, (problem) =>
      problem === 'too long'
        ? this.#beyond('partHeaderBytes')
        : broken('a bare line feed in the header of a part'),
    );
  }

  get encoding(): Encoding | null {
    return this.#envelope.encoding;
  }

  bridgedHead(message: Buffer, to: Dialect): Buffer {
    const start = this.#partHeadStart;
    const head = bridgedPartHead(message.latin1Slice(start, this.sourceStart), to);
    return Buffer.concat([message.subarray(0, start), Buffer.from(head, 'latin1')]);
  }

  get isCollecting(): boolean {
    return this.#envelope.isCollecting === true;
  }

  get hasWork(): boolean {
    return this.#envelope.hasWork === true;
  }

  work(): void {
    this.#envelope.work?.();
  }

  #beyond(limit: keyof MimeLimits): Refusal {
    return refuseByLimit('MTOM_STRUCTURE', `limits.mime.${limit}`, this.#options.limits[limit]);
  }

  write(chunk: Buffer): void {
    const { messageBytes, headBytes } = this.#options;
    if (this.bytes + chunk.length > messageBytes) {
      throw refuseByLimit('XML_MESSAGE_LIMIT', 'limits.xml.messageBytes', messageBytes);
    }
    let at = this.bytes === 0 && chunk[0] === LF ? this.#skipFirstLine() : 0;
    while (at < chunk.length) {
      if (this.#section === 'boundary') {
        at = this.#readLine(chunk, at);
      } else if (this.#section === 'header') {
        at = this.#readHeader(chunk, at);
      } else {
        const next = this.#scanner.scan(chunk, at, this);
        if (next < 0) break;
        this.#endContent();
        at = next;
      }
    }
    this.bytes += chunk.length;
    if (this.#state === 'awaited' && this.bytes >= headBytes) {
      throw broken('the envelope comes too late');
    }
  }

  end(): void {
    const isClosed =
      this.#section === 'epilogue' || (this.#section === 'boundary' && this.#line === 'closed');
    if (!isClosed) throw broken('no closing boundary');
    while (this.hasWork) {
      this.work();
    }
    this.#references.checkParts();
    this.#options.attachments?.end?.();
  }

  content(piece: Buffer): void {
    if (this.#section === 'envelope') {
      this.envelopeBytes += piece.length;
      this.#envelope.write(piece);
    } else if (this.#section === 'part') {
      this.#countRepeats(piece.length);
      if (this.#isWanted) {
        this.#options.attachments?.data(piece);
      }
    } else {
      this.#outside += piece.length;
      if (this.#outside > this.#options.limits.outsideBytes) throw this.#beyond('outsideBytes');
    }
  }

  /** A reader that puts parts in place of their Includes makes a message of as many bytes more. */
  #countRepeats(bytes: number): void {
    this.#repeatedBytes += this.#repeats * bytes;
    const { messageBytes } = this.#options;
    if (this.#repeatedBytes > messageBytes) {
      throw refuseByLimit('XML_MESSAGE_LIMIT', 'limits.xml.messageBytes', messageBytes);
    }
  }

  /** A boundary was found. */
  #endContent(): void {
    if (this.#section === 'epilogue') throw broken('a boundary after the last part');
    if (this.#section === 'envelope') {
      this.#state = 'read';
      this.#envelope.end();
    }
    this.#outside = 0;
    this.#section = 'boundary';
    this.#line = 'empty';
    this.#padding = 0;
  }

  #readLine(chunk: Buffer, start: number): number {
    let at = start;
    while (at < chunk.length && this.#section === 'boundary') {
      const byte = chunk[at++];
      const next = afterBoundary(this.#line, byte, this.#lineEnd);
      if (this.#lineEnd === 'unknown') {
        this.#learnLineEnd(byte);
      }
      if (next === 'next part') {
        this.#beginHeader();
      } else if (next === 'after the last') {
        this.#section = 'epilogue';
        this.#scanner.begin();
      } else if (next === null || ++this.#padding > PADDING_MAX) {
        throw broken('other bytes in the line of a boundary');
      } else if (next === 'closed' && this.#state === 'awaited') {
        throw broken('no part is the envelope');
      } else {
        this.#line = next;
        if (next === 'closed') {
          this.#envelope.endOfPackage?.();
        }
      }
    }
    return at;
  }

  #beginHeader(): void {
    if (++this.#parts > this.#options.limits.parts) throw this.#beyond('parts');
    this.#section = 'header';
    this.#header.begin(this.#lineEnd);
  }

  /** An empty line before the first boundary; all lines end as it does. */
  #skipFirstLine(): number {
    this.#learnLineEnd(LF);
    this.#scanner.begin();
    return 1;
  }

  /** The first boundary line ends: all others must end as it does. */
  #learnLineEnd(byte: number | undefined): void {
    if (byte === CR) {
      this.#lineEnd = 'CR LF';
    } else if (byte === LF) {
      this.#lineEnd = 'LF';
      this.#scanner = new LineFeedScanner(this.#options.type.boundary);
    }
  }

  #readHeader(chunk: Buffer, start: number): number {
    const at = this.#header.take(chunk, start);
    const { whole } = this.#header;
    if (whole !== null) {
      this.#beginPart(readPartHead(whole), this.bytes + at);
    }
    return at;
  }

  #beginPart(head: PartHead, offset: number): void {
    const { start } = this.#options.type;
    if (head.id !== null) {
      this.#references.part(head.id);
    }
    const mediaType = head.contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? null;
    if (mediaType?.startsWith('multipart/')) throw broken('a package in a package');
    this.#scanner.begin();
    this.#section = 'part';
    this.#repeats = head.id === null ? 0 : Math.max(0, this.#references.timesIncluded(head.id) - 1);
    const isBehind = this.#state === 'read';
    const { attachments = null } = this.#options;
    this.#isWanted =
      isBehind && attachments?.begin(head.id, head.transferEncoding, mediaType, offset) === true;
    if (this.#state !== 'awaited') return;
    // Some stacks take the first part for the envelope, whatever `start` and its type are.
    if (start !== null && head.id !== start) throw broken('a part before the envelope');
    this.#beginEnvelope(head, offset);
  }

  #beginEnvelope(head: PartHead, offset: number): void {
    const part = readEnvelopePart(head.contentType, this.#options.type);
    if (part === null || !ENVELOPES.has(part.name)) {
      throw broken('the envelope has another media type');
    }
    if (!PLAIN_CODINGS.has(head.transferEncoding)) {
      throw broken('the envelope has a transfer encoding');
    }
    this.#references.envelope(head.id);
    this.envelopeType = part;
    this.#options.onEnvelope(part.name, part.action);
    this.#envelope.begin(part.charset);
    this.#section = 'envelope';
    this.#state = 'reading';
    this.sourceStart = offset;
    this.#partHeadStart = offset - (this.#header.whole?.length ?? 0);
  }
}

const CR = 13;
const LF = 10;

/** Media types that some reader might take for an envelope. */
const ENVELOPES: ReadonlySet<string> = new Set([...ENVELOPE_MEDIA_TYPES, 'application/xml']);
const broken = (rule: string): Refusal => new Refusal('MTOM_STRUCTURE', rule);
