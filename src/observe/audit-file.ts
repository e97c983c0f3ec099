import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync, statSync, write } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { LogTarget } from './log-target.js';

/** How often the path is looked at: whether it is still the file that is open. */
const LOOK_MILLIS = 1000;

/** Bytes at the end of a file that are read for its last line. */
const TAIL_BYTES = 64 * 1024;

/**
 * A file that lines are appended to. When it was renamed or removed, as by logrotate, a new one is opened within a
 * second, in every process that writes to it. Throws the system's error when the file cannot be opened.
 */
export function auditFile(path: string): LogTarget {
  let file = open(path);
  let lookedMillis = performance.now();
  return {
    canBlock: true,
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

/** Readable for the user of the gateway alone. */
const open = (path: string): number => openSync(path, 'a', 0o600);

function reopened(path: string, file: number): number {
  const now = statSync(path, { throwIfNoEntry: false });
  const held = fstatSync(file);
  if (now?.ino === held.ino && now.dev === held.dev) return file;
  const next = open(path);
  closeSync(file);
  return next;
}

/** The last line of a file, without its end; null where it has none that is whole. */
export function lastLineOf(path: string): string | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return null;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString('utf8', 0, read);
    return text.endsWith('\n') ? (text.slice(0, -1).split('\n').at(-1) ?? null) : null;
  } finally {
    closeSync(file);
  }
}
