/** Resolves when the event loop has read what lay in the kernel for its sockets. Not to be called by `setImmediate`. */
export const pollPhase = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when two turns have left `count` as it was (the first may be half over), or after `turnsMax`: libuv accepts
 * one connection a turn. `turn` waits for a turn of the event loop that accepts.
 */
export async function untilSteady(count: () => number, turnsMax: number, turn = pollPhase): Promise<void> {
  let steady = 0;
  for (let turns = 0; steady < 2 && turns < turnsMax; turns++) {
    const before = count();
    await turn();
    steady = count() === before ? steady + 1 : 0;
  }
}
