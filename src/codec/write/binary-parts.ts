import { randomUUID } from 'node:crypto';
import type { byteBuffers } from '../../core/index.js';
import type { mime } from '../../soap/index.js';
import type { Scalar } from '../plan/scalar.js';

/** A file whose base64 takes the place of a text of the envelope. */
export interface InlineFile {
  /** No other text of the envelope has it. */
  readonly placeholder: string;
  readonly file: byteBuffers.FileContent;
}

/** Collects the binary content of one message that stands outside of its envelope (XOP 1.0). */
export class BinaryParts {
  readonly #which: 'all' | 'declared' | 'none';
  readonly parts: mime.PackagePart[] = [];
  readonly files: InlineFile[] = [];

  readonly #newId: () => string;

  /**
   * `declared`: only what the schema declares as an Include; `none`: for a message that is compared
   * and not sent.
   */
  constructor(which: 'all' | 'declared' | 'none', newId: () => string = randomId) {
    this.#which = which;
    this.#newId = newId;
  }

  /** Whether a value of this kind goes into a part. */
  takes(binary: NonNullable<Scalar['binary']>): boolean {
    return this.#which === 'all' || (this.#which === 'declared' && binary === 'included');
  }

  /** Adds a part; returns its Content-ID. */
  add(bytes: mime.PackagePiece, mediaType: string): string {
    const id = this.#newId();
    this.parts.push({ id, mediaType, bytes });
    return id;
  }

  /** Adds a file that is written as base64; returns the text that stands for it. */
  addInline(file: byteBuffers.FileContent): string {
    const placeholder = randomUUID();
    this.files.push({ placeholder, file });
    return placeholder;
  }
}

const randomId = (): string => `${randomUUID()}@soapstone`;
