import type { Buffer } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Writes bytes, and calls back with how many were taken, at once or later. Never throws. */
type WriteBytes = (
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, taken: number) => void,
) => void;

/** A place to write log lines to. */
export interface LogTarget {
  readonly write: WriteBytes;
  /**
   * Whether a write can keep the process from ending: the system may hold a thread in it for ever.
   */
  readonly canBlock: boolean;
  /** Whether its reader may come back: nothing is given up when it has gone. Absent: no. */
  readonly canReturn?: boolean;
  readonly close: () => void;
}

const STANDARD_OUTPUT = 1;

/** Standard output, written without waiting for its reader. */
export function standardOutput(): LogTarget {
  const stat = fstatSync(STANDARD_OUTPUT);
  if (stat.isFile()) return fileTarget();
  const own = stat.isSocket() ? null : openAgain();
  return own === null ? streamTarget() : ownTarget(own);
}

/** A file, written by a thread: the system does not report when a write to a file would block. */
function fileTarget(): LogTarget {
  return {
    canBlock: true,
    close: () => {},
    write: (bytes, done) => write(STANDARD_OUTPUT, bytes, done),
  };
}

/**
 * A socket, or a target that cannot be opened once more: Node's stream, which waits for `drain`.
 */
function streamTarget(): LogTarget {
  // Errors reach the callback of the write; without a listener they would end the process.
  process.stdout.on('error', () => {});
  return {
    canBlock: false,
    close: () => {},
    write: (bytes, done) => {
      process.stdout.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length));
    },
  };
}

/**
 * A pipe or a terminal, opened once more for writing without waiting: as the system sees it that is
 * another opening, so other processes that write to the first one go on as they did.
 */
function openAgain(): number | null {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  try {
    return openSync(`/proc/self/fd/${STANDARD_OUTPUT}`, flags);
  } catch {
    return null;
  }
}

function ownTarget(own: number): LogTarget {
  return {
    canBlock: false,
    close: () => closeSync(own),
    write(bytes, done) {
      let taken = 0;
      try {
        taken = writeSync(own, bytes);
      } catch (error) {
        done(error instanceof Error ? error : new Error('not written'), 0);
        return;
      }
      done(null, taken);
    },
  };
}

/** The log of a gateway whose lines a function takes; its errors are no matter of requests. */
export const lineTaker = (log: ((line: string) => void) | null): { write(line: string): void } => ({
  write(line) {
    try {
      log?.(line.trimEnd());
    } catch {
      // Nothing is left that could report it.
    }
  },
});
