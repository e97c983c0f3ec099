import { Buffer } from 'node:buffer';
import { Refusal, refusals } from '../../core/index.js';
import { isMediaType } from './media-type.js';

/** A part beside an envelope; its bytes are there once the package is over. */
export interface Attachment {
  /** In base64. Throws `UPSTREAM_INVALID_RESPONSE` when it did not come behind the envelope. */
  value(): string;
  /** As a `data:` URL (RFC 2397); null when it did not come behind the envelope. */
  dataUrl(): string | null;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** Collects the bytes of a part, or hands them to `take` as they come: then it has none. */
export class Part implements Attachment {
  readonly chunks: Buffer[] = [];
  readonly #take: ((piece: Buffer) => void) | null;
  /** Up to three characters of base64, which make no byte yet. */
  #rest = '';
  #coding = '';
  #hasBegun = false;
  #mediaType = UNKNOWN_TYPE;

  constructor(take: ((piece: Buffer) => void) | null = null) {
    this.#take = take;
  }

  begin(coding: string, mediaType: string | null): void {
    this.#hasBegun = true;
    if (mediaType !== null && isMediaType(mediaType)) {
      this.#mediaType = mediaType;
    }
    this.#coding = coding;
  }

  /**
   * Whether the piece was handed out. Throws `UPSTREAM_INVALID_RESPONSE` for what can only be
   * decoded whole.
   */
  hands(piece: Buffer): boolean {
    if (this.#take === null) return false;
    if (this.#coding === 'quoted-printable') {
      throw refusals.asUpstream(
        new Refusal('MTOM_STRUCTURE', 'a long attachment in quoted-printable'),
      );
    }
    this.#take(this.#coding === 'base64' ? this.#fromBase64(piece) : Buffer.from(piece));
    return true;
  }

  #fromBase64(piece: Buffer): Buffer {
    const text = this.#rest + piece.toString('latin1').replace(/[ \t\r\n]+/g, '');
    const end = text.length - (text.length % 4);
    this.#rest = text.slice(end);
    return Buffer.from(text.slice(0, end), 'base64');
  }

  value(): string {
    if (!this.#hasBegun) {
      throw refusals.asUpstream(new Refusal('MTOM_STRUCTURE', 'attachment before its envelope'));
    }
    const bytes = Buffer.concat(this.chunks);
    return decoded(bytes, this.#coding).toString('base64');
  }

  dataUrl(): string | null {
    return this.#hasBegun ? `data:${this.#mediaType};base64,${this.value()}` : null;
  }
}

function decoded(bytes: Buffer, coding: string): Buffer {
  if (coding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  return coding === 'quoted-printable' ? unquoted(bytes) : bytes;
}

const EQUALS = 61;

/**
 * Decodes quoted-printable content (RFC 2045 section 6.7). Text that is no escape stays as it is.
 */
function unquoted(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const content = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== EQUALS) {
      content[length++] = byte;
    } else if (text.startsWith('\r\n', at + 1)) {
      at += 2;
    } else if (HEX.test(text.slice(at + 1, at + 3))) {
      content[length++] = Number.parseInt(text.slice(at + 1, at + 3), 16);
      at += 2;
    } else {
      content[length++] = byte;
    }
  }
  return content.subarray(0, length);
}

const HEX = /^[0-9A-Fa-f]{2}$/;
