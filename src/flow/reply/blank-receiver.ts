import { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import { KIB } from '../../core/index.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';
import type { Operation } from '../../wsdl/index.js';
import { withoutLength } from './changed-head.js';

/** Whether content of white space alone is no content: the reply to an operation may have none. */
export const mayBeBlank = (service: SoapService, operation: Operation | null): boolean =>
  operation !== null && (operation.output === null || service.mayBeEmpty(operation));

/** White space that is held before a reply. */
const HELD_BYTES_MAX = 4 * KIB;

const BLANK = /^(?:\xef(?:\xbb(?:\xbf)?)?)?[ \t\r\n]*$/;

/**
 * Passes content of white space alone on as no content, to the receiver of a reply that may be
 * empty: scripts end with a line. White space before other content is passed on.
 */
export class BlankReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  /** The content so far; null once it is more than white space. */
  #held: Buffer | null = Buffer.alloc(0);

  constructor(receiver: UpstreamReceiver) {
    this.#receiver = receiver;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    this.#receiver.head(withoutLength(head));
  }

  data(chunk: Buffer): void {
    if (this.#held === null) {
      this.#receiver.data(chunk);
      return;
    }
    const held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const isBlank = held.length <= HELD_BYTES_MAX && BLANK.test(held.toString('latin1'));
    this.#held = isBlank ? held : null;
    if (!isBlank) {
      this.#receiver.data(held);
    }
  }

  end(): void {
    this.#receiver.end();
  }

  failed(refusal: Parameters<UpstreamReceiver['failed']>[0]): void {
    this.#receiver.failed(refusal);
  }
}
