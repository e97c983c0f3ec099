/** The most times that any second has. */
export function mostInSecond(times: readonly number[]): number {
  let most = 0;
  for (let from = 0, to = 0; to < times.length; to++) {
    while ((times[to] ?? 0) - (times[from] ?? 0) >= 999.999) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
