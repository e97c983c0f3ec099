import { Buffer } from 'node:buffer';
import { KIB, refuseByLimit } from '../../core/index.js';
import type { Encoding } from '../../xml/index.js';
import { type SlicedContent, stepToInclude, XOP_URI } from './include.js';
import { type IncludedPart, KeptParts } from './kept-parts.js';
import type { AttachmentSink, EnvelopeReader } from './multipart.js';
import type { Spellings } from './references.js';

/** The namespace of signatures, which a signed envelope has in its text. */
const SIGNATURE_URI = 'http://www.w3.org/2000/09/xmldsig#';

/** Bytes that are read on at once where no more was collected: they take less than a time slice. */
const FEW_BYTES = 64 * KIB;
/** Bytes of a collected envelope that are read in one step. */
const STEP_BYTES = 16 * KIB;

/**
 * The state of a package: its envelope is collected; all of it is, until its last part is there;
 * what was collected is read in steps, and what comes meanwhile waits; it is read as it comes.
 */
type State = 'envelope' | 'parts' | 'releasing' | 'flowing';

/**
 * Collects a package whose signed envelope includes parts of it (XOP 1.0), until all of it is
 * there. Parts come behind the envelope, and both the key of a signature and what it covers may be
 * parts, as CXF writes them. Other packages flow from the end of the envelope on. What is collected
 * is bounded by `limits.soap.bufferBytes`, and read in steps: to digest all of it in one turn would
 * hold the event loop.
 */
export class HeldPackage {
  readonly #limitBytes: number;
  #reader: EnvelopeReader | null = null;
  #sink: AttachmentSink | null = null;
  #bytes = 0;
  #state: State = 'envelope';
  /**
   * What was collected of the envelope and is not read; whether it is over, and its end is read.
   */
  #envelope: Buffer[] = [];
  #isEnvelopeOver = false;
  #isEndRead = false;
  readonly #parts = new KeptParts();
  /** All parts are there. */
  #isWhole = false;
  /** The part that is passed on, how many pieces of it were, and whether the sink wants it. */
  #part = 0;
  #hasBegun = false;
  #pieces = 0;
  #isWanted = false;
  #included: SlicedContent | null = null;

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
    return this.#isWhole ? this.#parts.find(spellings) : null;
  }

  /** Content that takes the place of the Include that is open, before anything behind it. */
  include(content: SlicedContent): void {
    this.#included = content;
  }

  /** Writes the content of the last Include: an event comes that is behind it. */
  writeIncluded(): void {
    while (this.#included !== null) {
      this.#writeSlice();
    }
  }

  #writeSlice(): void {
    if (this.#included?.writeSlice() !== true) {
      this.#included = null;
    }
  }

  #envelopeReader(reader: EnvelopeReader): EnvelopeReader {
    const state = (): State => this.#state;
    return {
      get encoding(): Encoding | null {
        return reader.encoding;
      },
      get isCollecting(): boolean {
        return state() !== 'flowing';
      },
      get hasWork(): boolean {
        return state() === 'releasing';
      },
      begin: (charset) => reader.begin(charset),
      write: (chunk) => this.#write(chunk),
      end: () => this.#endEnvelope(),
      endOfPackage: () => {
        if (this.#state !== 'parts') return;
        this.#isWhole = true;
        this.#release();
      },
      work: () => this.#work(),
    };
  }

  #partReader(): AttachmentSink {
    return {
      begin: (...head) => {
        if (this.#state === 'flowing') {
          this.#isWanted = this.#begin(...head);
        } else {
          this.#parts.begin(...head);
        }
        return this.#state !== 'flowing' || this.#isWanted;
      },
      data: (piece) => {
        if (this.#state !== 'flowing') {
          this.#parts.add(this.#copy(piece));
        } else if (this.#isWanted) {
          this.#sink?.data(piece);
        }
      },
      end: () => this.#sink?.end?.(),
    };
  }

  #write(chunk: Buffer): void {
    // A long envelope without an Include flows.
    const isFull = this.#bytes + chunk.length > this.#limitBytes;
    if (this.#state === 'envelope' && isFull && !this.#isIncluding()) {
      this.#release();
    }
    if (this.#state === 'flowing') {
      this.#reader?.write(chunk);
    } else {
      this.#envelope.push(this.#copy(chunk));
    }
  }

  #endEnvelope(): void {
    this.#isEnvelopeOver = true;
    if (this.#state === 'flowing') {
      this.#reader?.end();
    } else if (this.#state === 'envelope') {
      if (this.#isIncluding()) {
        this.#state = 'parts';
      } else {
        this.#release();
      }
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
    if (this.#bytes > this.#limitBytes) {
      throw refuseByLimit('HTTP_TOO_LARGE', 'limits.soap.bufferBytes', this.#limitBytes);
    }
    return Buffer.from(piece);
  }

  #release(): void {
    this.#state = 'releasing';
    if (this.#bytes <= FEW_BYTES) {
      while (this.#state === 'releasing') {
        this.#work();
      }
    }
    // What comes while the rest is read waits, within the limit again.
    this.#bytes = 0;
  }

  /** Reads on with what was collected, in the order in which it came, until all of it is read. */
  #work(): void {
    if (this.#included !== null) {
      this.#writeSlice();
    } else if (this.#envelope.length > 0) {
      this.#reader?.write(this.#takeEnvelope());
    } else if (this.#isEnvelopeOver && !this.#isEndRead) {
      this.#isEndRead = true;
      this.#reader?.end();
    } else if (!this.#passPart()) {
      this.#state = 'flowing';
    }
  }

  /** The next bytes of the envelope, not beyond the tag of an Include. */
  #takeEnvelope(): Buffer {
    const [first = Buffer.alloc(0)] = this.#envelope;
    const taken = stepToInclude(first, STEP_BYTES);
    if (taken.length < first.length) {
      this.#envelope[0] = first.subarray(taken.length);
    } else {
      this.#envelope.shift();
    }
    return taken;
  }

  /** Passes a piece of a part on. False: all that have come are. */
  #passPart(): boolean {
    const part = this.#parts.all[this.#part];
    if (part === undefined) return false;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const { id, transferEncoding, mediaType, offsetBytes } = part;
      this.#isWanted = this.#begin(id, transferEncoding, mediaType, offsetBytes);
      return true;
    }
    const piece = this.#isWanted ? part.pieces[this.#pieces] : undefined;
    if (piece !== undefined) {
      this.#pieces++;
      this.#sink?.data(piece);
      return true;
    }
    // More of the last one may come.
    if (this.#part === this.#parts.all.length - 1) return false;
    this.#part++;
    this.#pieces = 0;
    this.#hasBegun = false;
    return true;
  }

  #begin(...head: Parameters<AttachmentSink['begin']>): boolean {
    return this.#sink?.begin(...head) === true;
  }
}
