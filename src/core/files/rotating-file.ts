import { type Buffer, isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';

/** How often a file is read again while it is used. */
const READ_EVERY_MILLIS = 1_000;

/**
 * A secret in a file that others replace, as Kubernetes and certificate agents do. It is read again
 * in the background when it is used: no timer, no watch that a symbolic link escapes.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #form: 'utf8' | 'base64';
  #content: string;
  /** A worker begins with what its parent has read, long ago: the first use reads. */
  #readMillis = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | null = null;

  /** `content`: as the configuration found it. */
  constructor(path: string, content: string, form: 'utf8' | 'base64' = 'utf8') {
    this.#path = path;
    this.#content = content;
    this.#form = form;
  }

  /** The latest content that is known, without its last line break. */
  get content(): string {
    if (performance.now() - this.#readMillis >= READ_EVERY_MILLIS) {
      void this.refresh();
    }
    return this.#content;
  }

  /** The content, read again where it is old. */
  async latest(): Promise<string> {
    if (performance.now() - this.#readMillis >= READ_EVERY_MILLIS || this.#reading !== null) {
      await this.refresh();
    }
    return this.#content;
  }

  /**
   * Reads the file now. Resolves to whether the content has changed; a file that cannot be read, or
   * is no UTF-8, keeps the old one.
   */
  refresh(): Promise<boolean> {
    this.#reading ??= this.#refresh();
    return this.#reading;
  }

  async #refresh(): Promise<boolean> {
    this.#readMillis = performance.now();
    try {
      const content = fileText(await readFile(this.#path), this.#form) ?? '';
      const isOther = content !== '' && content !== this.#content;
      if (isOther) {
        this.#content = content;
      }
      return isOther;
    } catch {
      // It is being replaced.
      return false;
    } finally {
      this.#reading = null;
    }
  }
}

/**
 * The content of a file of a secret: base64, or text without its last line break; null for what is
 * no UTF-8.
 */
export function fileText(bytes: Buffer, form: 'utf8' | 'base64'): string | null {
  if (form === 'base64') return bytes.toString(form);
  return isUtf8(bytes) ? bytes.toString(form).replace(/\r?\n$/, '') : null;
}
