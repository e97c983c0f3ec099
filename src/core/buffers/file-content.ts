import type { Readable } from 'node:stream';
import { Refusal } from '../refusals/refusal.js';

/**
 * The content of a file that stands for a value among the arguments of a call, and is still on its
 * way. It is read once.
 */
export abstract class FileContent {
  /** No name of a member: what takes objects refuses a file. */
  readonly 'a file' = true;

  /** The bytes. Fails with a `Refusal` where they do not come, or have been read before. */
  abstract open(): Readable;

  /** Values are passed on as JSON where a file cannot go. */
  toJSON(): never {
    throw new Refusal('BAD_USER_INPUT', 'a file cannot be sent here');
  }
}
