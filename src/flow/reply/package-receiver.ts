import { Buffer } from 'node:buffer';
import type { SoapService } from '../../compile/soap/service.js';
import type { tolerated } from '../../core/index.js';
import { mime, mimeTypes } from '../../soap/index.js';
import type { ReplyHead, UpstreamReceiver } from '../../upstream/index.js';
import { changedHead } from './changed-head.js';

/** Whether a package of parts is read under any media type. */
export const mayBePackage = (
  { acceptsPackages }: SoapService,
  tolerance: tolerated.Tolerance,
): boolean => acceptsPackages && tolerance.has('media-type');

/** The longest first line of a package: its boundary has 70 characters at most (RFC 2046). */
const LINE_BYTES = 80;

/** The first boundary of a package, which the header of a part follows. */
const FIRST_LINE = /^(?:\r?\n){0,2}--([0-9A-Za-z'()+_,./:=?-]{1,70})[ \t]*\r?\n$/;

const beginningOf = (content: Buffer): string => content.toString('latin1', 0, LINE_BYTES);

/** The first line that is not empty, with those before it; '' where its end is not there. */
function firstLineOf(beginning: string): string {
  const start = beginning.search(/[^\r\n]/);
  return start === -1 ? '' : beginning.slice(0, beginning.indexOf('\n', start) + 1);
}

/** The boundary of content that begins as a package of parts does; null for other content. */
const boundaryOf = (content: Buffer): string | null =>
  FIRST_LINE.exec(firstLineOf(beginningOf(content)))?.[1] ?? null;

/** Whether content begins as a package of parts does. */
export const beginsAsPackage = (content: Buffer): boolean => boundaryOf(content) !== null;

/**
 * Gives a package of parts that comes under another media type its own, by its first line. Holds
 * the head of a reply until that line is there.
 */
export class PackageReceiver implements UpstreamReceiver {
  readonly #receiver: UpstreamReceiver;
  readonly #onDeviation: (deviation: tolerated.Deviation) => void;
  #head: ReplyHead | null = null;
  #held: Buffer = Buffer.alloc(0);

  private constructor(
    receiver: UpstreamReceiver,
    onDeviation: (deviation: tolerated.Deviation) => void,
  ) {
    this.#receiver = receiver;
    this.#onDeviation = onDeviation;
  }

  /** The receiver itself where media types count, or packages are not accepted. */
  static before(
    receiver: UpstreamReceiver,
    service: SoapService,
    tolerance: tolerated.Tolerance,
    onDeviation: (deviation: tolerated.Deviation) => void,
  ): UpstreamReceiver {
    return mayBePackage(service, tolerance) ? new PackageReceiver(receiver, onDeviation) : receiver;
  }

  sent(): void {
    this.#receiver.sent?.();
  }

  head(head: ReplyHead): void {
    if (mimeTypes.readMediaType(head.header('content-type') ?? undefined)?.name === mime.PACKAGE) {
      this.#receiver.head(head);
    } else {
      this.#head = head;
    }
  }

  data(chunk: Buffer): void {
    if (this.#head === null) {
      this.#receiver.data(chunk);
      return;
    }
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const beginning = beginningOf(this.#held);
    const isOpen = firstLineOf(beginning) === '' && beginning.length < LINE_BYTES;
    if (isOpen && mayBeLine(beginning)) return;
    this.#open(boundaryOf(this.#held));
  }

  end(): void {
    this.#open(null);
    this.#receiver.end();
  }

  failed(refusal: Parameters<UpstreamReceiver['failed']>[0]): void {
    this.#open(null);
    this.#receiver.failed(refusal);
  }

  /** Passes the head on, and what was held; `boundary` is that of a package. */
  #open(boundary: string | null): void {
    const head = this.#head;
    if (head === null) return;
    this.#head = null;
    if (boundary === null) {
      this.#receiver.head(head);
    } else {
      this.#onDeviation('media-type');
      const type = `${mime.PACKAGE}; boundary="${boundary}"`;
      this.#receiver.head(changedHead(head, new Map([['content-type', type]])));
    }
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    if (held.length > 0) this.#receiver.data(held);
  }
}

const mayBeLine = (text: string): boolean => /^[\r\n]*(?:-|$)/.test(text);
