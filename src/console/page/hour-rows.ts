import type { HourReport } from '../../observe/hour-report.js';
import type { ConsoleState } from '../answers.js';
import { quantileOf, Readings } from './readings.js';

/** Values at a time; null where there is none. */
export type Row = readonly [seconds: number, ...values: (number | null)[]];

const REQUESTS = 'soapstone_requests_total';
/** States further apart than this are not of one series: the page was hidden between them. */
const SERIES_MILLIS = 10_000;

/** The states of the last series, which the page has read one after the other. */
function lastSeries(states: readonly ConsoleState[]): readonly ConsoleState[] {
  const isFirst = (index: number): boolean => {
    const [before, state] = [states[index - 1], states[index]];
    if (before === undefined || state === undefined) return true;
    return state.atMillis - before.atMillis > SERIES_MILLIS;
  };
  let from = states.length - 1;
  while (from > 0 && !isFirst(from)) {
    from--;
  }
  return states.slice(Math.max(0, from));
}

/** Pairs each state with the one before. */
const pairsOf = (states: readonly ConsoleState[]): readonly Readings[] =>
  states.slice(1).flatMap((state, index) => {
    const before = states[index];
    return before === undefined ? [] : [new Readings([before, state])];
  });

/** The slots that are over before the readings of the page begin, by their middle. */
function slotsBefore(
  hour: HourReport | null,
  states: readonly ConsoleState[],
): readonly { readonly seconds: number; readonly at: number }[] {
  if (hour === null) return [];
  const { slotSeconds, fromSeconds, times } = hour;
  const first = states[0]?.atMillis ?? Number.POSITIVE_INFINITY;
  return times
    .map((_, at) => ({ seconds: fromSeconds + (at + 0.5) * slotSeconds, at }))
    .filter(({ seconds }) => (seconds + slotSeconds / 2) * 1000 <= first);
}

/** Requests a second: all, refused, failed. From the ring of the gateway, then as they are read. */
export function rateRows(hour: HourReport | null, states: readonly ConsoleState[]): readonly Row[] {
  const series = lastSeries(states);
  const past = slotsBefore(hour, series).map(({ seconds, at }): Row => {
    const rateOf = (counts: readonly number[] = []) => (counts[at] ?? 0) / (hour?.slotSeconds ?? 1);
    const { requests, refused, failed } = hour?.total ?? {};
    return [seconds, rateOf(requests), rateOf(refused), rateOf(failed)];
  });
  const read = pairsOf(series).map((pair): Row => {
    const rates = [{}, { outcome: 'refused' }, { outcome: 'failed' }];
    return [pair.now.atMillis / 1000, ...rates.map((labels) => pair.rate(REQUESTS, labels))];
  });
  return [...past, ...read];
}

/** The 99th percentile of the time of requests, in milliseconds. */
export function timeRows(hour: HourReport | null, states: readonly ConsoleState[]): readonly Row[] {
  const series = lastSeries(states);
  const inMillis = (seconds: number | null) => (seconds === null ? null : seconds * 1000);
  const past = slotsBefore(hour, series).map(({ seconds, at }): Row => {
    const counts = hour?.times[at] ?? [];
    return [seconds, inMillis(quantileOf(0.99, hour?.bounds ?? [], cumulative(counts)))];
  });
  const read = pairsOf(series).map(
    (pair): Row => [pair.now.atMillis / 1000, inMillis(pair.quantile(0.99))],
  );
  return [...past, ...read];
}

function cumulative(counts: readonly number[]): readonly number[] {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}
