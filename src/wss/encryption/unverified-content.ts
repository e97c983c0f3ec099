import type { Buffer } from 'node:buffer';
import type { DecryptionOptions } from './decryption-options.js';
import type { OpenedContent } from './opened-content.js';

/**
 * Gives out decrypted content. Content that is not longer than the window is held until it is
 * verified, so that content that was altered is never read, and takes no time that depends on it.
 * Longer content goes out as it comes: what is found wrong in it is kept until it is verified.
 */
export class UnverifiedContent {
  readonly #output: DecryptionOptions['output'];
  readonly #opened: OpenedContent;
  readonly #windowBytes: number;
  /** Null once it goes out. */
  #held: Buffer[] | null = [];
  #heldBytes = 0;
  #failure: { readonly caught: unknown } | null = null;

  /** `opened` reads the content in its place. */
  constructor(
    { output, windowBytes }: Pick<DecryptionOptions, 'output' | 'windowBytes'>,
    opened: OpenedContent,
  ) {
    this.#output = output;
    this.#windowBytes = windowBytes;
    this.#opened = opened;
  }

  /** Gives out the bytes in front of the content. */
  begin(head: Buffer): void {
    this.#give(() => this.#output.write(head));
  }

  write(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#held === null) {
      this.#giveContent(bytes);
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#windowBytes) {
      this.#release();
    }
  }

  /** The content is verified, and over. Throws the first that was found wrong in it. */
  end(): void {
    this.#release();
    this.#give(() => this.#opened.end());
    if (this.#failure !== null) throw this.#failure.caught;
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const bytes of held) {
      this.#giveContent(bytes);
    }
  }

  /** Content must not end what it is in. */
  #giveContent(bytes: Buffer): void {
    this.#give(() => {
      this.#output.write(bytes);
      this.#opened.write(bytes);
    });
  }

  #give(give: () => void): void {
    if (this.#failure !== null) return;
    try {
      give();
    } catch (caught) {
      this.#failure = { caught };
    }
  }
}
