/** Resolves when the event loop has read its sockets once. Must not be called within `setImmediate`. */
export const nextPollPhase = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when two turns have left `count` as it was (the first may be half over), or after `turnsMax`: libuv accepts
 * one connection a turn. `turn` waits for a turn of the event loop that accepts.
 */
export async function waitUntilSteady(count: () => number, turnsMax: number, turn = nextPollPhase): Promise<void> {
  let steady = 0;
  for (let turns = 0; steady < 2 && turns < turnsMax; turns++) {
    const before = count();
    await turn();
    steady = count() === before ? steady + 1 : 0;
  }
}
