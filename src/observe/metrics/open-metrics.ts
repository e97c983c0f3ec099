import type { MetricList } from './prometheus.js';
import type { Exemplar } from './tally.js';

/** The media type of what is printed here. */
export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * The metrics in the format of OpenMetrics 1.0, with exemplars. The package prints it too, but changes the names of
 * counters by that, for the other format as well.
 */
export function printOpenMetrics(list: MetricList): string {
  const lines: string[] = [];
  for (const { name, help, type, values } of list) {
    const isCounter = String(type) === 'counter';
    const family = isCounter ? name.replace(/_total$/, '') : name;
    lines.push(`# HELP ${family} ${escapeText(help)}`, `# TYPE ${family} ${String(type)}`);
    for (const sample of values) {
      const metricName =
        'metricName' in sample && typeof sample.metricName === 'string' ? sample.metricName : name;
      const sampleName = isCounter ? `${family}_total` : metricName;
      const labels = Object.entries(sample.labels).map(
        ([key, value]) => `${key}="${escapeText(String(value))}"`,
      );
      const set = labels.length === 0 ? '' : `{${labels.join(',')}}`;
      lines.push(`${sampleName}${set} ${numberText(sample.value)}${exemplarText(sample)}`);
    }
  }
  return `${lines.join('\n')}\n# EOF\n`;
}

function exemplarText(sample: object): string {
  const exemplar = 'exemplar' in sample ? sample.exemplar : null;
  if (!isExemplar(exemplar)) return '';
  return ` # {trace_id="${exemplar.id}"} ${exemplar.value} ${exemplar.unixSeconds}`;
}

const isExemplar = (value: unknown): value is Exemplar =>
  typeof value === 'object' && value !== null && 'id' in value && 'unixSeconds' in value;

const escapeText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
