import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { LogTarget } from './log-target.js';

/**
 * POSIX writes this much to a pipe in one piece or not at all: lines of several processes stay
 * whole.
 */
const PIECE_BYTES = 4096;

const FLUSH_MILLIS = 250;
/** How long a reader that has not kept up is left alone. */
const BUSY_MILLIS = 10;
/** How long a disk that is full is left alone. */
const FULL_MILLIS = 1000;
/** How long `flush` waits for a slow reader. */
const FLUSH_MAX_MILLIS = 1000;

/** A write that takes longer has failed as far as is known. */
const HANG_MILLIS = 5000;
const NEWLINE = 10;

interface Piece {
  readonly bytes: Buffer;
  readonly lines: number;
}

/** Whether lines are written, for metrics and alerts. */
export interface SinkState {
  /** False from a write that failed, or hangs, until a line is written again. */
  readonly isUp: boolean;
  /** Lines that are not written yet. */
  readonly waitingLines: number;
  /** Since the last write, or the start. */
  readonly ageMillis: number;
}

/** The output of the log: takes lines at once and writes them without blocking. */
export class LogSink {
  /** Lines dropped because earlier ones were not read. */
  droppedLines = 0;
  /** Lines that a target that failed has not taken until the end; 0 where its reader has gone. */
  lostLines = 0;
  /** Lines that are written. */
  writtenLines = 0;
  readonly #target: LogTarget;
  readonly #backlogBytes: number;
  readonly #failed: (code: string) => void;
  /** The newest lines, not yet a piece. */
  #text = '';
  #textLines = 0;
  readonly #pieces: Piece[] = [];
  #pieceBytes = 0;
  /** Bytes of the first piece that are written already. */
  #written = 0;
  #state: 'idle' | 'writing' | 'waiting' | 'gone' = 'idle';
  #isFailing = false;
  #writtenMillis = performance.now();
  #begunMillis = 0;
  #onEmpty: (() => void) | null = null;
  readonly #timer: NodeJS.Timeout;

  /**
   * Unread lines are kept up to `backlogBytes`; further ones are dropped and counted (catalogue
   * O08). `failed` takes the code of each write that failed, but for a reader that is only slow.
   */
  constructor(target: LogTarget, backlogBytes: number, failed: (code: string) => void = () => {}) {
    this.#target = target;
    this.#backlogBytes = backlogBytes;
    this.#failed = failed;
    this.#timer = setInterval(() => this.#begin(), FLUSH_MILLIS).unref();
  }

  /** Whether lines are written: asked by each request that depends on it. */
  get isUp(): boolean {
    if (this.#isFailing || this.#state === 'gone') return false;
    return this.#state !== 'writing' || performance.now() - this.#begunMillis <= HANG_MILLIS;
  }

  get state(): SinkState {
    return {
      isUp: this.isUp,
      waitingLines: this.#textLines + this.#pieces.reduce((sum, { lines }) => sum + lines, 0),
      ageMillis: performance.now() - this.#writtenMillis,
    };
  }

  /** Takes a line, its end included. */
  write(line: string): void {
    if (
      this.#state === 'gone' ||
      this.#pieceBytes + this.#text.length + line.length > this.#backlogBytes
    ) {
      this.droppedLines++;
      return;
    }
    if (this.#text.length + line.length > PIECE_BYTES && this.#text !== '') {
      this.#endPiece();
    }
    this.#text += line;
    this.#textLines++;
  }

  /** Writes what there is; resolves when that is done, or after a second. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, FLUSH_MAX_MILLIS);
      this.#onEmpty = () => {
        clearTimeout(deadline);
        resolve();
      };
      if (this.#state === 'waiting') {
        this.#state = 'idle';
      }
      this.#begin();
    });
    this.#onEmpty = null;
  }

  /**
   * Writes what there is, as far as it is taken within a second; resolves to whether the process
   * can end by itself.
   */
  async close(): Promise<boolean> {
    clearInterval(this.#timer);
    await this.flush();
    const isStuck = this.#state === 'writing' && this.#target.canBlock;
    if (!isStuck) {
      this.#target.close();
    }
    const dropped = this.droppedLines;
    this.#giveUp();
    if (this.#isFailing) {
      this.lostLines = this.droppedLines - dropped;
    }
    return !isStuck;
  }

  #begin(): void {
    if (this.#text !== '') {
      this.#endPiece();
    }
    this.#advance();
  }

  #endPiece(): void {
    const bytes = Buffer.from(this.#text);
    this.#pieces.push({ bytes, lines: this.#textLines });
    this.#pieceBytes += bytes.length;
    this.#text = '';
    this.#textLines = 0;
    if (this.#state === 'idle') {
      this.#advance();
    }
  }

  /** Writes piece after piece until one is not taken at once, or none is left. */
  #advance(): void {
    while (this.#state === 'idle') {
      const first = this.#pieces[0];
      if (first === undefined) {
        this.#onEmpty?.();
        return;
      }
      this.#state = 'writing';
      this.#begunMillis = performance.now();
      // One that answers at once must not come back here, piece within piece.
      let isNow = true;
      this.#target.write(
        this.#written === 0 ? first.bytes : first.bytes.subarray(this.#written),
        (error, taken) => {
          this.#finishWrite(first, error, taken);
          if (!isNow) {
            this.#advance();
          }
        },
      );
      isNow = false;
    }
  }

  #finishWrite(piece: Piece, error: NodeJS.ErrnoException | null, taken: number): void {
    if (this.#state === 'gone') return;
    if (error !== null) {
      this.#stall(error.code ?? '');
      return;
    }
    this.#state = 'idle';
    this.#written += taken;
    if (taken > 0) {
      this.#writtenMillis = performance.now();
    }
    if (this.#written < piece.bytes.length) return;
    this.#isFailing = false;
    this.#pieces.shift();
    this.#pieceBytes -= piece.bytes.length;
    this.writtenLines += piece.lines;
    this.#written = 0;
  }

  #stall(code: string): void {
    const isBusy = code === 'EAGAIN' || code === 'EBUSY' || code === 'EINTR';
    if (!isBusy) {
      this.#isFailing = true;
      this.#failed(code);
      this.#restartLine();
    }
    const isGone = code === 'EPIPE' || code === 'EBADF' || code === 'ECONNRESET';
    if (isGone && this.#target.canReturn !== true) {
      this.#giveUp();
      this.#onEmpty?.();
      return;
    }
    this.#state = 'waiting';
    setTimeout(
      () => {
        if (this.#state === 'waiting') {
          this.#state = 'idle';
        }
        this.#advance();
      },
      isBusy ? BUSY_MILLIS : FULL_MILLIS,
    ).unref();
  }

  /**
   * Makes the line that was written in part begin anew, on a line of its own: another process may
   * write before the rest of it. What was written stays behind as the beginning of the same line.
   */
  #restartLine(): void {
    const [first] = this.#pieces;
    if (first === undefined || this.#written === 0) return;
    const lineStart = first.bytes.lastIndexOf(NEWLINE, this.#written - 1) + 1;
    const rest = first.bytes.subarray(lineStart);
    const isCut = lineStart < this.#written;
    const bytes = isCut ? Buffer.concat([Buffer.from('\n'), rest]) : rest;
    const lines = countLines(rest);
    this.writtenLines += first.lines - lines;
    this.#pieces[0] = { bytes, lines };
    this.#pieceBytes += bytes.length - first.bytes.length;
    this.#written = 0;
  }

  /** Drops all lines: the reader is gone. */
  #giveUp(): void {
    this.#state = 'gone';
    const [first] = this.#pieces;
    if (first !== undefined && this.#written > 0) {
      const lines = countLines(first.bytes.subarray(this.#written));
      this.writtenLines += first.lines - lines;
      this.#pieces[0] = { bytes: first.bytes, lines };
    }
    this.droppedLines += this.#textLines + this.#pieces.reduce((sum, { lines }) => sum + lines, 0);
    this.#text = '';
    this.#textLines = 0;
    this.#pieces.length = 0;
    this.#pieceBytes = 0;
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    count++;
  }
  return count;
}
