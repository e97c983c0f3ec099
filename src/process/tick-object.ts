import { executionAsyncResource } from 'node:async_hooks';

let retained: object | null = null;

/**
 * Retains one of Node's tick objects, from the next tick on. `process.nextTick` of Node 20 makes
 * them as object literals with computed keys, and V8 keeps their hidden class only while one is
 * alive: after a collection without one, every tick is made by the slow runtime (six times the
 * time; a fifth of the cost of a small request). Node 22 and 24 do not need it. Must be called
 * before much garbage is made.
 */
export function retainTickObject(): void {
  process.nextTick(() => {
    retained ??= executionAsyncResource();
  });
}

/** The tick object that is retained; null before the first tick. */
export const retainedTickObject = (): object | null => retained;
