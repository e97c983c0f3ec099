import { Buffer } from 'node:buffer';
import { refuseByLimit } from '../../base/refusals/refusal.js';
import type { Encoding } from '../../xml/transcode.js';
import { XOP_URI } from './include.js';
import { type IncludedPart, KeptParts } from './kept-parts.js';
import type { AttachmentSink, EnvelopeReader } from './multipart.js';
import type { Spellings } from './references.js';

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
  readonly #parts = new KeptParts();

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
  partOf(spellings: Spellings): IncludedPart | null {
    return this.#state === 'flowing' ? this.#parts.find(spellings) : null;
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
        this.#parts.begin(id, transferEncoding, mediaType);
        return true;
      },
      data: (piece) => {
        if (this.#state === 'flowing') this.#sink?.data(piece);
        else this.#parts.add(this.#copy(piece));
      },
      end: () => this.#sink?.end?.(),
    };
  }

  #write(chunk: Buffer): void {
    // A long envelope without an Include flows.
    const isFull = this.#bytes + chunk.length > this.#limitBytes;
    if (this.#state === 'reading' && isFull && !this.#isIncluding()) this.#release();
    if (this.#state === 'flowing') this.#reader?.write(chunk);
    else this.#envelope.push(this.#copy(chunk));
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

  /** Of bytes that are lent. Throws `HTTP_TOO_LARGE`. */
  #copy(piece: Buffer): Buffer {
    this.#bytes += piece.length;
    if (this.#bytes > this.#limitBytes)
      throw refuseByLimit('HTTP_TOO_LARGE', 'limits.soap.bufferBytes', this.#limitBytes);
    return Buffer.from(piece);
  }

  /** What was collected goes on, in the order in which it came. */
  #release(): void {
    const isWhole = this.#state === 'holding';
    const envelope = this.#envelope;
    this.#state = 'flowing';
    this.#envelope = [];
    for (const chunk of envelope) this.#reader?.write(chunk);
    if (isWhole) this.#reader?.end();
    for (const { id, transferEncoding, mediaType, pieces } of this.#parts.all) {
      if (this.#sink?.begin(id, transferEncoding, mediaType) !== true) continue;
      for (const piece of pieces) this.#sink.data(piece);
    }
  }
}
