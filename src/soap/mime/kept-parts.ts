import { Buffer } from 'node:buffer';
import { PLAIN_CODINGS } from './boundaries/part-head.js';
import type { AttachmentSink } from './multipart.js';
import { type Spellings, spellingsOf } from './references.js';

/** A part of a package that is kept, with its head as the sink of attachments gets it. */
export interface KeptPart {
  readonly id: string | null;
  readonly transferEncoding: string;
  readonly mediaType: string | null;
  readonly offsetBytes: number;
  readonly pieces: Buffer[];
  joined: Buffer | null;
}

/** The content of an included part, and the Content-ID that the package gives it. */
export interface IncludedPart {
  readonly id: string;
  readonly bytes: Buffer;
}

/** The parts of a package that is there whole, found by references to them. */
export class KeptParts {
  readonly all: KeptPart[] = [];
  #byId: ReadonlyMap<string, KeptPart> | null = null;

  begin(...head: Parameters<AttachmentSink['begin']>): void {
    const [id, transferEncoding, mediaType, offsetBytes] = head;
    this.all.push({ id, transferEncoding, mediaType, offsetBytes, pieces: [], joined: null });
    this.#byId = null;
  }

  /** Content of the part that began last. It is kept as it is. */
  add(piece: Buffer): void {
    this.all.at(-1)?.pieces.push(piece);
  }

  /** The part of a reference; null for none, and for one in a transfer encoding. */
  find(spellings: Spellings): IncludedPart | null {
    this.#byId ??= new Map(
      this.all.flatMap((part) =>
        part.id === null ? [] : spellingsOf(part.id).map((spelling) => [spelling, part] as const),
      ),
    );
    const byId = this.#byId;
    const part = spellings.map((each) => byId.get(each)).find((each) => each !== undefined);
    if (part === undefined || part.id === null || !PLAIN_CODINGS.has(part.transferEncoding)) {
      return null;
    }
    const [only, ...others] = part.pieces;
    part.joined ??= only !== undefined && others.length === 0 ? only : Buffer.concat(part.pieces);
    return { id: part.id, bytes: part.joined };
  }
}
