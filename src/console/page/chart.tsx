import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';

interface Props {
  readonly title: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly [seconds: number, ...values: (number | null)[]])[];
}

const HEIGHT = 200;
const COLOURS = ['#2a9d57', '#c98a00', '#d1344b'];

/** Lines over time. The figures themselves stand beside the chart as text. */
export function Chart({ title, names, rows }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const { color } = getComputedStyle(element);
    const axis = { stroke: color, grid: { stroke: '#8884' }, ticks: { stroke: '#8884' } };
    const made = new UPlot(
      {
        title,
        width: element.clientWidth,
        height: HEIGHT,
        scales: { y: { range: (_, __, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
        axes: [axis, axis],
        series: [
          {},
          ...names.map((label, index) => ({
            label,
            stroke: COLOURS[index] ?? color,
            width: 2,
            spanGaps: true,
          })),
        ],
      },
      [[], ...names.map(() => [])],
      element,
    );
    chart.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [names.map, title]);

  useEffect(() => {
    const columns = names.map((_, index) => rows.map((row) => row[index + 1] ?? null));
    chart.current?.setData([rows.map(([seconds]) => seconds), ...columns]);
  }, [rows, names.map]);

  return <div ref={place} role="img" aria-label={`Chart: ${title}`} />;
}
