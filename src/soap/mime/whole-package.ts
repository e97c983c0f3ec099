import type { Buffer } from 'node:buffer';
import { type IncludedPart, KeptParts } from './kept-parts.js';
import { MIME_LIMITS, type MimeLimits } from './mime-limits.js';
import { MultipartReader } from './multipart.js';
import type { PackageType } from './package-type.js';
import { References, type Spellings } from './references.js';

/**
 * Bounds for a package that is in memory: it was written here, or read within the limits of its
 * service.
 */
const LIMITS: MimeLimits = {
  parts: Number.POSITIVE_INFINITY,
  partHeaderBytes: MIME_LIMITS.partHeaderBytes.max,
  boundaryChars: MIME_LIMITS.boundaryChars.max,
  outsideBytes: MIME_LIMITS.outsideBytes.max,
};

/** A package that is in memory: its envelope, and its parts by reference. */
export class WholePackage {
  readonly envelope: Buffer;
  /** The bytes before the envelope, and behind it. */
  readonly before: Buffer;
  readonly behind: Buffer;
  readonly #parts = new KeptParts();

  /** Copies nothing. Throws `MTOM_STRUCTURE`. */
  constructor(bytes: Buffer, type: PackageType) {
    const parts = this.#parts;
    const ignore = (): void => {};
    const reader = new MultipartReader(
      { encoding: null, begin: ignore, write: ignore, end: ignore },
      new References(LIMITS.parts),
      {
        type,
        limits: LIMITS,
        messageBytes: Number.POSITIVE_INFINITY,
        headBytes: Number.POSITIVE_INFINITY,
        onEnvelope: ignore,
        attachments: {
          begin(...head) {
            parts.begin(...head);
            return true;
          },
          data: (piece) => parts.add(piece),
        },
      },
    );
    reader.write(bytes);
    reader.end();
    const end = reader.sourceStart + reader.envelopeBytes;
    this.before = bytes.subarray(0, reader.sourceStart);
    this.envelope = bytes.subarray(reader.sourceStart, end);
    this.behind = bytes.subarray(end);
  }

  /** The part of a reference; null for none, and for one in a transfer encoding. */
  find(spellings: Spellings): IncludedPart | null {
    return this.#parts.find(spellings);
  }
}
