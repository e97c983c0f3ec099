import type { Frame } from './frame.js';

/** More messages at once than this make frames of their own. */
const KEPT_MAX = 64;

/** Frames of messages that are over, for the next ones. */
export class FramePool {
  readonly #free: Frame[][] = [];

  take(): Frame[] {
    return this.#free.pop() ?? [];
  }

  give(frames: Frame[]): void {
    if (this.#free.length < KEPT_MAX) this.#free.push(frames);
  }
}
