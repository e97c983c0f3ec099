import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { LogSink, type SinkState } from '../log/log-sink.js';
import { standardOutput } from '../log/log-target.js';
import { lineHash } from './audit-chain.js';
import { auditFile, endOf } from './audit-file.js';

/**
 * Bytes of lines that wait for the disk; further lines are dropped, and counted in the next one.
 */
const BACKLOG_BYTES = 4 * 1024 * 1024;

/** Lines after which it is looked which of them are written. */
const HEAD_LINES = 1000;

/** Between two reports that lines cannot be written. */
const REPORT_MILLIS = 60_000;

/** The destination of the lines of an audit. */
export interface AuditTarget {
  /** Null for standard output. */
  readonly file: string | null;
  /** Each line ends with its HMAC by this key; null for none. */
  readonly key: string | null;
}

/** The last line of a chain that is written; before the first one `seq` is 0 and `hash` null. */
export interface ChainHead {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string | null;
}

/**
 * Writes JSON lines, each of which names the hash of the one before. Where the file ends in the
 * middle of a line, the first line has its hash as `gap`: the process before has died, or had to
 * give up lines.
 */
export class ChainWriter {
  readonly #sink: LogSink;
  readonly #chain: string;
  readonly #key: string | null;
  #previous: string | null;
  #seq = 0;
  #dropped = 0;
  /** The hash of a line that was cut; null once it is recorded. */
  #gap: string | null;
  /** The hashes of lines that wait, the next one to be written first. */
  #waiting: string[] = [];
  #head: ChainHead;

  /**
   * `failed` is told why lines cannot be written, once a minute at most. Throws the system's error
   * when the file cannot be opened.
   */
  constructor({ file, key }: AuditTarget, chain: string, failed: (reason: string) => void) {
    const end = file === null ? null : endOf(file);
    this.#chain = chain;
    this.#key = key;
    this.#previous = end === null || end.whole === null ? null : lineHash(end.whole);
    this.#gap = end === null || end.cut === null ? null : lineHash(end.cut);
    this.#head = { chain, seq: 0, hash: null };
    const target = file === null ? standardOutput() : auditFile(file);
    let reportedMillis = Number.NEGATIVE_INFINITY;
    this.#sink = new LogSink(target, BACKLOG_BYTES, (code) => {
      if (performance.now() - reportedMillis < REPORT_MILLIS) return;
      reportedMillis = performance.now();
      failed(code);
    });
  }

  /** Lines that are lost, because earlier ones could not be written. */
  get droppedLines(): number {
    return this.#sink.droppedLines;
  }

  get head(): ChainHead {
    const written = this.#sink.writtenLines;
    const more = written - this.#head.seq;
    if (more > 0) {
      const hash = this.#waiting[more - 1] ?? this.#head.hash;
      this.#waiting = this.#waiting.slice(more);
      this.#head = { chain: this.#chain, seq: written, hash };
    }
    return this.#head;
  }

  get isUp(): boolean {
    return this.#sink.isUp;
  }

  get state(): SinkState {
    return this.#sink.state;
  }

  append(fields: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify({
      time: new Date().toISOString(),
      chain: this.#chain,
      seq: this.#seq + 1,
      previous: this.#previous,
      ...(this.#gap === null ? {} : { gap: this.#gap }),
      ...fields,
      ...(this.#dropped === 0 ? {} : { dropped: this.#dropped }),
    });
    const line =
      this.#key === null ? text : `${text.slice(0, -1)},"mac":"${macOf(text, this.#key)}"}`;
    const before = this.#sink.droppedLines;
    this.#sink.write(`${line}\n`);
    if (this.#sink.droppedLines > before) {
      this.#dropped++;
      return;
    }
    this.#dropped = 0;
    this.#gap = null;
    this.#seq++;
    this.#previous = lineHash(line);
    if (this.#waiting.length > HEAD_LINES) {
      void this.head;
    }
    this.#waiting.push(this.#previous);
  }

  /**
   * Writes what waits, as far as it is taken within a second. Resolves to the number of lines that
   * are on no record.
   */
  async close(): Promise<number> {
    const before = this.#sink.droppedLines;
    await this.#sink.close();
    return this.#dropped + this.#sink.droppedLines - before;
  }
}

/** Whether a line ends with its HMAC by this key; null for a line that has none. */
export function isMacOf(line: string, key: string): boolean | null {
  const match = /,"mac":"([0-9a-f]{64})"\}$/.exec(line);
  if (match === null) return null;
  const expected = Buffer.from(macOf(`${line.slice(0, match.index)}}`, key));
  return timingSafeEqual(expected, Buffer.from(match[1] ?? ''));
}

/** HMAC-SHA256 of a line without its `mac`, in hexadecimal. */
const macOf = (text: string, key: string): string =>
  createHmac('sha256', key).update(text).digest('hex');
