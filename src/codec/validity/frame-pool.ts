import type { Frame } from './frame.js';

/** Sets of frames that are kept. */
const KEPT_MAX = 64;

/** Frames of finished messages, for reuse. */
export class FramePool {
  readonly #free: Frame[][] = [];

  acquire(): Frame[] {
    return this.#free.pop() ?? [];
  }

  release(frames: Frame[]): void {
    if (this.#free.length < KEPT_MAX) {
      this.#free.push(frames);
    }
  }
}
