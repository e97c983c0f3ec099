import { Buffer } from 'node:buffer';
import { Refusal, refuseByLimit } from '../base/refusal.js';
import type { AttachmentSink } from './multipart.js';
import { partOf } from './references.js';

/** Transfer encodings of parts: those that change nothing (RFC 2045 section 6.2), and base64. */
const CODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary', 'base64']);

/** A part that an Include stands for; its bytes are there once the package is over. */
export interface Attachment {
  /** In base64. Throws `UPSTREAM_INVALID_RESPONSE` when it did not come behind the envelope. */
  value(): string;
  /** As a `data:` URL (RFC 2397); null when it did not come behind the envelope. */
  dataUrl(): string | null;
}

/**
 * Keeps the parts of a package that are wanted, until it is over. They stand behind the envelope (XOP 1.0 section 1.1
 * lets them stand anywhere; stacks put them there). Throws `UPSTREAM_RESPONSE_LIMIT` when they are larger than allowed.
 */
export class Attachments implements AttachmentSink {
  readonly #wanted = new Map<string, Part>();
  readonly #bytesMax: number;
  #bytesLeft: number;
  #current: Part | null = null;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#bytesLeft = bytesMax;
  }

  /** The part that `href` of an Include names; null where it names none. */
  want(href: string): Attachment | null {
    const id = partOf(href);
    if (id === null) return null;
    const known = this.#wanted.get(id) ?? new Part();
    this.#wanted.set(id, known);
    return known;
  }

  begin(id: string, transferEncoding: string, mediaType: string | null): boolean {
    this.#current = this.#wanted.get(id) ?? null;
    if (this.#current === null) return false;
    if (!CODINGS.has(transferEncoding)) throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'coding of an attachment');
    this.#current.begin(transferEncoding === 'base64', mediaType);
    return true;
  }

  data(piece: Buffer): void {
    this.#bytesLeft -= piece.length;
    if (this.#bytesLeft < 0)
      throw refuseByLimit('UPSTREAM_RESPONSE_LIMIT', 'limits.codec.attachmentBytes', this.#bytesMax);
    this.#current?.chunks.push(Buffer.from(piece));
  }
}

/** Without parameters (RFC 6838 section 4.2). */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const UNKNOWN_TYPE = 'application/octet-stream';

class Part implements Attachment {
  readonly chunks: Buffer[] = [];
  #isBase64 = false;
  #hasBegun = false;
  #mediaType = UNKNOWN_TYPE;

  begin(isBase64: boolean, mediaType: string | null): void {
    this.#hasBegun = true;
    if (mediaType !== null && MEDIA_TYPE.test(mediaType)) this.#mediaType = mediaType;
    this.#isBase64 = isBase64;
  }

  value(): string {
    if (!this.#hasBegun) throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'attachment before its envelope');
    const bytes = Buffer.concat(this.chunks);
    const content = this.#isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
    return content.toString('base64');
  }

  dataUrl(): string | null {
    return this.#hasBegun ? `data:${this.#mediaType};base64,${this.value()}` : null;
  }
}
