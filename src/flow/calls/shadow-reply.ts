import type { Buffer } from 'node:buffer';
import { ShadowPace } from '../../gateway/shadow/shadow-pace.js';
import type { ShadowTraffic } from '../../gateway/shadow/shadow-traffic.js';
import type { ComparedContent, ReplyMeaning } from '../compare/reply-meaning.js';
import { type ReplyLimits, ReplyReader } from '../compare/reply-reader.js';

/** Replies are read in turns, beside all that callers wait for. */
const pace = new ShadowPace();

/** Bytes that are read at once: less than a turn. */
const PIECE_BYTES = 2 * 1024;

/** Bytes of a reply that wait unread: shorter ones may turn out to be the same bytes. */
const UNREAD_BYTES_MAX = 64 * 1024;

/**
 * `open`: more may come, or be read; `read`: it is whole, and its meaning known; `failed`: it is no
 * reply; `skipped`: more of it came than may wait.
 */
type State = 'open' | 'read' | 'failed' | 'skipped';

/**
 * One of two replies that are compared. Its bytes wait until they must be read, which takes far
 * longer than comparing them. No caller waits for either.
 */
export class ShadowReply {
  readonly #traffic: ShadowTraffic;
  readonly #content: ComparedContent;
  readonly #limits: ReplyLimits;
  readonly #changed: () => void;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: ReplyReader | null = null;
  #contentType: string | null = null;
  #hasEnded = false;
  #mayRead = false;
  #isReading = false;
  #state: State = 'open';
  /** Null also for an empty reply. */
  meaning: ReplyMeaning | null = null;

  /** `changed` is called when its state is another, and when it has come to its end. */
  constructor(
    traffic: ShadowTraffic,
    content: ComparedContent,
    limits: ReplyLimits,
    changed: () => void,
  ) {
    this.#traffic = traffic;
    this.#content = content;
    this.#limits = limits;
    this.#changed = changed;
  }

  get state(): State {
    return this.#state;
  }

  /** All of it has come; it may not have been read. */
  get isWhole(): boolean {
    return this.#hasEnded && this.#state !== 'failed' && this.#state !== 'skipped';
  }

  /** It is read while it comes. */
  get isLong(): boolean {
    return this.#mayRead;
  }

  head(contentType: string | null): void {
    this.#contentType = contentType;
  }

  data(chunk: Buffer): void {
    if (this.#state !== 'open') return;
    if (!this.#traffic.hold(chunk.length)) {
      this.#settle('skipped');
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > UNREAD_BYTES_MAX) {
      this.#mayRead = true;
    }
    this.#begin();
  }

  end(): void {
    this.#hasEnded = true;
    this.#begin();
    this.#report();
  }

  fail(): void {
    this.#settle('failed');
  }

  /** Reads what waits, and all that comes. Further calls change nothing. */
  read(): void {
    this.#mayRead = true;
    this.#begin();
  }

  /** Both are the same bytes of the same media type, and none of them has been read. */
  isSameBytesAs(other: ShadowReply): boolean {
    return (
      !this.#mayRead &&
      !other.#mayRead &&
      this.#contentType === other.#contentType &&
      this.#waitingBytes === other.#waitingBytes &&
      isSame(this.#waiting, other.#waiting)
    );
  }

  /** Nothing of it is needed any more. */
  close(): void {
    this.#traffic.release(this.#waitingBytes);
    this.#waitingBytes = 0;
    this.#waiting.length = 0;
    if (this.#state === 'open') {
      this.#state = 'skipped';
    }
  }

  #begin(): void {
    if (!this.#mayRead || this.#isReading || this.#state !== 'open') return;
    this.#isReading = true;
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      await pace.pause();
      for (let chunk = this.#waiting.shift(); chunk !== undefined; chunk = this.#waiting.shift()) {
        this.#traffic.release(chunk.length);
        this.#waitingBytes -= chunk.length;
        await this.#readChunk(chunk);
      }
      this.#isReading = false;
      if (this.#hasEnded && this.#state === 'open') {
        this.meaning = this.#reader?.end() ?? null;
        this.#settle('read');
      }
    } catch {
      // It is no message: what is wrong with it is for its own receiver to say.
      this.#settle('failed');
    }
  }

  async #readChunk(chunk: Buffer): Promise<void> {
    this.#reader ??= new ReplyReader(this.#contentType, this.#content, this.#limits);
    for (let at = 0; at < chunk.length && this.#state === 'open'; at += PIECE_BYTES) {
      this.#reader.write(chunk.subarray(at, at + PIECE_BYTES));
      await pace.pause();
    }
  }

  #settle(state: State): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.close();
    this.#report();
  }

  #report(): void {
    // Later: a caller's receiver may be at work.
    queueMicrotask(this.#changed);
  }
}

/** Whether two lists of chunks, of one length, are the same bytes however they are cut. */
function isSame(ours: readonly Buffer[], theirs: readonly Buffer[]): boolean {
  const [mine, other] = [ours.values(), theirs.values()];
  let left = mine.next().value;
  let right = other.next().value;
  while (left !== undefined && right !== undefined) {
    const bytes = Math.min(left.length, right.length);
    if (left.compare(right, 0, bytes, 0, bytes) !== 0) return false;
    left = bytes === left.length ? mine.next().value : left.subarray(bytes);
    right = bytes === right.length ? other.next().value : right.subarray(bytes);
  }
  return true;
}
