/** Resolves when the event loop has read what lay in the kernel for its sockets. Not to be called by `setImmediate`. */
export const pollPhase = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when two turns of the event loop have left `count` as it was (the first may be half over), or after
 * `turnsMax`: libuv accepts one connection a turn.
 */
export async function untilSteady(count: () => number, turnsMax: number): Promise<void> {
  let steady = 0;
  for (let turn = 0; steady < 2 && turn < turnsMax; turn++) {
    const before = count();
    await pollPhase();
    steady = count() === before ? steady + 1 : 0;
  }
}
