import { executionAsyncResource } from 'node:async_hooks';

let kept: object | null = null;

/**
 * Keeps one of Node's tick objects for good, from the next tick on. `process.nextTick` of Node 20 makes them as object
 * literals with computed keys, and V8 knows their shape only as long as there is one: when its garbage collector finds
 * none, every tick is made by the slow runtime from then on (six times the time; a fifth of what a small request
 * costs). Node 22 and 24 do not forget. To be called before much garbage is made.
 */
export function keepTickShape(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}

/** The tick object that is kept; null before the first tick. */
export const keptTick = (): object | null => kept;
