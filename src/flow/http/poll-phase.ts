/**
 * Resolves when the event loop has read its sockets once. Must not be called within `setImmediate`.
 */
export const nextPollPhase = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Resolves when two turns have left `count` as it was (the first may be half over), or after
 * `turnsMax`: libuv accepts one connection a turn. `turn` waits for a turn of the event loop that
 * accepts; where that is slow and connections go on to come, `millisMax` ends the wait.
 */
export async function waitUntilSteady(
  count: () => number,
  turnsMax: number,
  millisMax: number,
  turn = nextPollPhase,
): Promise<void> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, millisMax);
  });
  let steady = 0;
  for (let turns = 0; steady < 2 && turns < turnsMax && !isLate; turns++) {
    const before = count();
    await Promise.race([turn(), late]);
    steady = count() === before ? steady + 1 : 0;
  }
  clearTimeout(timer);
}
