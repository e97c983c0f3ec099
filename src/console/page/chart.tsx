import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

import type { Row } from './hour-rows.js';
import { printClock, printTime } from './readings.js';

interface Props {
  readonly title: string;
  /** One list for the life of the page: another one makes the chart anew. */
  readonly names: readonly string[];
  readonly rows: readonly Row[];
}

const HEIGHT = 200;
const COLOURS = ['#2a9d57', '#c98a00', '#d1344b'];
/** Ticks closer than this have seconds. */
const MINUTE = 60;

/** Lines over time, from the first row to the last. Its figures are in the page as text too. */
export function Chart(props: Props) {
  // One value is no line, and uPlot would choose a range of years for it.
  if (props.rows.length < 2) return <NoChart title={props.title} />;
  return <Lines {...props} />;
}

const NoChart = ({ title }: { readonly title: string }) => (
  <div class="no-chart">
    <p>
      <strong>{title}</strong>
    </p>
    <p class="muted">It begins with the next readings.</p>
  </div>
);

function Lines({ title, names, rows }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new UPlot(optionsOf(title, names, element), [[], ...names.map(() => [])], element);
    chart.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [names, title]);

  useEffect(() => {
    const columns = names.map((_, index) => rows.map((row) => row[index + 1] ?? null));
    chart.current?.setData([rows.map(([seconds]) => seconds), ...columns]);
  }, [rows, names]);

  return <div ref={place} role="img" aria-label={`Chart: ${title}`} />;
}

function optionsOf(
  title: string,
  names: readonly string[],
  element: HTMLElement,
): ConstructorParameters<typeof UPlot>[0] {
  const { color } = getComputedStyle(element);
  const axis = { stroke: color, grid: { stroke: '#8884' }, ticks: { stroke: '#8884' } };
  const timeAxis = {
    ...axis,
    values: (_: UPlot, ticks: readonly number[]) => {
      const hasSeconds = ((ticks[1] ?? 0) - (ticks[0] ?? 0)) % MINUTE !== 0;
      return ticks.map((seconds) => printClock(seconds * 1000, hasSeconds));
    },
  };
  return {
    title,
    width: element.clientWidth,
    height: HEIGHT,
    scales: {
      x: { range: (_, min, max) => [min, max] },
      y: { range: (_, __, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [timeAxis, axis],
    series: [
      { label: 'time', value: (_, seconds) => (seconds == null ? '' : printTime(seconds * 1000)) },
      ...names.map((label, index) => ({
        label,
        stroke: COLOURS[index] ?? color,
        width: 2,
        spanGaps: true,
        value: (_: UPlot, value: number | null) => (value === null ? '–' : value.toFixed(1)),
      })),
    ],
  };
}
