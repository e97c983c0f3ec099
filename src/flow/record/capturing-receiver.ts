import type { Buffer } from 'node:buffer';
import { asRefusal, type Refusal } from '../../core/index.js';
import { mime, mimeTypes } from '../../soap/index.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';

/** Keeps the reply of a call while its reader gets it. */
export interface ReplyCapture {
  /** Both return false where the rest is not wanted: then `leave` was called. */
  head(head: ReplyHead): boolean;
  data(chunk: Buffer): boolean;
  end(): void;
  /** The call failed, or its reply was refused. */
  leave(refusal: Refusal): void;
}

/** Passes a reply on, and shows it to a capture. */
export class CapturingReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  #capture: ReplyCapture | null;

  constructor(receiver: UpstreamReceiver, capture: ReplyCapture) {
    this.#receiver = receiver;
    this.#capture = capture;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    if (this.#capture?.head(head) === false) {
      this.#capture = null;
    }
    this.#pass(() => this.#receiver.head(head));
  }

  data(chunk: Buffer): void {
    if (this.#capture?.data(chunk) === false) {
      this.#capture = null;
    }
    this.#pass(() => this.#receiver.data(chunk));
  }

  end(): void {
    this.#pass(() => this.#receiver.end());
    this.#capture?.end();
    this.#capture = null;
  }

  failed(refusal: Refusal): void {
    this.#leave(refusal);
    this.#receiver.failed(refusal);
  }

  /** The reader may refuse the reply. */
  #pass(step: () => void): void {
    try {
      step();
    } catch (caught) {
      this.#leave(asRefusal(caught));
      throw caught;
    }
  }

  #leave(refusal: Refusal): void {
    this.#capture?.leave(refusal);
    this.#capture = null;
  }
}

/** The value of a field in a list of names and values in turn; null for none. */
export function fieldOf(headers: readonly string[], name: string): string | null {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? null : (headers[at + 1] ?? null);
}

/** Whether content is a package of parts. */
export const isPackage = (contentType: string | null): boolean =>
  mimeTypes.readMediaType(contentType ?? undefined)?.name === mime.PACKAGE;
