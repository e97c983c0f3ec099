import { Buffer } from 'node:buffer';
import { pipeline, type Readable, Transform } from 'node:stream';
import { FileContent } from '../../../base/file-content.js';

/** A file as base64 text, for services that take no packages. */
export class Base64File extends FileContent {
  readonly #file: FileContent;

  constructor(file: FileContent) {
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
