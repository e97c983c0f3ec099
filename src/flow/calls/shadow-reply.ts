import type { Buffer } from 'node:buffer';
import { TimeSlices } from '../../core/index.js';
import type { ShadowTraffic } from '../../gateway/shadow/shadow-traffic.js';
import type { ComparedContent, ReplyMeaning } from '../compare/reply-meaning.js';
import { type ReplyLimits, ReplyReader } from '../compare/reply-reader.js';

/** Replies are read in turns, beside all that callers wait for. */
const slices = new TimeSlices();

/**
 * `open`: more may come; `read`: it is whole, and its meaning known; `failed`: it is no reply;
 * `skipped`: more of it came than may wait.
 */
type State = 'open' | 'read' | 'failed' | 'skipped';

/** One of two replies that are compared. Its bytes wait to be read: no caller waits for that. */
export class ShadowReply {
  readonly #traffic: ShadowTraffic;
  readonly #content: ComparedContent;
  readonly #limits: ReplyLimits;
  readonly #settled: () => void;
  readonly #waiting: Buffer[] = [];
  #reader: ReplyReader | null = null;
  #contentType: string | null = null;
  #hasEnded = false;
  #isReading = false;
  #state: State = 'open';
  /** Null also for an empty reply. */
  meaning: ReplyMeaning | null = null;

  /** `settled` is called when the state is another. */
  constructor(
    traffic: ShadowTraffic,
    content: ComparedContent,
    limits: ReplyLimits,
    settled: () => void,
  ) {
    this.#traffic = traffic;
    this.#content = content;
    this.#limits = limits;
    this.#settled = settled;
  }

  get state(): State {
    return this.#state;
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
    this.#begin();
  }

  end(): void {
    this.#hasEnded = true;
    this.#begin();
  }

  fail(): void {
    this.#settle('failed');
  }

  /** Nothing of it is needed any more. */
  close(): void {
    for (const chunk of this.#waiting.splice(0)) {
      this.#traffic.release(chunk.length);
    }
    if (this.#state === 'open') {
      this.#state = 'skipped';
    }
  }

  #begin(): void {
    if (this.#isReading || this.#state !== 'open') return;
    this.#isReading = true;
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      await slices.pause();
      for (let chunk = this.#waiting.shift(); chunk !== undefined; chunk = this.#waiting.shift()) {
        this.#traffic.release(chunk.length);
        this.#reader ??= new ReplyReader(this.#contentType, this.#content, this.#limits);
        this.#reader.write(chunk);
        await slices.pause();
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

  #settle(state: State): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    this.close();
    // Later: a caller's receiver may be at work.
    queueMicrotask(this.#settled);
  }
}
