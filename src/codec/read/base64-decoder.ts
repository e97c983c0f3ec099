import { Buffer } from 'node:buffer';
import { StreamedBase64 } from '../validity/streamed-base64.js';
import { bareBase64 } from '../values/base64.js';

/** Decodes base64 that comes in texts cut anywhere. */
export class Base64Decoder {
  readonly #validity = new StreamedBase64();
  /** Up to three characters, which make no byte yet. */
  #rest = '';

  add(chars: string): Buffer {
    this.#validity.add(chars);
    const bare = this.#rest + bareBase64(chars);
    const end = bare.length - (bare.length % 4);
    this.#rest = bare.slice(end);
    return Buffer.from(bare.slice(0, end), 'base64');
  }

  /** The rule that is broken, or null. */
  end(): string | null {
    return this.#validity.end();
  }
}
