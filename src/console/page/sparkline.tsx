import type { RouteHour } from '../../observe/hour-report.js';

const WIDTH = 120;
const HEIGHT = 24;

interface Props {
  /** Absent: nothing came in this hour. */
  readonly hour: RouteHour | undefined;
  readonly slotSeconds: number;
}

/** The requests of a service in the last hour, and those that were refused or failed. */
export function Sparkline({ hour, slotSeconds }: Props) {
  const requests = hour?.requests ?? [];
  const bad = requests.map((_, at) => (hour?.refused[at] ?? 0) + (hour?.failed[at] ?? 0));
  const all = sumOf(requests);
  if (hour === undefined || all === 0) return <span class="muted">none</span>;
  const most = Math.max(...requests);
  const text =
    `${all} requests in the last hour, ${sumOf(bad)} refused or failed; ` +
    `at most ${(most / slotSeconds).toFixed(1)} a second`;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <polyline class="all" points={pointsOf(requests, most)} />
      {sumOf(bad) === 0 ? null : <polyline class="failed" points={pointsOf(bad, most)} />}
    </svg>
  );
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);

/** A pixel is left free above and below: a line has a width. */
function pointsOf(counts: readonly number[], most: number): string {
  const shown = counts.length === 1 ? [...counts, ...counts] : counts;
  const step = WIDTH / (shown.length - 1);
  const heightOf = (count: number) => HEIGHT - 1 - (count / most) * (HEIGHT - 2);
  return shown
    .map((count, at) => `${(at * step).toFixed(1)},${heightOf(count).toFixed(1)}`)
    .join(' ');
}
