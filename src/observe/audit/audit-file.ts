import { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { performance } from 'node:perf_hooks';
import { isRecord, jsonValues } from '../../core/index.js';
import type { LogTarget } from '../log/log-target.js';

/** How often the path is looked at: whether it is still the file that is open. */
const LOOK_MILLIS = 1000;

/** Bytes at the end of a file that are read for its last line. */
const TAIL_BYTES = 64 * 1024;

/**
 * A file that lines are appended to. When it was renamed or removed, as by logrotate, a new one is
 * opened within a second, in every process that writes to it. Throws the system's error when the
 * file cannot be opened.
 */
export function auditFile(path: string): LogTarget {
  let file = open(path);
  let lookedMillis = performance.now();
  return {
    canBlock: true,
    canReturn: true,
    close: () => closeSync(file),
    write(bytes, done) {
      const now = performance.now();
      if (now - lookedMillis > LOOK_MILLIS) {
        lookedMillis = now;
        try {
          file = reopened(path, file);
        } catch {
          // The directory is being replaced: the open file is written until the path can be opened.
        }
      }
      write(file, bytes, done);
    },
  };
}

/** Without `O_NONBLOCK` the process would wait for ever for the reader of a named pipe. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * Opens a file, readable for the user of the gateway alone. A last line that is not whole, as a
 * full disk leaves it, is ended: the next one must not become a part of it.
 */
function open(path: string): number {
  const isCut = (tailOf(path, 1) ?? '\n') !== '\n';
  const file = openSync(path, FLAGS, 0o600);
  if (isCut) {
    writeSync(file, '\n');
  }
  return file;
}

function reopened(path: string, file: number): number {
  const now = statSync(path, { throwIfNoEntry: false });
  const held = fstatSync(file);
  if (now?.ino === held.ino && now.dev === held.dev) return file;
  const next = open(path);
  closeSync(file);
  return next;
}

/** The last line of a file, without its end; each null where there is none of its kind. */
export interface FileEnd {
  readonly whole: string | null;
  /** One that is not whole: its process has died while it wrote, or its disk was full. */
  readonly cut: string | null;
}

export function endOf(path: string): FileEnd {
  const text = tailOf(path, TAIL_BYTES)?.replace(/\n+$/, '') ?? '';
  const last = text.slice(text.lastIndexOf('\n') + 1);
  if (last === '') return { whole: null, cut: null };
  return isRecord(jsonValues.parsedJson(last))
    ? { whole: last, cut: null }
    : { whole: null, cut: last };
}

/**
 * Whether one of the last lines of a file is a checkpoint: several processes have written to it.
 */
export const hasCheckpoint = (path: string): boolean =>
  tailOf(path, TAIL_BYTES)?.includes(',"checkpoint":"') === true;

/** The end of a file, so many bytes at most; null where there is nothing. */
function tailOf(path: string, bytesMax: number): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size === 0) return null;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(found.size, bytesMax));
    const read = readSync(file, bytes, 0, bytes.length, found.size - bytes.length);
    return bytes.toString('utf8', 0, read);
  } finally {
    closeSync(file);
  }
}
