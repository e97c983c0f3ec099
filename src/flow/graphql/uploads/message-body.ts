import { Buffer } from 'node:buffer';
import { pipeline, Readable, Transform } from 'node:stream';
import type { requestEncoding } from '../../../codec/index.js';
import { asRefusal, byteBuffers, Refusal } from '../../../core/index.js';
import type { mime } from '../../../soap/index.js';
import { Collected } from '../../http/collected.js';

/** An envelope with the base64 of files in place of the texts that stand for them. */
export function withFiles(
  envelope: Buffer,
  files: readonly requestEncoding.InlineFile[],
): readonly mime.PackagePiece[] {
  if (files.length === 0) return [envelope];
  const pieces: mime.PackagePiece[] = [];
  let from = 0;
  // In the order of the envelope, which is that in which they were added.
  for (const { placeholder, file } of files) {
    const at = envelope.indexOf(placeholder, from);
    pieces.push(envelope.subarray(from, at), new Base64File(file));
    from = at + placeholder.length;
  }
  return [...pieces, envelope.subarray(from)];
}

/**
 * The body of a message in one piece; as a stream, with an unknown length, where files are in it.
 */
export function bodyOf(pieces: readonly mime.PackagePiece[]): Buffer | Readable {
  const [first, ...others] = pieces;
  if (others.length === 0 && first !== undefined && Buffer.isBuffer(first)) return first;
  const buffers = pieces.filter((piece) => Buffer.isBuffer(piece));
  return buffers.length === pieces.length ? Buffer.concat(buffers) : new MessageBody(pieces);
}

/**
 * A body that flows, whole. Rejects with the refusal that it fails with, and with `HTTP_TOO_LARGE`.
 */
export async function collectBody(body: Readable, bytesMax: number): Promise<Buffer> {
  const collected = new Collected(bytesMax);
  try {
    for await (const chunk of body) {
      collected.add(chunk);
    }
  } catch (caught) {
    throw asRefusal(caught);
  }
  return collected.message();
}

/** The pieces of a message one after the other. A file is opened when all before it is written. */
class MessageBody extends Readable {
  readonly #pieces: readonly mime.PackagePiece[];
  #at = 0;
  #file: Readable | null = null;
  #isWanted = false;

  constructor(pieces: readonly mime.PackagePiece[]) {
    super();
    this.#pieces = pieces;
    // The upstream call gets the refusal that destroys the body; there is no other listener.
    this.once('error', () => {});
  }

  override _read(): void {
    this.#isWanted = true;
    this.#write();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#file?.destroy();
    this.#file = null;
    done(error);
  }

  #write(): void {
    while (this.#isWanted && !this.destroyed) {
      if (this.#file !== null) {
        const chunk: unknown = this.#file.read();
        if (!Buffer.isBuffer(chunk)) return;
        this.#isWanted = this.push(chunk);
        continue;
      }
      const piece = this.#pieces[this.#at++];
      if (piece === undefined) {
        this.push(null);
        return;
      }
      if (piece instanceof byteBuffers.FileContent) {
        this.#open(piece.open());
      } else if (piece.length > 0) {
        this.#isWanted = this.push(piece);
      }
    }
  }

  #open(file: Readable): void {
    if (file.destroyed) {
      // It had failed before anyone listened.
      this.destroy(file.errored ?? new Refusal('CLIENT_GONE'));
      return;
    }
    this.#file = file;
    file.on('readable', () => this.#write());
    file.once('end', () => {
      this.#file = null;
      this.#write();
    });
    file.once('error', (error) => this.destroy(error));
  }
}

/** A file as base64 text, for services that take no packages. */
class Base64File extends byteBuffers.FileContent {
  readonly #file: byteBuffers.FileContent;

  constructor(file: byteBuffers.FileContent) {
    super();
    this.#file = file;
  }

  open(): Readable {
    let rest: Buffer = Buffer.alloc(0);
    const encoder = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        // Three bytes are four letters: what is over waits for the next ones.
        const whole = bytes.length - (bytes.length % 3);
        rest = bytes.subarray(whole);
        done(null, whole === 0 ? undefined : bytes.toString('base64', 0, whole));
      },
      flush(done) {
        done(null, rest.length === 0 ? undefined : rest.toString('base64'));
      },
    });
    // Errors of either side end the other one.
    pipeline(this.#file.open(), encoder, () => {});
    return encoder;
  }
}
