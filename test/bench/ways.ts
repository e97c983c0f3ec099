import { cpuMicros, median, type Server, table } from './kit.js';

/** A way to make one call. */
export type Way = readonly [name: string, ask: () => Promise<number>];

/**
 * What a call of each way costs the gateway, in turn, as a table: medians, and medians of the
 * ratios to the first.
 */
export async function compareWays(
  gateway: Server,
  ways: readonly Way[],
  {
    count,
    rounds,
    atOnce,
  }: { readonly count: number; readonly rounds: number; readonly atOnce: number },
): Promise<string> {
  for (const [, ask] of ways) await cpuMicros(gateway, ask, count, atOnce);
  const micros = ways.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, [, ask]] of ways.entries())
      micros[at]?.push(await cpuMicros(gateway, ask, count, atOnce));
  }
  const [base = []] = micros;
  const rows = ways.map(([name], at) => {
    const own = micros[at] ?? [];
    const ratios = own.map((value, round) => value / (base[round] ?? value));
    return [name, median(own).toFixed(0), median(ratios).toFixed(2)];
  });
  return table(['way', 'CPU µs/request', `CPU to ${ways[0]?.[0]}`], rows);
}
