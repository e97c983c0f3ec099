import { Buffer } from 'node:buffer';
import { Refusal, refusals, refuseByLimit } from '../../core/index.js';
import { type AttachedPart, AttachedParts } from './attached-parts.js';
import type { AttachmentSink } from './multipart.js';
import { type Attachment, Part } from './part.js';
import { referenceIn, type Spellings, spellingsOf } from './references.js';

/** Transfer encodings of parts (RFC 2045 section 6.1). */
const CODINGS: ReadonlySet<string> = new Set([
  '7bit',
  '8bit',
  'binary',
  'base64',
  'quoted-printable',
]);

/**
 * Keeps the parts of a package that are wanted, until it is over. They stand behind the envelope
 * (XOP 1.0 section 1.1 lets them stand anywhere; stacks put them there). Throws
 * `UPSTREAM_RESPONSE_LIMIT` when they are larger than allowed.
 */
export class Attachments implements AttachmentSink {
  /** Parts by both spellings of their references. */
  readonly #wanted = new Map<string, Part>();
  /** How often a part is wanted: its content counts each time. */
  readonly #times = new Map<Part, number>();
  readonly #declared: AttachedParts | null;
  readonly #beforePart: () => void;
  readonly #bytesMax: number;
  #bytesLeft: number;
  #current: Part | null = null;

  /**
   * `declared` are the parts of the WSDL that are attachments. `beforePart` tells, at the latest,
   * what is wanted.
   */
  constructor(bytesMax: number, declared: readonly AttachedPart[], beforePart: () => void) {
    this.#beforePart = beforePart;
    this.#bytesMax = bytesMax;
    this.#bytesLeft = bytesMax;
    this.#declared = declared.length === 0 ? null : new AttachedParts(declared);
  }

  /** The part that `href` of an Include names; null where it names none. */
  want(href: string): Attachment | null {
    const spellings = referenceIn(href);
    return spellings === null ? null : this.#want(spellings);
  }

  /** As `want`; its bytes go to `take` while they come, however many they are. */
  stream(href: string, take: (piece: Buffer) => void): Attachment | null {
    const spellings = referenceIn(href);
    if (spellings === null) return null;
    const part = new Part(take);
    for (const spelling of spellings) {
      this.#wanted.set(spelling, part);
    }
    return part;
  }

  #want(spellings: Spellings): Part {
    const part = this.#find(spellings) ?? new Part();
    for (const spelling of spellings) {
      this.#wanted.set(spelling, part);
    }
    this.#times.set(part, (this.#times.get(part) ?? 0) + 1);
    return part;
  }

  #find(spellings: Spellings): Part | null {
    for (const spelling of spellings) {
      const part = this.#wanted.get(spelling);
      if (part !== undefined) return part;
    }
    return null;
  }

  /** The one that is this part of the WSDL. */
  part(name: string): { value(): string | null } {
    this.#declared?.want(name);
    return { value: () => this.#declared?.find(name)?.value() ?? null };
  }

  begin(id: string | null, transferEncoding: string, mediaType: string | null): boolean {
    this.#beforePart();
    const referred = id === null ? null : this.#find(spellingsOf(id));
    this.#current = referred ?? this.#declared?.begin(id, mediaType) ?? null;
    if (this.#current === null) return false;
    if (!CODINGS.has(transferEncoding)) {
      throw refusals.asUpstream(new Refusal('MTOM_STRUCTURE', 'coding of an attachment'));
    }
    this.#current.begin(transferEncoding, mediaType);
    return true;
  }

  data(piece: Buffer): void {
    if (this.#current?.hands(piece) === true) return;
    const times = this.#current === null ? 1 : (this.#times.get(this.#current) ?? 1);
    this.#bytesLeft -= piece.length * times;
    if (this.#bytesLeft < 0) {
      throw refuseByLimit(
        'UPSTREAM_RESPONSE_LIMIT',
        'limits.codec.attachmentBytes',
        this.#bytesMax,
      );
    }
    this.#current?.chunks.push(Buffer.from(piece));
  }
}
