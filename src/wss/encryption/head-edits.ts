import { Buffer } from 'node:buffer';

/** Bytes that take the place of those from `at` to before `end`. */
export interface HeadEdit {
  readonly at: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** The bytes with these changes, none of which overlaps another one. */
export function edited(bytes: Buffer, edits: readonly HeadEdit[]): Buffer {
  const kept: Buffer[] = [];
  let done = 0;
  for (const edit of [...edits].sort((one, other) => one.at - other.at)) {
    kept.push(bytes.subarray(done, edit.at), edit.bytes);
    done = edit.end;
  }
  kept.push(bytes.subarray(done));
  return Buffer.concat(kept);
}
