import { Buffer } from 'node:buffer';
import { refuseByLimit } from '../../base/refusals/refusal.js';
import type { Encoding } from '../../xml/transcode.js';
import { XOP_URI } from './include.js';
import type { AttachmentSink, EnvelopeReader } from './multipart.js';
import { PLAIN_CODINGS } from './part-head.js';
import { type Spellings, spellingsOf } from './references.js';

/** The namespace of signatures, which a signed envelope has in its text. */
const SIGNATURE_URI = 'http://www.w3.org/2000/09/xmldsig#';

/**
 * Collects a package whose signed envelope includes parts of it (XOP 1.0), until all of it is
 * there. Parts come behind the envelope, and both the key of a signature and what it covers may be
 * parts, as CXF writes them. Other packages flow from the end of the envelope on. What is collected
 * is bounded by `limits.soap.bufferBytes`.
 */
export class HeldPackage {
  readonly #limitBytes: number;
  #reader: EnvelopeReader | null = null;
  #sink: AttachmentSink | null = null;
  #envelope: Buffer[] = [];
  #bytes = 0;
  #state: 'reading' | 'holding' | 'flowing' = 'reading';
  #parts: HeldPart[] = [];
  #byId: ReadonlyMap<string, HeldPart> | null = null;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The readers that stand before these: of the envelope, and of the parts behind it. */
  before(
    reader: EnvelopeReader,
    sink: AttachmentSink | null,
  ): { readonly envelope: EnvelopeReader; readonly attachments: AttachmentSink } {
    this.#reader = reader;
    this.#sink = sink;
    return { envelope: this.#envelopeReader(reader), attachments: this.#partReader() };
  }

  /**
   * The part of a reference; null for none, and for one in a transfer encoding. Before the package
   * is over there is none.
   */
  partOf(spellings: Spellings): { readonly id: string; readonly bytes: Buffer } | null {
    const part = spellings.map((each) => this.#byId?.get(each)).find((each) => each !== undefined);
    if (part === undefined || part.id === null || !PLAIN_CODINGS.has(part.transferEncoding))
      return null;
    part.joined ??= Buffer.concat(part.pieces);
    return { id: part.id, bytes: part.joined };
  }

  #envelopeReader(reader: EnvelopeReader): EnvelopeReader {
    const isCollecting = (): boolean => this.#state !== 'flowing';
    return {
      get encoding(): Encoding | null {
        return reader.encoding;
      },
      get isCollecting(): boolean {
        return isCollecting();
      },
      begin: (charset) => reader.begin(charset),
      write: (chunk) => this.#write(chunk),
      end: () => this.#endEnvelope(),
      endOfPackage: () => {
        if (this.#state === 'holding') this.#release();
      },
    };
  }

  #partReader(): AttachmentSink {
    return {
      begin: (id, transferEncoding, mediaType) => {
        if (this.#state === 'flowing')
          return this.#sink?.begin(id, transferEncoding, mediaType) ?? false;
        this.#parts.push({ id, transferEncoding, mediaType, pieces: [], joined: null });
        return true;
      },
      data: (piece) => {
        if (this.#state === 'flowing') this.#sink?.data(piece);
        else this.#keep(piece, this.#parts.at(-1)?.pieces ?? []);
      },
      end: () => this.#sink?.end?.(),
    };
  }

  #write(chunk: Buffer): void {
    // A long envelope without an Include flows.
    const isFull = this.#bytes + chunk.length > this.#limitBytes;
    if (this.#state === 'reading' && isFull && !this.#isIncluding()) this.#release();
    if (this.#state === 'flowing') this.#reader?.write(chunk);
    else this.#keep(chunk, this.#envelope);
  }

  #endEnvelope(): void {
    if (this.#state === 'reading' && this.#isIncluding()) this.#state = 'holding';
    else {
      if (this.#state === 'reading') this.#release();
      this.#reader?.end();
    }
  }

  /**
   * Whether the envelope so far may be signed and have Includes. In UTF-16 it is not known: it
   * flows.
   */
  #isIncluding(): boolean {
    this.#envelope = [Buffer.concat(this.#envelope)];
    const [bytes] = this.#envelope;
    return bytes?.includes(XOP_URI) === true && bytes.includes(SIGNATURE_URI);
  }

  #keep(piece: Buffer, kept: Buffer[]): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#limitBytes)
      throw refuseByLimit('HTTP_TOO_LARGE', 'limits.soap.bufferBytes', this.#limitBytes);
    kept.push(Buffer.from(piece));
  }

  /** What was collected goes on, in the order in which it came. */
  #release(): void {
    const isWhole = this.#state === 'holding';
    const [envelope, parts] = [this.#envelope, this.#parts];
    this.#byId = new Map(
      parts.flatMap((part) =>
        part.id === null ? [] : spellingsOf(part.id).map((spelling) => [spelling, part] as const),
      ),
    );
    this.#state = 'flowing';
    this.#envelope = [];
    this.#parts = [];
    for (const chunk of envelope) this.#reader?.write(chunk);
    if (isWhole) this.#reader?.end();
    for (const { id, transferEncoding, mediaType, pieces } of parts) {
      if (this.#sink?.begin(id, transferEncoding, mediaType) !== true) continue;
      for (const piece of pieces) this.#sink.data(piece);
    }
  }
}

interface HeldPart {
  readonly id: string | null;
  readonly transferEncoding: string;
  readonly mediaType: string | null;
  readonly pieces: Buffer[];
  joined: Buffer | null;
}
